"""The page of a domain of a `rubric` board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.checks.registry import CHECKS
from nullbench_site.protocols.rubric.specs import RubricItem
from nullbench_site.site import words
from nullbench_site.site.pages.groups import by_category
from nullbench_site.site.pages.items import item_table
from nullbench_site.site.pages.rubric.rows import LAYOUT
from nullbench_site.site.pages.tables import group_table
from nullbench_site.site.views import RubricView
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.rubric import check_types
from nullbench_site.specs.types import DomainFile


def contexts(view: RubricView) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
    """Each domain of the board, and what its page shows beside what the page of any domain does."""
    for group in view.results.domains:
        domain = view.domains[group.id]
        yield (
            domain,
            {
                "template": "rubric/domain.md.j2",
                "n_items": words.plural(group.n_items, "item"),
                "table": group_table(view, LAYOUT, group.rows, f"{domain.title} on {view.board.title}", domain.id),
                "by_category": by_category(view, domain.id),
                "sections": (),
                "categories": [
                    {"spec": category, "n_items": words.plural(len(category.items), "item")}
                    for category in domain.categories
                ],
                "item_table": item_table(view, domain, ["Checks"], _notes),
            },
        )


def _notes(item: RubricItem) -> Sequence[str]:
    return ["hidden" if is_private(item) else ", ".join(CHECKS[check].title for check in check_types(item))]
