"""The judges of a `rubric` board: the means of their marks, the scale and leniency of each, and how far they agree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from nullbench_site.protocols.rubric.contestant import RubricContestant
from nullbench_site.protocols.rubric.results import Divergence, JudgeOnModel, JudgePair, RubricJudgeRow
from nullbench_site.scoring.agreement import Part, Rated, agreement_of_board
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import NOT_DUE, VERDICTS
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.judges import (
    distance_to_geval,
    judge_moments,
    judge_sums,
    leniency,
    mark_counts,
    pair_agreement,
)
from nullbench_site.stats.measure import Measure

_OF_PAIRS = ("exact", "adjacent", "difference", "correlation", "alpha")
_OF_DIVERGENCES = ("difference", "distance", "correlation")


@dataclass(frozen=True)
class RubricPanel:
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

    def agreement(self, null_models: Collection[str]) -> dict[str, Any]:
        """Alpha of the board and of each domain that has a marked answer; items are independent of one another."""
        rated = {each.model: Rated.of_answers(mark_counts(each.marks), each.item_of_unit) for each in self.contestants}
        return agreement_of_board(rated, null_models, np.arange(self.domains.of_item.size), self._parts)

    def _parts(self, every: Rated) -> Iterator[Part]:
        yield {"domain": None}, np.ones(every.item.size, np.bool_)
        for name in self.domains.in_order:
            chosen = self.domains.of_item[every.item] == self.domains.names.index(name)
            if chosen.any():
                yield {"domain": name}, chosen


def _reasons(measures: Mapping[str, Measure]) -> dict[str, str]:
    return {name: measure.reason for name, measure in measures.items() if measure.reason is not None}
