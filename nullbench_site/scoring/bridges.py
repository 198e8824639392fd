"""How a board changes if a judge of its panel is replaced, from answers that both judges have marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nullbench_site.judging.bridges import BoardBridge, bridges_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.scoring.board import reduce_board
from nullbench_site.scoring.board_tables import BridgeRank, BridgeRow
from nullbench_site.scoring.observations import Observations, ShardReader, observe
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import Estimate
from nullbench_site.stats.judges import mean_of_known

SCORE = "overall"
"""The name for the score of an answer by one judge alone, 0-100, next to the marks that the protocol asks for."""


def bridge_tables(
    benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None
) -> tuple[list[BridgeRow], list[BridgeRank]]:
    """Return the shift of every mark, and the ranks before and after, on the items of each bridge of a board."""
    rows, ranks = [], []
    for bridge in bridges_of(benchmark, board):
        before, after = (_Side.of(bridge, panel, folder, cache) for panel in (bridge.before, bridge.after))
        rows += list(_shifts(bridge, before, after))
        ranks += list(_ranks(bridge, before, after))
    return rows, ranks


@dataclass(frozen=True)
class _Side:
    """A board on the items of a bridge, with one of the two judges on its panel."""

    scorer: Scorer[Any, Any, Any]
    observed: tuple[Observations, ...]

    @classmethod
    def of(cls, bridge: BoardBridge, benchmark: Benchmark, folder: RunFolder, cache: Path | None) -> _Side:
        others = {placed.id for placed in benchmark.items(bridge.board)} - bridge.items
        scorer = scorer_of(*benchmark.without_items(bridge.board, others))
        side = "after" if benchmark is bridge.after else "before"
        return cls(scorer, tuple(observe(ShardReader(scorer), folder, cache, part=f" {side} {bridge.judge.id}")))

    def marks(self, judge: str) -> Mapping[str, Mapping[str, Floats]]:
        """Return (items,) the marks of a judge alone, by contestant and mark, averaged over draws; NaN for none."""
        return {each.model: self._marks(each, judge) for each in self.observed if self._judges(each, judge)}

    def _judges(self, observations: Observations, judge: str) -> bool:
        model = self.scorer.benchmark.models[observations.model]
        may = {each for (each, _), due in zip(self.scorer.tasks, self.scorer.due(model), strict=True) if due}
        return model.kind != "null" and judge in may and self._answers_all(observations)

    def _answers_all(self, observations: Observations) -> bool:
        present = observations.present.reshape(len(self.scorer.layout.placed), -1)
        return bool(present[:, : self.scorer.n_draws(observations.model)].all())

    def _marks(self, observations: Observations, judge: str) -> dict[str, Floats]:
        placed = self.scorer.layout.placed
        values = observations.values[:, self.scorer.of_judges([judge])].reshape(
            len(placed), -1, observations.values.shape[2]
        )
        means, marks = mean_of_known(values), dict[str, Floats]()
        for number, item in enumerate(placed):
            for place, name in enumerate(self.scorer.score_types(item)):
                marks.setdefault(name, np.full(len(placed), np.nan))[number] = means[number, place]
        alone = self.scorer.scores_by(observations, self.scorer.reduce(observations), [judge])
        marked = ~np.isnan(means).all(axis=1)
        marks[SCORE] = np.where(marked, mean_of_known(alone), np.nan)
        return marks

    @cached_property
    def rows(self) -> dict[str, Row]:
        """Return the row of each contestant on the items of the bridge."""
        results = reduce_board(self.scorer, "", self.observed, whole=False, with_items=False)
        return {row.model: row for row in results.leaderboard}


def _shifts(bridge: BoardBridge, before: _Side, after: _Side) -> Iterator[BridgeRow]:
    """Yield how much higher the new judge marks the same answers: means over contestants, paired by item."""
    old, new = before.marks(bridge.spec.judge), after.marks(bridge.judge.id)
    both = sorted(old.keys() & new.keys())
    names = dict.fromkeys([SCORE, *(name for model in both for name in old[model])])
    strata = before.scorer.strata
    for name in names if both else ():
        pairs = [(old[model][name], new[model][name]) for model in both if name in old[model] and name in new[model]]
        if all(np.isnan(mark).all() for pair in pairs for mark in pair):
            continue  # what neither of them marks
        known = [~np.isnan(one) & ~np.isnan(other) for one, other in pairs]
        was, is_ = (
            mean_of_known(np.array([np.where(k, pair[side], np.nan) for k, pair in zip(known, pairs, strict=True)]).T)
            for side in (0, 1)
        )
        means = [strata.mean(side).value for side in (was, is_)]
        yield _row(bridge, name, int(np.sum(known)), means, strata.difference(is_, was))


def _row(bridge: BoardBridge, mark: str, n_answers: int, means: list[float | None], shift: Estimate) -> BridgeRow:
    return BridgeRow(
        judge=bridge.judge.id, other=bridge.spec.judge, mark=mark, n_items=shift.n, n_answers=n_answers,
        before=means[0], after=means[1], shift=shift.value, se=shift.se, low=shift.low, high=shift.high,
        absent=shift.reason,
    )  # fmt: skip


def _ranks(bridge: BoardBridge, before: _Side, after: _Side) -> Iterator[BridgeRank]:
    """Yield the rank of each contestant on these items with either judge, if it has all verdicts of both."""
    old, new = before.rows, after.rows
    for model, row in old.items():
        if model in new and row.rank is not None and new[model].rank is not None:
            now = new[model]
            yield BridgeRank(
                judge=bridge.judge.id, other=bridge.spec.judge, model=model,
                rank=row.rank, rank_low=row.rank_low, rank_high=row.rank_high, overall=row.score,
                rank_after=now.rank, rank_low_after=now.rank_low, rank_high_after=now.rank_high,
                overall_after=now.score,
            )  # fmt: skip
