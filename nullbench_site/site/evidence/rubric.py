"""The evidence of a `rubric` board. Of a private item it tells its hash and its scores, and no text at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.checks.registry import CHECKS
from nullbench_site.protocols.rubric.results import RubricItemRow
from nullbench_site.protocols.rubric.specs import RubricPlacedItem
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence import calls
from nullbench_site.site.evidence.protocol import Answer, Apart, Cell, Kind
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.rubric import RubricView, check_types, geval_title


class RubricItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A prompt with its ideal answer and criteria; of a private one its hash alone."""

    category: str
    difficulty: str
    visibility: str
    hash: str | None
    salt: str | UnsetType | None = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    prompt: str | UnsetType | None = UNSET
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


class Checked(msgspec.Struct, gc=False):
    """What a check found in an answer."""

    type: str
    outcome: str
    flags: tuple[str, ...]


class RubricSample(calls.Sample, kw_only=True, omit_defaults=True):
    """An answer with what programs found in it, and what each judge and each metric of G-Eval said of it."""

    checks: list[Checked] | UnsetType = UNSET
    verdicts: list[calls.Verdict]
    geval: list[calls.Verdict]


class GEval(msgspec.Struct):
    """Whom G-Eval asks, and the titles of its metrics."""

    judge: str
    metrics: dict[str, str]


class RubricEvidence:
    """Prompts with their ideal answers and criteria; answers with what checks found, marks and G-Eval scores."""

    kind = Kind(
        item=RubricItemShown,
        answer=Answer[RubricScore, RubricSample],
        states={
            "scored": "scored",
            "errored": "failed",
            "unparsed": "mark not readable",
            "unjudged": "not judged yet",
        },
        apart=Apart("mark", 4),
    )

    def __init__(self, view: RubricView) -> None:
        self.view = view
        self.scores = {(row.model, row.item): row for row in view.results.items}
        self.metrics = {metric: place for place, metric in enumerate(view.results.geval_metrics)}
        self.private = {placed.id for placed in view.items if is_private(placed.item)}

    def about(self) -> dict[str, Any]:
        judge = self.view.geval_judge
        metrics = {metric: geval_title(metric) for metric in self.view.results.geval_metrics}
        types = [row.type for row in self.view.results.checks]
        return {
            "checks": {kind: CHECKS[kind].title if kind in CHECKS else kind for kind in types},
            "geval": None if judge is None else GEval(judge.title, metrics),
        }

    def item(self, placed: RubricPlacedItem) -> RubricItemShown:
        item, category = placed.item, placed.category.title
        if is_private(item):
            return RubricItemShown(
                category=category, difficulty=item.difficulty, visibility=item.visibility, hash=item.hash
            )
        return RubricItemShown(
            category=category,
            difficulty=item.difficulty,
            visibility=item.visibility,
            hash=item.hash,
            salt=item.salt,
            tags=item.tags,
            prompt=item.prompt,
            ideal=item.ideal,
            criteria=item.criteria,
            checks=check_types(item),
        )

    def begins(self, placed: RubricPlacedItem) -> str:
        return "" if is_private(placed.item) else placed.item.prompt or ""

    def cell(self, model: str, item: str) -> Cell | None:
        row = self.scores.get((model, item))
        return None if row is None else Cell(row.state, row.overall, row.spread, row.failed)

    def answer(
        self, model: str, item: str, samples: Sequence[tuple[Response, Sequence[Judgment]]]
    ) -> Answer[RubricScore, RubricSample]:
        row = self.scores.get((model, item))
        return Answer(None if row is None else _score(row), [self.sample(*sample) for sample in samples])

    def sample(self, response: Response, judgments: Sequence[Judgment]) -> RubricSample:
        """An answer; without a word of one that is private."""
        marks = [judgment for judgment in judgments if judgment.judge_template is None]
        geval = sorted(
            (judgment for judgment in judgments if judgment.judge_template is not None),
            key=lambda judgment: self.metrics.get(str(judgment.judge_template).removeprefix("geval."), 0),
        )
        if response.item in self.private or response.hidden is not None:
            return RubricSample(
                sample=response.sample,
                state=response.state,
                hidden=True,
                verdicts=[calls.score_alone(judgment) for judgment in marks],
                geval=[calls.score_alone(judgment) for judgment in geval],
            )
        return RubricSample(
            **calls.sample(response),
            checks=[Checked(check.type, check.outcome, check.flags) for check in response.checks],
            verdicts=[calls.verdict(judgment) for judgment in marks],
            geval=[calls.verdict(judgment) for judgment in geval],
        )


def _score(row: RubricItemRow) -> RubricScore:
    return RubricScore(row.state, row.overall, row.judge_mean, row.geval_mean, row.spread)
