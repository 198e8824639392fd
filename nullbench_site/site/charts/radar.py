"""The radar of a profile over 4-6 axes, 1-5, against its goal and the board's median."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.site.charts.palette import ACCENT, GOAL, HAIRLINE, INK, MUTED

LOWEST, HIGHEST = 1.0, 5.0
_SIZE = 340
_LABEL_AT = 1.13


@dataclass(frozen=True)
class Spoke:
    """One axis of a radar; None where a value is absent."""

    label: str
    value: float | None
    goal: float | None
    median: float | None


def position(value: float, place: int, spokes: int) -> tuple[float, float]:
    """Where `value` (1-5, in the middle below 1) stands on spoke `place` of `spokes`, on a circle of radius 1."""
    radius = max(0.0, (value - LOWEST) / (HIGHEST - LOWEST))
    angle = 2 * math.pi * place / spokes
    return radius * math.sin(angle), radius * math.cos(angle)


def radar_data(spokes: Sequence[Spoke], name: str) -> dict[str, list[dict[str, Any]]]:
    """The datasets of a radar. name: whose profile it is, for the tooltip."""
    n = len(spokes)
    grid = [
        {"ring": ring, "place": place, **_at(float(ring), place % n, n)}
        for ring in range(2, 6)
        for place in range(n + 1)
    ]
    tips = [{"place": place, **_at(HIGHEST, place, n)} for place in range(n)]
    lines = []
    for series, values in (
        ("goal", [s.goal for s in spokes]),
        ("median", [s.median for s in spokes]),
        ("profile", [s.value for s in spokes]),
    ):
        if None not in values:
            known = [value for value in values if value is not None]
            lines += [
                {"series": series, "place": place, **_at(known[place % n], place % n, n)} for place in range(n + 1)
            ]
    points = [
        {
            "axis": s.label,
            "score": round(s.value, 2),
            "goal": s.goal,
            "median": s.median and round(s.median, 2),
            "of": name,
        }
        | _at(s.value, place, n)
        for place, s in enumerate(spokes)
        if s.value is not None
    ]
    labels = []
    for place, s in enumerate(spokes):
        x, y = position(HIGHEST, place, n)
        side = "left" if x > 0.2 else "right" if x < -0.2 else "center"
        shown = "n/a" if s.value is None else f"{s.value:.1f}"
        labels.append({"label": s.label, "score": shown, "side": side, "x": x * _LABEL_AT, "y": y * _LABEL_AT})
    return {"grid": grid, "tips": tips, "lines": lines, "points": points, "labels": labels}


def _at(value: float, place: int, n: int) -> dict[str, float]:
    x, y = position(value, place, n)
    return {"x": round(x, 4), "y": round(y, 4)}


def template() -> dict[str, Any]:
    """The Vega-Lite spec of a radar without its data."""
    import altair as alt

    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-1.62, 1.62]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1.3, 1.3]))
    grid = (
        alt.Chart(alt.NamedData("grid"))
        .mark_line(color=HAIRLINE, strokeWidth=1)
        .encode(x=x, y=y, detail="ring:N", order="place:Q")
    )
    spokes = (
        alt.Chart(alt.NamedData("tips")).mark_rule(color=HAIRLINE).encode(x=x, y=y, x2=alt.datum(0), y2=alt.datum(0))
    )
    lines = alt.Chart(alt.NamedData("lines")).encode(x=x, y=y, order="place:Q")
    goal = lines.transform_filter("datum.series == 'goal'").mark_line(color=GOAL, strokeDash=[5, 3], strokeWidth=1.6)
    median = lines.transform_filter("datum.series == 'median'").mark_line(
        color=MUTED, strokeDash=[1, 3], strokeWidth=1.6
    )
    profile = lines.transform_filter("datum.series == 'profile'").mark_line(
        color=ACCENT, strokeWidth=2, fill=ACCENT, fillOpacity=0.14
    )
    points = (
        alt.Chart(alt.NamedData("points"))
        .mark_circle(color=ACCENT, size=36, opacity=1)
        .encode(x=x, y=y, tooltip=["of:N", "axis:N", "score:Q", "goal:Q", "median:Q"])
    )
    layers: list[Any] = [grid, spokes, goal, median, profile, points]
    for side in ("left", "center", "right"):
        base = alt.Chart(alt.NamedData("labels")).transform_filter(f"datum.side == '{side}'").encode(x=x, y=y)
        layers.append(base.mark_text(align=side, color=INK, fontSize=13, dy=-7).encode(text="label:N"))
        layers.append(base.mark_text(align=side, color=MUTED, fontSize=13, dy=9).encode(text="score:N"))
    chart = alt.layer(*layers).properties(width=_SIZE * 1.62, height=_SIZE * 1.3, background="transparent")
    return dict(chart.configure_view(stroke=None).to_dict())
