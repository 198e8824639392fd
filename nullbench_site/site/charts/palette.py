"""Colours as names of CSS variables, so that one SVG serves the light and the dark page.

vl-convert wants real colours; it gets a stand-in for each variable, which is replaced in the finished SVG.
"""

from __future__ import annotations

from nullbench_site.site.looks import COLOURS

INK, MUTED, HAIRLINE, ACCENT, GOAL, FLOOR, SURFACE = (f"#0000{n:02x}" for n in range(0xA1, 0xA8))
"""Stand-ins: text, quiet text, grid lines, the contestant, the goal, the null floor, the page itself."""
LOOKS = {name: f"#0000{0xB0 + place:02x}" for place, name in enumerate(COLOURS)}
"""Stand-ins of the colours that tell contestants apart, by their names."""

VARIABLES = {
    INK: "--nb-ink",
    MUTED: "--nb-muted",
    HAIRLINE: "--nb-hairline",
    ACCENT: "--nb-accent",
    GOAL: "--nb-gold",
    FLOOR: "--nb-rust",
    SURFACE: "--nb-surface",
} | {colour: f"--nb-look-{place}" for place, colour in enumerate(LOOKS.values())}


def themed(svg: str) -> str:
    """`svg` with the stand-ins replaced by CSS variables."""
    for stand_in, variable in VARIABLES.items():
        svg = svg.replace(stand_in, f"var({variable})")
    return svg
