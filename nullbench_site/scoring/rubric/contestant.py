"""What one contestant's answers come to: which judges count, whether G-Eval does, and the composite of each answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan

import numpy as np

from nullbench_site.scoring.rubric.layout import RubricLayout
from nullbench_site.scoring.rubric.records import MISSING
from nullbench_site.scoring.rubric.records import SCORED as SCORED_VERDICT
from nullbench_site.scoring.rubric.records import UNPARSED as UNPARSED_VERDICT
from nullbench_site.scoring.rubric.results import Parts
from nullbench_site.scoring.rubric.shard import ERRORED, SCORED, UNPARSED_ANSWER, RubricSummary
from nullbench_site.specs.types import Composite
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.composite import PERCENT, Shares, composite, composite_shares
from nullbench_site.stats.marks import complete_judges, mean_of_known

NOTHING_TO_SCORE = "no answer to score"
PARTS: Mapping[tuple[bool, bool], Parts] = {(True, True): "judge+geval", (True, False): "judge", (False, True): "geval"}


@dataclass(frozen=True)
class Contestant:
    """One contestant on a whole board; coverage is decided here, once, and not in any group of items.

    judges_due: (judges,) who may mark it. no_geval: why G-Eval may not score it; None where it may.
    """

    layout: RubricLayout
    summary: RubricSummary
    weights: Composite
    judges_due: Bools
    no_geval: str | None

    @cached_property
    def scorable(self) -> Bools:
        """(units,) answers that did not fail and that judges replied about."""
        scorable: Bools = (self.summary.state == SCORED) | (self.summary.state == UNPARSED_ANSWER)
        return scorable

    @cached_property
    def counted(self) -> Bools:
        """(units,) the same, and those that failed: what scores and counts are of."""
        counted: Bools = self.scorable | (self.summary.state == ERRORED)
        return counted

    @cached_property
    def complete(self) -> Bools:
        """(judges,) who marked every scorable answer."""
        return complete_judges(self.summary.marks[self.scorable])

    @cached_property
    def incomplete(self) -> dict[str, int]:
        """The other judges that may mark it -> how many marks they gave; none where there is nothing to mark."""
        if not self.scorable.any():
            return {}
        given = (~np.isnan(self.summary.marks)).sum(axis=0).tolist()
        missed = (self.judges_due & ~self.complete).tolist()
        return {judge: n for judge, n, misses in zip(self.layout.judges, given, missed, strict=True) if misses}

    @cached_property
    def no_judge_mean(self) -> str | None:
        """Why there is no judge mean; None where there is one."""
        if not self.judges_due.any():
            return "every judge is of the contestant's own family"
        if not self.scorable.any():
            return NOTHING_TO_SCORE
        return None if self.complete.any() else "no judge marked every answer"

    @cached_property
    def no_geval_mean(self) -> str | None:
        """Why there is no G-Eval mean; None where there is one.

        G-Eval counts where it replied about every metric of every scorable answer, and each got a score on one or more:
        an answer's G-Eval score is the mean over the metrics that gave one, as in the seed.
        """
        if self.no_geval is not None:
            return self.no_geval
        answers = int(self.scorable.sum())
        if not answers:
            return NOTHING_TO_SCORE
        replied = np.isin(self.summary.geval_ended, (SCORED_VERDICT, UNPARSED_VERDICT)).all(axis=1)
        covered = int((self.scorable & replied & ~np.isnan(self.geval_of_unit)).sum())
        return None if covered == answers else f"G-Eval scored {covered} of {answers} answers"

    @cached_property
    def shares(self) -> Shares | None:
        """How much each part counts in the composite; None where no part counts."""
        return composite_shares(
            None if self.no_judge_mean else self.weights.judge, None if self.no_geval_mean else self.weights.geval
        )

    @cached_property
    def composite_of(self) -> Parts | None:
        return None if self.shares is None else PARTS[self.shares.judge > 0, self.shares.geval > 0]

    @cached_property
    def no_composite(self) -> str | None:
        """Why there is no composite; None where there is one."""
        if self.shares is not None:
            return None
        if self.no_judge_mean and self.no_geval_mean:
            return self.no_judge_mean
        return f"the only part there is, {'G-Eval' if self.no_judge_mean else 'the judges'}, weighs 0"

    @cached_property
    def absent(self) -> dict[str, str]:
        """Which of its means are absent wherever it has answers to score, and why."""
        reasons = (("judge_mean", self.no_judge_mean), ("geval_mean", self.no_geval_mean))
        return {name: why for name, why in (*reasons, ("composite", self.no_composite)) if why is not None}

    @cached_property
    def absent_unscored(self) -> dict[str, str]:
        """The same where it has none."""
        return dict.fromkeys(("judge_mean", "geval_mean", "composite"), NOTHING_TO_SCORE) | self.absent

    @cached_property
    def complete_ids(self) -> list[str]:
        """The ids of the complete judges."""
        return [judge for judge, complete in zip(self.layout.judges, self.complete, strict=True) if complete]

    @cached_property
    def mark_of_unit(self) -> Floats:
        """(units,) the mean mark of each scorable answer over the complete judges, NaN for none."""
        mean = mean_of_known(self.summary.marks[:, self.complete])
        return np.where(self.scorable, mean, nan)

    @cached_property
    def geval_of_unit(self) -> Floats:
        """(units,) the G-Eval score of each scorable answer, NaN for none."""
        return np.where(self.scorable, mean_of_known(self.summary.geval), nan)

    @cached_property
    def overall_of_item(self) -> Floats:
        """(items,) 100 times the composite, averaged over the samples that count, failed ones as 0; NaN for none."""
        units = np.full(self.counted.size, nan)
        if self.shares is not None:
            units = PERCENT * composite(self.mark_of_unit, self.geval_of_unit, self.shares)
        units[self.summary.state == ERRORED] = 0.0
        if self.shares is None and self.scorable.any():
            units[:] = nan
        return mean_of_known(np.where(self.counted, units, nan).reshape(len(self.layout.placed), -1))

    @cached_property
    def has_item(self) -> Bools:
        """(items,) which items have an answer that counts."""
        has_item: Bools = np.any(self.counted.reshape(len(self.layout.placed), -1), axis=1)
        return has_item

    @cached_property
    def item_of_unit(self) -> Ints:
        """(units,) the number of each one's item."""
        return np.arange(self.counted.size) // (self.counted.size // len(self.layout.placed))

    @property
    def missing(self) -> int:
        """How many verdicts of the panel nobody was asked for yet."""
        return int((self.summary.marks_ended == MISSING).sum())
