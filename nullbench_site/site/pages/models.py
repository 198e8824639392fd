"""The list of contestants, and the fingerprint page of each."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, Section
from nullbench_site.site.pages.protocols import parts_of, section, sections
from nullbench_site.site.pages.usage import usage_words
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import ModelFile

_KINDS = {"model": "model", "baseline": "baseline", "null": "null model"}


def pages(site: SiteData) -> Iterator[Page]:
    """The list and a page for each contestant."""
    yield Page(
        url=paths.MODELS,
        title="Fingerprints",
        template="models.md.j2",
        context={"boards": sections(site, lambda parts, view: parts.fingerprints(view))},
        description="The profile of every contestant on every board.",
    )
    for model in site.benchmark.models.values():
        views = [view for view in site.views if model.id in view.rows]
        if not views:
            continue
        used = site.entry.manifest.usage.contestants.get(model.id)
        yield Page(
            url=paths.model_url(model.id),
            title=model.title,
            template="model.md.j2",
            context={
                "model": model,
                "about": about(model),
                "usage": used and usage_words(used),
                "metrics_all": METRICS,
                "boards": [_fingerprint(view, model) for view in views],
            },
            description=model.description,
        )


def about(model: ModelFile) -> str:
    """What a contestant is, in one line."""
    parts = [
        _KINDS[model.kind],
        model.vendor,
        None if model.open_weights is None else "open weights" if model.open_weights else "closed weights",
        None if model.parameters_b is None else f"{model.parameters_b:g}B",
        model.released and f"released {model.released}",
        # Of a model at an endpoint a reader wants to know which, not by what protocol it is reached.
        f"asked for as {model.model}" if model.backend == "openai" else f"backend {model.backend}",
        model.license,
    ]
    return " · ".join(part for part in parts if part)


def _fingerprint(view: BoardView, model: ModelFile) -> Section:
    row = view.rows[model.id]
    return section(
        view,
        {
            "evidence_link": f"{paths.EVIDENCE}#board={view.board.id}&model={model.id}",
            "rank": words.rank_range(row.rank, row.rank_low, row.rank_high),
            "contestants": len(view.rows),
            **parts_of(view).fingerprint(view, model),
        },
    )
