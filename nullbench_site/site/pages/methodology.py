"""How the numbers come about, generated from the specs and the metric registry of the run that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import paths, words
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.site.pages.page import Page, aggregation_words, panel_words
from nullbench_site.specs import templates

DIMENSIONS = (
    ("scope", "Scope and population", "Who was studied or meant, how many, where and when stays as it was."),
    ("causality", "Causality and time", "A link stays a link; what was stays apart from what should be done."),
    ("hedging", "Hedging", "Words of doubt and degrees of certainty are kept."),
    ("salience", "Content and salience", "Positive, null and negative findings keep their share of the room."),
    ("framing", "Framing and tone", "No distortion, no hype, no change of temperature."),
)


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of the method."""
    yield Page(
        url=paths.METHOD,
        title="Methodology",
        template="methodology.md.j2",
        context={
            "boards": [_context(view) for view in site.views],
            "null_models": [model for model in site.benchmark.models.values() if model.kind == "null"],
            "rule_based": any(view.rule_based for view in site.views),
            "axes": list(site.benchmark.axes.values()),
            "baseline": list(site.benchmark.baseline_axes),
            "dimensions": DIMENSIONS,
            "metrics": [_formula(metric) for metric in METRICS.values()],
            "about": site.benchmark.about,
        },
        description="The pipeline, the axes, the goals, refusals and failures, and the formula of every number.",
    )


def _context(view: BoardView) -> dict[str, Any]:
    panel = view.benchmark.panels[view.board.panel]
    return {
        "board": view.board,
        "panel": panel_words(view),
        "panel_title": panel.title,
        "profile": view.benchmark.profile,
        "template": templates.wording(view.benchmark.templates[view.board.template]),
        "sizes": (
            f"{words.plural(view.results.n_items, 'item')} in {words.plural(view.n_domains, 'domain')} "
            f"and {words.plural(len(view.results.categories), 'category', 'categories')}"
        ),
        "contestants": words.plural(len(view.results.leaderboard), "contestant"),
        "aggregation": aggregation_words(view),
        "judges": words.plural(view.gates.judges, "judge"),
        "sample": view.gates.sample,
        "votes": words.plural(view.gates.votes, "vote"),
        "domains": [
            {
                "title": view.benchmark.domains[domain].title,
                "link": paths.domain_url(view.board.id, domain),
                "categories": [
                    {"spec": category, "special": _special(view, category.axes), "n_items": len(category.items)}
                    for category in view.benchmark.domains[domain].categories
                ],
            }
            for domain in view.board.domains
        ],
    }


def _special(view: BoardView, axes: tuple[str, ...]) -> list[str]:
    return [view.benchmark.axes[axis].title for axis in axes if axis not in view.benchmark.baseline_axes]


def _formula(metric: Metric) -> dict[str, Any]:
    return {"metric": metric, "formula": mathml(metric.formula) if metric.formula else ""}


def mathml(latex: str) -> str:
    """A formula as MathML, with its LaTeX as the annotation. The formulas are the registry's own, not a spec's."""
    from latex2mathml.converter import convert

    return str(convert(latex, display="block"))
