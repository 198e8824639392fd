"""The ratings of a board's judges, and their agreement: alpha on the board and its parts, with its uncertainty, and
kappas of the panel and of each two judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nullbench_site.scoring.board_tables import AgreementBounds, RaterAgreementRow
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.stats.agreement import (
    SCALE_POINTS,
    RatingLevel,
    alpha_interval,
    alpha_of_table,
    alphas_without,
    cohen_kappa,
    coincidences,
    distances,
    fleiss_kappa,
    krippendorff_label,
    landis_koch,
    pair_tables,
    places,
)
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import mark_places
from nullbench_site.stats.measure import Bounded, Measure
from nullbench_site.stats.trust import agreement_level

if TYPE_CHECKING:
    from nullbench_site.scoring.executors import Map


@dataclass(frozen=True, kw_only=True)
class Votes:
    """The votes of a refusal gate on the answers of one contestant: (answers, judges), 1 or 0, and their items."""

    votes: Floats
    item: Ints


@dataclass(frozen=True, kw_only=True)
class Rated:
    """How the judges rated the answers of one contestant.

    marks: (ratings, judges) what each judge gave, NaN for nothing. places: (ratings, judges) the same on a scale of 1-5
    as `mark_places`. item: (ratings,) the number of the item. scored: (ratings,) whether the answer was scored. axis:
    (ratings,) the number of the axis, on boards with axes. gates: the votes of each refusal gate, by name.
    """

    marks: Floats
    places: Ints
    item: Ints
    scored: Bools
    axis: Ints
    gates: Mapping[str, Votes] = field(default_factory=dict)

    @classmethod
    def of_answers(cls, marks: Floats, item: Ints, points: Floats | None = None) -> Rated:
        """Return the ratings of answers that a judge rated; all of them are scored.

        points: the marks on a scale of 1-5, if theirs is another.
        """
        places = mark_places(marks if points is None else points)
        rated = np.flatnonzero((places >= 0).any(axis=1))
        yes, none = np.ones(rated.size, np.bool_), np.zeros(rated.size, np.int64)
        return cls(marks=marks[rated], places=places[rated], item=item[rated], scored=yes, axis=none)

    def tables(self, part: Ints, n_parts: int) -> dict[int, Ints]:
        """Return the pairs of places in each part, as `pair_tables`. part: (ratings,), -1 for none."""
        own = part >= 0
        return pair_tables(self.places[own].T, SCALE_POINTS, part[own], n_parts)


ALL: Final = slice(None)
Part: TypeAlias = tuple[Mapping[str, str | None], int | slice, int | slice]
"""A part of the board: the fields of its row, its group of items and its axis, ALL if it is not limited to one."""
BORDERLINE = 0.25, 0.75
"""The middle half of a scale, as shares of it. An item is borderline if its mean rating lies there."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """What the judges of a board say about an answer: its name, its level, and the ends of its scale."""

    what: str
    level: RatingLevel
    low: float
    high: float


class Pairs:
    """What judges said about the same answers, collected contestant by contestant.

    values: rising. n, total: (items,) the number of ratings and their sum.
    """

    def __init__(self, scale: Scale, n_items: int) -> None:
        self.scale, self.values = scale, np.zeros(0)
        self.n, self.total = np.zeros((2, n_items))
        self._given: list[tuple[npt.NDArray[np.int32], Ints]] = []

    def add(self, marks: Floats, item: Ints) -> None:
        """Count the ratings of one contestant. marks: (answers, judges), NaN for none. item: (answers,)."""
        by_judge = marks.T.copy()
        found, given = places(by_judge)
        there = given >= 0
        if not np.isin(found, self.values).all():
            self._widen(np.union1d(self.values, found))
        self._given.append((_moved(given, np.searchsorted(self.values, found)), item))
        self.n += np.bincount(item, there.sum(axis=0), self.n.size)
        self.total += np.bincount(item, np.where(there, by_judge, 0.0).sum(axis=0), self.n.size)

    def _widen(self, values: Floats) -> None:
        at, self.values = np.searchsorted(values, self.values), values
        self._given = [(_moved(given, at), item) for given, item in self._given]

    @property
    def given(self) -> tuple[Ints, Ints]:
        """(judges, answers) the places of the ratings among the values, -1 for none; (answers,) the items."""
        if not self._given:
            return np.zeros((0, 0), np.int64), np.zeros(0, np.int64)
        ratings, items = zip(*self._given, strict=True)
        return np.concatenate(ratings, axis=1).astype(np.int64), np.concatenate(items)

    def by_number(self, chosen: Bools, clusters: Ints) -> dict[int, Ints]:
        """Return the tables of the chosen items, (items,), by the number of judges of an answer, as `pair_tables`.

        clusters: (items,). The parts of these tables are the clusters.
        """
        given, item = self.given
        own = chosen[item]
        n_clusters = int(clusters.max(initial=-1)) + 1
        return pair_tables(given[:, own], self.values.size, clusters[item[own]], n_clusters)

    def of_each_two(self, judges: Sequence[int], clusters: Ints) -> Iterator[tuple[int, int, Ints]]:
        """Yield each two judges in the order given, with their tables, (clusters, values, values) as `pair_tables`.

        Clusters without an answer that both rated may be left out.
        """
        given, item = self.given
        size, of = self.values.size, clusters[item]
        there = given >= 0
        for one, other in combinations(judges, 2):
            both = there[one] & there[other] if len(given) else np.zeros(0, np.bool_)
            used, at = np.unique(of[both], return_inverse=True)
            cells = (at * size + given[one, both]) * size + given[other, both] if both.size else at
            yield one, other, np.bincount(cells, minlength=used.size * size**2).reshape(used.size, size, size)

    @property
    def borderline(self) -> Bools:
        """(items,) whether the mean rating of an item is in the middle half of the scale.

        Single answers would not do: a split vote is in the middle because the judges disagree.
        """
        mean = np.divide(self.total, self.n, out=np.full(self.n.shape, np.nan), where=self.n > 0)
        share = (mean - self.scale.low) / (self.scale.high - self.scale.low)
        chosen: Bools = (share >= BORDERLINE[0]) & (share <= BORDERLINE[1])
        return chosen


def _moved(given: npt.NDArray[Any], at: Ints) -> npt.NDArray[np.int32]:
    """Return places among other values. given: places, -1 for none. at: the new place of each."""
    moved: npt.NDArray[np.int32] = np.append(at, -1).astype(np.int32)[given]
    return moved


@dataclass(kw_only=True)
class Ratings:
    """The ratings of a board, counted contestant by contestant.

    judges: in the order of marks. scale: of marks. clusters, groups: (items,) the cluster and the group of each item;
    one group by default. parts: of the board with an alpha. least: how many judges a unit of an alpha needs to be
    counted.

    Counted by `add`, with a cell for each group, axis, and answers that are not among the scored ones or are. These are
    scored answers of contestants other than null models. tables: (cells, 5, 5) as `pair_tables`. n_ratings, units:
    (cells,). by_cluster: (clusters, 5, 5) of scored answers. of_each: their coincidences, (5, 5), by contestant. pairs:
    on scored answers, and the votes of each gate on all answers of contestants other than null models.
    """

    judges: Sequence[str]
    scale: Scale
    clusters: Ints
    groups: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    n_axes: int = 1
    parts: Sequence[Part] = (({}, ALL, ALL),)
    least: int = 1
    tables: dict[int, Ints] = field(default_factory=dict)
    n_ratings: Ints = field(init=False)
    units: Ints = field(init=False)
    by_cluster: dict[int, Ints] = field(default_factory=dict)
    of_each: dict[str, Floats] = field(default_factory=dict)
    pairs: dict[str, Pairs] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = self.groups if self.groups.size else np.zeros_like(self.clusters)
        self.shape = int(self.groups.max()) + 1, self.n_axes, 2
        self.n_ratings, self.units = np.zeros((2, prod(self.shape)), np.int64)
        self.pairs[self.scale.what] = Pairs(self.scale, self.clusters.size)

    def add(self, model: str, rated: Rated, *, null: bool) -> None:
        """Count the ratings of a contestant. null: whether it is a null model."""
        among, size = rated.scored & (not null), prod(self.shape)
        cell = np.ravel_multi_index((self.groups[rated.item], rated.axis, among.astype(np.int64)), self.shape)
        _add(self.tables, rated.tables(cell, size))
        self.n_ratings += np.bincount(cell, minlength=size)
        self.units += np.bincount(cell[(rated.places >= 0).sum(axis=1) >= self.least], minlength=size)
        if null:
            return
        of_clusters = rated.tables(np.where(among, self.clusters[rated.item], -1), int(self.clusters.max()) + 1)
        _add(self.by_cluster, of_clusters)
        self.of_each[model] = coincidences(of_clusters).sum(axis=0)
        self.pairs[self.scale.what].add(rated.marks[among], rated.item[among])
        for gate, each in rated.gates.items():
            scale = Scale(what=gate, level="nominal", low=0, high=1)
            self.pairs.setdefault(gate, Pairs(scale, self.clusters.size)).add(each.votes, each.item)


def _add(total: dict[int, Ints], tables: Mapping[int, Ints]) -> None:
    for n, table in tables.items():
        total[n] = total.get(n, 0) + table


def agreement_of_board(ratings: Ratings) -> dict[str, Any]:
    """Return the agreement of a board and of its parts with a rating, and the uncertainty of that of the board.

    Each is computed on all answers, and on the scored answers of contestants other than null models: judges agree more
    easily on the others.
    """
    none = {2: np.zeros((prod(ratings.shape), 5, 5), np.int64)}
    tables = coincidences(ratings.tables or none).reshape(*ratings.shape, 5, 5)
    n_ratings, units = ratings.n_ratings.reshape(ratings.shape), ratings.units.reshape(ratings.shape)
    rows = []
    for fields, group, axis in ratings.parts:
        if not n_ratings[group, axis].any() and (group, axis) != (ALL, ALL):
            continue
        others, scored = tables[group, axis].reshape(-1, 2, 5, 5).sum(axis=0)
        n_others, n_scored = units[group, axis].reshape(-1, 2).sum(axis=0).tolist()
        alphas = alpha_of_table(others + scored), alpha_of_table(scored)
        rows.append(_row(fields, *alphas, n_others + n_scored, n_scored))
    return {"agreement": rows, "agreement_bounds": agreement_bounds(ratings.by_cluster, ratings.of_each)}


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


def agreement_bounds(by_cluster: Mapping[int, Ints], of_each: Mapping[str, Floats]) -> AgreementBounds:
    """Return the uncertainty of the alpha on scored answers.

    by_cluster: as in `Ratings`. of_each: the coincidences, (5, 5), of each contestant that the alpha includes.
    """
    bounds, names = AgreementBounds(absent={}), sorted(of_each)
    tables = coincidences(by_cluster) if by_cluster else np.zeros((0, 5, 5))
    alpha = alpha_interval(tables)
    bounds.low, bounds.high = alpha.low, alpha.high
    if alpha.reason is not None:
        bounds.absent["low"] = alpha.reason
    without = alphas_without(np.array([of_each[name] for name in names])) if len(names) > 1 else np.empty(0)
    if not without.size or np.isnan(without).any():
        bounds.absent["least"] = "without one of the contestants there is no alpha"
        return bounds
    least, most = int(without.argmin()), int(without.argmax())
    bounds.least, bounds.least_without = float(without[least]), names[least]
    bounds.most, bounds.most_without = float(without[most]), names[most]
    return bounds


NOBODY_ALL = "no answer was rated by every judge"


def rater_agreement_rows(ratings: Ratings, *, do: Map) -> Iterator[RaterAgreementRow]:
    """Yield the rows of a board with two judges or more. Workers begin at once. do: as in `executors.mapped`.

    A refusal gate has rows if a judge was asked about it.
    """
    asked = [pairs for what, pairs in ratings.pairs.items() if what == ratings.scale.what or pairs.values.size]
    return chain.from_iterable(do(partial(_rows, ratings.judges, ratings.clusters), asked))


def _rows(judges: Sequence[str], clusters: Ints, pairs: Pairs) -> list[RaterAgreementRow]:
    return [
        *_panel(pairs, judges, clusters, "all"),
        *_pairs(pairs, judges, clusters),
        *_panel(pairs, judges, clusters, "borderline"),
    ]


def _panel(
    pairs: Pairs, judges: Sequence[str], clusters: Ints, items: Literal["all", "borderline"]
) -> Iterator[RaterAgreementRow]:
    """Yield alpha at the level of the ratings and, on answers that every judge rated, Fleiss' kappa."""
    what, level, n_judges = pairs.scale.what, pairs.scale.level, len(judges)
    chosen = pairs.borderline if items == "borderline" else np.ones(clusters.size, np.bool_)
    tables = pairs.by_number(chosen, clusters)
    units = {n: int(table.sum()) // (n * (n - 1) // 2) for n, table in tables.items()}
    n_every = units.get(n_judges, 0)
    if not chosen.any():
        alpha = kappa = Bounded.undefined("no item is borderline")
    else:
        alpha = alpha_interval(coincidences(tables), None if level == "ordinal" else distances(pairs.values, level))
        kappa = fleiss_kappa(tables[n_judges]) if n_every else Bounded.undefined(NOBODY_ALL)
    yield RaterAgreementRow(
        what=what, coefficient="alpha", level=level, items=items, n=sum(units.values()), **_figures(alpha)
    )
    yield RaterAgreementRow(what=what, coefficient="fleiss", level="nominal", items=items, n=n_every, **_figures(kappa))


def _pairs(pairs: Pairs, judges: Sequence[str], clusters: Ints) -> Iterator[RaterAgreementRow]:
    """Yield Cohen's kappa of each two judges; of ordered ratings, weighted by squared distance."""
    level: RatingLevel = "nominal" if pairs.scale.level == "nominal" else "interval"
    apart = distances(pairs.values, level)
    in_order = sorted(range(len(judges)), key=judges.__getitem__)
    for one, other, tables in pairs.of_each_two(in_order, clusters):
        yield RaterAgreementRow(
            what=pairs.scale.what,
            coefficient="cohen",
            level="nominal" if level == "nominal" else "quadratic",
            judge=judges[one],
            other=judges[other],
            items="all",
            n=int(tables.sum()),
            **_figures(cohen_kappa(tables, apart)),
        )


def _figures(found: Bounded) -> dict[str, Any]:
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "landis_koch": landis_koch(found.value),
        "krippendorff": krippendorff_label(found.value),
        "absent": found.reason,
    }
