"""Make the list of contestants, and the fingerprint page of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nullbench_site.evaluation.backends.recorded import ANSWERS
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import Radar, SmallRadar, Spoke, radar_words
from nullbench_site.site.charts.style import extent
from nullbench_site.site.gather import SiteData
from nullbench_site.site.history import BoardRun, history, timeline
from nullbench_site.site.pages import groups
from nullbench_site.site.pages.boards import variants
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import Page, Section, interval_cell, rank_words, score_words, section
from nullbench_site.site.pages.panel_words import agreement
from nullbench_site.site.pages.sentences import by_domains, not_ranked, own_family, rank_head, silence, standing
from nullbench_site.site.pages.tables import board_table, derived_columns, layout_of
from nullbench_site.site.pages.trust_marks import trust
from nullbench_site.site.pages.usage import decoding_words, prices_words
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.trust.screening import finding
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.site.wording import first_wording_only
from nullbench_site.specs.types import PROGRAMS, RECORDED, ModelFile
from nullbench_site.stats.comparison import nearest

_KINDS = {"model": "model", "baseline": "baseline", "null": "null model", "seen": "program that has seen items"}
_DRAWN = 24
"""The number of contestants of a board that the list draws; the others are links."""


@dataclass(frozen=True)
class _Board:
    """A board with what the pages of its contestants share, computed once."""

    view: BoardView
    runs: Sequence[BoardRun]
    nearest: Mapping[str, Sequence[Neighbour]]
    spreads: Mapping[str, float]


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the list and a page for each contestant."""
    yield Page(
        url=paths.MODELS,
        title="Fingerprints",
        template="models.md.j2",
        context={"boards": [_fingerprints(view) for view in site.views]},
        description="The profile of every contestant (model, system, baseline) on every board (leaderboard, ranking).",
    )
    boards = [_Board(view, history(site, view), neighbours(view), spreads(view)) for view in site.views]
    for model in site.benchmark.models.values():
        sections = [_fingerprint(board, model) for board in boards if model.id in board.view.rows]
        if not sections:
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
                "usage": used,
                "imported": model.params.get(ANSWERS) if model.backend == RECORDED else None,
                "boards": sections,
            },
            description=model.description,
            card=paths.card(model.id),
        )


def about(model: ModelFile) -> str:
    """Describe a contestant in one line."""
    parts = [
        *identity(model),
        # Of a model at an endpoint a reader wants to know which, not by what protocol it is reached.
        f"asked for as {model.model}" if model.backend == "openai" else f"backend {model.backend}",
        model.runtime and f"run by {model.runtime}",
        model.license,
    ]
    return " · ".join(part for part in parts if part)


def identity(model: ModelFile) -> list[str]:
    """Return kind, vendor, weights, size and date of a contestant, if its spec has them."""
    parts = [
        None if model.kind == "model" and model.vendor else f"{'source-aware ' * model.aware}{_KINDS[model.kind]}",
        model.vendor,
        None if model.open_weights is None else "open weights" if model.open_weights else "closed weights",
        None if model.parameters_b is None else f"{model.parameters_b:g}B",
        model.released and f"released {model.released}",
        model.mark and f"{model.status} since {model.mark.since}",
    ]
    return [part for part in parts if part]


def _fingerprints(view: BoardView) -> Section:
    """Return the list of a board: the first with a drawing, the others with their scores."""
    rows = list(view.rows.values())
    return section(
        view,
        {
            "template": "_fingerprints.md.j2",
            "opening": opening(view).short,
            "radar_spec": view.radar_spec,
            "spokes": list(view.radar_spec.spokes.values()),
            "extent": extent(view.radar_spec.scale.high),
            "score": "overall score",
            "whole": "overall score",
            **pages_of(view.board.protocol).fingerprints(view),
            "tiles": [
                {"radar": profile_radar(view, row.model), "bar": interval_cell(row, row.score, view.floor)}
                for row in rows[:_DRAWN]
            ],
            "top": (top := board_table(view).top),
            "bar_extent": extent(top),
            "rest": rows[_DRAWN:],
        },
    )


def _fingerprint(board: _Board, model: ModelFile) -> Section:
    view, row = board.view, board.view.rows[model.id]
    part = pages_of(view.board.protocol).fingerprint(view, model)
    nearest = board.nearest.get(model.id, ())
    shared = {
        "template": "_fingerprint.md.j2",
        "row": row,
        "layout": layout_of(view),
        "margin": above_the_floor(view, row),
        "variants": variants(view, row.model),
        "alpha": agreement(view.agreement())["scored"] if view.panel else None,
        "spread": board.spreads.get(row.model),
        "disagreement": pages_of(view.board.protocol).disagreement,
        "derived": derived_columns(view),
        "decoding": decoding_words(view, model),
        "first_only": first_wording_only(view) if model.backend != PROGRAMS else "",
        "own_family": own_family(view, model),
        "screening": finding(view, row),
        "busy": busy_words(view, row.model),
        "evidence_link": paths.evidence_url(view.board.id, model=model.id),
        "refused_link": "",
        "not_asked": pages_of(view.board.protocol).not_asked,
        "rank": rank_words(row),
        "rank_head": rank_head(view),
        "radar": _radar(view, model),
        "trust": trust(view, row),
        "standing": standing(view, row),
        "opening": opening(view).short,
        "nearest": nearest,
        "no_nearest": "" if nearest else _no_neighbour(view, model.id),
        "history": timeline(board.runs, model.id, view.board.title),
    }
    own = {
        "sentences": part.get("sentences") or by_domains(view, model.id),
        "groups": part.get("groups") or groups.tables(view, model.id),
    }
    if row.rank is None and not row.compared:
        own["sentences"] = [not_ranked(view, row)]
    return section(view, {**shared, **part, **own})


def busy_words(view: BoardView, model: str) -> str:
    """Say how many calls of a contestant overlapped others to its host; empty if its times can be compared."""
    overlap = view.under_load.get(model)
    if overlap is None:
        return ""
    n = words.of(overlap.n, overlap.of)
    return f"{n} calls overlapped other calls to this host: these times also show how busy it was, and are not ranked"


def above_the_floor(view: BoardView, row: AnyRow) -> str:
    """Say how far a ranked contestant is above the null floor, if it is."""
    if view.floor is None or row.overall is None or row.rank is None:
        return ""
    if silence(view):
        return f"null floor {words.number(view.floor)}"
    if row.above_null_floor:
        return f"{words.number(row.overall - view.floor)} above the null floor"
    return "not above the null floor" if row.above_null_floor is False else ""


def spreads(view: BoardView) -> Mapping[str, float]:
    """Return how far judges are apart on an answer of each contestant, on average."""
    apart: dict[str, list[float]] = {}
    for row in view.results.items:
        if row.disagreement is not None:
            apart.setdefault(row.model, []).append(row.disagreement)
    return {model: sum(values) / len(values) for model, values in apart.items()}


def _radar(view: BoardView, model: ModelFile) -> dict[str, Any] | None:
    """Return the large radar; None if there are too few spokes."""
    own, radar_spec = spokes(view, model.id), view.radar_spec
    if not own:
        return None
    return {
        "chart": Radar(model.title, own, radar_spec.scale, radar_spec.metric or layout_of(view).overall),
        "alt": radar_words(f"{model.title} on {view.board.title}", own, radar_spec.scale),
        "against": radar_spec.against,
        "key": f"{radar_spec.caption.lower()}, {extent(radar_spec.scale.high)}",
    }


def _no_neighbour(view: BoardView, model: str) -> str:
    if sum(view.is_null(other) == view.is_null(model) for other in view.rows) < 2:
        return "No other contestant of its kind stands on this board."
    return (
        "Not measured: fingerprints are compared by three figures or more, and contestants of this board share fewer."
    )


NEIGHBOURS = 5
"""How many of the nearest contestants are named."""


def spokes(view: BoardView, model: str) -> list[Spoke]:
    """Return a contestant's values on the spokes of the board's radars; nothing if there are too few."""
    if not view.radar_spec.drawn:
        return []
    goals = view.radar_spec.goals or {}
    return [
        Spoke(label, view.on_spoke(model, spoke), goals.get(spoke), view.medians.get(spoke))
        for spoke, label in view.radar_spec.spokes.items()
    ]


@dataclass(frozen=True)
class Neighbour:
    """A contestant with a similar profile. distance: root mean square difference, in the unit of the profiles."""

    model: str
    distance: float


def profile_radar(view: BoardView, model: str) -> SmallRadar:
    """Return the small radar of a contestant, a link to its page; without polygons if there are too few spokes."""
    own, radar_spec, row = spokes(view, model), view.radar_spec, view.rows[model]
    return SmallRadar(
        view.title(model),
        score_words(row),
        paths.model_url(model),
        [spoke.value for spoke in own],
        [spoke.goal if radar_spec.goals else spoke.median for spoke in own],
        against=radar_spec.against,
        scale=radar_spec.scale,
    )


def neighbours(view: BoardView) -> Mapping[str, Sequence[Neighbour]]:
    """Return the contestants with the nearest fingerprints for each contestant, nearest first.

    Null models are like each other for want of an answer; they are neighbours of null models alone.
    """
    real = [model for model in view.rows if not view.is_null(model)]
    return _nearest(view, list(view.rows), view.nulls) | _nearest(view, real, real)


def _nearest(view: BoardView, models: Sequence[str], some: Sequence[str]) -> dict[str, list[Neighbour]]:
    """Return the nearest of `models` for each of `some`."""
    if not some:
        return {}
    profiles = np.array([view.fingerprint(model) for model in models], dtype=float)
    # What nobody has only takes time.
    profiles = profiles[:, ~np.isnan(profiles).all(axis=0)]
    places = {model: place for place, model in enumerate(models)}
    near = nearest(profiles, NEIGHBOURS, some=[places[model] for model in some])
    return {
        model: [
            Neighbour(models[other], distance) for other, distance in zip(others, distances, strict=True) if other >= 0
        ]
        for model, others, distances in zip(some, near.places.tolist(), near.distances.tolist(), strict=True)
    }
