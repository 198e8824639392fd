"""The radar of a profile against the board's median and, where there is one, its goal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.site.charts.palette import ACCENT, GOAL, HAIRLINE, INK, MUTED

_SIZE = 340
_LABEL_AT = 1.13


@dataclass(frozen=True)
class Scale:
    """What stands in the middle of a radar, what at its rim, and where its rings are."""

    low: float
    high: float
    rings: tuple[float, ...]


LIKERT = Scale(1, 5, (2, 3, 4, 5))
POINTS = Scale(0, 100, (25, 50, 75, 100))


@dataclass(frozen=True)
class Spoke:
    """One axis of a radar; None where a value is absent, and for the goal where there is none."""

    label: str
    value: float | None
    goal: float | None
    median: float | None


def position(value: float, place: int, spokes: int, scale: Scale) -> tuple[float, float]:
    """Where `value` (in the middle below the scale) stands on spoke `place` of `spokes`, on a circle of radius 1."""
    radius = max(0.0, (value - scale.low) / (scale.high - scale.low))
    angle = 2 * math.pi * place / spokes
    return radius * math.sin(angle), radius * math.cos(angle)


def radar_data(spokes: Sequence[Spoke], name: str, scale: Scale) -> dict[str, list[dict[str, Any]]]:
    """The datasets of a radar. name: whose profile it is, for the tooltip."""
    n = len(spokes)
    grid = [
        {"ring": ring, "place": place, **_at(ring, place % n, n, scale)}
        for ring in scale.rings
        for place in range(n + 1)
    ]
    tips = [{"place": place, **_at(scale.high, place, n, scale)} for place in range(n)]
    lines = []
    for series, values in (
        ("goal", [s.goal for s in spokes]),
        ("median", [s.median for s in spokes]),
        ("profile", [s.value for s in spokes]),
    ):
        if None not in values:
            known = [value for value in values if value is not None]
            lines += [
                {"series": series, "place": place, **_at(known[place % n], place % n, n, scale)}
                for place in range(n + 1)
            ]
    points = [
        {
            "axis": s.label,
            "score": round(s.value, 2),
            "goal": s.goal,
            "median": s.median and round(s.median, 2),
            "of": name,
        }
        | _at(s.value, place, n, scale)
        for place, s in enumerate(spokes)
        if s.value is not None
    ]
    labels = []
    for place, s in enumerate(spokes):
        x, y = position(scale.high, place, n, scale)
        side = "left" if x > 0.2 else "right" if x < -0.2 else "center"
        shown = "n/a" if s.value is None else f"{s.value:.1f}"
        labels.append({"label": s.label, "score": shown, "side": side, "x": x * _LABEL_AT, "y": y * _LABEL_AT})
    return {"grid": grid, "tips": tips, "lines": lines, "points": points, "labels": labels}


def _at(value: float, place: int, n: int, scale: Scale) -> dict[str, float]:
    x, y = position(value, place, n, scale)
    return {"x": round(x, 4), "y": round(y, 4)}


def template(*, goals: bool) -> dict[str, Any]:
    """The Vega-Lite spec of a radar without its data. goals: whether hovering tells them."""
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
        .encode(x=x, y=y, tooltip=["of:N", "axis:N", "score:Q", *(["goal:Q"] if goals else []), "median:Q"])
    )
    layers: list[Any] = [grid, spokes, goal, median, profile, points]
    for side in ("left", "center", "right"):
        base = alt.Chart(alt.NamedData("labels")).transform_filter(f"datum.side == '{side}'").encode(x=x, y=y)
        layers.append(base.mark_text(align=side, color=INK, fontSize=13, dy=-7).encode(text="label:N"))
        layers.append(base.mark_text(align=side, color=MUTED, fontSize=13, dy=9).encode(text="score:N"))
    chart = alt.layer(*layers).properties(width=_SIZE * 1.62, height=_SIZE * 1.3, background="transparent")
    return dict(chart.configure_view(stroke=None).to_dict())
