"""The answers of one contestant to a `rubric` board: which judges count, whether G-Eval counts, the composite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan

import numpy as np

from nullbench_site.protocols.rubric.metrics import Parts
from nullbench_site.protocols.rubric.specs import RubricBoardFile
from nullbench_site.scoring.observations import MISSING, NOT_DUE, replied
from nullbench_site.scoring.scorer import Contestant
from nullbench_site.scoring.states import ERRORED, SCORED, UNPARSED
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import (
    PERCENT,
    Shares,
    complete_judges,
    composite,
    composite_shares,
    linearised_mean,
    mean_filled,
    mean_of_known,
)

NOTHING_TO_SCORE = "no answer to score"
PARTS: Mapping[tuple[bool, bool], Parts] = {(True, True): "judge+geval", (True, False): "judge", (False, True): "geval"}


@dataclass(kw_only=True)
class RubricContestant(Contestant):
    """One contestant on a whole board. Coverage is decided once, for the whole board, and not for each part.

    judges_due: (judges,) whether each may mark it. geval_due: whether G-Eval may score it. state: (units,) places in
    STATES, or NO_ANSWER. marks, geval: (units, judges) of 1-5 and (units, metrics) of 0-1, NaN for none. marks_ended,
    geval_ended: how each verdict ended, as in `Observations.verdicts`. mean_output_tokens: estimated if those of an
    answer were not counted, None without an answer. For public items only, outcomes: how often each type of check had
    each outcome; n_checked: how many answers an automatic check looked at; failed: the types that failed, for each
    unit.
    """

    board: RubricBoardFile
    n_items: int
    judges: Sequence[str]
    judges_due: Bools
    geval_due: bool
    state: Ints
    marks: Floats
    marks_ended: Ints
    geval: Floats
    geval_ended: Ints
    mean_output_tokens: float | None
    outcomes: Counter[tuple[str, str]]
    n_checked: int
    failed: Mapping[int, list[str]]

    @cached_property
    def scorable(self) -> Bools:
        """(units,) answers that did not fail and that judges replied about."""
        scorable: Bools = (self.state == SCORED) | (self.state == UNPARSED)
        return scorable

    @cached_property
    def counted(self) -> Bools:
        """(units,) answers that are scorable or failed: those that scores and counts include."""
        counted: Bools = self.scorable | (self.state == ERRORED)
        return counted

    @cached_property
    def complete(self) -> Bools:
        """(judges,) judges that marked every scorable answer that they had to mark."""
        return complete_judges(self.marks[self.scorable], self.marks_ended[self.scorable] != NOT_DUE)

    @cached_property
    def incomplete(self) -> dict[str, int]:
        """The other judges that may mark it, and how many marks each gave; empty without an answer to mark."""
        if not self.scorable.any():
            return {}
        given = (~np.isnan(self.marks)).sum(axis=0).tolist()
        missed = (self.judges_due & ~self.complete).tolist()
        return {judge: n for judge, n, misses in zip(self.judges, given, missed, strict=True) if misses}

    @cached_property
    def no_judge_mean(self) -> str | None:
        """Why there is no judge mean; None if there is one."""
        if not self.judges_due.any():
            return "every judge is of the contestant's own family"
        if not self.scorable.any():
            return NOTHING_TO_SCORE
        return None if self.complete.any() else "no judge marked every answer"

    @cached_property
    def no_geval_mean(self) -> str | None:
        """Why there is no G-Eval mean; None if there is one.

        G-Eval counts if enough of the scorable answers have a score.
        """
        geval = self.board.geval
        if geval is None:
            return "the board has no G-Eval"
        if not self.geval_due:
            return "the judge of G-Eval is of the contestant's own family"
        answers, covered = int(self.scorable.sum()), int(self.has_geval.sum())
        if not answers:
            return NOTHING_TO_SCORE
        if covered / answers >= geval.coverage:
            return None
        return f"G-Eval scored {covered} of {answers} answers, and the board asks for {100 * geval.coverage:.6g} %"

    @cached_property
    def shares(self) -> Shares | None:
        """The share of each part in the composite; None if no part counts."""
        return composite_shares(
            None if self.no_judge_mean else self.board.composite.judge,
            None if self.no_geval_mean else self.board.composite.geval,
        )

    @cached_property
    def composite_of(self) -> Parts | None:
        return None if self.shares is None else PARTS[self.shares.judge > 0, self.shares.geval > 0]

    @cached_property
    def no_composite(self) -> str | None:
        """Why there is no composite; None if there is one."""
        if self.shares is not None:
            return None
        if self.no_judge_mean and self.no_geval_mean:
            return self.no_judge_mean
        return f"the only part there is, {'G-Eval' if self.no_judge_mean else 'the judges'}, weighs 0"

    @cached_property
    def absent(self) -> dict[str, str]:
        """Which of its means are absent on slices with answers to score, and why."""
        reasons = (("judge_mean", self.no_judge_mean), ("geval_mean", self.no_geval_mean))
        return {name: why for name, why in (*reasons, ("composite", self.no_composite)) if why is not None}

    @cached_property
    def absent_unscored(self) -> dict[str, str]:
        """Which of its means are absent on slices without answers to score, and why."""
        return dict.fromkeys(("judge_mean", "geval_mean", "composite"), NOTHING_TO_SCORE) | self.absent

    @cached_property
    def mark_of_unit(self) -> Floats:
        """(units,) the mean mark of each scorable answer by the complete judges, NaN for none."""
        mean = mean_of_known(self.marks[:, self.complete])
        return np.where(self.scorable, mean, nan)

    @cached_property
    def geval_of_unit(self) -> Floats:
        """(units,) the G-Eval score of each scorable answer, over the metrics that gave one; NaN for none."""
        return np.where(self.scorable, mean_of_known(self.geval), nan)

    @cached_property
    def has_geval(self) -> Bools:
        """(units,) answers whose G-Eval score counts: G-Eval replied about every metric."""
        has_geval: Bools = replied(self.geval_ended).all(axis=1) & ~np.isnan(self.geval_of_unit)
        return has_geval

    @cached_property
    def geval_as_counted(self) -> Floats:
        """(units,) the G-Eval score of each scorable answer as it counts; without its own, the mean of the others.

        The mean over all answers is then the mean over the answers with a score, as the seed defines it. The scores of
        items, of groups of items and of the board stay means of one another.
        """
        return mean_filled(self.geval_of_unit, self.has_geval, self.scorable)

    @cached_property
    def overall_of_item(self) -> Floats:
        """(items,) 100 times the composite, NaN for none.

        It is the mean over the draws that count; failed ones count as 0.
        """
        return self._of_items(self.geval_as_counted)

    @cached_property
    def linearised_of_item(self) -> Floats:
        """(items,) numbers with the same mean as the scores, used for standard errors and the bootstrap.

        A score that was filled in is no evidence, so the scores that exist vary as the mean of that many scores does.
        """
        if np.array_equal(self.has_geval, self.scorable):
            return self.overall_of_item
        return self._of_items(linearised_mean(self.geval_of_unit, self.has_geval, self.scorable))

    def scores_by(self, judges: Bools) -> Floats:
        """Return (items, draws) 100 times the composite by these judges alone, (judges,), and G-Eval as it counts.

        Only complete judges count. NaN everywhere without one of them, and if judges have no weight.
        """
        counting = judges & self.complete
        if not counting.any() or self.shares is None or not self.shares.judge:
            return np.full((self.n_items, self.counted.size // self.n_items), nan)
        mark = np.where(self.scorable, mean_of_known(self.marks[:, counting]), nan)
        return self._of_units(mark, self.geval_as_counted)

    def _of_items(self, geval: Floats) -> Floats:
        return mean_of_known(self._of_units(self.mark_of_unit, geval))

    def _of_units(self, mark: Floats, geval: Floats) -> Floats:
        units = np.full(self.counted.size, nan)
        if self.shares is not None:
            units = PERCENT * composite(mark, geval, self.shares)
        units[self.state == ERRORED] = 0.0
        if self.shares is None and self.scorable.any():
            units[:] = nan
        return np.where(self.counted, units, nan).reshape(self.n_items, -1)

    @cached_property
    def has_item(self) -> Bools:
        """(items,) which items have an answer that counts."""
        has_item: Bools = np.any(self.counted.reshape(self.n_items, -1), axis=1)
        return has_item

    @cached_property
    def item_of_unit(self) -> Ints:
        """(units,) the number of the item of each unit."""
        return np.arange(self.counted.size) // (self.counted.size // self.n_items)

    @property
    def missing(self) -> int:
        """How many verdicts of the panel were not requested yet."""
        return int((self.marks_ended == MISSING).sum())
