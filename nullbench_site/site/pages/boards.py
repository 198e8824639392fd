"""The page of a board: the home page for the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.charts import board_charts
from nullbench_site.site.pages.page import Page
from nullbench_site.site.pages.protocols import parts_of, section
from nullbench_site.site.pages.sentences import failures
from nullbench_site.site.pages.tables import parts
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
            context={**section(view, {**_any(site, view), **part}), "boards": boards},
            description=view.board.description,
            card=paths.board_card(view.board.id),
        )


def _any(site: SiteData, view: BoardView) -> dict[str, Any]:
    """What the page of a board of any protocol shows."""
    floor = view.results.floor
    return {
        "floor": floor and {"score": words.number(floor.overall), "title": view.title(floor.model)},
        "failures": failures(view),
        "parts": [(f"{part.kind}:{part.id}", part.title) for part in parts(view)],
        "charts": board_charts(site, view),
    }
