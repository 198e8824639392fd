"""What became of a contestant's answers to items with a key: how many are right, wrong, invalid, failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.palette import ACCENT, FLOOR, GOAL, HAIRLINE, INK, SURFACE
from nullbench_site.site.charts.rows import across, names, spec
from nullbench_site.site.charts.table import Table

OUTCOMES = ("right", "wrong", "invalid", "failed")
_COLOURS = (ACCENT, HAIRLINE, GOAL, FLOOR)
_LEGIBLE = 9.0
"""From how many hundredths on a part says its number."""


def outcomes_data(contestants: Sequence[tuple[str, Sequence[int]]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart. contestants: title and answers by `OUTCOMES`, in the order of the board."""
    rows = []
    for title, counts in contestants:
        start, answers = 0.0, sum(counts)
        for outcome, count in zip(OUTCOMES, counts, strict=True):
            end = start + 100 * count / answers if answers else start
            told = str(count) if end - start >= _LEGIBLE else ""
            rows.append(
                {
                    "title": title, "outcome": outcome, "answers": count, "start": round(start, 4),
                    "end": round(end, 4), "middle": round((start + end) / 2, 4), "told": told,
                }
            )  # fmt: skip
            start = end
    return {"rows": rows}


def table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind the chart."""
    rows: list[list[str]] = []
    for place, row in enumerate(datasets["rows"]):
        if place % len(OUTCOMES) == 0:
            rows.append([row["title"]])
        rows[-1].append(words.number(row["answers"], 0))
    return Table("Answers by what became of them", ["Contestant", *(o.capitalize() for o in OUTCOMES)], rows)


def template() -> dict[str, Any]:
    """The Vega-Lite spec of the chart without its data."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    y, colour = names(), alt.Scale(domain=list(OUTCOMES), range=list(_COLOURS))
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
