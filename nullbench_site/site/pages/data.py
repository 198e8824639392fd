"""What can be downloaded, what each number in it means, and how to cite it."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.site import paths
from nullbench_site.site.data_files import BOARD_SCHEMAS, ROOT
from nullbench_site.site.gather import SiteData, shown_metrics
from nullbench_site.site.pages.page import Page, site_facts
from nullbench_site.site.views import AxesView

_HOLDS = {
    "axes": "its domains, categories, items, judges and agreement",
    "rubric": "its domains, categories, difficulties, items, judges, their agreement, and checks",
    "oracle": "its domains, categories, difficulties, types of keys, and items with their marks",
}
"""What a board's file holds beside the board, by its protocol."""


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of data."""
    boards = [
        {
            "id": view.board.id,
            "title": view.board.title,
            "schema": BOARD_SCHEMAS[view.board.protocol],
            "holds": _HOLDS[view.board.protocol],
        }
        for view in site.views
    ]
    yield Page(
        url=paths.DATA,
        title="Data",
        template="data.md.j2",
        context={
            "boards": boards,
            "axes": any(isinstance(view, AxesView) for view in site.views),
            "root": ROOT,
            "metrics": shown_metrics(site),
            "about": site.benchmark.about,
            "facts": site_facts(site),
        },
        description="Downloads, schemas, the data dictionary and how to cite.",
    )
