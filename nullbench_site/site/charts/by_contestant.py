"""Charts with a contestant a row and scores from 0 to 100 across: intervals, quartiles, what became of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.style import ChartTable

# What charts with a contestant a row and scores from 0 to 100 across have in common.


ROW_HEIGHT = 24


def told(rows: Iterable[Mapping[str, Any]], *scores: str) -> list[dict[str, Any]]:
    """`rows` with these of their scores in words beside them: the charts' own library would round a half up."""
    return [{**row, **{f"{score}_told": words.number(row[score]) for score in scores}} for row in rows]


# The interval plot of a board: each contestant's score with its 95 % interval, and the null floor as a line.


ENDS = ("score", "low", "high")
OUTER = ("panel_low", "panel_high")
"""The ends of the panel's interval, None without one."""


def intervals_data(
    rows: list[dict[str, Any]],
    floor: float | None,
    ceiling: Mapping[str, float | None] | None,
    floor_ends: tuple[float | None, float | None],
) -> dict[str, list[dict[str, Any]]]:
    """The datasets of an interval plot.

    rows: {title, score, low, high, panel_low, panel_high, colour, shape} in the order of the board. floor: the null
    floor, None without null models; floor_ends: of its interval. ceiling: {score, low, high} of the reference answers,
    None without controls, and where the axis ends before it.
    """
    ceilings = [] if ceiling is None else told([ceiling], *ENDS)
    floors = [] if floor is None else [{"floor": floor, "low": floor_ends[0], "high": floor_ends[1]}]
    return {"rows": told(rows, *ENDS, *OUTER), "floor": floors, "ceiling": ceilings}


def intervals_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """The numbers behind an interval plot."""
    outer = OUTER if any(row["panel_low"] is not None for row in datasets["rows"]) else ()
    none = ["–"] * len(outer)
    rows = [[row["title"], *(row[f"{name}_told"] for name in (*ENDS, *outer))] for row in datasets["rows"]]
    floor = [
        ["Null floor", *(words.number(row[name], absent="–") for name in ("floor", "low", "high")), *none]
        for row in datasets["floor"]
    ]
    ceiling = [["Ceiling", *(row[f"{name}_told"] for name in ENDS), *none] for row in datasets["ceiling"]]
    heads = ["Contestant", "Score", "From", "To", *("Panel, from", "Panel, to")[: len(outer)]]
    return ChartTable("Scores with their 95 % intervals", heads, [*rows, *floor, *ceiling])


# How the scores of single items are spread: per contestant the middle half, and the tenths beyond it.


NUMBERS = ("p10", "q1", "median", "q3", "p90")


def quartiles_data(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart.

    rows: {title, p10, q1, median, q3, p90, items, colour, shape} in the order of the board, the first five 0-100.
    """
    return {"rows": told(rows, *NUMBERS)}


def quartiles_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """The numbers behind the chart."""
    return ChartTable(
        "Spread of the scores of single items",
        ["Contestant", "10 % below", "25 % below", "Median", "75 % below", "90 % below", "Items"],
        [
            [row["title"], *(row[f"{name}_told"] for name in NUMBERS), words.number(row["items"], 0)]
            for row in datasets["rows"]
        ],
    )


# What became of a contestant's answers to items with a key: how many are right, wrong, invalid, failed.


OUTCOMES = ("right", "wrong", "invalid", "failed")
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


def outcomes_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """The numbers behind the chart."""
    rows: list[list[str]] = []
    for place, row in enumerate(datasets["rows"]):
        if place % len(OUTCOMES) == 0:
            rows.append([row["title"]])
        rows[-1].append(words.number(row["answers"], 0))
    return ChartTable("Answers by what became of them", ["Contestant", *(o.capitalize() for o in OUTCOMES)], rows)
