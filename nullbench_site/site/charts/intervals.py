"""The interval plot of a board: each contestant's score with its 95 % interval, and the null floor as a line."""

from __future__ import annotations

from typing import Any

from nullbench_site.site.charts.palette import ACCENT, FLOOR, HAIRLINE, INK, MUTED

ROW_HEIGHT = 24


def intervals_data(rows: list[dict[str, Any]], floor: float | None) -> dict[str, list[dict[str, Any]]]:
    """The datasets of an interval plot.

    rows: {title, score, low, high} in the order of the board. floor: the null floor, None without null models.
    """
    return {"rows": rows, "floor": [] if floor is None else [{"floor": floor}]}


def template() -> dict[str, Any]:
    """The Vega-Lite spec of an interval plot without its data."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    axis = alt.Axis(
        title="overall, 0 to 100, with its 95 % interval",
        gridColor=HAIRLINE, domain=False, ticks=False, labelColor=MUTED, titleColor=MUTED, titleFontWeight="normal",
        labelFontSize=12, titleFontSize=12, values=[0, 20, 40, 60, 80, 100],
    )  # fmt: skip
    names = alt.Axis(
        title=None, domain=False, ticks=False, labelColor=INK, labelFontSize=13, labelLimit=220, labelPadding=12
    )
    y = alt.Y("title:N", sort=None, axis=names)
    low = alt.X("low:Q", scale=alt.Scale(domain=[0, 100]), axis=axis)
    tips = ["title:N", "score:Q", "low:Q", "high:Q"]
    bars = rows.mark_rule(color=ACCENT, strokeWidth=6, opacity=0.35).encode(y=y, x=low, x2="high:Q", tooltip=tips)
    dots = rows.mark_circle(color=ACCENT, size=64, opacity=1).encode(y=y, x="score:Q", tooltip=tips)
    lines = alt.Chart(alt.NamedData("floor"))
    floor = lines.mark_rule(color=FLOOR, strokeDash=[3, 3]).encode(x="floor:Q")
    chart = alt.layer(bars, dots, floor).properties(width=640, background="transparent").configure_view(stroke=None)
    return dict(chart.to_dict())
