"""The ratings of a board's judges, and their alpha: on the board and its parts, with its uncertainty."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from nullbench_site.scoring.board_tables import AgreementBounds
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.stats.agreement import (
    SCALE_POINTS,
    RatingLevel,
    alpha_interval,
    alpha_of_table,
    alphas_without,
    coincidences,
    pair_tables,
)
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import mark_places
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.trust import agreement_level


@dataclass(frozen=True, kw_only=True)
class Rated:
    """How the judges rated the answers of one contestant.

    marks: (ratings, judges) what each judge gave, NaN for nothing. places: (ratings, judges) the same on a scale of 1-5
    as `mark_places`. item: (ratings,) the number of the item. scored: (ratings,) whether the answer was scored. axis:
    (ratings,) the number of the axis, on boards with axes.
    """

    marks: Floats
    places: Ints
    item: Ints
    scored: Bools
    axis: Ints

    @classmethod
    def of_answers(cls, marks: Floats, item: Ints, points: Floats | None = None) -> Rated:
        """Return the ratings of answers that a judge rated; all of them are scored.

        points: the marks on a scale of 1-5, if theirs is another.
        """
        places = mark_places(marks if points is None else points)
        rated = np.flatnonzero((places >= 0).any(axis=1))
        yes, none = np.ones(rated.size, np.bool_), np.zeros(rated.size, np.int64)
        return cls(marks=marks[rated], places=places[rated], item=item[rated], scored=yes, axis=none)

    def coincidences(self, part: Ints, n_parts: int) -> Floats:
        """Return those of the ratings in each part, (n_parts, 5, 5). part: (ratings,), -1 for none."""
        own = part >= 0
        return coincidences(pair_tables(self.places[own].T, SCALE_POINTS, part[own], n_parts))


ALL: Final = slice(None)
Part: TypeAlias = tuple[Mapping[str, str | None], int | slice, int | slice]
"""A part of the board: the fields of its row, its group of items and its axis, ALL if it is not limited to one."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """What the judges of a board say about an answer: its name, its level, and the ends of its scale."""

    what: str
    level: RatingLevel
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Votes:
    """The votes of a refusal gate on the answers of one contestant: (answers, judges), 1 or 0, and their items."""

    votes: Floats
    item: Ints


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """All ratings of a board.

    judges: in the order of marks. scale: of marks. rated: for each contestant, by id. clusters, groups: (items,) the
    cluster and the group of each item; one group by default. parts: of the board with an alpha. least: how many judges
    a unit of an alpha needs to be counted. gates: by name, the votes on each contestant, by id.
    """

    judges: Sequence[str]
    scale: Scale
    rated: Mapping[str, Rated]
    clusters: Ints
    groups: Ints | None = None
    n_axes: int = 1
    parts: Sequence[Part] = (({}, ALL, ALL),)
    least: int = 1
    gates: Mapping[str, Mapping[str, Votes]] = field(default_factory=dict)


def agreement_of_board(ratings: Ratings, null_models: Collection[str]) -> dict[str, Any]:
    """Return the agreement of a board and of its parts with a rating, and the uncertainty of that of the board.

    Each is computed on all answers, and on the scored answers of contestants other than null models: judges agree more
    easily on the others.
    """
    rated, clusters, n_axes = ratings.rated, ratings.clusters, ratings.n_axes
    groups = np.zeros_like(clusters) if ratings.groups is None else ratings.groups
    shape = int(groups.max()) + 1, n_axes, 2  # the last: not among the scored answers, and among them
    size = prod(shape)
    tables, n_ratings, units = np.zeros((*shape, 5, 5)), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for model, each in rated.items():
        among = each.scored & (model not in null_models)
        cell = np.ravel_multi_index((groups[each.item], each.axis, among.astype(np.int64)), shape)
        tables += each.coincidences(cell, size).reshape(tables.shape)
        n_ratings += np.bincount(cell, minlength=size).reshape(shape)
        units += np.bincount(cell[(each.places >= 0).sum(axis=1) >= ratings.least], minlength=size).reshape(shape)
    rows = []
    for fields, group, axis in ratings.parts:
        if not n_ratings[group, axis].any() and (group, axis) != (ALL, ALL):
            continue
        others, scored = tables[group, axis].reshape(-1, 2, 5, 5).sum(axis=0)
        n_others, n_scored = units[group, axis].reshape(-1, 2).sum(axis=0).tolist()
        alphas = alpha_of_table(others + scored), alpha_of_table(scored)
        rows.append(_row(fields, *alphas, n_others + n_scored, n_scored))
    n_clusters = int(clusters.max()) + 1
    bounds = agreement_bounds(
        (model, each.coincidences(np.where(each.scored, clusters[each.item], -1), n_clusters))
        for model, each in rated.items()
        if model not in null_models
    )
    return {"agreement": rows, "agreement_bounds": bounds}


def _row(
    fields: Mapping[str, str | None], every: Measure, scored: Measure, units: int, units_scored: int
) -> AgreementRow:
    return AgreementRow(
        **fields,
        units=units,
        alpha=every.value,
        label=agreement_level(every.value),
        absent=every.reason,
        units_scored=units_scored,
        alpha_scored=scored.value,
        label_scored=agreement_level(scored.value),
        absent_scored=scored.reason,
    )


def agreement_bounds(scored: Iterable[tuple[str, Floats]]) -> AgreementBounds:
    """Return the uncertainty of the alpha on scored answers.

    scored: each contestant that the alpha includes, with the coincidences of its scored answers by cluster, (clusters,
    5, 5).
    """
    bounds, names, of_each = AgreementBounds(absent={}), [], []
    by_cluster: Floats = np.zeros((0, 5, 5))
    for name, tables in scored:
        by_cluster = by_cluster + tables if len(by_cluster) else tables
        names.append(name)
        of_each.append(tables.sum(axis=0))
    alpha = alpha_interval(by_cluster)
    bounds.low, bounds.high = alpha.low, alpha.high
    if alpha.reason is not None:
        bounds.absent["low"] = alpha.reason
    without = alphas_without(np.array(of_each)) if len(of_each) > 1 else np.empty(0)
    if not without.size or np.isnan(without).any():
        bounds.absent["least"] = "without one of the contestants there is no alpha"
        return bounds
    least, most = int(without.argmin()), int(without.argmax())
    bounds.least, bounds.least_without = float(without[least]), names[least]
    bounds.most, bounds.most_without = float(without[most]), names[most]
    return bounds
