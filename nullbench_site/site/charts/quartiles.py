"""How the scores of single items are spread: per contestant the middle half, and the tenths beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.marks import colour_by, shape_by
from nullbench_site.site.charts.rows import across, names, spec, tooltip
from nullbench_site.site.charts.table import Table

_NUMBERS = ("p10", "q1", "median", "q3", "p90")


def quartiles_data(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart.

    rows: {title, p10, q1, median, q3, p90, items, colour, shape} in the order of the board, the first five 0-100.
    """
    return {"rows": rows}


def table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind the chart."""
    return Table(
        "Spread of the scores of single items",
        ["Contestant", "10 % below", "25 % below", "Median", "75 % below", "90 % below", "Items"],
        [
            [row["title"], *(words.number(row[name]) for name in _NUMBERS), words.number(row["items"], 0)]
            for row in datasets["rows"]
        ],
    )


def template() -> dict[str, Any]:
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
