"""Rank a table of scores, by the same functions as a board: ranks, intervals, the possible best, fragile leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec
import numpy as np

from nullbench_site.errors import UsageError
from nullbench_site.scoring.board_tables import Detectable, JointCheck, LeadFragility, Separation, VariantRow
from nullbench_site.scoring.ranking import SCALE, Ranking, Strata, best_first, best_variant
from nullbench_site.scoring.results import Row, rounded
from nullbench_site.specs.types import Bootstrap
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import JointTest
from nullbench_site.stats.worst_case import worst_case
from nullbench_site.text import listed, plural, some_of

_DRAWS, _LEAST_DRAWS, _WORK = 200, 50, 500_000_000
"""The most and the fewest draws of the check of a joint test, and the work of one, as in `family_error`."""


class ColumnUse(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a column, and why.

    use: score; fact, mean or unused for other numbers that are not averaged; text for those without numbers.
    """

    column: str
    use: Literal["score", "fact", "mean", "unused", "text"]
    why: str


@dataclass(frozen=True)
class ScoreTable:
    """The score of each model on each item, and what else a table says about models, items and cells.

    name: of the file, for messages. values: (models, items) in the unit of the table, NaN where a cell is missing.
    groups, clusters: (items,) the group and the cluster of each item; None if the table is ranked without them.
    families: (models,) the family of each model; None without `--family`. item_columns, model_columns: the other
    columns by name, (items,) or (models,) texts, empty where there is none. cell_columns: the other numbers by name,
    (models, items), NaN where there is none. scale: the two ends if the table itself shows them. lower_is_better: the
    table says so. means: each score is a mean over items that the table does not have. notes: which column
    was used for what, and every assumption, a sentence each. columns: what became of each column of a wide table.
    """

    name: str
    models: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    groups: tuple[str, ...] | None = None
    clusters: tuple[str, ...] | None = None
    families: tuple[str, ...] | None = None
    item_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    model_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cell_columns: Mapping[str, Floats] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    lower_is_better: bool = False
    means: bool = False
    notes: tuple[str, ...] = ()
    columns: tuple[ColumnUse, ...] = ()


class RankedRow(msgspec.Struct, kw_only=True):
    """A ranked model. score, se, ci_low, ci_high: 0-100, or in the unit of the table if its scale has no ends.

    rank_low, rank_high: from 1 + the number of significantly better models to the number of models less that of the
    significantly worse ones. tie_group: the tie band, from 1 at the top; its members do not differ significantly from
    its first. absent: why a number is not there.
    """

    rank: int
    rank_low: int | None
    rank_high: int | None
    tie_group: int | None
    model: str
    score: float
    se: float | None
    ci_low: float | None
    ci_high: float | None
    n_items: int
    n_clusters: int
    absent: dict[str, str]


class IncompleteRow(msgspec.Struct, kw_only=True):
    """A model without a rank. score: its mean on its `n_items` items of all `of_items`.

    difference: of its score and that of the first ranked model on the n_common items that both have, with se and a 95 %
    interval from low to high. absent: why there is no interval, or none to rely on. lowest, highest: its mean on the
    items of the ranked models if all its missing scores were at the lower or at the upper end of the scale; best_rank,
    worst_rank: its rank among them then. Only `rank` has these four, on a scale with ends.
    """

    model: str
    n_items: int
    of_items: int
    score: float
    difference: float | None
    se: float | None
    low: float | None
    high: float | None
    n_common: int
    absent: str | None
    lowest: float | msgspec.UnsetType = msgspec.UNSET
    highest: float | msgspec.UnsetType = msgspec.UNSET
    best_rank: int | msgspec.UnsetType = msgspec.UNSET
    worst_rank: int | msgspec.UnsetType = msgspec.UNSET


class RankedTable(msgspec.Struct, kw_only=True):
    """Everything `rank` says about a table. Numbers are rounded as results are.

    scale: the ends of the scale of the table; None if it has none, and scores are then in their own unit. leaderboard:
    best first. best_set: the models that no other model beats significantly. separation: how many pairs differ.
    pair_test: the joint test. joint_checks: the errors of the tests that were tried, with fewer draws than on a board;
    empty if they were not measured.
    detectable: the smallest differences that the table can detect, with power 0.8. lead: the fewest items whose removal
    makes the lead vanish. variants: the best of each family. same_items: the items on which all ranked models have one
    score. notes: every assumption. columns: what became of each column of a table with a row per model.
    """

    name: str
    n_items: int
    n_groups: int | None
    n_clusters: int
    clustered: bool
    scale: tuple[float, float] | None
    lower_is_better: bool
    seed: int
    leaderboard: list[RankedRow]
    incomplete: list[IncompleteRow]
    best_set: list[str]
    separation: Separation | None
    pair_test: JointTest
    joint_checks: list[JointCheck]
    detectable: Detectable
    lead: LeadFragility | None
    variants: list[VariantRow]
    same_items: int
    notes: list[str]
    columns: list[ColumnUse]


@dataclass(frozen=True)
class _Unit:
    """Turns scores of a table into what is ranked, higher is better, and figures of that into what is shown."""

    scale: tuple[float, float] | None
    lower_is_better: bool

    def strength(self, values: Floats) -> Floats:
        if self.scale is not None:
            low, high = self.scale
            values = 100 * (values - low) / (high - low)
        return self.mirrored(values) if self.lower_is_better else values

    def mirrored(self, values: Floats) -> Floats:
        return -values if self.scale is None else 100 - values

    def shown(self, value: float | None) -> float | None:
        if value is None or not self.lower_is_better:
            return value
        return -value if self.scale is None else 100 - value

    def ends(self, low: float | None, high: float | None) -> tuple[float | None, float | None]:
        return (self.shown(high), self.shown(low)) if self.lower_is_better else (low, high)


@dataclass(frozen=True)
class _Compared:
    """What is compared: the ranked models on the items that all of them have.

    models: places of the ranked in the table. items: (items,) whether it is compared. strata, matrix: of the compared.
    """

    models: Sequence[int]
    items: Bools
    strata: Strata
    matrix: Floats


def rank_table(
    table: ScoreTable,
    *,
    scale: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    coverage: float = 1.0,
    seed: int = 0,
) -> RankedTable:
    """Return the ranks of the models of a table, and how sure they are.

    scale: the ends of all scores; None for those of the table, or what its scores suggest. coverage: the share of the
    items that a model needs for a rank; if it is below 1, ranked models are compared on the items that all of them
    have. The order of rows and columns changes nothing.
    """
    if not 0 < coverage <= 1:
        raise UsageError(f"the coverage {coverage:g} is not a share; give a number above 0 and at most 1")
    if seed < 0:
        raise UsageError(f"the seed {seed} is below 0; give a whole number from 0")
    notes, lower_is_better = list(table.notes), lower_is_better or table.lower_is_better
    unit = _Unit(_scale(table, scale, notes), lower_is_better)
    table = _in_order(table)
    strata = Strata(_numbers(table.groups or ("",) * len(table.items)), _numbers(table.clusters or table.items))
    strata = strata.by_name(table.items)
    points = unit.strength(table.values)
    compared = _compared(table, points, strata, coverage)
    names = [table.models[place] for place in compared.models]
    scores = dict(zip(names, compared.matrix, strict=True))
    values = compared.strata.means(compared.matrix).value.tolist()
    n, n_clusters = len(compared.strata.groups), len(np.unique(compared.strata.clusters))
    rows = {
        model: Row(model=model, n_items=n, overall=each, absent={}) for model, each in zip(names, values, strict=True)
    }
    within = None if unit.scale is None else SCALE
    ranking = Ranking(compared.strata, scores, {}, Bootstrap(seed=seed), dict.fromkeys(names, 0.0), scale=within)
    ranking = ranking.checked(rows, most_draws=_DRAWS, least_draws=_LEAST_DRAWS, most_work=_WORK)
    tested = ranking.of_board(rows)
    board = best_first(rows.values())
    order = [row.model for row in board]
    same = int((compared.matrix == compared.matrix[0]).all(axis=0).sum()) if len(order) > 1 else 0
    incomplete = list(_incomplete(table, points, strata, compared, first=order[0], unit=unit))
    notes += _notes(table, compared, same, len(incomplete))
    if any(row.lowest is not msgspec.UNSET for row in incomplete):
        notes.append('"Can be": if all missing scores were at the lower end of the scale, or all at the upper one.')
    result: RankedTable = rounded(
        RankedTable(
            name=table.name,
            n_items=n,
            n_groups=None if table.groups is None else len(np.unique(compared.strata.groups)),
            n_clusters=n_clusters,
            clustered=table.clusters is not None,
            scale=None,
            lower_is_better=lower_is_better,
            seed=seed,
            leaderboard=[_ranked_row(row, unit, n_clusters) for row in board],
            incomplete=incomplete,
            best_set=tested.best_set,
            separation=tested.separation(order),
            pair_test=ranking.test,
            joint_checks=ranking.joint_checks,
            detectable=ranking.detectable(order, tested.alpha),
            lead=ranking.lead(order, [table.items[place] for place in np.flatnonzero(compared.items)]),
            variants=list(_variants(table, board, ranking, unit)),
            same_items=same,
            notes=notes,
            columns=list(table.columns),
        )
    )
    result.scale = unit.scale  # as it was given
    return result


def _scale(table: ScoreTable, chosen: tuple[float, float] | None, notes: list[str]) -> tuple[float, float] | None:
    """Return the ends of the scale: chosen, of the table, or those that its scores suggest, with a note of that."""
    low, high = float(np.nanmin(table.values)), float(np.nanmax(table.values))
    if chosen is None:
        chosen = table.scale
    if chosen is not None:
        if low < chosen[0] or high > chosen[1]:
            model, item = np.argwhere((table.values < chosen[0]) | (table.values > chosen[1]))[0]
            place = f"the score {table.values[model, item]:g} of {table.models[model]} on {table.items[item]}"
            raise UsageError(f"{table.name}: {place} is outside the scale {chosen[0]:g} to {chosen[1]:g}; correct it")
        return chosen
    ends, note = suggested_scale(table)
    notes.append(note)
    return ends


def suggested_scale(table: ScoreTable) -> tuple[tuple[float, float] | None, str]:
    """Return the ends that the scores of a table suggest, None if they suggest none, and a sentence that says so."""
    low, high = float(np.nanmin(table.values)), float(np.nanmax(table.values))
    seen = f"since all scores lie from {low:g} to {high:g}"
    if low >= 0 and (high <= 1 or 10 < high <= 100):
        top = 1.0 if high <= 1 else 100.0
        return (0.0, top), f"Assumed: a scale of 0 to {top:g}, {seen}. Choose another with --scale LOW:HIGH."
    own = "scores are in their own unit, and intervals have no ends"
    return None, f"Assumed: a scale without ends, {seen}; {own}. Give ends with --scale LOW:HIGH."


def _in_order(table: ScoreTable) -> ScoreTable:
    """Return the table with models and items sorted by name, which is all that ranking needs."""
    models, items = (sorted(range(len(names)), key=names.__getitem__) for names in (table.models, table.items))
    of_items = (None if of is None else tuple(of[place] for place in items) for of in (table.groups, table.clusters))
    groups, clusters = of_items
    return replace(
        table,
        models=tuple(table.models[place] for place in models),
        items=tuple(table.items[place] for place in items),
        values=table.values[np.ix_(models, items)],
        groups=groups,
        clusters=clusters,
        families=None if table.families is None else tuple(table.families[place] for place in models),
    )


def _numbers(names: Sequence[str]) -> Ints:
    return np.unique(np.asarray(names), return_inverse=True)[1].astype(np.int64)


def _compared(table: ScoreTable, points: Floats, strata: Strata, coverage: float) -> _Compared:
    known = ~np.isnan(points)
    counts, n = known.sum(axis=1), len(table.items)
    needed = int(np.ceil(coverage * n - 1e-9))  # 0.07 of 100 is 7, though not in floating point
    models = np.flatnonzero(counts >= needed)
    if not models.size:
        message = f"no model has scores on {needed} of {n} items; the most complete has {counts.max()}"
        raise UsageError(f"{table.name}: {message}; lower --coverage")
    items: Bools = np.asarray(known[models].all(axis=0))
    if not items.any():
        message = f"the {len(models)} models to be ranked have no item in common"
        raise UsageError(f"{table.name}: {message}; raise --coverage, or remove models with few items")
    return _Compared(
        models.tolist(), items, Strata(strata.groups[items], strata.clusters[items]), points[np.ix_(models, items)]
    )


def _notes(table: ScoreTable, compared: _Compared, same: int, incomplete: int) -> Iterator[str]:
    """What the figures are about and what they are not."""
    if not compared.items.all():
        yield f"Compared on the {compared.items.sum()} of {len(table.items)} items that all ranked models have."
    if incomplete:
        yield f"{plural(incomplete, 'model')} with missing items, without a rank; --coverage lowers what a rank needs."
    if same:
        yield f"All ranked models have the same score on {same} of {plural(int(compared.items.sum()), 'item')}."
    if not (np.isin(table.values, (0.0, 1.0)) | np.isnan(table.values)).all():
        yield (
            "Intervals allow for other items like these. If a cell is itself a mean, over questions or samples, they "
            "do not allow for other questions or samples."
        )
    flat = np.flatnonzero((compared.matrix == compared.matrix[:, :1]).all(axis=1))
    if len(compared.models) > 1 and compared.items.sum() > 1 and flat.size:
        names = listed(some_of([table.models[compared.models[place]] for place in flat.tolist()], 3))
        yield f"Same score on every item: {names}. If that is so by definition, as for a baseline, it was not measured."


def _ranked_row(row: Row, unit: _Unit, n_clusters: int) -> RankedRow:
    low, high = unit.ends(row.ci_low, row.ci_high)
    return RankedRow(
        rank=row.rank or 1, rank_low=row.rank_low, rank_high=row.rank_high,
        tie_group=None if isinstance(row.tie_group, msgspec.UnsetType) else row.tie_group, model=row.model,
        score=unit.shown(row.score) or 0.0, se=row.se, ci_low=low, ci_high=high, n_items=row.n_items,
        n_clusters=n_clusters, absent=row.absent,
    )  # fmt: skip


def _incomplete(
    table: ScoreTable, points: Floats, strata: Strata, compared: _Compared, *, first: str, unit: _Unit
) -> Iterator[IncompleteRow]:
    """Yield the models without a rank, best first, each with its difference to the first of the ranked."""
    others = sorted(set(range(len(table.models))) - set(compared.models))
    leader = points[table.models.index(first)]
    within = None if unit.scale is None else SCALE
    rows = [incomplete_row(table.models[place], points[place], leader, strata, scale=within) for place in others]
    ranked = compared.strata.means(compared.matrix).value
    for place, row in zip(others, rows, strict=True):
        own = points[place][compared.items]
        bounds = worst_case(own, ranked, lambda each: compared.strata.mean(each).value, SCALE) if within else None
        if bounds is not None:
            low, high = unit.ends(bounds.low, bounds.high)
            row.lowest, row.highest = low or 0.0, high or 0.0
            row.best_rank, row.worst_rank = bounds.best_rank, bounds.worst_rank
    for row in sorted(rows, key=lambda row: (-row.score, row.model)):
        if unit.lower_is_better:
            row.score = unit.shown(row.score) or 0.0
            row.difference, row.low, row.high = (
                None if each is None else -each for each in (row.difference, row.high, row.low)
            )
        yield row


def incomplete_row(
    model: str, scores: Floats, leader: Floats, strata: Strata, *, scale: tuple[float, float] | None
) -> IncompleteRow:
    """Return the row of a model without a rank. scores, leader: (items,) its own and those of the first of the ranked,
    NaN where one is missing."""
    apart, own = strata.difference(scores, leader, scale), strata.mean(scores)
    return IncompleteRow(
        model=model, n_items=own.n, of_items=scores.size, score=own.value or 0.0, difference=apart.value, se=apart.se,
        low=apart.low, high=apart.high, n_common=apart.n, absent=apart.reason,
    )  # fmt: skip


def _variants(table: ScoreTable, board: Sequence[Row], ranking: Ranking, unit: _Unit) -> Iterator[VariantRow]:
    """Yield the best of each family with two or more ranked models."""
    if table.families is None:
        return
    family_of = dict(zip(table.models, table.families, strict=True))
    families: dict[str, list[Row]] = {}
    for row in board:
        families.setdefault(family_of[row.model], []).append(row)
    for family, rows in sorted(families.items()):
        if len(rows) > 1:
            best = best_variant(
                family, rows, ranking.scores, ranking.strata, ranking.bootstrap.seed, scale=ranking.scale
            )
            low, high = unit.ends(best.low, best.high)
            yield msgspec.structs.replace(
                best, overall=unit.shown(best.overall), corrected=unit.shown(best.corrected), low=low, high=high
            )
