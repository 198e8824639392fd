"""From the tables of a `scores` board to its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any, cast

import numpy as np

from nullbench_site.protocols.scores.metrics import UNIT_SCORE, ScoresItemRow, ScoresResults, ScoresRow
from nullbench_site.protocols.scores.specs import ScoresBoardFile
from nullbench_site.protocols.scores.tables import Scores
from nullbench_site.scoring.columns import Number, Slice
from nullbench_site.scoring.dates import DatedScores, first_day
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import NO_TEXTS, Observations
from nullbench_site.scoring.ranked_table import IncompleteRow, incomplete_row
from nullbench_site.scoring.ranking import SCALE, Strata
from nullbench_site.scoring.results import Results, known
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.estimate import group_mean
from nullbench_site.text import plural


@dataclass(kw_only=True)
class ScoredContestant(Contestant):
    """scores: (items,) 0-100, NaN where the table has none. numbers: costs and seconds, (items,), if known."""

    scores: Floats
    numbers: Mapping[str, Floats]

    @property
    def counted(self) -> Bools:
        """(items,) those with a score."""
        return ~np.isnan(self.scores)


class ScoresSlice(Slice["ScoresScorer", ScoredContestant]):
    """The scores of a contestant on some items."""

    def mean_of(self, name: str) -> Number:
        """Return the mean of the costs or times that are known."""
        cells = self.contestant.numbers.get(name, np.full(1, nan))
        if np.isnan(cells).all():
            return "not in the table"
        return float(np.nanmean(cells))


class ScoresScorer(Scorer[ScoresBoardFile, ScoredContestant, ScoresRow]):
    """Means of scores. The groups of a board are its domains; items of a cluster are not independent."""

    results = ScoresResults
    SLICE = ScoresSlice

    def __init__(self, benchmark: Benchmark, board: ScoresBoardFile) -> None:
        super().__init__(benchmark, board)
        self.scores = cast(Scores, benchmark.tables[board.id])
        self.items = [placed.id for placed in self.placed]

    @cached_property
    def strata(self) -> Strata:
        clusters = [f"item {p.id}" if p.item.cluster is None else f"cluster {p.item.cluster}" for p in self.placed]
        return Strata(self.layout.domains.of_item, np.unique(clusters, return_inverse=True)[1])

    def from_specs(self) -> Iterator[Observations]:
        """Yield the scores of each contestant: an answer without a text for each cell."""
        for model in self.benchmark.contestants(self.board):
            scores = self._cells(self.scores.values, model.id)
            present = ~np.isnan(scores)
            n = scores.size
            yield Observations(
                model=model.id,
                present=present,
                answered=present,
                turns=present.astype(np.int64),
                seconds=self._numbers("seconds", model.id),
                runes=np.zeros(n, np.int64),
                tokens=np.full(n, nan),
                marks=np.full((n, 3), nan),
                ended=np.zeros(n, np.int64),
                served=np.zeros(n, np.int64),
                servers=(None,),
                checks={},
                confidence=np.full(n, nan),
                stated_confidence=np.full(n, nan),
                values=np.empty((n, 0, 0)),
                verdicts=np.empty((n, 0), np.int64),
                invalid=np.empty((n, 0), np.int64),
                repaired=np.empty((n, 0), np.bool_),
                positions=np.empty((n, 0), np.int64),
                cost=self._numbers("costs", model.id),
            )

    def _cells(self, table: Floats, model: str) -> Floats:
        return self.scores.row(table, model, self.items)

    def _numbers(self, name: str, model: str) -> Floats:
        table = self.scores.numbers.get(name)
        return np.full(len(self.items), nan) if table is None else self._cells(table, model)

    def reduce(self, observations: Observations) -> ScoredContestant:
        return ScoredContestant(
            **Contestant.common(observations),
            scores=self._on_100(self._cells(self.scores.values, observations.model)),
            numbers={"costs": observations.cost, "seconds": observations.seconds},
        )

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The worse and the better end of the scale."""
        ends = self.board.scale.low, self.board.scale.high
        return (ends[1], ends[0]) if self.board.lower_is_better else ends

    def _on_100(self, scores: Floats) -> Floats:
        low, high = self._ends
        return scores if self._ends == SCALE else SCALE[1] * (scores - low) / (high - low)

    def _overall(self, scores: Floats) -> float | None:
        return self.strata.mean(scores).value

    def _in_unit(self, overall: float) -> float:
        low, high = self._ends
        return overall if self._ends == SCALE else low + (high - low) * overall / SCALE[1]

    def measured_tasks(self) -> tuple[Sequence[str], Mapping[str, str]]:
        """If cells are means, an item is a task, in the group of its domain."""
        if self.board.cells != "means":
            return super().measured_tasks()
        return self.items, {placed.id: placed.domain.id for placed in self.placed}

    def row(self, contestant: ScoredContestant, chosen: Bools) -> ScoresRow | None:
        scores = contestant.scores[chosen]
        groups = self.strata.groups[chosen] if chosen.all() else np.zeros(scores.size, np.int64)
        overall = group_mean(scores, groups, self.strata.clusters[chosen]).value
        if overall is None:
            return None
        return self.filled(
            ScoresRow,
            ScoresSlice(self, contestant, chosen),
            {},
            model=contestant.model,
            n_items=int((~np.isnan(scores)).sum()),
            overall=overall,
            means={UNIT_SCORE: self._in_unit(overall)},
        )

    def finish(self, row: ScoresRow, contestant: ScoredContestant) -> None:
        row.error_rate = row.throughput_rps = row.throughput_tps = row.median_response_length = None
        names = ("throughput_rps", "throughput_tps", "median_response_length")
        row.absent |= {**dict.fromkeys(names, NO_TEXTS), "error_rate": "the table does not state it"}

    def lacking(self, contestant: ScoredContestant, row: ScoresRow) -> str | None:
        return self._lacking(contestant)

    def _lacking(self, contestant: ScoredContestant) -> str | None:
        n_items, n_scored = len(self.items), int((~np.isnan(contestant.scores)).sum())
        return None if n_scored == n_items else f"scores on {n_scored} of {plural(n_items, 'item')} only"

    def item_scores(self, contestant: ScoredContestant) -> Floats:
        return contestant.scores

    def item_rows(self, contestants: Sequence[ScoredContestant]) -> Iterator[ScoresItemRow]:
        for contestant in contestants:
            values = known(self._cells(self.scores.values, contestant.model))
            for number, (overall, raw) in enumerate(zip(known(contestant.scores), values, strict=True)):
                if overall is not None:
                    yield ScoresItemRow(
                        model=contestant.model,
                        **self.layout.row_fields[number],
                        overall=overall,
                        raw=raw,
                    )

    @property
    def dated(self) -> tuple[str, Bools, Bools] | None:
        date, starts = self.board.contamination_date, np.array([first_day(each.item.date) for each in self.placed])
        return None if date is None else (date, (starts != "") & (starts < date), starts >= date)

    def groupings(self) -> Mapping[str, Groups]:
        """Return the groups of items; difficulties only if the table states them."""
        stated = all(placed.item.difficulty is not None for placed in self.placed)
        names = [name for name in Results.GROUPS if stated or name != "difficulties"]
        return {name: getattr(self.layout, name) for name in names}

    def tables(self, contestants: Sequence[ScoredContestant]) -> Mapping[str, Any]:
        incomplete = sorted(self._incomplete(contestants), key=lambda row: (-row.score, row.model))
        dates = [placed.item.date for placed in self.placed]
        if not any(dates):
            return {"incomplete": incomplete}
        models = self.benchmark.models
        tested = [each for each in contestants if models[each.model].kind != "null" and self.counts(each)]
        dated = DatedScores(
            models=[models[each.model] for each in tested],
            scores=np.array([each.scores for each in tested]),
            layout=self.layout,
            dates=dates,
            clusters=self.strata.clusters,
            lacking={each.model: why for each in tested if (why := self._lacking(each)) is not None},
        )
        return {"incomplete": incomplete, "contamination_dates": list(dated.rows(self.board.contamination_date))}

    def _incomplete(self, contestants: Sequence[ScoredContestant]) -> Iterator[IncompleteRow]:
        """Yield the contestants that lack items, each with its difference from the first that may have a rank."""
        n, models = len(self.items), self.benchmark.models
        complete = [
            (-(self._overall(each.scores) or 0.0), each.model, each.scores)
            for each in contestants
            if not np.isnan(each.scores).any() and models[each.model].kind != "null"
        ]
        first = min(complete, default=None, key=lambda each: each[:2])
        for each in contestants:
            n_items, score = int((~np.isnan(each.scores)).sum()), self._overall(each.scores)
            if n_items == n or first is None or score is None:
                continue
            yield incomplete_row(each.model, each.scores, first[2], self.strata, scale=SCALE)


SCORING = ScoresScorer
