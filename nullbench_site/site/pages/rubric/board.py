"""The page of a `rubric` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.site import words
from nullbench_site.site.pages.heat import by_difficulty, by_domain
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rubric.given import given_by_judges
from nullbench_site.site.pages.rubric.rows import board_rows, composite_words
from nullbench_site.site.pages.sentences import reading
from nullbench_site.site.views import RubricView


def context(view: RubricView) -> dict[str, Any]:
    """What its page shows beside what the page of any board does."""
    return {
        "template": "rubric/board.md.j2",
        "facts": _facts(view),
        "reading": reading(view, unsure="a standard error needs two items"),
        "rows": board_rows(view),
        "metrics": metrics(
            "rank", "rubric_overall", "ci", "judge_mean", "geval_mean", "efficiency", "n_flagged", "error_rate",
            "median_response_time_ms", "scored", "divergence",
        ),
        "composite": composite_words(view),
        "geval": bool(view.results.geval_metrics),
        "private": words.of(view.n_private, len(view.items)) if view.n_private else "",
        "given": given_by_judges(view),
        "by_domain": by_domain(view),
        "by_difficulty": by_difficulty(view),
    }  # fmt: skip


def _facts(view: RubricView) -> list[tuple[str, str]]:
    alpha = view.agreement()
    facts = [
        (str(len(view.contestants)), "contestants"),
        (str(len(view.rows) - len(view.contestants)), "null models"),
        (str(len(view.domains)), "domains"),
        (str(view.results.n_items), "items"),
        (str(len(view.judges)), "rule-based judges" if view.rule_based else "judges"),
        (words.number(alpha.alpha, 2), f"agreement α, {alpha.label or alpha.absent}"),
        (words.number(alpha.alpha_scored, 2), f"α on scored answers, {alpha.label_scored or alpha.absent_scored}"),
    ]
    if view.results.geval_metrics:
        facts.append((str(len(view.results.geval_metrics)), "G-Eval metrics"))
    if view.floor is not None:
        facts.append((words.number(view.floor), "null floor"))
    return facts
