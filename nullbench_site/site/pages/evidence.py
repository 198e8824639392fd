"""The evidence explorer: one page that loads the item behind a number when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.site import paths
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.judging import panel_words
from nullbench_site.site.pages.page import Page


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of evidence. The texts behind it are data files and stand in no search index."""
    yield Page(
        url=paths.EVIDENCE,
        title="Evidence",
        template="evidence.md.j2",
        context={
            "boards": [{"board": view.board, "panel": panel_words(view)} for view in site.views],
            "judged": any(view.panel for view in site.views),
            "root": ROOT,
        },
        description="Prompt, answer, verdicts and rationales behind every score.",
        searchable=False,
    )
