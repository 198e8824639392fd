"""The judges of a `rubric` board: the means of their marks, the scale and leniency of each, and how far they agree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import combinations
from math import isnan, nan

import numpy as np

from nullbench_site.protocols.rubric.contestant import RubricContestant
from nullbench_site.protocols.rubric.results import Divergence, JudgeOnModel, JudgePair, RubricJudgeRow
from nullbench_site.scoring.agreement import agreement_bounds, agreement_row
from nullbench_site.scoring.board_tables import AgreementBounds
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import NOT_DUE, VERDICTS
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.stats.agreement import coincidences, ordinal_alpha
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.composite import composite, judge_mean, overall_of_composite
from nullbench_site.stats.judges import (
    distance_to_geval,
    judge_moments,
    judge_sums,
    leniency,
    mark_counts,
    pair_agreement,
)
from nullbench_site.stats.measure import Measure


def answer_means(
    contestants: Sequence[RubricContestant], cell_of_unit: Ints, cells: int
) -> tuple[Floats, Floats, Floats]:
    """(cells, judges) the mean mark of each complete judge, (cells, metrics) the mean of each metric, (cells,) the mean
    of answers' G-Eval scores as they count; NaN for none."""
    scorable = np.array([contestant.scorable for contestant in contestants])
    marks = np.array([np.where(contestant.complete, contestant.marks, nan) for contestant in contestants])
    metrics = np.array([contestant.geval for contestant in contestants])
    geval = np.array([contestant.geval_as_counted for contestant in contestants])
    geval[[contestant.no_geval_mean is not None for contestant in contestants]] = nan
    columns = np.column_stack([marks[scorable], metrics[scorable], geval[scorable]])
    means = _means(columns, cell_of_unit[scorable], cells)
    of_judges, of_metrics, of_answers = np.split(means, [marks.shape[2], columns.shape[1] - 1], axis=1)
    return of_judges, of_metrics, of_answers[:, 0]


def item_scores(contestants: Sequence[RubricContestant], cell_of_item: Ints, cells: int) -> tuple[Ints, Floats]:
    """(cells,) how many items count, and the mean of their scores; NaN for none."""
    counted = np.array([contestant.has_item for contestant in contestants])
    scores = np.array([contestant.overall_of_item for contestant in contestants])
    n: Ints = np.bincount(cell_of_item[counted], minlength=cells)
    # A contestant of which one item has no score has none anywhere.
    chosen = counted & ~(counted & np.isnan(scores)).any(axis=1, keepdims=True)
    return n, _means(scores[chosen][:, np.newaxis], cell_of_item[chosen], cells)[:, 0]


def _means(values: Floats, cell_of: Ints, cells: int) -> Floats:
    """(cells, columns) the mean of what is not NaN of `values`, (answers, columns), in each cell; NaN for nothing.

    Sums are in the order of the answers, so the last digit is the same everywhere.
    """
    order = np.argsort(cell_of, kind="stable")
    present, starts = np.unique(cell_of[order], return_index=True)
    means: Floats = np.full((cells, values.shape[1]), nan)
    if present.size:
        there = ~np.isnan(values[order])
        total = np.add.reduceat(np.where(there, values[order], 0.0), starts, axis=0)
        n = np.add.reduceat(there.astype(np.int64), starts, axis=0)
        means[present] = np.divide(total, n, out=np.full(total.shape, nan), where=n > 0)
    return means


def judge_means(judges: Floats, decimals: int | None) -> Floats:
    """(cells,) the judge mean, NaN for none. judges: (cells, judges) the mean mark of each complete judge."""
    # Small groups have the same few means again and again.
    mean = cache(partial(judge_mean, decimals=decimals))
    given = (tuple(mark for mark in of_cell if not isnan(mark)) for of_cell in judges.tolist())
    return np.array([mean(marks) for marks in given], dtype=np.float64)


def composites(contestants: Sequence[RubricContestant], marks: Floats, gevals: Floats) -> Floats:
    """(cells,) the composite of each, NaN for none."""
    parts = zip(contestants, np.split(marks, len(contestants)), np.split(gevals, len(contestants)), strict=True)
    merged = [
        np.full(mark.shape, nan) if contestant.shares is None else composite(mark, geval, contestant.shares)
        for contestant, mark, geval in parts
    ]
    return np.concatenate(merged)


def of_composites(means: Floats, merged: Floats, answered: Ints, failed: Ints) -> Floats:
    """(cells,) the overall score that the composite gives, where there are both; elsewhere the mean over items."""
    overall = means.copy()
    both = np.flatnonzero(~np.isnan(means) & ~np.isnan(merged))
    of_cells = zip(merged[both].tolist(), answered[both].tolist(), failed[both].tolist(), strict=True)
    overall[both] = [overall_of_composite(*of_cell) for of_cell in of_cells]
    return overall


_OF_PAIRS = ("exact", "adjacent", "difference", "correlation", "alpha")
_OF_DIVERGENCES = ("difference", "distance", "correlation")


@dataclass(frozen=True)
class PanelTables:
    """The verdicts on all contestants of a board, in the order of their ids, judges in that of theirs."""

    judges: Sequence[str]
    metrics: Sequence[str]
    domains: Groups
    contestants: Sequence[RubricContestant]

    @cached_property
    def marks(self) -> Floats:
        """(answers, judges), an answer being a unit of a contestant; NaN for none."""
        given = [contestant.marks for contestant in self.contestants]
        return np.concatenate([np.zeros((0, len(self.judges))), *given])

    def rows(self) -> Iterator[RubricJudgeRow]:
        """A row a judge."""
        for place, judge in enumerate(self.judges):
            ended = [
                sum(int((contestant.marks_ended[:, place] == end).sum()) for contestant in self.contestants)
                for end in range(len(VERDICTS))
            ]
            own = self.marks[:, place]
            scale = judge_moments(judge_sums(own[~np.isnan(own)].astype(np.int64).tolist()))
            lenient = leniency(self.marks, place)
            yield RubricJudgeRow(
                judge=judge,
                **dict(zip(VERDICTS, ended, strict=True)),
                **{
                    name: sum(int(getattr(contestant, name)[place]) for contestant in self.contestants)
                    for name in ("asked_again", "repaired")
                },
                mean=None if scale is None else scale.mean,
                sd=None if scale is None else scale.sd,
                leniency=lenient.value,
                absent=_reasons({"leniency": lenient})
                | ({"mean": "no mark", "sd": "no mark"} if scale is None else {}),
            )

    def on_models(self) -> Iterator[JudgeOnModel]:
        """What each judge gave each contestant that it may mark."""
        for contestant in self.contestants:
            every = zip(self.judges, contestant.marks.T, contestant.judges_due, contestant.complete, strict=True)
            for place, (judge, given, due, complete) in enumerate(every):
                if due:
                    marks = given[~np.isnan(given)]
                    yield JudgeOnModel(
                        judge=judge,
                        model=contestant.model,
                        n=marks.size,
                        n_due=int((contestant.marks_ended[:, place] != NOT_DUE).sum()),
                        mean=float(marks.mean()) if marks.size else None,
                        complete=bool(complete),
                    )

    def pairs(self) -> Iterator[JudgePair]:
        """Every two judges, the one whose id sorts first as the first."""
        for one, other in combinations(range(len(self.judges)), 2):
            agreement = pair_agreement(self.marks[:, one], self.marks[:, other])
            measures = {name: getattr(agreement, name) for name in _OF_PAIRS}
            yield JudgePair(
                judge=self.judges[one],
                other=self.judges[other],
                n=agreement.n,
                **{name: measure.value for name, measure in measures.items()},
                absent=_reasons(measures),
            )

    def divergences(self) -> Iterator[Divergence]:
        """The panel, as its complete judges marked, and every judge against G-Eval; nothing on a board without it."""
        if not self.metrics:
            return
        geval = np.concatenate([np.zeros(0), *(contestant.geval_of_unit for contestant in self.contestants)])
        panel = np.concatenate([np.zeros(0), *(contestant.mark_of_unit for contestant in self.contestants)])
        for judge, marks in ((None, panel), *zip(self.judges, self.marks.T, strict=True)):
            apart = distance_to_geval(marks, geval)
            measures = {name: getattr(apart, name) for name in _OF_DIVERGENCES}
            yield Divergence(
                judge=judge,
                n=apart.n,
                **{name: measure.value for name, measure in measures.items()},
                absent=_reasons(measures),
            )

    def agreement(self, null_models: Collection[str]) -> Iterator[AgreementRow]:
        """Alpha of the board and of each domain that has a marked answer, on all and without `null_models`."""
        counts = mark_counts(self.marks)
        marked = counts.any(axis=1)
        items = [contestant.item_of_unit for contestant in self.contestants]
        domain = self.domains.of_item[np.concatenate([np.zeros(0, np.int64), *items])]
        nulls = [np.full(len(c.marks), c.model in null_models) for c in self.contestants]
        null = np.concatenate([np.zeros(0, np.bool_), *nulls])
        yield _agreement(None, counts[marked], counts[marked & ~null])
        for name in self.domains.in_order:
            chosen = marked & (domain == self.domains.names.index(name))
            if chosen.any():
                yield _agreement(name, counts[chosen], counts[chosen & ~null])

    def bounds(self, null_models: Collection[str]) -> AgreementBounds:
        """How sure the alpha of the board without `null_models` is; items are independent of one another."""
        return agreement_bounds(
            (each.model, coincidences(mark_counts(each.marks), each.item_of_unit, each.n_items))
            for each in self.contestants
            if each.model not in null_models
        )


def _agreement(domain: str | None, every: Ints, scored: Ints) -> AgreementRow:
    return agreement_row(ordinal_alpha(every), ordinal_alpha(scored), len(every), len(scored), domain=domain)


def _reasons(measures: Mapping[str, Measure]) -> dict[str, str]:
    return {name: measure.reason for name, measure in measures.items() if measure.reason is not None}
