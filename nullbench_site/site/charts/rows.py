"""What charts with a contestant a row and scores from 0 to 100 across have in common."""

from __future__ import annotations

from typing import Any

from nullbench_site.site.charts.palette import FLOOR, HAIRLINE, INK, MUTED

ROW_HEIGHT = 24
_WIDTH = 262
_NAMES = 150
_FONT = 13


def across(field: str, title: str) -> Any:
    """The encoding of scores."""
    import altair as alt

    axis = alt.Axis(
        title=title, gridColor=HAIRLINE, domain=False, ticks=False, labelColor=MUTED, titleColor=MUTED,
        titleFontWeight="normal", labelFontSize=_FONT, titleFontSize=_FONT, labelFlush=False,
        values=[0, 20, 40, 60, 80, 100],
    )  # fmt: skip
    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, 100]), axis=axis)


def names() -> Any:
    """The encoding of contestants, in the order of their rows."""
    import altair as alt

    axis = alt.Axis(
        title=None, domain=False, ticks=False, labelColor=INK, labelFontSize=_FONT, labelLimit=_NAMES, labelPadding=10
    )
    return alt.Y("title:N", sort=None, axis=axis)


def tooltip(*scores: str) -> list[Any]:
    """What hovering tells: whose row it is and these of its scores."""
    import altair as alt

    return [alt.Tooltip("title:N"), *(alt.Tooltip(f"{score}:Q", format=".1f") for score in scores)]


def floor_line() -> Any:
    """The null floor through all rows, from the dataset `floor`."""
    import altair as alt

    return alt.Chart(alt.NamedData("floor")).mark_rule(color=FLOOR, strokeDash=[3, 3]).encode(x="floor:Q")


def floor_rows(floor: float | None) -> list[dict[str, Any]]:
    """The dataset of `floor_line`; empty without null models."""
    return [] if floor is None else [{"floor": floor}]


def spec(*layers: Any) -> dict[str, Any]:
    """The Vega-Lite spec of the layers."""
    import altair as alt

    chart = alt.layer(*layers).properties(width=_WIDTH, padding={"left": 2, "right": 14, "top": 4, "bottom": 4})
    return dict(chart.properties(background="transparent").configure_view(stroke=None).to_dict())
