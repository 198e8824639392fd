"""What the page of the method says of an `axes` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.site import paths, words
from nullbench_site.site.pages.axes.rows import aggregation_words
from nullbench_site.site.views import AxesView
from nullbench_site.specs import templates

DIMENSIONS = (
    ("scope", "Scope and population", "Who was studied or meant, how many, where and when stays as it was."),
    ("causality", "Causality and time", "A link stays a link; what was stays apart from what should be done."),
    ("hedging", "Hedging", "Words of doubt and degrees of certainty are kept."),
    ("salience", "Content and salience", "Positive, null and negative findings keep their share of the room."),
    ("framing", "Framing and tone", "No distortion, no hype, no change of temperature."),
)


def context(view: AxesView) -> dict[str, Any]:
    """What the page of the method says of this board."""
    panel = view.benchmark.panels[view.board.panel]
    return {
        "template": "axes/methodology.md.j2",
        "panel_title": panel.title,
        "wording": templates.wording(view.benchmark.templates[view.board.template]),
        "sizes": (
            f"{words.plural(view.results.n_items, 'item')} in {words.plural(len(view.domains), 'domain')} "
            f"and {words.plural(len(view.results.categories), 'category', 'categories')}"
        ),
        "contestants": words.plural(len(view.results.leaderboard), "contestant"),
        "aggregation": aggregation_words(view),
        "judges": words.plural(view.gates.judges, "judge"),
        "sample": view.gates.sample,
        "votes": words.plural(view.gates.votes, "vote"),
        "domains": [
            {
                "title": view.domains[domain].title,
                "link": paths.domain_url(view.board.id, domain),
                "categories": [
                    {"spec": category, "special": _special(view, category.axes), "n_items": len(category.items)}
                    for category in view.domains[domain].categories
                ],
            }
            for domain in view.board.domains
        ],
    }


def _special(view: AxesView, axes: tuple[str, ...]) -> list[str]:
    return [view.benchmark.axes[axis].title for axis in axes if axis not in view.benchmark.baseline_axes]
