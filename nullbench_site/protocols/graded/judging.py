"""The `graded` protocol: each judge grades the answer to each turn from 1 to 10. The second has the first as context.

Source: Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena: single-answer grading, with a
reference answer for math, reasoning and coding. Published replies have the grade in double brackets in prose, see
`rating_in`. Our judges are asked for JSON, so that a grade quoted from the answer does not count.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from nullbench_site.judging.calls import JudgeTask, Message, Prompt, Reference, Reply
from nullbench_site.judging.drawing import drawn_items
from nullbench_site.judging.prompts import PromptedQuestion, Texts, marking
from nullbench_site.judging.protocol import JudgedItems, JudgingProtocol
from nullbench_site.judging.quoting import asked_in_context
from nullbench_site.judging.replies import (
    judge_messages,
    parts_beside,
    score_reply,
    score_schema,
    shown_value,
    verdict_reply,
)
from nullbench_site.judging.scales import YES_NO
from nullbench_site.judging.short_questions.asking import ShortQuestion
from nullbench_site.judging.yes_no import MISSING_MASS
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.judging_prompts import prompt_of
from nullbench_site.specs.types import Control, ModelFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nullbench_site.protocols.graded.specs import GradedBoardFile, GradedPlacedItem

_WORDING = parts_beside(__file__)
SCORE = "score"
"""The name of a grade in a judgment's scores."""
LOWEST, HIGHEST = 1, 10
WORDINGS = ("turn-1", "turn-2")
"""The template of the question about each turn."""
QUESTION = "/question"
"""Follows it in the template of a judge that is asked short questions."""

_DOUBLE = re.compile(r"\[\[([0-9]+\.?[0-9]*)\]\]")
_SINGLE = re.compile(r"\[([0-9]+\.?[0-9]*)\]")


def rating_in(text: str) -> float | None:
    """Return the grade in a judge's prose: the first number in double, else in single brackets; None if invalid.

    Source: FastChat (github.com/lm-sys/FastChat), fastchat/llm_judge/common.py, run_judge_single. A number quoted from
    the answer before the grade is taken for it. That is the source's rule; it is used for imports only.
    """
    match = _DOUBLE.search(text) or _SINGLE.search(text)
    return float(match[1]) if match else None


class GradedJudging(JudgingProtocol["GradedBoardFile", "GradedPlacedItem"]):
    """The judging of the `graded` protocol."""

    shows = ("prompt", "before", "ideal", "highest", "response")
    words: ClassVar[Mapping[str, str]] = {
        "ideal": "the reference answer",
        "before": "what was answered before",
        "highest": "the highest grade",
    }
    drawn = ("before",)

    def prompt(self, benchmark: Benchmark, board: GradedBoardFile, placed: GradedPlacedItem) -> Prompt:
        return Prompt.about(placed.source, placed.prompt)

    def judged_items(self, benchmark: Benchmark, board: GradedBoardFile, model: ModelFile) -> JudgedItems:
        """Return the items of tasks that judge only some: with `judged`, those whose answers were drawn."""
        some = super().judged_items(benchmark, board, model)
        if board.judged is None or isinstance(model, Control):
            return some
        items = drawn_items(benchmark, board, board.judged, model.id)
        tasks = [(task.judge.id, task.template) for task in self.tasks(benchmark, board, model)]
        return {task: items.intersection(some.get(task, items)) for task in tasks}

    def turn(self, placed: PlacedItem, template: str | None) -> int | None:
        wording = (template or "").removesuffix(QUESTION)
        turn = WORDINGS.index(wording) + 1 if wording in WORDINGS else placed.n_turns
        return turn if turn <= placed.n_turns else None

    def value(self, judgment: Judgment) -> float | None:
        return judgment.scores.get(SCORE)

    def reference(self, placed: GradedPlacedItem) -> Reference | None:
        return Reference(placed.reference.strip()) if placed.reference else None

    def tasks(self, benchmark: Benchmark, board: GradedBoardFile, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return a task for each judge that may grade the contestant and each turn."""
        judges = benchmark.judges_for(board, model)
        return tuple(
            JudgeTask(judge, f"{wording}{QUESTION}" if judge.asks_questions else wording)
            for judge in judges
            for wording in WORDINGS
        )

    def question_text(self, placed: GradedPlacedItem, template: str) -> str:
        what = "does it say the same as the right answer?" if placed.references else "is it right?"
        return f"{template.removesuffix(QUESTION)}: {what}"

    def question(
        self, placed: GradedPlacedItem, task: JudgeTask, response: Response | None
    ) -> GradeQuestion | PromptedQuestion | ShortQuestion:
        """Return the question of a task. A judge that writes one token cannot give reasons: it says Yes or No."""
        judge, text = task.judge, "" if response is None else response.text
        if judge.asks_questions:
            return _short_question(placed, task, text)
        limit = None if judge.decoding is None else judge.decoding.max_tokens
        says_yes = judge.reply == "yes-no" or (judge.reply is None and limit == 1)
        asked = (RightQuestion if says_yes and not judge.is_program else GradeQuestion)(task, placed, text)
        prompt = prompt_of("graded", judge)
        if prompt is None:
            return asked
        texts = Texts(asked.shown(), {"response": text})
        return marking(task, prompt, asked.fields(), texts, name=SCORE, scale=(LOWEST, HIGHEST))


def _short_question(placed: GradedPlacedItem, task: JudgeTask, response: str) -> ShortQuestion:
    """Return the question whether an answer says the same as the right one or, without one, whether it is right."""
    return ShortQuestion(
        task=task,
        response=response,
        asked="same" if placed.reference else "right",
        shared={"task": asked_in_context(placed) if placed.earlier else placed.asked},
        about={"right answer": placed.reference} if placed.reference else {},
    )


class GradeQuestion(msgspec.Struct, frozen=True):
    """The question to a judge about the answer to one turn."""

    task: JudgeTask
    placed: GradedPlacedItem
    response: str

    def fields(self) -> dict[str, Any]:
        """Return the fields of the question.

        prompt: all turns so far, without the source. before: the answers to earlier turns.
        """
        placed = self.placed
        return {
            "prompt": "\n\n".join((*placed.turns[: placed.turn - 1], placed.prompt)),
            "before": list(placed.earlier),
            "ideal": placed.reference,
            "highest": HIGHEST,
            "response": self.response,
        }

    def messages(self) -> tuple[Message, ...]:
        before = [_WORDING["grades"], *([_WORDING["turns"]] if self.placed.earlier else ())]
        return self._asked(_WORDING, before, "reply")

    def shown(self) -> dict[str, str]:
        """Return the texts before the response, by section."""
        return {
            "request": asked_in_context(self.placed) if self.placed.earlier else self.placed.asked,
            "reference": self.placed.reference,
        }

    def _asked(self, wording: Mapping[str, str], before: Sequence[str], reply: str) -> tuple[Message, ...]:
        return judge_messages(wording, self.shown(), {"response": self.response}, before=before, after=[wording[reply]])

    def reply_schema(self) -> dict[str, Any] | None:
        return score_schema(SCORE, LOWEST, HIGHEST)

    def read(self, text: str) -> Reply:
        return score_reply(text, SCORE, LOWEST, HIGHEST, whole=False)


class RightQuestion(GradeQuestion, frozen=True):
    """The question to a judge whose reply is one token: whether the answer to one turn is right.

    The grade is 1 + 9 P(Yes), of Yes and No only.
    """

    @property
    def top_logprobs(self) -> int:
        return self.task.judge.top_logprobs

    def messages(self) -> tuple[Message, ...]:
        before = [_WORDING["turns"]] if self.placed.earlier else []
        return self._asked({**_WORDING, "role": _WORDING["role yes or no"]}, before, "yes or no")

    def reply_schema(self) -> None:
        return None

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        """Return the grade. A word that is not among the likeliest tokens has probability 0."""
        yes, no = (math.exp(logprobs.get(token, -math.inf)) for token in ("Yes", "No"))
        if not yes + no:
            return Reply({}, {SCORE: "neither Yes nor No is among the likeliest tokens"}, "")
        grade = LOWEST + (HIGHEST - LOWEST) * yes / (yes + no)
        missing = round(max(0.0, 1 - yes - no), 6)
        return Reply({SCORE: round(grade, 6), MISSING_MASS: missing}, {}, "")

    def read(self, text: str) -> Reply:
        """Read the word, if no log probabilities came."""
        grades = {"Yes": HIGHEST, "No": LOWEST}
        if text.strip() in grades:
            return Reply({SCORE: grades[text.strip()]}, {}, "")
        reply = verdict_reply(text, "answer", YES_NO)
        if not reply.parsed:
            return Reply({}, {SCORE: f"{shown_value(text)} is neither Yes nor No"}, "")
        grade = HIGHEST if reply.scores["answer"] else LOWEST
        return Reply({SCORE: grade}, {}, reply.rationale, reply.forms, reply.stated)


JUDGING = GradedJudging()
