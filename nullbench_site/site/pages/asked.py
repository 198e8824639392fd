"""What the page of the method says of the prompts of a board: how many of what."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

from nullbench_site.site import paths, words
from nullbench_site.site.views import OracleView, RubricView
from nullbench_site.site.views.board import is_private
from nullbench_site.specs.types import Difficulty


def sizes(view: RubricView | OracleView) -> str:
    """Prompts, domains and categories, in words."""
    return (
        f"{words.plural(len(view.items), 'prompt')} in {words.plural(len(view.domains), 'domain')} "
        f"and {words.plural(len(view.in_categories), 'category', 'categories')}"
    )


def domains(view: RubricView | OracleView) -> list[dict[str, Any]]:
    """The domains with their categories, and how many prompts each has."""
    private = Counter(placed.domain.id for placed in view.items if is_private(placed.item))
    return [
        {
            "spec": spec,
            "link": paths.domain_url(view.board.id, domain),
            "n_items": sum(len(category.items) for category in spec.categories),
            "n_private": private[domain],
            "categories": ", ".join(category.title for category in spec.categories),
        }
        for domain, spec in view.domains.items()
    ]


def difficulties(view: RubricView | OracleView) -> list[dict[str, Any]]:
    """The difficulties from easy to hard, and how many prompts each has."""
    counts = Counter(placed.item.difficulty for placed in view.items)
    private = Counter(placed.item.difficulty for placed in view.items if is_private(placed.item))
    return [
        {"title": name, "n_items": counts[name], "n_private": private[name]}
        for name in get_args(Difficulty)
        if counts[name]
    ]
