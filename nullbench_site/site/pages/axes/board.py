"""The page of an `axes` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.scoring.axes.results import Group
from nullbench_site.site import paths, words
from nullbench_site.site.pages.axes.rows import aggregation_words, board_rows
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import so_far
from nullbench_site.site.pages.sentences import reading
from nullbench_site.site.views import AxesView


def context(view: AxesView) -> dict[str, Any]:
    """What its page shows beside what the page of any board does."""
    return {
        "template": "axes/board.md.j2",
        "aggregation": aggregation_words(view),
        "facts": _facts(view),
        "rows": board_rows(view),
        "metrics": metrics("rank", "overall", "ci", "quality", "refusal_rate", "median_response_time_ms", "scored"),
        "reading": reading(view, unsure="a standard error needs two source texts in a group"),
        "domains": [
            {
                "title": view.domains[group.id].title,
                "link": paths.domain_url(view.board.id, group.id),
                "best": ", ".join(_best(view, group)),
            }
            for group in view.results.domains
        ],
    }


def _facts(view: AxesView) -> list[tuple[str, str]]:
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
    if view.floor is not None:
        facts.append((words.number(view.floor), "null floor"))
    return facts


def _best(view: AxesView, group: Group) -> tuple[str, str]:
    """The best score in a domain among the contestants that lack nothing, and whose it is."""
    whole = [row for row in group.rows if row.n_items == group.n_items and not so_far(view, view.rows[row.model])]
    if not whole:
        return words.ABSENT, "no contestant has every answer and verdict yet"
    return f"best {words.number(whole[0].goal_alignment)}", view.title(whole[0].model)
