"""The list of contestants, and the fingerprint page of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import radar_data, radar_words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.history import BoardRun, history
from nullbench_site.site.pages import figures
from nullbench_site.site.pages.decoding import decoding_words
from nullbench_site.site.pages.page import Page, Section
from nullbench_site.site.pages.profiles import Neighbour, neighbours, profile, profile_radar
from nullbench_site.site.pages.protocols import parts_of, section
from nullbench_site.site.pages.sentences import standing
from nullbench_site.site.pages.timeline import timeline
from nullbench_site.site.pages.usage import prices_words, usage_words
from nullbench_site.site.views import AxesView, BoardView
from nullbench_site.site.views.trust import trust
from nullbench_site.specs.types import ModelFile

_KINDS = {"model": "model", "baseline": "baseline", "null": "null model"}
_DRAWN = 60
"""How many contestants of a board the list draws; the rest stand as links."""


@dataclass(frozen=True)
class _Board:
    """What the pages of all contestants of a board share, worked out once."""

    view: BoardView
    runs: Sequence[BoardRun]
    nearest: Mapping[str, Sequence[Neighbour]]
    spreads: Mapping[str, float]
    agreement: Sequence[figures.Line]


def pages(site: SiteData) -> Iterator[Page]:
    """The list and a page for each contestant."""
    yield Page(
        url=paths.MODELS,
        title="Fingerprints",
        template="models.md.j2",
        context={"boards": [_fingerprints(view) for view in site.views]},
        description="The profile of every contestant on every board.",
    )
    boards = [
        _Board(view, history(site, view), neighbours(view), figures.spreads(view), tuple(figures.agreement(view)))
        for view in site.views
    ]
    for model in site.benchmark.models.values():
        found = [_fingerprint(board, model) for board in boards if model.id in board.view.rows]
        if not found:
            continue
        used = site.entry.manifest.usage.contestants.get(model.id)
        yield Page(
            url=paths.model_url(model.id),
            title=model.title,
            template="model.md.j2",
            context={
                "model": model,
                "about": about(model),
                "prices": prices_words(model.prices) if model.prices else "",
                "usage": used and usage_words(used),
                "metrics_all": METRICS,
                "boards": found,
            },
            description=model.description,
            card=paths.card(model.id),
        )


def about(model: ModelFile) -> str:
    """What a contestant is, in one line."""
    parts = [
        *identity(model),
        # Of a model at an endpoint a reader wants to know which, not by what protocol it is reached.
        f"asked for as {model.model}" if model.backend == "openai" else f"backend {model.backend}",
        model.license,
    ]
    return " · ".join(part for part in parts if part)


def identity(model: ModelFile) -> list[str]:
    """Kind, vendor, weights, size and date of a contestant, as far as its spec tells them."""
    parts = [
        None if model.kind == "model" and model.vendor else _KINDS[model.kind],
        model.vendor,
        None if model.open_weights is None else "open weights" if model.open_weights else "closed weights",
        None if model.parameters_b is None else f"{model.parameters_b:g}B",
        model.released and f"released {model.released}",
    ]
    return [part for part in parts if part]


def _fingerprints(view: BoardView) -> Section:
    """The list of a board: the first few dozen drawn, the rest with their scores."""
    rows = list(view.rows.values())
    return section(
        view,
        {
            **parts_of(view).fingerprints(view),
            "radars": [profile_radar(view, row.model) for row in rows[:_DRAWN]],
            "rest": [
                {
                    "title": view.title(row.model),
                    "link": paths.model_url(row.model),
                    "score": words.number(row.overall, absent="–"),
                }
                for row in rows[_DRAWN:]
            ],
            "contestants": words.plural(len(rows), "contestant"),
            "drawn_first": words.number(_DRAWN, 0),
        },
    )


def _fingerprint(board: _Board, model: ModelFile) -> Section:
    view, row = board.view, board.view.rows[model.id]
    nearest = [_neighbour(view, model.id, other) for other in board.nearest.get(model.id, ())]
    part = parts_of(view).fingerprint(view, model)
    return section(
        view,
        {
            "decoding": decoding_words(view, model),
            "evidence_link": paths.evidence_url(view.board.id, model=model.id),
            "refused_link": _refused_link(view, model.id),
            "rank": words.rank_range(row.rank, row.rank_low, row.rank_high),
            "ranked": words.number(view.n_ranked, 0),
            "radar": _radar(view, model),
            "trust": trust(view, row),
            "standing": standing(view, row),
            "nearest": nearest,
            "nearest_unit": "points on the axes" if isinstance(view, AxesView) else "points of 100",
            "history": timeline(board.runs, model.id, view.board.title),
            **part,
            "facts": [*part["facts"], *board.agreement, *figures.spread(view, board.spreads, model.id)],
        },
    )


_SPOKE = {"axes": "axis", "rubric": "rubric_overall", "oracle": "oracle_overall"}
"""What stands on the spokes of a large radar, by the protocol of the board."""


def _radar(view: BoardView, model: ModelFile) -> dict[str, Any] | None:
    """The large radar; None where spokes are too few."""
    found = profile(view, model.id)
    if not found.drawn:
        return None
    kind = "goal-radar" if found.against == "goal" else "radar"
    return {
        "chart": Chart(kind, radar_data(found.spokes, model.title, found.scale), metric=_SPOKE[view.board.protocol]),
        "alt": radar_words(f"{model.title} on {view.board.title}", found.spokes, found.scale),
        "against": found.against,
    }


def _neighbour(view: BoardView, model: str, other: Neighbour) -> dict[str, str]:
    row = view.rows[other.model]
    return {
        "title": view.title(other.model),
        "link": paths.model_url(other.model),
        "distance": words.number(other.distance, 2 if isinstance(view, AxesView) else 1),
        "rank": words.rank_range(row.rank, row.rank_low, row.rank_high),
        "score": words.number(row.overall),
        "compare": f"{paths.COMPARE}?board={view.board.id}&m={model},{other.model}",
    }


def _refused_link(view: BoardView, model: str) -> str:
    """The evidence of the answers that the judges call refusals; empty without one."""
    if not isinstance(view, AxesView) or not view.rows[model].n_refused:
        return ""
    return paths.evidence_url(view.board.id, model=model, state="refused")
