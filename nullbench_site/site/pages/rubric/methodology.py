"""What the page of the method says of a `rubric` board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from nullbench_site.checks import Check
from nullbench_site.checks.registry import AUTOMATIC, JUDGED
from nullbench_site.protocols.geval import METRICS as GEVAL_METRICS
from nullbench_site.site import words
from nullbench_site.site.pages.groups import difficulties, domains, sizes
from nullbench_site.site.pages.rubric.rows import composite_words
from nullbench_site.site.views import RubricView
from nullbench_site.site.views.rubric import check_types


def context(view: RubricView) -> dict[str, Any]:
    """What the page of the method says of this board."""
    panel = view.benchmark.panels[view.board.panel]
    return {
        "template": "rubric/methodology.md.j2",
        "panel_title": panel.title,
        "same_family": panel.same_family,
        "n_judges": words.plural(len(view.judges), "judge"),
        "sizes": sizes(view),
        "contestants": words.plural(len(view.rows), "contestant"),
        "private": words.of(view.n_private, len(view.items)) if view.n_private else "",
        "hidden": view.n_private,
        "composite": composite_words(view),
        "decimals": view.board.composite.judge_decimals,
        "geval": view.geval_judge and {
            "judge": view.geval_judge.title,
            "coverage": f"{100 * view.board.geval.coverage:.6g} %" if view.board.geval else "",
            "metrics": [GEVAL_METRICS[metric] for metric in view.results.geval_metrics if metric in GEVAL_METRICS],
        },
        "automatic": _checks(view, AUTOMATIC),
        "judged": _checks(view, JUDGED),
        "domains": domains(view),
        "difficulties": difficulties(view),
    }  # fmt: skip


def _checks(view: RubricView, kinds: Mapping[str, type[Check]]) -> list[dict[str, Any]]:
    """The types of checks that stand on public prompts: on how many first, and on how many more."""
    types = [check_types(placed.item) for placed in view.items]
    first = Counter(own[0] for own in types if own)
    further = Counter(name for own in types for name in set(own[1:]) - set(own[:1]))
    return [
        {"check": check, "first": first[name], "further": further[name]}
        for name, check in kinds.items()
        if first[name] + further[name]
    ]
