"""The Vega-Lite specs of the charts, without data, made by Altair.

The specs are cached: importing Altair costs more than a warm render.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import altair as alt

from nullbench_site.site.charts.chart import ENDS, NUMBERS, OUTCOMES
from nullbench_site.site.charts.style import (
    ACCENT,
    FLOOR,
    FONT,
    GOAL,
    HAIRLINE,
    INK,
    LOOKS,
    MUTED,
    NULL,
    SHAPES,
    SURFACE,
    across,
    of_scores,
)
from nullbench_site.site.charts.tradeoff import AMOUNTS, WIDTH

_ROWS_WIDTH = 262
_NAMES = 160
_ONE_LINE, _OF_TWO = 24, 27
"""How many letters of a name fit in `_NAMES` on one line, and on each of two smaller ones."""
_OUTCOME_COLOURS = (ACCENT, HAIRLINE, GOAL, FLOOR)


def _colour_by() -> Any:
    """Return the encoding of the field `colour`."""
    scale = alt.Scale(domain=[*LOOKS, NULL], range=[*LOOKS.values(), MUTED])
    return alt.Color("colour:N", scale=scale, legend=None)


def _shape_by() -> Any:
    """Return the encoding of the field `shape`."""
    return alt.Shape("shape:N", scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES)), legend=None)


def _across(field: str) -> Any:
    """Return the encoding of scores on an axis from 0 to the parameter `top`."""
    axis = alt.Axis(
        title=None, gridColor=HAIRLINE, domain=False, ticks=False, labelColor=MUTED, labelFontSize=FONT,
        labelFlush=False, values=alt.ExprRef("ticks"),
    )  # fmt: skip
    scale = alt.Scale(domain=[0, alt.ExprRef("top")])
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def _names() -> Any:
    """Return the encoding of contestants, in the order of rows. A long name has two lines, and loses its middle."""
    name, is_long = "datum.label", f"length(datum.label) > {_ONE_LINE}"
    space = f"lastindexof(slice({name}, 0, min({_OF_TWO + 1}, length({name}) / 2 + 5)), ' ')"
    first = f"slice({name}, 0, {space} > 0 ? {space} : {_OF_TWO})"
    rest = f"trim(slice({name}, length({first})))"
    last = f"length({rest}) > {_OF_TWO} ? '…' + slice({name}, {1 - _OF_TWO}) : {rest}"
    axis = alt.Axis(
        title=None, domain=False, ticks=False, labelColor=INK, labelLimit=_NAMES, labelPadding=10, labelLineHeight=11,
        labelExpr=f"{is_long} ? [{first}, {last}] : {name}",
        labelFontSize={"condition": {"test": is_long, "value": FONT - 2}, "value": FONT},
        labelBaseline={"condition": {"test": is_long, "value": "bottom"}, "value": "middle"},  # of the first line
    )  # fmt: skip
    return alt.Y("title:N", sort=None, axis=axis)


def _tips(**fields: str) -> dict[str, Any]:
    """Return the encodings that say the values of a mark on hover, in notebooks and in SVGs: its title and fields."""
    said = "".join(f" + '; {name.replace('_', ' ')} ' + datum['{field}']" for name, field in fields.items())
    shown = [alt.Tooltip("title:N"), *(alt.Tooltip(f"{field}:N", title=name) for name, field in fields.items())]
    return {"tooltip": shown, "description": alt.value(alt.ExprRef(f"datum['title']{said}"))}


def _told(*scores: str) -> dict[str, Any]:
    """Return the tips of a row: its title and scores in words, from `told`."""
    return _tips(**{score: f"{score}_told" for score in scores})


def _floor_line() -> Any:
    """Return the null floor as a line through all rows."""
    return alt.Chart(alt.NamedData("floor")).mark_rule(color=FLOOR, strokeDash=[3, 3], aria=False).encode(x="floor:Q")


def _ceiling_line() -> Any:
    """Return the ceiling as a line through all rows."""
    return alt.Chart(alt.NamedData("ceiling")).mark_rule(color=INK, strokeDash=[1, 3], aria=False).encode(x="score:Q")


def _spec(*layers: Any) -> dict[str, Any]:
    """Return the Vega-Lite spec of layers."""
    chart = alt.layer(*layers).properties(width=_ROWS_WIDTH, padding={"left": 2, "right": 14, "top": 4, "bottom": 4})
    spec = chart.properties(background="transparent").configure_view(stroke=None).to_dict()
    return {**spec, "params": across(of_scores([]))}


def _intervals() -> dict[str, Any]:
    """Return the spec of an interval plot."""
    rows = alt.Chart(alt.NamedData("rows"))
    y, low = _names(), _across("low")
    tips = _told(*ENDS)
    outer = rows.mark_rule(strokeWidth=1, aria=False).encode(
        y=y, x="panel_low:Q", x2="panel_high:Q", color=_colour_by()
    )
    bars = rows.mark_rule(strokeWidth=10, opacity=0.55).encode(y=y, x=low, x2="high:Q", color=_colour_by(), **tips)
    dots = rows.mark_point(filled=True, size=36, opacity=1).encode(
        y=y, x="score:Q", color=_colour_by(), shape=_shape_by(), **tips
    )
    # The dots come last: a dot below the line of the floor could not be pointed at.
    return _spec(outer, bars, _floor_line(), _ceiling_line(), dots)


def _quartiles() -> dict[str, Any]:
    """Return the spec of a plot of quartiles."""
    rows = alt.Chart(alt.NamedData("rows"))
    y, tips = _names(), _told(*NUMBERS)
    tails = rows.mark_rule(strokeWidth=1.5, opacity=0.8).encode(
        y=y, x=_across("p10"), x2="p90:Q", color=_colour_by(), **tips
    )
    halves = rows.mark_rule(strokeWidth=12, opacity=0.35).encode(y=y, x="q1:Q", x2="q3:Q", color=_colour_by(), **tips)
    medians = rows.mark_point(filled=True, size=44, opacity=1).encode(
        y=y, x="median:Q", color=_colour_by(), shape=_shape_by(), **tips
    )
    return _spec(tails, halves, medians)


def _outcomes() -> dict[str, Any]:
    """Return the spec of a chart of outcomes."""
    rows = alt.Chart(alt.NamedData("rows"))
    y, colour = _names(), alt.Scale(domain=list(OUTCOMES), range=list(_OUTCOME_COLOURS))
    bars = rows.mark_bar(height=16, stroke=SURFACE, strokeWidth=1).encode(
        y=y, x=_across("start"), x2="end:Q",
        color=alt.Color("outcome:N", scale=colour, legend=None), **_tips(outcome="outcome", answers="answers"),
    )  # fmt: skip
    texts = [
        rows.transform_filter(f"(datum.outcome == 'wrong') == {str(wrong).lower()}")
        .mark_text(color=INK if wrong else SURFACE, fontSize=12, baseline="middle", dy=1)
        .encode(y=y, x="middle:Q", text="told:N")
        for wrong in (False, True)
    ]
    return _spec(bars, *texts)


def _tradeoff(what: str) -> dict[str, Any]:
    """Return the spec of a chart of trade-offs."""
    x, y = alt.X("x:Q", axis=None, scale=None), alt.Y("y:Q", axis=None, scale=None)

    def rows(name: str) -> Any:
        return alt.Chart(alt.NamedData(name)).encode(x=x, y=y)

    def texts(name: str, **how: Any) -> Any:
        return rows(name).mark_text(fontSize=FONT, **how).encode(text="text:N")

    tips = _tips(score="score", **{what: "amount"})
    layers = [
        rows("up").mark_rule(color=HAIRLINE, aria=False).encode(x2="right:Q"),
        rows("across").mark_rule(color=HAIRLINE, aria=False).encode(y2="top:Q"),
        texts("up", align="right", baseline="middle", color=MUTED).encode(
            x=alt.X("text_x:Q", axis=None, scale=None)
        ),
        texts("across", color=MUTED).encode(y=alt.Y("text_y:Q", axis=None, scale=None)),
        *(
            texts("names", align=side, color=MUTED).transform_filter(f"datum.side == '{side}'")
            for side in ("left", "right")
        ),
        rows("floor").mark_rule(color=FLOOR, strokeDash=[3, 3], aria=False).encode(x2="right:Q"),
        rows("frontier").mark_line(color=MUTED, strokeWidth=1.2, aria=False).encode(order="place:Q"),
        rows("labels").mark_rule(color=MUTED, strokeWidth=0.7, aria=False).encode(x2="to_x:Q", y2="to_y:Q")
        .transform_filter("abs(datum.y - datum.to_y) > 16"),
        rows("points").mark_point(filled=True, size=82, opacity=1)
        .encode(color=_colour_by(), shape=_shape_by(), **tips),
        *(
            texts("labels", align=side, baseline="middle", color=INK).transform_filter(f"datum.side == '{side}'")
            for side in ("left", "center", "right")
        ),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(width=WIDTH, padding=0, background="transparent")
    return dict(chart.configure_view(stroke=None).to_dict())


TEMPLATES: Mapping[str, Callable[[], dict[str, Any]]] = {
    "intervals": _intervals,
    "quartiles": _quartiles,
    "outcomes": _outcomes,
    **{kind: partial(_tradeoff, what) for kind, what in AMOUNTS.items()},
}
"""The function that makes the spec of a kind of chart."""
