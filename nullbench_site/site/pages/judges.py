"""The judges: who they are, how far they agree, each one's scale, and what of their replies was valid."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.site import paths
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page
from nullbench_site.site.pages.protocols import sections
from nullbench_site.site.pages.usage import usage_words


def pages(site: SiteData) -> Iterator[Page]:
    """The one page about judges."""
    yield Page(
        url=paths.JUDGES,
        title="Judges",
        template="judges.md.j2",
        context={
            "judged": any(view.panel for view in site.views),
            "boards": sections(site, lambda parts, view: parts.judges(view)),
            "usage": [
                {"title": site.benchmark.judges[judge].title, **usage_words(used)}
                for judge, used in site.entry.manifest.usage.judges.items()
                if judge in site.benchmark.judges
            ],
        },
        description="How far the judges agree, on what scale each rates, and how many of their replies were valid.",
    )
