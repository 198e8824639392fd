"""The list of domains, and a page for each."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.groups import by_domain
from nullbench_site.site.pages.page import Page, Term
from nullbench_site.site.pages.protocols import parts_of, section


def pages(site: SiteData) -> Iterator[Page]:
    """The list and a page for each domain of each board."""
    yield Page(
        url=paths.DOMAINS,
        title="Domains",
        template="domains.md.j2",
        context={"boards": [section(view, {"by_domain": by_domain(view)}) for view in site.views]},
        description="The scores of every contestant in every domain.",
    )
    for view in site.views:
        for domain, part in parts_of(view).domains(view):
            n_categories = words.plural(len(domain.categories), "category", "categories")
            yield Page(
                url=paths.domain_url(view.board.id, domain.id),
                title=f"{domain.title} - {view.board.title}",
                template="domain.md.j2",
                context={"domain": domain, "section": section(view, {"n_categories": n_categories, **part})},
                description=domain.description,
                terms=[Term(category.id, category.title, category.description) for category in domain.categories],
            )
