"""Charts with a contestant a row and scores from 0 to 100 across: intervals, quartiles, what became of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.style import (
    ACCENT,
    FLOOR,
    GOAL,
    HAIRLINE,
    INK,
    MUTED,
    SURFACE,
    Table,
    colour_by,
    shape_by,
)

# What charts with a contestant a row and scores from 0 to 100 across have in common.


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
    """What hovering tells: whose row it is and these of its scores, from `told`."""
    import altair as alt

    return [alt.Tooltip("title:N"), *(alt.Tooltip(f"{score}_told:N", title=score) for score in scores)]


def told(rows: Iterable[Mapping[str, Any]], *scores: str) -> list[dict[str, Any]]:
    """`rows` with these of their scores in words beside them: the charts' own library would round a half up."""
    return [{**row, **{f"{score}_told": words.number(row[score]) for score in scores}} for row in rows]


def floor_line() -> Any:
    """The null floor through all rows, from the dataset `floor`."""
    import altair as alt

    return alt.Chart(alt.NamedData("floor")).mark_rule(color=FLOOR, strokeDash=[3, 3]).encode(x="floor:Q")


def ceiling_line() -> Any:
    """The ceiling through all rows, from the dataset `ceiling`."""
    import altair as alt

    return alt.Chart(alt.NamedData("ceiling")).mark_rule(color=INK, strokeDash=[1, 3]).encode(x="score:Q")


def floor_rows(floor: float | None) -> list[dict[str, Any]]:
    """The dataset of `floor_line`; empty without null models."""
    return [] if floor is None else [{"floor": floor}]


def spec(*layers: Any) -> dict[str, Any]:
    """The Vega-Lite spec of the layers."""
    import altair as alt

    chart = alt.layer(*layers).properties(width=_WIDTH, padding={"left": 2, "right": 14, "top": 4, "bottom": 4})
    return dict(chart.properties(background="transparent").configure_view(stroke=None).to_dict())


# The interval plot of a board: each contestant's score with its 95 % interval, and the null floor as a line.


_ENDS = ("score", "low", "high")
_OUTER = ("panel_low", "panel_high")
"""The ends of the interval on items and judges like these, None without one."""


def intervals_data(
    rows: list[dict[str, Any]],
    floor: float | None,
    ceiling: Mapping[str, float | None] | None = None,
    floor_ends: tuple[float | None, float | None] = (None, None),
) -> dict[str, list[dict[str, Any]]]:
    """The datasets of an interval plot.

    rows: {title, score, low, high, panel_low, panel_high, colour, shape} in the order of the board. floor: the null
    floor, None without null models; floor_ends: of its interval. ceiling: {score, low, high} of the reference answers,
    None without controls.
    """
    ceilings = [] if ceiling is None else told([ceiling], *_ENDS)
    floors = [{**row, "low": floor_ends[0], "high": floor_ends[1]} for row in floor_rows(floor)]
    return {"rows": told(rows, *_ENDS, *_OUTER), "floor": floors, "ceiling": ceilings}


def intervals_table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind an interval plot."""
    outer = _OUTER if any(row["panel_low"] is not None for row in datasets["rows"]) else ()
    none = ["–"] * len(outer)
    rows = [[row["title"], *(row[f"{name}_told"] for name in (*_ENDS, *outer))] for row in datasets["rows"]]
    floor = [
        ["Null floor", *(words.number(row[name], absent="–") for name in ("floor", "low", "high")), *none]
        for row in datasets["floor"]
    ]
    ceiling = [["Ceiling", *(row[f"{name}_told"] for name in _ENDS), *none] for row in datasets["ceiling"]]
    heads = ["Contestant", "Score", "From", "To", *("From, other judges", "To, other judges")[: len(outer)]]
    return Table("Scores with their 95 % intervals", heads, [*rows, *floor, *ceiling])


def intervals_template() -> dict[str, Any]:
    """The Vega-Lite spec of an interval plot without its data."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    y, low = names(), across("low", "score, 0 to 100, with its 95 % interval")
    tips = tooltip(*_ENDS, *_OUTER)
    outer = rows.mark_rule(strokeWidth=1.5).encode(
        y=y, x="panel_low:Q", x2="panel_high:Q", color=colour_by(), tooltip=tips
    )
    bars = rows.mark_rule(strokeWidth=12, opacity=0.35).encode(y=y, x=low, x2="high:Q", color=colour_by(), tooltip=tips)
    dots = rows.mark_point(filled=True, size=36, opacity=1).encode(
        y=y, x="score:Q", color=colour_by(), shape=shape_by(), tooltip=tips
    )
    # The dot of the floor's own null model lies on the line; it comes last, or the line takes the pointer.
    return spec(outer, bars, floor_line(), ceiling_line(), dots)


# How the scores of single items are spread: per contestant the middle half, and the tenths beyond it.


_NUMBERS = ("p10", "q1", "median", "q3", "p90")


def quartiles_data(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart.

    rows: {title, p10, q1, median, q3, p90, items, colour, shape} in the order of the board, the first five 0-100.
    """
    return {"rows": told(rows, *_NUMBERS)}


def quartiles_table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind the chart."""
    return Table(
        "Spread of the scores of single items",
        ["Contestant", "10 % below", "25 % below", "Median", "75 % below", "90 % below", "Items"],
        [
            [row["title"], *(row[f"{name}_told"] for name in _NUMBERS), words.number(row["items"], 0)]
            for row in datasets["rows"]
        ],
    )


def quartiles_template() -> dict[str, Any]:
    """The Vega-Lite spec of the chart without its data."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    y, tips = names(), [*tooltip(*_NUMBERS), "items:Q"]
    tails = rows.mark_rule(strokeWidth=1.5, opacity=0.8).encode(
        y=y, x=across("p10", "score of an item, 0 to 100"), x2="p90:Q", color=colour_by(), tooltip=tips
    )
    halves = rows.mark_rule(strokeWidth=12, opacity=0.35).encode(
        y=y, x="q1:Q", x2="q3:Q", color=colour_by(), tooltip=tips
    )
    medians = rows.mark_point(filled=True, size=44, opacity=1).encode(
        y=y, x="median:Q", color=colour_by(), shape=shape_by(), tooltip=tips
    )
    return spec(tails, halves, medians)


# What became of a contestant's answers to items with a key: how many are right, wrong, invalid, failed.


OUTCOMES = ("right", "wrong", "invalid", "failed")
_OUTCOME_COLOURS = (ACCENT, HAIRLINE, GOAL, FLOOR)
_LEGIBLE = 9.0
"""From how many hundredths on a part says its number."""


def outcomes_data(contestants: Sequence[tuple[str, Sequence[int]]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart. contestants: title and answers by `OUTCOMES`, in the order of the board."""
    rows = []
    for title, counts in contestants:
        start, answers = 0.0, sum(counts)
        for outcome, count in zip(OUTCOMES, counts, strict=True):
            end = start + 100 * count / answers if answers else start
            label = str(count) if end - start >= _LEGIBLE else ""
            rows.append(
                {
                    "title": title, "outcome": outcome, "answers": count, "start": round(start, 4),
                    "end": round(end, 4), "middle": round((start + end) / 2, 4), "told": label,
                }
            )  # fmt: skip
            start = end
    return {"rows": rows}


def outcomes_table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind the chart."""
    rows: list[list[str]] = []
    for place, row in enumerate(datasets["rows"]):
        if place % len(OUTCOMES) == 0:
            rows.append([row["title"]])
        rows[-1].append(words.number(row["answers"], 0))
    return Table("Answers by what became of them", ["Contestant", *(o.capitalize() for o in OUTCOMES)], rows)


def outcomes_template() -> dict[str, Any]:
    """The Vega-Lite spec of the chart without its data."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    y, colour = names(), alt.Scale(domain=list(OUTCOMES), range=list(_OUTCOME_COLOURS))
    bars = rows.mark_bar(height=16, stroke=SURFACE, strokeWidth=1).encode(
        y=y, x=across("start", "answers in hundredths of all"), x2="end:Q",
        color=alt.Color("outcome:N", scale=colour, legend=None), tooltip=["title:N", "outcome:N", "answers:Q"],
    )  # fmt: skip
    texts = [
        rows.transform_filter(f"(datum.outcome == 'wrong') == {str(wrong).lower()}")
        .mark_text(color=INK if wrong else SURFACE, fontSize=12, baseline="middle", dy=1)
        .encode(y=y, x="middle:Q", text="told:N")
        for wrong in (False, True)
    ]
    return spec(bars, *texts)
