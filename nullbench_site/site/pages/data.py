"""What can be downloaded, what each number in it means, and how to cite it."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, site_facts


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of data."""
    boards = [view.board for view in site.views]
    yield Page(
        url=paths.DATA,
        title="Data",
        template="data.md.j2",
        context={
            "boards": boards,
            "root": ROOT,
            "metrics": list(METRICS.values()),
            "about": site.benchmark.about,
            "facts": site_facts(site),
        },
        description="Downloads, schemas, the data dictionary and how to cite.",
    )
