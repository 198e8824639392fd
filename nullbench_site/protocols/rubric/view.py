"""A `rubric` board as pages look at it, and its evidence: prompts with ideal answers and criteria; answers with checks,
marks and G-Eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.checks.registry import CHECKS
from nullbench_site.judging.geval import METRICS as GEVAL_METRICS
from nullbench_site.protocols.rubric.judging import geval_judge
from nullbench_site.protocols.rubric.results import JudgeOnModel, RubricItemRow, RubricResults
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricItem, RubricPlacedItem
from nullbench_site.runs.records import Response
from nullbench_site.site import words
from nullbench_site.site.evidence.shown import Apart, BoardEvidence, Cell, ItemShown, Sample, Titles, Verdict
from nullbench_site.site.views import BoardView, is_private
from nullbench_site.specs.types import Judge, ModelFile


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

    def judges_of_family(self, model: ModelFile) -> Sequence[Judge]:
        """Of the panel, and the one that G-Eval asks."""
        of_panel, asked = super().judges_of_family(model), geval_judge(self.benchmark, self.board, model)
        if asked is None or asked.family != model.family or asked in of_panel:
            return of_panel
        return [*of_panel, asked]

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


class RubricItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt with its ideal answer and criteria; of a private one its hash alone."""

    ideal: str | UnsetType | None = UNSET
    criteria: tuple[str, ...] | UnsetType | None = UNSET
    checks: tuple[str, ...] | UnsetType = UNSET


class RubricScore(msgspec.Struct):
    """The score of an answer: overall 0-100, marks 1-5, G-Eval 0-1. spread: highest less lowest mark."""

    state: str
    overall: float | None
    judge_mean: float | None
    geval_mean: float | None
    spread: float | None


class Checked(msgspec.Struct):
    """What a check found in an answer."""

    type: str
    outcome: str
    flags: tuple[str, ...]


class RubricSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with what programs found in it, and what each judge and each metric of G-Eval said of it."""

    checks: list[Checked] | UnsetType = UNSET
    verdicts: list[Verdict]
    geval: list[Verdict]


class GEval(msgspec.Struct):
    """Whom G-Eval asks, and the titles of its metrics."""

    judge: str
    metrics: dict[str, str]


class RubricTitles(Titles, kw_only=True, omit_defaults=True):
    """Those of checks, and what G-Eval is asked."""

    geval: GEval | None = None


class RubricEvidence(BoardEvidence[RubricView, RubricPlacedItem, RubricItemRow]):
    """What it adds to that of every board."""

    item_type, score_type, sample_type, titles_type = RubricItemShown, RubricScore, RubricSample, RubricTitles
    states: ClassVar[Mapping[str, str]] = {
        "scored": "scored",
        "errored": "failed",
        "unparsed": "mark not readable",
        "unjudged": "not judged yet",
    }
    apart = Apart("mark", 4)

    def titles(self) -> Titles:
        judge, results = self.view.geval_judge, self.view.results
        metrics = {metric: geval_title(metric) for metric in results.geval_metrics}
        return RubricTitles(
            checks={row.type: CHECKS[row.type].title if row.type in CHECKS else row.type for row in results.checks},
            geval=None if judge is None else GEval(judge.title, metrics),
        )

    def item_fields(self, placed: RubricPlacedItem) -> dict[str, Any]:
        item = placed.item
        return {
            "prompt": placed.prompt,
            "ideal": item.ideal,
            "criteria": item.criteria,
            "checks": check_types(item),
        }

    def cell(self, row: RubricItemRow) -> Cell:
        return Cell(row.state, row.overall, row.spread, row.failed)

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        metrics = self.view.results.geval_metrics
        geval = sorted(
            ((_place(metrics, wording), verdict) for wording in verdicts if wording for verdict in verdicts[wording]),
            key=lambda placed: placed[0],
        )
        own: dict[str, Any] = {"verdicts": list(verdicts.get(None, ())), "geval": [verdict for _, verdict in geval]}
        if not hidden:
            own["checks"] = [Checked(check.type, check.outcome, check.flags) for check in response.checks]
        return own


def _place(metrics: Sequence[str], wording: str) -> int:
    metric = wording.removeprefix("geval.")
    return metrics.index(metric) if metric in metrics else 0
