"""The interval plot of a board: each contestant's score with its 95 % interval, and the null floor as a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.marks import colour_by, shape_by
from nullbench_site.site.charts.rows import across, floor_line, floor_rows, names, spec, tooltip
from nullbench_site.site.charts.table import Table


def intervals_data(rows: list[dict[str, Any]], floor: float | None) -> dict[str, list[dict[str, Any]]]:
    """The datasets of an interval plot.

    rows: {title, score, low, high, colour, shape} in the order of the board. floor: the null floor, None without null
    models.
    """
    return {"rows": rows, "floor": floor_rows(floor)}


def table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind an interval plot."""
    rows = [[row["title"], *(words.number(row[name]) for name in ("score", "low", "high"))] for row in datasets["rows"]]
    floor = [["Null floor", words.number(row["floor"]), "–", "–"] for row in datasets["floor"]]
    return Table("Scores with their 95 % intervals", ["Contestant", "Score", "From", "To"], [*rows, *floor])


def template() -> dict[str, Any]:
    """The Vega-Lite spec of an interval plot without its data."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    y, low = names(), across("low", "score, 0 to 100, with its 95 % interval")
    tips = tooltip("score", "low", "high")
    bars = rows.mark_rule(strokeWidth=12, opacity=0.35).encode(y=y, x=low, x2="high:Q", color=colour_by(), tooltip=tips)
    dots = rows.mark_point(filled=True, size=36, opacity=1).encode(
        y=y, x="score:Q", color=colour_by(), shape=shape_by(), tooltip=tips
    )
    return spec(bars, dots, floor_line())
