"""From the observations of an `oracle` board to its results. Every record contains the mark that a program made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nullbench_site.answer_keys import KEYS
from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.protocols.oracle.judging import HIDDEN, key_type
from nullbench_site.protocols.oracle.metrics import (
    CAUSE_COLUMNS,
    CAUSES,
    CONFIDENCES,
    CORRECT,
    ERRORED,
    INVALID,
    NO_ANSWER,
    NOT_RECORDED,
    OUTCOMES,
    RIGHT,
    UNMARKED,
    VALID,
    WRONG,
    KeyRow,
    OracleItemRow,
    OracleResults,
    OracleRow,
)
from nullbench_site.protocols.oracle.specs import OracleBoardFile
from nullbench_site.runs.records import CheckResult
from nullbench_site.scoring.calibration import MarkedAnswers, calibration_tables
from nullbench_site.scoring.columns import Number, Slice, ends_of
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import rounded
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import Estimate, group_mean

PERCENT = 100
FREE, CHOICE, NOT_PUBLISHED = "free answer", "choice", "not published"
NO_CAUSE = -1
"""The code of an answer that is not invalid, or whose cause is not recorded."""
_CAUSES = tuple(CAUSES)
_WORST_FIRST = (ERRORED, UNMARKED, INVALID, WRONG, CORRECT)


@dataclass(kw_only=True)
class OracleContestant(Contestant):
    """One contestant on a whole board.

    outcomes: (items, draws) places in OUTCOMES, or NO_ANSWER. causes: (items, draws) places in CAUSES of invalid
    answers, or NO_CAUSE. why: the reason for the mark of each unit, for public
    items only. confidences: for each metric in CONFIDENCES, (items, draws) 0-1, NaN for an answer without one.
    """

    outcomes: Ints
    causes: Ints
    why: Mapping[int, str]
    confidences: Mapping[str, Floats]

    @cached_property
    def counted(self) -> Bools:
        """(items,) those with an answer that has a mark or failed."""
        return np.asarray(((self.outcomes >= 0) & (self.outcomes < UNMARKED)).any(axis=1))


class OracleSlice(Slice["OracleScorer", OracleContestant]):
    """The answers of a contestant to some items."""

    @cached_property
    def outcomes(self) -> Ints:
        """(chosen items, draws) places in OUTCOMES."""
        return self.contestant.outcomes[self.chosen]

    @cached_property
    def _numbers(self) -> Sequence[int]:
        """How many answers have each of OUTCOMES."""
        numbers: list[int] = np.bincount(self.outcomes[self.outcomes != NO_ANSWER], minlength=len(OUTCOMES)).tolist()
        return numbers

    def n(self, *outcomes: int) -> int:
        """Return how many answers have one of these outcomes."""
        return sum(self._numbers[outcome] for outcome in outcomes)

    def share(self, *outcomes: int) -> float:
        """Return the share of answers with these outcomes among those that have a mark or failed."""
        return self.n(*outcomes) / self.n(*RIGHT)

    @property
    def causes(self) -> Mapping[str, Number]:
        """Return the number of invalid answers by cause, or why there is none; {} if no answer on the board has one."""
        if not self.scorer.has_causes:
            return {}
        causes = self.contestant.causes[self.chosen][self.outcomes == INVALID]
        if (causes == NO_CAUSE).any():
            return dict.fromkeys(CAUSE_COLUMNS.values(), NOT_RECORDED)
        return {name: int((causes == place).sum()) for place, name in enumerate(CAUSE_COLUMNS.values())}

    @cached_property
    def accuracy(self) -> Estimate | str:
        """Correct answers / valid answers, 0-1, clustered by source or bundle; or why there is no accuracy.

        A contestant may look better by answering less: the share of valid answers is shown next to it.
        """
        right = np.select([self.outcomes == CORRECT, self.outcomes == WRONG], [1.0, 0.0], np.nan).ravel()
        clusters = self.scorer.strata.clusters[self.chosen].repeat(self.outcomes.shape[1])
        estimate = group_mean(right, None, clusters, scale=(0, 1))
        return "no valid answer" if estimate.value is None else estimate

    @property
    def accuracy_ends(self) -> dict[str, Number]:
        """The ends of the interval of the accuracy, or why there is none."""
        if isinstance(self.accuracy, str):
            return {"accuracy_low": self.accuracy, "accuracy_high": None}
        return ends_of("accuracy", self.accuracy)

    def mean_confidence(self, metric: str) -> dict[str, Number]:
        """Return the mean of a metric in CONFIDENCES and how many answers have one; {} if none on the board has."""
        if metric not in self.scorer.confidences:
            return {}
        values = self.contestant.confidences[metric][self.chosen]
        known = values[~np.isnan(values)]
        mean = float(known.mean()) if known.size else CONFIDENCES[metric]
        return {metric: mean, f"n_{metric}": known.size}

    @cached_property
    def bundles(self) -> dict[str, list[bool | None]]:
        """For each bundle with two or more variants, whether each answer is right; None if it is not valid.

        Only bundles whose variants are all among the items: a part of a bundle says nothing about the rest.
        """
        bundles: dict[str, list[bool | None]] = {}
        draws = self.scorer.n_draws(self.contestant.model)
        for item, of_item in zip(np.flatnonzero(self.chosen).tolist(), self.outcomes[:, :draws].tolist(), strict=True):
            bundles.setdefault(self.scorer.bundles[item], []).extend(VALID.get(outcome) for outcome in of_item)
        sizes = self.scorer.variants
        return {
            name: answers
            for name, answers in bundles.items()
            if sizes[name] > 1 and len(answers) == sizes[name] * draws
        }

    @property
    def n_bundles(self) -> int:
        """How many bundles have a valid answer to every variant."""
        return sum(None not in answers for answers in self.bundles.values())


class OracleScorer(Scorer[OracleBoardFile, OracleContestant, OracleRow]):
    """Correct answers as a share of all, clustered by source or bundle."""

    results = OracleResults
    SLICE = OracleSlice

    def __init__(self, benchmark: Benchmark, board: OracleBoardFile) -> None:
        super().__init__(benchmark, board)
        self.bundles = tuple(placed.bundle for placed in self.placed)
        self.variants = Counter(self.bundles)
        self.confidences: Collection[str] = ()
        self.has_causes = True

    @cached_property
    def key_types(self) -> Groups:
        """The types of keys in the order of the registry, hidden keys last."""
        types = [HIDDEN if p.key is None or p.private else key_type(p.key) for p in self.placed]
        return Groups.of(types, [each for each in (*KEYS, HIDDEN) if each in types])

    @cached_property
    def formats(self) -> Groups:
        """The formats of answers: free, or a choice of options. That of private items is not published."""
        of_type = {HIDDEN: NOT_PUBLISHED, key_type(MultipleChoice): CHOICE}
        types = self.key_types
        of_item = [of_type.get(types.names[place], FREE) for place in types.of_item.tolist()]
        return Groups.of(of_item, [each for each in (FREE, CHOICE, NOT_PUBLISHED) if each in of_item])

    @property
    def questions(self) -> Sequence[str]:
        return self.bundles

    def groupings(self) -> Mapping[str, Groups]:
        return {**super().groupings(), "key_types": self.key_types}

    @cached_property
    def strata(self) -> Strata:
        clusters = np.unique([placed.cluster for placed in self.placed], return_inverse=True)[1]
        return Strata(np.zeros(len(self.placed), dtype=np.int64), clusters)

    def reduce(self, observations: Observations) -> OracleContestant:
        outcome = np.where(observations.present, np.where(observations.answered, UNMARKED, ERRORED), NO_ANSWER)
        causes = np.full(outcome.shape, NO_CAUSE)
        why: dict[int, str] = {}
        for unit, results in sorted(observations.checks.items()):
            mark = _mark(results)
            if outcome[unit] == UNMARKED and mark is not None:
                outcome[unit] = OUTCOMES.index(mark.outcome)
                causes[unit] = NO_CAUSE if mark.cause is None else _CAUSES.index(mark.cause)
                if self.layout.public[unit // self.board.draws]:
                    why[unit] = "; ".join(mark.flags)
        by_item = len(self.placed), -1
        return OracleContestant(
            **Contestant.common(observations),
            outcomes=outcome.reshape(by_item),
            causes=causes.reshape(by_item),
            why=why,
            confidences={metric: getattr(observations, metric).reshape(by_item) for metric in CONFIDENCES},
        )

    def prepare(self, contestants: Sequence[OracleContestant]) -> None:
        """Find the metrics in CONFIDENCES that some answer has, and whether causes of invalid answers are recorded.

        Rows have no columns for the others.
        """
        self.confidences = {
            metric for metric in CONFIDENCES for each in contestants if not np.isnan(each.confidences[metric]).all()
        }
        self.has_causes = any((each.causes != NO_CAUSE).any() for each in contestants) or not any(
            (each.outcomes == INVALID).any() for each in contestants
        )

    def row(self, contestant: OracleContestant, chosen: Bools) -> OracleRow | None:
        of, items = OracleSlice(self, contestant, chosen), contestant.counted & chosen
        if not items.any():
            return None
        return self.filled(
            OracleRow,
            of,
            {},
            model=contestant.model,
            n_items=int(items.sum()),
            n_correct=of.n(CORRECT),
            n_wrong=of.n(WRONG),
            n_invalid=of.n(INVALID),
            n_errored=of.n(ERRORED),
            overall=PERCENT * of.share(CORRECT),
        )

    def finish(self, row: OracleRow, contestant: OracleContestant) -> None:
        row.n_unmarked = int((contestant.outcomes == UNMARKED).sum())

    def lacking(self, contestant: OracleContestant, row: OracleRow) -> str | None:
        if (contestant.outcomes[:, : self.n_draws(contestant.model)] == NO_ANSWER).any():
            return "answers are missing"
        return "marks are missing" if (contestant.outcomes == UNMARKED).any() else None

    def item_scores(self, contestant: OracleContestant) -> Floats:
        outcomes = contestant.outcomes
        counted = ((outcomes >= 0) & (outcomes < UNMARKED)).sum(axis=1)
        right = PERCENT * (outcomes == CORRECT).sum(axis=1)
        scores: Floats = np.divide(right, counted, out=np.full(counted.shape, np.nan), where=counted > 0)
        return scores

    def item_rows(self, contestants: Sequence[OracleContestant]) -> Iterator[OracleItemRow]:
        types = self.key_types
        for contestant in contestants:
            for number, (placed, of_item) in enumerate(zip(self.placed, contestant.outcomes.tolist(), strict=True)):
                worst = next((outcome for outcome in _WORST_FIRST if outcome in of_item), None)
                if worst is None:
                    continue
                first = of_item.index(worst)
                cause = int(contestant.causes[number, first])
                right = [RIGHT[outcome] for outcome in of_item if outcome in RIGHT]
                yield OracleItemRow(
                    model=contestant.model,
                    **self.layout.row_fields[number],
                    key=types.names[types.of_item[number]],
                    bundle=placed.item.bundle,
                    outcome=OUTCOMES[worst],
                    why=contestant.why.get(number * len(of_item) + first, ""),
                    overall=rounded(PERCENT * sum(right) / len(right)) if right else None,
                    **{"cause": "" if cause == NO_CAUSE else _CAUSES[cause]} if self.has_causes else {},
                )

    def tables(self, contestants: Sequence[OracleContestant]) -> Mapping[str, Any]:
        return {
            "n_bundles": sum(n > 1 for n in self.variants.values()),
            "keys": [self._key_row(kind, contestants) for kind in self.key_types.in_order],
            **calibration_tables(map(self._marked, contestants), CONFIDENCES, self.board.bootstrap.seed),
        }

    def _marked(self, contestant: OracleContestant) -> MarkedAnswers:
        """Return the answers of a contestant that have a mark, with their confidences."""
        outcomes, draws = contestant.outcomes.ravel(), contestant.outcomes.shape[1]
        marked = np.isin(outcomes, (CORRECT, WRONG, INVALID))
        names, of_item = self.formats.names, self.formats.of_item.repeat(draws)[marked]
        return MarkedAnswers(
            model=contestant.model,
            confidences={kind: of.ravel()[marked] for kind, of in contestant.confidences.items()},
            right=outcomes[marked] == CORRECT,
            invalid=outcomes[marked] == INVALID,
            clusters=self.strata.clusters.repeat(draws)[marked],
            parts={name: of_item == place for place, name in enumerate(names)} if len(names) > 1 else {},
        )

    def _key_row(self, kind: str, contestants: Sequence[OracleContestant]) -> KeyRow:
        of_kind = self.key_types.of_item == self.key_types.names.index(kind)
        n = {
            mark: sum(int((each.outcomes[of_kind] == outcome).sum()) for each in contestants)
            for outcome, mark in enumerate(OUTCOMES[:ERRORED])
        }
        return KeyRow(type=kind, n_items=int(of_kind.sum()), **n)


def _mark(results: Sequence[CheckResult]) -> CheckResult | None:
    """Return the only mark of a response; None if it has none, or several in a record that another program wrote."""
    marks = [result for result in results if result.outcome in OUTCOMES[:ERRORED]]
    return marks[0] if len(marks) == 1 else None


SCORING = OracleScorer
