"""A board of the `rubric` protocol, with its checks, G-Eval and what each judge gave, as pages look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.protocols.geval import METRICS as GEVAL_METRICS
from nullbench_site.protocols.rubric.results import JudgeOnModel, RubricResults
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricItem
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, is_private
from nullbench_site.specs.types import Judge


@dataclass(frozen=True)
class RubricView(BoardView):
    """What pages ask of a `rubric` board."""

    board: RubricBoardFile
    results: RubricResults

    @property
    def geval_judge(self) -> Judge | None:
        """Whom G-Eval asks; None on a board without G-Eval."""
        judge = self.results.geval_judge
        return None if judge is None else self.benchmark.judges[judge]

    @property
    def has_geval(self) -> bool:
        """Whether the board has G-Eval."""
        return bool(self.results.geval_metrics)

    @property
    def rule_based(self) -> bool:
        return super().rule_based and (self.geval_judge is None or self.geval_judge.is_program)

    @property
    def judges_called(self) -> str:
        metrics = len(self.results.geval_metrics)
        return (
            f"{super().judges_called} and {words.plural(metrics, 'G-Eval metric')}"
            if metrics
            else super().judges_called
        )

    @property
    def asked_beside(self) -> str:
        return f"G-Eval asks {self.geval_judge.title}." if self.geval_judge else ""

    @cached_property
    def given(self) -> Mapping[tuple[str, str], JudgeOnModel]:
        """Judge and contestant -> what the one gave the other; without those that must not judge it."""
        return {(row.judge, row.model): row for row in self.results.judge_models}


def check_types(item: RubricItem) -> tuple[str, ...]:
    """The types of an item's checks, the item's own first; none are told of a private one."""
    return () if is_private(item) else tuple(check.type_id() for check in item.checks or ())


def geval_title(metric: str) -> str:
    """What a metric of G-Eval is called."""
    return GEVAL_METRICS[metric].title if metric in GEVAL_METRICS else metric


def hundredths(share: float | None) -> float | None:
    """A score of 0-1 as one of 0-100."""
    return None if share is None else 100 * share


def points(share: float | None) -> str:
    """A score of 0-1 in hundredths, in words."""
    return words.number(hundredths(share))
