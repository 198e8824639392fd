"""The `rubric` protocol: each judge marks an answer 1-5; on boards with G-Eval, its metrics score it 0-1.

Source: the practical 80-prompt evaluation, Multi-judge scoring and DeepEval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import msgspec

from nullbench_site.judging import geval
from nullbench_site.judging.calls import JudgeTask, Message, Reference, Reply
from nullbench_site.judging.prompts import PromptedQuestion, Texts, marking
from nullbench_site.judging.protocol import Found, JudgingProtocol, has_results, recorded_results, with_results
from nullbench_site.judging.quoting import asked_in_context
from nullbench_site.judging.replies import judge_messages, parts_beside, score_reply, score_schema
from nullbench_site.judging.short_questions.asking import ShortQuestion, is_question
from nullbench_site.protocols.rubric.questions_asked import (
    criterion_of,
    is_asked,
    is_prohibited,
    question_names,
    question_tasks,
    short_question,
)
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.judging_prompts import prompt_of
from nullbench_site.specs.types import Judge, ModelFile

if TYPE_CHECKING:
    from nullbench_site.checks import Check
    from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricPlacedItem

_WORDING = parts_beside(__file__)
SCORE = "score"
"""The name of a judge's mark in a judgment's scores."""
LOWEST, HIGHEST = 1, 5
GEVAL = "geval"
"""The prefix of the wording of a G-Eval judgment."""


class RubricJudging(JudgingProtocol["RubricBoardFile", "RubricPlacedItem"]):
    """The judging of the `rubric` protocol."""

    shows = ("prompt", "ideal", "criteria", "checks", "flags", "response")
    words: ClassVar[Mapping[str, str]] = {
        "ideal": "the ideal answer",
        "flags": "what the checks found",
        "checks": "the types of checks",
        "steps": "the steps of the metric",
        "deepeval": "the version of DeepEval",
    }

    def tasks(self, benchmark: Benchmark, board: RubricBoardFile, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return a task for each judge that may score the contestant, then one for each metric of G-Eval.

        A judge that is asked short questions has a task for each question that some item of the board has.
        """
        judges = benchmark.judges_for(board, model)
        names = question_names(benchmark, board) if any(judge.asks_questions for judge in judges) else ()
        tasks = [*question_tasks(judges, names)]
        judge = geval_judge(benchmark, board, model)
        if judge is not None and board.geval is not None:
            tasks += (JudgeTask(judge, f"{GEVAL}.{metric}") for metric in board.geval.metrics)
        return tuple(tasks)

    def turn(self, placed: PlacedItem, template: str | None) -> int | None:
        if template is None or not is_question(template):
            return placed.n_turns
        return placed.n_turns if is_asked(cast("RubricPlacedItem", placed), template) else None

    def counts(self, question: str) -> bool:
        return criterion_of(question) is not None

    def prohibits(self, benchmark: Benchmark, item: str, question: str) -> bool:
        return is_prohibited(benchmark, item, question)

    def question_text(self, placed: RubricPlacedItem, template: str) -> str:
        number = criterion_of(template)
        return template if number is None else placed.criteria[number - 1]

    def reference(self, placed: RubricPlacedItem) -> Reference | None:
        """Return the ideal answer or its description; None for several turns, as only the last has one."""
        return Reference(placed.ideal.strip()) if placed.n_turns == 1 else None

    def measured(self, board: RubricBoardFile) -> bool:
        return board.geval is not None

    def executes(self, placed: RubricPlacedItem) -> bool:
        return any(check.executes for check in placed.checks)

    def value(self, judgment: Judgment) -> float | None:
        return judgment.scores.get(SCORE)

    def has_checks(self, placed: RubricPlacedItem) -> bool:
        return bool(placed.checks)

    def is_checked(self, placed: RubricPlacedItem, response: Response) -> bool:
        return has_results(response, _programs(placed.checks))

    def checked(self, placed: RubricPlacedItem, response: Response, *, execute: bool = True) -> Response:
        recorded = recorded_results(response, _programs(placed.checks))
        known = zip(placed.checks, recorded, strict=True)
        return checked(response, [each for each, result in known if execute or result or not each.executes])

    def question(
        self, placed: RubricPlacedItem, task: JudgeTask, response: Response | None
    ) -> MarkQuestion | PromptedQuestion | GEvalQuestion | ShortQuestion:
        """Return the question of a task. A panel that gives verdicts sees the results of checks; others do not."""
        text = "" if response is None else response.text
        if is_question(task.template):
            return short_question(placed, task, text)
        if task.template is not None:
            return GEvalQuestion(task, placed, text)
        flags = () if response is None else tuple(flag for result in response.checks for flag in result.flags)
        asked = MarkQuestion(task, placed, text, flags)
        prompt = prompt_of("rubric", task.judge)
        if prompt is None:
            return asked
        texts = Texts(asked.shown(), {"response": text}, asked.notes())
        return marking(task, prompt, asked.fields(), texts, name=SCORE, scale=(LOWEST, HIGHEST))


def checked(response: Response, checks: Sequence[Check]) -> Response:
    """Return the response with the result of each check; a recorded result of the same check is kept.

    Raise SandboxUnavailableError if code cannot be executed.
    """
    programs = _programs(checks)
    recorded = recorded_results(response, programs)

    def run(text: str) -> Iterator[Found]:
        from nullbench_site.checks.registry import run_checks  # noqa: PLC0415 - patterns of checks; most builds have all results

        due = [check for check, result in zip(checks, recorded, strict=True) if result is None]
        found = iter(run_checks(text, due))
        for result in recorded:
            known = next(found) if result is None else result
            yield Found(known.outcome, known.flags)

    return with_results(response, programs, run)


def _programs(checks: Sequence[Check]) -> list[tuple[str, int, object]]:
    return [(check.type_id(), check.revision, check) for check in checks]


def geval_judge(benchmark: Benchmark, board: RubricBoardFile, model: ModelFile) -> Judge | None:
    """Return the judge of G-Eval for a contestant; None without one of another family."""
    if board.geval is None:
        return None
    judge = benchmark.judges[board.geval.judge]
    return judge if benchmark.panels[board.panel].same_family or judge.family != model.family else None


class MarkQuestion(msgspec.Struct, frozen=True):
    """The question to a judge of the panel about one response."""

    task: JudgeTask
    placed: RubricPlacedItem
    response: str
    flags: tuple[str, ...]

    def fields(self) -> dict[str, Any]:
        return {
            "prompt": asked_in_context(self.placed),
            "ideal": self.placed.ideal,
            "criteria": list(self.placed.criteria),
            "checks": [check.type_id() for check in self.placed.checks],
            "flags": list(self.flags),
            "response": self.response,
        }

    def shown(self) -> dict[str, str]:
        """Return the texts that all contestants share, by section."""
        return {
            "prompt": asked_in_context(self.placed),
            "ideal answer": self.placed.ideal,
            "criteria": "\n".join(f"- {line}" for line in self.placed.criteria),
        }

    def notes(self) -> str:
        """Return what programs noticed in the response."""
        return "\n".join(f"- {line}" for line in self.flags)

    def messages(self) -> tuple[Message, ...]:
        shown = {**self.shown(), "notes": self.notes()}
        return judge_messages(
            _WORDING, shown, {"response": self.response}, before=[_WORDING["marks"]], after=[_WORDING["reply"]]
        )

    def reply_schema(self) -> dict[str, Any]:
        return score_schema(SCORE, LOWEST, HIGHEST)

    def read(self, text: str) -> Reply:
        return score_reply(text, SCORE, LOWEST, HIGHEST, whole=True)


class GEvalQuestion(msgspec.Struct, frozen=True):
    """The question of a G-Eval metric about one response. DeepEval writes it and scores the reply."""

    task: JudgeTask
    placed: RubricPlacedItem
    response: str

    @property
    def metric(self) -> str:
        return str(self.task.template).removeprefix(f"{GEVAL}.")

    @property
    def texts(self) -> Mapping[str, str]:
        return {"prompt": asked_in_context(self.placed), "ideal": self.placed.ideal, "response": self.response}

    def fields(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "steps": geval.REVISION,
            "deepeval": geval.VERSION,
            **{name: self.texts[name] for name in geval.texts_of(self.metric)},
        }

    def reply_schema(self) -> dict[str, Any]:
        return geval.SCHEMA


JUDGING = RubricJudging()
