"""The domains of a `rubric` board: the overview of them, and the page of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.checks import CHECKS
from nullbench_site.scoring.rubric.results import RubricGroup
from nullbench_site.site import paths, words
from nullbench_site.site.pages.heat import by_domain
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rubric.rows import group_rows
from nullbench_site.site.views import RubricView
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.rubric import check_types
from nullbench_site.specs.types import DomainFile, RubricCategory, RubricItem


def overview(view: RubricView) -> dict[str, Any]:
    """Contestants by domains: one table on one scale."""
    return {"template": "rubric/domains.md.j2", "by_domain": by_domain(view)}


def contexts(view: RubricView) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
    """Each domain of the board, and what its page shows beside what the page of any domain does."""
    categories = {group.id: group for group in view.results.categories}
    for group in view.results.domains:
        domain = view.domains[group.id]
        yield (
            domain,
            {
                "template": "rubric/domain.md.j2",
                "n_items": words.plural(group.n_items, "item"),
                "rows": group_rows(view, group.rows),
                "metrics": metrics("rank", "rubric_overall", "ci", "judge_mean", "geval_mean", "scored"),
                "geval": bool(view.results.geval_metrics),
                "categories": [
                    _category(view, domain.id, category, categories[category.id]) for category in domain.categories
                ],
            },
        )


def _category(view: RubricView, domain: str, category: RubricCategory, group: RubricGroup) -> dict[str, Any]:
    return {
        "spec": category,
        "n_items": words.plural(group.n_items, "item"),
        "rows": group_rows(view, group.rows),
        "prompts": [_item(view, domain, item) for item in category.items],
    }


def _item(view: RubricView, domain: str, item: RubricItem) -> dict[str, str]:
    """What a page tells of an item. Its texts stand in the evidence, those of a private one nowhere."""
    private = is_private(item)
    return {
        "id": item.id,
        "link": f"{paths.EVIDENCE}#board={view.board.id}&domain={domain}&item={item.id}",
        "difficulty": item.difficulty,
        "checks": "hidden" if private else ", ".join(CHECKS[check].title for check in check_types(item)),
        "visibility": item.visibility,
        "hash": (item.hash or "") if private else "",
        "range": _range([row.overall for row in view.scores_of_items.get(item.id, ())]),
    }


def _range(scores: Sequence[float | None]) -> str:
    """From the lowest score to the highest."""
    known = [score for score in scores if score is not None]
    if not known:
        return words.ABSENT
    low, high = words.number(min(known)), words.number(max(known))
    return low if low == high else f"{low}–{high}"
