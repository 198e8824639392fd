"""Make the list of domains, and a page for each with its contestants and items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from nullbench_site.site import paths
from nullbench_site.site.differences import to_next
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.groups import added_words, by_category, by_domain, by_how_much
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import Page, Section, section
from nullbench_site.site.pages.tables import group_table
from nullbench_site.site.protocol import Term, pages_of
from nullbench_site.site.views import BoardView, is_private

_UNFOLDED = 100
"""How many items a page lists openly; more would be many screens of ids."""


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the list and a page for each domain of each board."""
    yield Page(
        url=paths.DOMAINS,
        title="Domains",
        template="domains.md.j2",
        context={"boards": [section(view, _listed(view)) for view in site.views]},
        description="The scores of every contestant in every domain (subject, topic).",
    )
    for view in site.views:
        for group in view.results.domains:
            domain = view.domains[group.id]
            yield Page(
                url=paths.domain_url(view.board.id, domain.id),
                title=f"{view.domain_name(domain.id)} - {view.name}",
                template="domain.md.j2",
                context={"domain": domain, "section": _section(view, domain, group)},
                description=domain.description,
                terms=[Term(category.id, category.title, category.description) for category in domain.categories],
            )


def _listed(view: BoardView) -> dict[str, Any]:
    """Return what the list of domains shows of a board."""
    return {"by_domain": by_domain(view), "opening": opening(view).short}


def _section(view: BoardView, domain: Any, group: Any) -> Section:
    part = pages_of(view.board.protocol).domain(view, group)
    name = part.get("table_name", f"{domain.title} on {view.board.title}")
    shared = {
        "template": "_categories.md.j2",
        "n_items": group.n_items,
        "says": by_how_much(view, group),
        "added": added_words(view, group),
        "table": replace(group_table(view, group, name, domain.id), to_next=to_next(view, domain.id), says=""),
        "by_category": by_category(view, domain.id),
        "sections": (),
        "categories": domain.categories,
        "item_table": item_table(view, domain, part.get("notes", {})),
        "evidence": paths.evidence_url(view.board.id, domain=domain.id),
    }
    return section(view, {**shared, **part})


@dataclass(frozen=True)
class ItemLine:
    """An item on the page of its domain. Its texts are in the evidence.

    notes: of its protocol. mean: the score, over contestants without null models. spread: how far judges are apart on
    an answer, over the same contestants.
    """

    item: Any
    private: bool
    category: str
    notes: Sequence[str]
    mean: float | None
    spread: float | None


def item_table(view: BoardView, domain: Any, notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of the asked items of a domain, by category. notes: head -> the protocol's note on an item.

    hides: whether some are private. difficulty: whether some have one. spread: whether there are two judges, who can be
    apart. folded: whether they are too many to be listed openly.
    """
    asked = {placed.id for placed in view.items}
    lines = [
        _line(view, category.title, item, [note(item) for note in notes.values()])
        for category in domain.categories
        for item in category.items
        if item.id in asked
    ]
    return {
        "caption": f"Items of {domain.title}",
        "notes": list(notes),
        "hides": any(line.private for line in lines),
        "difficulty": any(line.item.difficulty for line in lines),
        "not_asked": pages_of(view.board.protocol).not_asked or view.board.imported is not None,
        "spread": len(view.judges) > 1,
        "lines": lines,
        "folded": len(lines) > _UNFOLDED,
    }


def _line(view: BoardView, category: str, item: Any, notes: Sequence[str]) -> ItemLine:
    rows = [row for row in view.rows_of_items.get(item.id, ()) if row.model not in view.nulls]
    mean, spread = (_mean(getattr(row, name) for row in rows) for name in ("score", "disagreement"))
    return ItemLine(item, is_private(item), category, notes, mean, spread)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
