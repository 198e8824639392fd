"""The profile of a contestant on a board, whatever the protocol: what its radars show, and whose is the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nullbench_site.site import paths
from nullbench_site.site.charts.radar import SmallRadar, Spoke, small_radar
from nullbench_site.site.pages.rows import score_words
from nullbench_site.site.views import BoardView
from nullbench_site.stats.comparison import nearest

NEIGHBOURS = 5
"""How many of the nearest contestants are named."""


def spokes(view: BoardView, model: str) -> list[Spoke]:
    """What a contestant has on each spoke of the board's radars; nothing where they are too few to be drawn."""
    if not view.compass.drawn:
        return []
    goals = view.compass.goals or {}
    return [
        Spoke(label, view.on_spoke(model, spoke), goals.get(spoke), view.medians.get(spoke))
        for spoke, label in view.compass.spokes.items()
    ]


@dataclass(frozen=True)
class Neighbour:
    """A contestant of a like profile. distance: root mean square difference, in the unit of the board's profiles."""

    model: str
    distance: float


def profile_radar(view: BoardView, model: str) -> SmallRadar:
    """The small radar of a contestant, which leads to its page; without polygons where spokes are too few."""
    own, compass, row = spokes(view, model), view.compass, view.rows[model]
    return small_radar(
        view.title(model),
        score_words(row),
        paths.model_url(model),
        [spoke.value for spoke in own],
        [spoke.goal if compass.goals else spoke.median for spoke in own],
        against=compass.against,
        scale=compass.scale,
    )


def neighbours(view: BoardView) -> Mapping[str, Sequence[Neighbour]]:
    """Contestant -> those whose fingerprints are the nearest, nearest first.

    Null models are like each other for want of an answer; they are neighbours of null models alone.
    """
    real = [model for model in view.rows if not view.is_null(model)]
    return _nearest(view, list(view.rows), view.nulls) | _nearest(view, real, real)


def _nearest(view: BoardView, models: Sequence[str], some: Sequence[str]) -> dict[str, list[Neighbour]]:
    """Of each of `some` the nearest of `models`."""
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
