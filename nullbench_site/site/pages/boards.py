"""The page of a board: the home page for the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.intervals import ROW_HEIGHT, intervals_data
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page
from nullbench_site.site.pages.protocols import parts_of, section
from nullbench_site.site.pages.sentences import failures
from nullbench_site.site.views import BoardView


def pages(site: SiteData) -> Iterator[Page]:
    """A page for each board, each with links to the others."""
    boards = [{"id": view.board.id, "title": view.board.title, "link": view.url} for view in site.views]
    for view in site.views:
        part = parts_of(view).board(view)
        yield Page(
            url=view.url,
            title=view.board.title,
            template=part["template"],
            context={**section(view, {**_any(view), **part}), "boards": boards},
            description=view.board.description,
        )


def _any(view: BoardView) -> dict[str, Any]:
    """What the page of a board of any protocol shows."""
    floor = view.results.floor
    return {
        "floor": floor and {"score": words.number(floor.overall), "title": view.title(floor.model)},
        "failures": failures(view),
        "chart": _intervals(view),
    }


def _intervals(view: BoardView) -> Chart:
    rows = [
        {"title": view.title(row.model), "score": row.overall, "low": row.ci_low, "high": row.ci_high}
        for row in view.rows.values()
        if row.overall is not None and row.ci_low is not None
    ]
    return Chart("intervals", intervals_data(rows, view.floor), ROW_HEIGHT * len(rows))
