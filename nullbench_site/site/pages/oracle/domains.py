"""The domains of an `oracle` board: the overview of them, and the page of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.scoring.oracle.results import OracleGroup
from nullbench_site.site import paths, words
from nullbench_site.site.pages.heat import by_domain
from nullbench_site.site.pages.oracle.rows import group_rows
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.oracle import key_of, key_title
from nullbench_site.specs.types import DomainFile, OracleCategory, OracleItem


def overview(view: OracleView) -> dict[str, Any]:
    """Contestants by domains: one table on one scale."""
    return {"template": "oracle/domains.md.j2", "by_domain": by_domain(view)}


def contexts(view: OracleView) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
    """Each domain of the board, and what its page shows beside what the page of any domain does."""
    categories = {group.id: group for group in view.results.categories}
    for group in view.results.domains:
        domain = view.domains[group.id]
        yield (
            domain,
            {
                "template": "oracle/domain.md.j2",
                "n_items": words.plural(group.n_items, "item"),
                "rows": group_rows(view, group.rows),
                "metrics": metrics(
                    "rank", "oracle_overall", "share_ci", "accuracy", "valid_share", "contrast_consistency"
                ),
                "categories": [
                    _category(view, domain.id, category, categories[category.id]) for category in domain.categories
                ],
            },
        )


def _category(view: OracleView, domain: str, category: OracleCategory, group: OracleGroup) -> dict[str, Any]:
    return {
        "spec": category,
        "n_items": words.plural(group.n_items, "item"),
        "rows": group_rows(view, group.rows),
        "bundled": any(item.bundle is not None for item in category.items),
        "prompts": [_item(view, domain, item) for item in category.items],
    }


def _item(view: OracleView, domain: str, item: OracleItem) -> dict[str, str]:
    """What a page tells of an item. Its texts stand in the evidence, those of a private one nowhere."""
    private = is_private(item)
    outcomes = [row.outcome for row in view.marks_of_items.get(item.id, ())]
    return {
        "id": item.id,
        "link": f"{paths.EVIDENCE}#board={view.board.id}&domain={domain}&item={item.id}",
        "difficulty": item.difficulty,
        "key": key_title(key_of(item)),
        "bundle": item.bundle or "",
        "visibility": item.visibility,
        "hash": (item.hash or "") if private else "",
        "right": words.of(outcomes.count("correct"), len(outcomes)),
    }
