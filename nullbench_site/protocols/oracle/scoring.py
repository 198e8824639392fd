"""From the observations of an `oracle` board to its results: marks that a program made, of which every record tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.judging import HIDDEN, key_type
from nullbench_site.protocols.oracle.results import KeyRow, OracleItemRow, OracleResults, OracleRow
from nullbench_site.protocols.oracle.specs import OracleBoardFile, OraclePlacedItem
from nullbench_site.runs.records import CheckResult
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.rounding import rounded
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import Estimate, group_mean
from nullbench_site.stats.scores import contrast_consistency, outcome_consistency

OUTCOMES = ("correct", "wrong", "invalid", "errored", "unmarked")
"""How an answer ended, by number; the first three are marks."""
CORRECT, WRONG, INVALID, ERRORED, UNMARKED = range(len(OUTCOMES))
NO_ANSWER = -1
"""The number where there is no record."""
RIGHT: Mapping[int, bool] = {CORRECT: True, WRONG: False, INVALID: False, ERRORED: False}
"""Whether an answer is right: one that is invalid or failed is not."""
VALID: Mapping[int, bool] = {CORRECT: True, WRONG: False}
"""The same of valid answers alone."""
PERCENT = 100
_WORST_FIRST = (ERRORED, UNMARKED, INVALID, WRONG, CORRECT)


@dataclass(kw_only=True)
class OracleContestant(Contestant):
    """outcomes: (items, samples) numbers of OUTCOMES, or NO_ANSWER. why: unit -> why it has its mark, of public items
    alone."""

    outcomes: Ints
    why: Mapping[int, str]


class OracleScorer(Scorer[OracleBoardFile, OracleContestant, OracleRow]):
    """Correct answers of all, clustered by bundle: an item without one is a bundle of its own."""

    results = OracleResults

    def __init__(self, benchmark: Benchmark, board: OracleBoardFile) -> None:
        super().__init__(benchmark, board)
        self.placed = [placed for placed in self.layout.placed if isinstance(placed, OraclePlacedItem)]
        self.bundles = tuple(
            f"item {p.id}" if p.item.bundle is None else f"bundle {p.item.bundle}" for p in self.placed
        )
        self.variants = Counter(self.bundles)

    @cached_property
    def key_types(self) -> Groups:
        """In the order of the registry, the hidden ones last."""
        types = [HIDDEN if p.key is None or p.private else key_type(p.key) for p in self.placed]
        return Groups.of(types, [each for each in (*KEYS, HIDDEN) if each in types])

    def groupings(self) -> Mapping[str, Groups]:
        return {**super().groupings(), "key_types": self.key_types}

    @cached_property
    def strata(self) -> Strata:
        clusters = np.unique(self.bundles, return_inverse=True)[1]
        return Strata(np.zeros(len(self.placed), dtype=np.int64), clusters)

    def reduce(self, observations: Observations) -> OracleContestant:
        outcome = np.where(observations.present, np.where(observations.answered, UNMARKED, ERRORED), NO_ANSWER)
        why: dict[int, str] = {}
        for unit, results in sorted(observations.checks.items()):
            mark = _mark(results)
            if outcome[unit] == UNMARKED and mark is not None:
                outcome[unit] = OUTCOMES.index(mark.outcome)
                if self.layout.public[unit // self.board.samples]:
                    why[unit] = "; ".join(mark.flags)
        return OracleContestant(
            **Contestant.common(observations), outcomes=outcome.reshape(len(self.placed), -1), why=why
        )

    def counts(self, contestant: OracleContestant) -> bool:
        return bool(_counted(contestant.outcomes).any())

    def row(self, contestant: OracleContestant, chosen: Bools) -> OracleRow | None:
        outcomes = contestant.outcomes[chosen]
        if not _counted(outcomes).any():
            return None
        n = {outcome: int((outcomes == outcome).sum()) for outcome in RIGHT}
        total = sum(n.values())
        items = np.flatnonzero(chosen)
        whole = self._whole_bundles(self._by_bundle(contestant.outcomes, items))
        contrast, outcome = contrast_consistency(whole), outcome_consistency(whole)
        valid = self._accuracy(contestant.outcomes, items)
        low, high = (None, None) if valid.reason else (valid.low, valid.high)
        no_accuracy = "no valid answer" if valid.value is None else None
        reasons = {
            "accuracy": no_accuracy,
            "accuracy_low": no_accuracy or valid.reason,
            "contrast_consistency": contrast.reason,
            "outcome_consistency": outcome.reason,
        }
        return OracleRow(
            model=contestant.model,
            n_items=int(_counted(outcomes).sum()),
            n_correct=n[CORRECT],
            n_wrong=n[WRONG],
            n_invalid=n[INVALID],
            n_errored=n[ERRORED],
            overall=PERCENT * n[CORRECT] / total,
            accuracy=valid.value,
            accuracy_low=low,
            accuracy_high=high,
            valid_share=(n[CORRECT] + n[WRONG]) / total,
            invalid_rate=n[INVALID] / total,
            error_rate=n[ERRORED] / total,
            n_bundles=sum(None not in answers for answers in whole.values()),
            contrast_consistency=contrast.value,
            outcome_consistency=outcome.value,
            absent={name: reason for name, reason in reasons.items() if reason is not None},
        )

    def _accuracy(self, outcomes: Ints, items: Ints) -> Estimate:
        """Right answers / valid answers to `items`, 0..1; every answer counts alike, with clusters by bundle.

        What is not valid is in neither number, so a contestant may look better by answering less: the share of valid
        answers stands beside it.
        """
        chosen = outcomes[items]
        right = np.select([chosen == CORRECT, chosen == WRONG], [1.0, 0.0], np.nan).ravel()
        clusters = self.strata.clusters[items].repeat(chosen.shape[1])
        return group_mean(right, np.zeros_like(clusters), clusters, scale=(0, 1))

    def _by_bundle(self, outcomes: Ints, items: Ints) -> dict[str, list[bool | None]]:
        """Bundle -> whether each answer to its items is right, samples of an item beside each other; None: not
        valid."""
        bundles: dict[str, list[bool | None]] = {}
        for item, of_item in zip(items.tolist(), outcomes[items].tolist(), strict=True):
            answers = bundles.setdefault(self.bundles[item], [])
            answers += [VALID.get(outcome) for outcome in of_item]
        return bundles

    def _whole_bundles(self, bundles: Mapping[str, Sequence[bool | None]]) -> dict[str, Sequence[bool | None]]:
        """Those of two or more variants all of which are there; a part of a bundle tells nothing of the rest."""
        return {
            name: answers
            for name, answers in bundles.items()
            if self.variants[name] > 1 and len(answers) == self.variants[name] * self.board.samples
        }

    def finish(self, row: OracleRow, contestant: OracleContestant) -> None:
        row.n_unmarked = int((contestant.outcomes == UNMARKED).sum())

    def lacking(self, contestant: OracleContestant, row: OracleRow) -> str | None:
        if (contestant.outcomes == NO_ANSWER).any():
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
                right = [RIGHT[outcome] for outcome in of_item if outcome in RIGHT]
                yield OracleItemRow(
                    model=contestant.model,
                    **self.layout.row_fields[number],
                    key=types.names[types.of_item[number]],
                    bundle=placed.item.bundle,
                    outcome=OUTCOMES[worst],
                    why=contestant.why.get(number * len(of_item) + of_item.index(worst), ""),
                    overall=rounded(PERCENT * sum(right) / len(right)) if right else None,
                )

    def tables(self, contestants: Sequence[OracleContestant], null_models: frozenset[str]) -> Mapping[str, Any]:
        return {
            "n_bundles": sum(n > 1 for n in self.variants.values()),
            "keys": [self._key_row(kind, contestants) for kind in self.key_types.in_order],
        }

    def _key_row(self, kind: str, contestants: Sequence[OracleContestant]) -> KeyRow:
        of_kind = self.key_types.of_item == self.key_types.names.index(kind)
        n = {
            mark: sum(int((each.outcomes[of_kind] == outcome).sum()) for each in contestants)
            for outcome, mark in enumerate(OUTCOMES[:ERRORED])
        }
        return KeyRow(type=kind, n_items=int(of_kind.sum()), **n)


def _counted(outcomes: Ints) -> Bools:
    """(items,) which items have an answer that counts."""
    return np.asarray(((outcomes >= 0) & (outcomes < UNMARKED)).any(axis=1))


def _mark(results: Sequence[CheckResult]) -> CheckResult | None:
    """The one mark of a response; None where there is none or, in a record that no program of ours wrote, several."""
    marks = [result for result in results if result.outcome in OUTCOMES[:ERRORED]]
    return marks[0] if len(marks) == 1 else None


SCORING = OracleScorer
