"""The profile of a contestant on a board, whatever the protocol: what its radars show, and whose is the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nullbench_site.protocols.axes.results import GroupRow
from nullbench_site.protocols.oracle.results import OracleScores
from nullbench_site.protocols.rubric.results import RubricScores
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import LIKERT, POINTS, Scale, SmallRadar, Spoke, small_radar
from nullbench_site.site.pages.rows import sureness
from nullbench_site.site.views import AxesView, BoardView, OracleView, RubricView

CORNERS = 3
"""How many spokes a radar needs: fewer span no area."""
NEIGHBOURS = 5
"""How many of the nearest contestants are named."""


@dataclass(frozen=True)
class Profile:
    """The spokes of a contestant's radar, their scale, and what the profile is held against.

    On an `axes` board a spoke is a baseline axis, on the others the score in a domain.
    """

    spokes: Sequence[Spoke]
    scale: Scale
    against: Literal["goal", "median"]

    @property
    def drawn(self) -> bool:
        """Whether the spokes are enough for a radar."""
        return len(self.spokes) >= CORNERS


@dataclass(frozen=True)
class Neighbour:
    """A contestant of a like profile. distance: root mean square difference, in the unit of the board's profiles."""

    model: str
    distance: float


def profile(view: BoardView, model: str) -> Profile:
    """The profile of a contestant of the board."""
    if isinstance(view, AxesView):
        axes, own = view.benchmark.axes, view.rows[model].axes
        spokes = [
            Spoke(axes[axis].short, own.get(axis), view.baseline_goals[axis], view.axis_medians.get(axis))
            for axis in view.benchmark.baseline_axes
        ]
        return Profile(spokes, LIKERT, "goal")
    if not isinstance(view, RubricView | OracleView):
        raise NotImplementedError(view.board.protocol)
    spokes = [
        Spoke(view.domains[domain].title, _score(rows.get(model)), None, view.medians.get(domain))
        for domain, rows in view.in_domains.items()
    ]
    return Profile(spokes, POINTS, "median")


def profile_radar(view: BoardView, model: str) -> SmallRadar:
    """The small radar of a contestant, which leads to its page; without polygons where spokes are too few."""
    found, row = profile(view, model), view.rows[model]
    spokes = found.spokes if found.drawn else ()
    return small_radar(
        view.title(model),
        f"{words.number(row.overall)} {sureness(row)}".rstrip(),
        paths.model_url(model),
        [spoke.value for spoke in spokes],
        [spoke.goal if found.against == "goal" else spoke.median for spoke in spokes],
        against=found.against,
        scale=found.scale,
    )


def neighbours(view: BoardView) -> Mapping[str, Sequence[Neighbour]]:
    """Contestant -> those whose fingerprints are the nearest, nearest first.

    The fingerprint is the mean on every axis in every domain, or the score in every domain. Null models are like each
    other for want of an answer; they are neighbours of null models alone.
    """
    real = [model for model in view.rows if not view.is_null(model)]
    found = _nearest(view, list(view.rows)) if view.nulls else {}
    return {**found, **_nearest(view, real)}


def _nearest(view: BoardView, models: Sequence[str]) -> dict[str, list[Neighbour]]:
    import numpy as np

    from nullbench_site.stats.fingerprint import nearest

    if not models:
        return {}
    profiles = np.array([_fingerprint(view, model) for model in models], dtype=float)
    # No domain has every axis: what nobody has only takes time.
    found = nearest(profiles[:, ~np.isnan(profiles).all(axis=0)], NEIGHBOURS)
    return {
        model: [
            Neighbour(models[other], distance) for other, distance in zip(others, distances, strict=True) if other >= 0
        ]
        for model, others, distances in zip(models, found.places.tolist(), found.distances.tolist(), strict=True)
    }


def _fingerprint(view: BoardView, model: str) -> list[float | None]:
    if isinstance(view, AxesView):
        rows = [of_domain.get(model) for of_domain in view.in_domains.values()]
        return [None if row is None else row.axes.get(axis) for row in rows for axis in view.results.axes]
    if not isinstance(view, RubricView | OracleView):
        raise NotImplementedError(view.board.protocol)
    return [_score(of_domain.get(model)) for of_domain in view.in_domains.values()]


def _score(row: GroupRow | RubricScores | OracleScores | None) -> float | None:
    """The score in a domain, 0-100."""
    return None if row is None else row.goal_alignment if isinstance(row, GroupRow) else row.overall
