"""How the numbers come about, generated from the specs and the metric registry of the run that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import paths
from nullbench_site.site.gather import SiteData, shown_metrics
from nullbench_site.site.pages.axes.methodology import DIMENSIONS
from nullbench_site.site.pages.decoding import decodings
from nullbench_site.site.pages.page import Page, Term
from nullbench_site.site.pages.protocols import sections
from nullbench_site.site.views import AxesView


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of the method."""
    axes = list(site.benchmark.axes.values()) if any(isinstance(view, AxesView) for view in site.views) else []
    metrics = shown_metrics(site)
    parts = sections(site, lambda parts, view: parts.method(view))
    yield Page(
        url=paths.METHOD,
        title="Methodology",
        template="methodology.md.j2",
        context={
            "boards": [
                {"anchor": f"-{part['board'].id}" if number else "", "decoding": decodings(view), **part}
                for number, (view, part) in enumerate(zip(site.views, parts, strict=True))
            ],
            "profile": site.benchmark.profile,
            "null_models": [model for model in site.benchmark.models.values() if model.kind == "null"],
            "judged": any(view.panel for view in site.views),
            "rule_based": any(view.rule_based for view in site.views),
            "axes": axes,
            "baseline": list(site.benchmark.baseline_axes),
            "dimensions": DIMENSIONS,
            "metrics": [_formula(metric) for metric in metrics],
            "trust": [metric for metric in metrics if metric.id.startswith("trust_")],
            "trusted": METRICS["trust"],
            "manifest": site.entry.manifest,
            "about": site.benchmark.about,
        },
        description="The pipeline of every board, what is looked at, and the formula of every number.",
        terms=[
            *(Term(f"axis-{axis.id}", axis.title, axis.measures) for axis in axes),
            *(Term(f"metric-{metric.id}", metric.title, metric.explanation) for metric in metrics),
        ],
    )


def _formula(metric: Metric) -> dict[str, Any]:
    return {"metric": metric, "formula": mathml(metric.formula) if metric.formula else ""}


def mathml(latex: str) -> str:
    """A formula as MathML, with its LaTeX as the annotation. The formulas are the registry's own, not a spec's."""
    from latex2mathml.converter import convert

    return str(convert(latex, display="block"))
