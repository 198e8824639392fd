"""The page of a `rubric` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.site import words
from nullbench_site.site.pages.board_facts import board_facts
from nullbench_site.site.pages.groups import by_difficulty, by_domain
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rubric.given import given_by_judges
from nullbench_site.site.pages.rubric.rows import LAYOUT, composite_words, has_geval
from nullbench_site.site.pages.sentences import reading
from nullbench_site.site.pages.tables import board_table
from nullbench_site.site.views import RubricView


def context(view: RubricView) -> dict[str, Any]:
    """What its page shows beside what the page of any board does."""
    return {
        "template": "rubric/board.md.j2",
        "facts": board_facts(view),
        "reading": reading(view, unsure="a standard error needs two items"),
        "table": board_table(view, LAYOUT),
        "metrics": metrics("geval_mean", "divergence"),
        "composite": composite_words(view),
        "geval": has_geval(view),
        "private": words.of(view.n_private, len(view.items)) if view.n_private else "",
        "given": given_by_judges(view),
        "by_domain": by_domain(view),
        "by_difficulty": by_difficulty(view),
    }  # fmt: skip
