"""What the judges did: each one's scale and leniency, judges against each other, against G-Eval, and all together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from nullbench_site.scoring.rubric.contestant import Contestant
from nullbench_site.scoring.rubric.layout import RubricLayout
from nullbench_site.scoring.rubric.records import VERDICT_ENDS
from nullbench_site.scoring.rubric.results import Divergence, JudgeOnModel, JudgePair, RubricAgreement, RubricJudgeRow
from nullbench_site.stats.agreement import agreement_label, ordinal_alpha
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.marks import distance_to_geval, leniency, mark_counts, pair_agreement
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.normalisation import judge_moments, judge_sums

_OF_PAIRS = ("exact", "adjacent", "difference", "correlation", "alpha")
_OF_DIVERGENCES = ("difference", "distance", "correlation")


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on all contestants of a board, in the order of their ids, judges in that of theirs."""

    layout: RubricLayout
    contestants: Sequence[Contestant]

    @cached_property
    def marks(self) -> Floats:
        """(answers, judges), an answer being a unit of a contestant; NaN for none."""
        given = [contestant.summary.marks for contestant in self.contestants]
        return np.concatenate([np.zeros((0, len(self.layout.judges))), *given])

    def rows(self) -> Iterator[RubricJudgeRow]:
        """A row a judge."""
        summaries = [contestant.summary for contestant in self.contestants]
        for place, judge in enumerate(self.layout.judges):
            ended = [
                sum(int((summary.marks_ended[:, place] == end).sum()) for summary in summaries)
                for end in range(len(VERDICT_ENDS))
            ]
            own = self.marks[:, place]
            scale = judge_moments(judge_sums(own[~np.isnan(own)].astype(np.int64).tolist()))
            lenient = leniency(self.marks, place)
            yield RubricJudgeRow(
                judge=judge,
                **dict(zip(VERDICT_ENDS, ended, strict=True)),
                repaired=sum(int(summary.repaired[place]) for summary in summaries),
                mean=None if scale is None else scale.mean,
                sd=None if scale is None else scale.sd,
                leniency=lenient.value,
                absent=_reasons({"leniency": lenient})
                | ({"mean": "no mark", "sd": "no mark"} if scale is None else {}),
            )

    def on_models(self) -> Iterator[JudgeOnModel]:
        """What each judge gave each contestant that it may mark."""
        for contestant in self.contestants:
            every = zip(
                self.layout.judges, contestant.summary.marks.T, contestant.judges_due, contestant.complete, strict=True
            )
            for judge, given, due, complete in every:
                if due:
                    marks = given[~np.isnan(given)]
                    yield JudgeOnModel(
                        judge=judge,
                        model=contestant.summary.model,
                        n=marks.size,
                        mean=float(marks.mean()) if marks.size else None,
                        complete=bool(complete),
                    )

    def pairs(self) -> Iterator[JudgePair]:
        """Every two judges, the one whose id sorts first as the first."""
        for one, other in combinations(range(len(self.layout.judges)), 2):
            agreement = pair_agreement(self.marks[:, one], self.marks[:, other])
            measures = {
                name: getattr(agreement, name) for name in ("exact", "adjacent", "difference", "correlation", "alpha")
            }
            yield JudgePair(
                judge=self.layout.judges[one],
                other=self.layout.judges[other],
                n=agreement.n,
                **{name: measure.value for name, measure in measures.items()},
                absent=_reasons(measures),
            )

    def divergences(self) -> Iterator[Divergence]:
        """The panel, as its complete judges marked, and every judge against G-Eval; nothing on a board without it."""
        if not self.layout.metrics:
            return
        geval = np.concatenate([np.zeros(0), *(contestant.geval_of_unit for contestant in self.contestants)])
        panel = np.concatenate([np.zeros(0), *(contestant.mark_of_unit for contestant in self.contestants)])
        for judge, marks in ((None, panel), *zip(self.layout.judges, self.marks.T, strict=True)):
            apart = distance_to_geval(marks, geval)
            measures = {name: getattr(apart, name) for name in _OF_DIVERGENCES}
            yield Divergence(
                judge=judge,
                n=apart.n,
                **{name: measure.value for name, measure in measures.items()},
                absent=_reasons(measures),
            )

    def agreement(self, null_models: Collection[str]) -> Iterator[RubricAgreement]:
        """Alpha of the board and of each domain that has a marked answer, on all and without `null_models`."""
        counts = mark_counts(self.marks)
        marked = counts.any(axis=1)
        items = [contestant.item_of_unit for contestant in self.contestants]
        domain = self.layout.domains.of_item[np.concatenate([np.zeros(0, np.int64), *items])]
        nulls = [np.full(len(c.summary.marks), c.summary.model in null_models) for c in self.contestants]
        null = np.concatenate([np.zeros(0, np.bool_), *nulls])
        yield _agreement(None, counts[marked], counts[marked & ~null])
        for name in self.layout.domains.in_order:
            chosen = marked & (domain == self.layout.domains.names.index(name))
            if chosen.any():
                yield _agreement(name, counts[chosen], counts[chosen & ~null])


def _agreement(domain: str | None, every: Ints, scored: Ints) -> RubricAgreement:
    alpha, alpha_scored = ordinal_alpha(every), ordinal_alpha(scored)
    return RubricAgreement(
        domain=domain,
        units=len(every),
        alpha=alpha.value,
        label=agreement_label(alpha.value),
        absent=alpha.reason,
        units_scored=len(scored),
        alpha_scored=alpha_scored.value,
        label_scored=agreement_label(alpha_scored.value),
        absent_scored=alpha_scored.reason,
    )


def _reasons(measures: Mapping[str, Measure]) -> dict[str, str]:
    return {name: measure.reason for name, measure in measures.items() if measure.reason is not None}
