"""Radars as pages show them: the small ones that a template draws, and the words of the large ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from nullbench_site.site import words
from nullbench_site.site.charts.radar import Scale, Spoke, position


@dataclass(frozen=True)
class SmallRadar:
    """A radar drawn by a template: points of polygons on a circle of radius 1, y downwards.

    rings: a path through all of them. reference: the polygon that the profile is held against, of the kind `against`.
    A polygon that would not be whole is empty.
    """

    label: str
    score: str
    link: str
    rings: str
    reference: str
    against: Literal["goal", "median"]
    profile: str


def small_radar(
    label: str,
    score: str,
    link: str,
    values: Sequence[float | None],
    reference: Sequence[float | None],
    *,
    against: Literal["goal", "median"],
    scale: Scale,
) -> SmallRadar:
    """A small radar; a polygon with an absent value is not drawn at all rather than through the middle."""
    return SmallRadar(
        label=label,
        score=score,
        link=link,
        rings=_rings(len(values), scale),
        reference=_polygon(reference, scale),
        against=against,
        profile=_polygon(values, scale),
    )


@cache
def _rings(spokes: int, scale: Scale) -> str:
    return "".join(f"M{_polygon([ring] * spokes, scale)}Z" for ring in scale.rings) if spokes else ""


def _polygon(values: Sequence[float | None], scale: Scale) -> str:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ""
    unit = 1 / (scale.high - scale.low)
    places = zip(known, _ends(len(known)), strict=True)
    return " ".join(f"{(r := max(0.0, (value - scale.low) * unit)) * x:.3f},{-r * y:.3f}" for value, (x, y) in places)


@cache
def _ends(spokes: int) -> Sequence[tuple[float, float]]:
    """Where spokes end on a circle of radius 1, y upwards."""
    rim = Scale(0, 1, ())
    return [position(1, place, spokes, rim) for place in range(spokes)]


def radar_words(name: str, spokes: Sequence[Spoke], scale: Scale) -> str:
    """The text alternative of a radar: every number in it."""
    parts = [f"{spoke.label} {words.number(spoke.value, 1)} ({_beside(spoke)})" for spoke in spokes]
    return f"Radar of {name} on a scale from {scale.low:g} to {scale.high:g}: {'; '.join(parts)}."


def _beside(spoke: Spoke) -> str:
    goal = "" if spoke.goal is None else f"goal {words.number(spoke.goal, 1)}, "
    return f"{goal}median {words.number(spoke.median, 1)}"
