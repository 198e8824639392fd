"""The page of a domain of an `oracle` board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.pages.groups import by_category
from nullbench_site.site.pages.items import item_table
from nullbench_site.site.pages.oracle.rows import LAYOUT
from nullbench_site.site.pages.tables import group_table
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.oracle import key_of, key_title
from nullbench_site.specs.types import DomainFile


def contexts(view: OracleView) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
    """Each domain of the board, and what its page shows beside what the page of any domain does."""
    for group in view.results.domains:
        domain = view.domains[group.id]
        yield (
            domain,
            {
                "template": "oracle/domain.md.j2",
                "n_items": words.plural(group.n_items, "item"),
                "table": group_table(view, LAYOUT, group.rows, f"{domain.title} on {view.board.title}", domain.id),
                "by_category": by_category(view, domain.id),
                "sections": (),
                "categories": [
                    {"spec": category, "n_items": words.plural(len(category.items), "item")}
                    for category in domain.categories
                ],
                "item_table": item_table(
                    view, domain, ["Key", "Bundle"], lambda item: [key_title(key_of(item)), item.bundle or "–"]
                ),
            },
        )
