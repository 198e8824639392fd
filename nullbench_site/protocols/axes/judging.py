"""The `axes` protocol: a judge rates each axis of the category 1-5, goal alignment and quality 0-100, and refusals.

The reference answer of an item with a source is its facts as prose, in the form that the task asks for.

Source: nullbench methodology.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import Any, ClassVar, cast

import msgspec

from nullbench_site.judging.calls import AnyQuestion, JudgeTask, Message, Reference, Reply
from nullbench_site.judging.forms import LABEL
from nullbench_site.judging.prompts import PromptedQuestion, Texts, reply_form
from nullbench_site.judging.protocol import JudgingProtocol
from nullbench_site.judging.replies import (
    NO_OBJECT,
    closed_object,
    judge_messages,
    object_reply,
    parts_beside,
    prose,
    shown_value,
)
from nullbench_site.judging.scales import Choices, Marks, Scale
from nullbench_site.judging.short_questions.asking import ShortQuestion, is_question
from nullbench_site.judging.stated import NO_VERDICT, rest_of, stated
from nullbench_site.judging.verdict_lines import verdict_lines
from nullbench_site.protocols.axes.questions_asked import (
    SENTENCE,
    has_sentence,
    is_asked,
    number_of,
    question_names,
    question_text,
    short_question,
)
from nullbench_site.protocols.axes.reference import reference_answer
from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem, Axis, Constraints, axes_of
from nullbench_site.runs.records import Judgment, Response, Score
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.judging_prompts import prompt_of
from nullbench_site.specs.types import ModelFile, Panel
from nullbench_site.stats.scores import Gate, gate_judges, is_valid_axis_score, is_valid_percent, refusal_gate

_WORDING = parts_beside(__file__)
_BOUNDS = (
    ("min_sentences", "sentences: at least {}"),
    ("max_sentences", "sentences: at most {}"),
    ("min_words", "words: at least {}"),
    ("max_words", "words: at most {}"),
    ("format", "written as: {}"),
    ("bullets", "bullets: exactly {}"),
)
GOAL_ALIGNMENT, QUALITY = "goal_alignment", "quality"
HIGHEST = 5
"""The highest rating on an axis."""
GATES: Mapping[str, str] = {"answer": "refused_answer", "prompt": "refused_prompt"}
"""The name of each gate's vote in a judgment's scores. Gate `answer` sees only the answer, `prompt` the task too."""


class AxesJudging(JudgingProtocol["AxesBoardFile", "AxesPlacedItem"]):
    """The judging of the `axes` protocol."""

    asks = ("task", "source")
    shows = ("axes", "goal", "task", "source", "constraints", "facts", "response", "gates")
    words: ClassVar[Mapping[str, str]] = {
        "facts": "the reference facts",
        "gates": "whether the judge is asked about refusal",
    }
    drawn = ("gates",)

    def reference(self, placed: AxesPlacedItem) -> Reference | None:
        """Return the facts as prose, in the form that the task asks for."""
        answer = reference_answer(placed.facts, placed.constraints)
        return None if answer is None else Reference(answer, placed.source)

    def tasks(self, benchmark: Benchmark, board: AxesBoardFile, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return a task for each judge, or for each of its short questions."""
        judges = benchmark.judges_for(board, model)
        names = question_names(benchmark, board) if any(judge.asks_questions for judge in judges) else ()
        return tuple(
            JudgeTask(judge, name) for judge in judges for name in (names if judge.asks_questions else (None,))
        )

    def turn(self, placed: PlacedItem, template: str | None) -> int | None:
        if template is None or not is_question(template):
            return placed.n_turns
        return placed.n_turns if is_asked(cast("AxesPlacedItem", placed), template) else None

    def is_optional(self, template: str | None) -> bool:
        return template is not None and number_of(template, SENTENCE) is not None

    def question_text(self, placed: AxesPlacedItem, template: str) -> str:
        return question_text(placed, template)

    def question(self, placed: AxesPlacedItem, task: JudgeTask, response: Response | None) -> ShortQuestion:
        """Return the short question of a task."""
        return short_question(placed, task, "" if response is None else response.text)

    def questions(
        self, benchmark: Benchmark, board: AxesBoardFile, model: ModelFile, placed: AxesPlacedItem, response: Response
    ) -> Iterator[AnyQuestion]:
        """Yield one question per judge. The judges that are drawn are also asked about refusal.

        A judge of short questions has several, none about sentences that the response does not have.
        """
        tasks, axes = self.tasks(benchmark, board, model), category_axes(benchmark, placed)
        judges = [task.judge.id for task in tasks if task.template is None]
        asked = self.gate_judges(benchmark.panels[board.panel], judges, response)
        for task in tasks:
            if task.template is not None:
                if is_asked(placed, task.template) and has_sentence(placed, task.template, response.text):
                    yield self.question(placed, task, response)
                continue
            yield in_its_prompt(AxesQuestion(task, placed, axes, response.text, gates=task.judge.id in asked))

    def blank_questions(
        self, benchmark: Benchmark, board: AxesBoardFile, placed: AxesPlacedItem, task: JudgeTask
    ) -> Iterator[AnyQuestion]:
        """Yield a question without the gates, and one with them; of a short question itself."""
        if task.template is not None:
            yield self.question(placed, task, None)
            return
        for gates in (False, True):
            yield in_its_prompt(AxesQuestion(task, placed, category_axes(benchmark, placed), "", gates=gates))

    def value(self, judgment: Judgment) -> float | None:
        """Return the mean rating, if no score is missing. A short question has none."""
        ratings = () if is_question(judgment.judge_template) else _ratings(judgment)
        return None if judgment.invalid or not ratings else fsum(ratings) / len(ratings)

    def contradicts(self, judgment: Judgment) -> bool:
        """Return True if it says that the response is a refusal, and rates it highest on every axis."""
        refused = any(judgment.scores.get(gate) is True for gate in GATES.values())
        return refused and min(_ratings(judgment), default=0) == HIGHEST

    def gate_judges(self, panel: Panel, judges: Sequence[str], response: Response) -> tuple[str, ...]:
        """Return the judges asked about refusal: all, or a sample drawn by the hash of request and response.

        judges: those of the panel that may score this contestant.
        """
        if not judges:
            return ()
        return gate_judges(judges, f"{response.key}\n{response.text}", panel_gate(panel, len(judges)).sample)


def _ratings(judgment: Judgment) -> list[float]:
    others = (GOAL_ALIGNMENT, QUALITY, *GATES.values())
    return [value for name, value in judgment.scores.items() if name not in others]


def panel_gate(panel: Panel, judges: int | None = None) -> Gate:
    """Return the refusal gate of a panel. judges: how many may score the contestant; None: all."""
    size, asked = len(panel.judges), panel.refusal_gates
    return refusal_gate(size if judges is None else judges, size, asked.sample, asked.votes)


class AxesQuestion(msgspec.Struct, frozen=True):
    """The question to a judge about one response: ratings and, with `gates`, whether it is a refusal."""

    task: JudgeTask
    placed: AxesPlacedItem
    axes: Sequence[Axis]
    response: str
    gates: bool

    def fields(self) -> dict[str, Any]:
        """Return the task, the source, its facts, the goal and the answer."""
        goal = self.placed.goal
        return {
            "axes": [{"id": axis.id, "aspects": list(axis.aspects)} for axis in self.axes],
            "goal": {
                "alignment_target": {axis.id: goal.alignment_target[axis.id] for axis in self.axes},
                "rules": [{"dimension": r.dimension, "weight": r.weight, "rule": r.rule} for r in goal.rules],
            },
            "task": self.placed.task,
            "source": self.placed.source,
            "constraints": msgspec.to_builtins(self.placed.constraints),
            "facts": msgspec.to_builtins(self.placed.facts),
            "response": self.response,
            "gates": self.gates,
        }

    def shown(self) -> dict[str, str]:
        """Return the texts of the item, by section."""
        placed = self.placed
        return {
            "task": placed.task,
            "form": _form(placed.constraints),
            "source": placed.source,
            "facts": "\n".join(f"- {fact.kind}: {fact.text}" for fact in placed.facts),
        }

    def anchors(self) -> str:
        """Return each axis with its target and anchors."""
        return "\n".join(_axis(axis, self.placed.goal.alignment_target[axis.id]) for axis in self.axes)

    def rules(self) -> str:
        """Return the rules of the goal, one a line."""
        return "\n".join(f"- {rule.dimension}, weight {rule.weight}: {rule.rule}" for rule in self.placed.goal.rules)

    def messages(self) -> tuple[Message, ...]:
        gates, goal = self.gates, _WORDING["goal"].format(title=self.placed.goal.title)
        values = "1-5, 0-100, true|false" if gates else "1-5, 0-100"
        reply = _WORDING["reply"].format(values=values, shape=_shape(self.axes, gates=gates))
        return judge_messages(
            _WORDING,
            self.shown(),
            {"response": self.response},
            before=[f"{_WORDING['axes']}\n{self.anchors()}", f"{goal}\n{self.rules()}", _WORDING["percentages"]],
            after=[_WORDING["refusal"] * gates, reply],
        )

    def reply_schema(self) -> dict[str, Any]:
        percent = {"type": "integer", "minimum": 0, "maximum": 100}
        scores = {axis.id: {"type": "integer", "minimum": 1, "maximum": 5} for axis in self.axes}
        properties: dict[str, Any] = {
            "axes": closed_object(scores),
            GOAL_ALIGNMENT: percent,
            QUALITY: percent,
            "rationale": {"type": "string"},
        }
        if self.gates:
            properties["refusal"] = closed_object({gate: {"type": "boolean"} for gate in GATES})
        return closed_object(properties)

    def read(self, text: str) -> Reply:
        """Read each field separately. A reply that is not a JSON object has no valid field.

        A model must give every score. A program may leave out the axes and the goal alignment that it does not measure.
        """
        expectations = _expectations([axis.id for axis in self.axes], gates=self.gates)
        reply = object_reply(text, {"axes", "refusal", *expectations})
        if isinstance(reply, str):
            return _labelled(text, expectations, reply)
        rated, votes = reply.member("axes"), reply.member("refusal")
        scores: dict[str, Score] = {}
        invalid: dict[str, str] = {}
        for name, (is_valid, expected) in expectations.items():
            gate = next((gate for gate, vote in GATES.items() if vote == name), None)
            if gate is not None and isinstance(votes, dict):
                given = reply.member(gate, votes)
            elif isinstance(rated, dict) and name not in (GOAL_ALIGNMENT, QUALITY):
                given = reply.member(name, rated)
            else:
                given = reply.member(name, elsewhere=name not in (GOAL_ALIGNMENT, QUALITY))
            value: Any = reply.value(given, _scale(name))
            if is_valid(value):
                scores[name] = value
            elif value is None and name not in (QUALITY, *GATES.values()) and self.task.judge.is_program:
                continue
            else:
                invalid[name] = "missing" if value is None else f"{shown_value(value)} is not {expected}"
        return Reply(scores, invalid, reply.rationale, *reply.written)


def _scale(name: str) -> Scale:
    """Return the scale of a score: marks, percentages or votes."""
    labels = re.escape(name).replace("_", "[ _]")
    if name in GATES.values():
        return Choices({"true": True, "false": False, "yes": True, "no": False}, labels=labels)
    if name in (GOAL_ALIGNMENT, QUALITY):
        return Marks(0, 100, percent=True, labels=labels)
    return Marks(1, 5, labels=labels)


def _labelled(text: str, names: Iterable[str], why: str) -> Reply:
    """Read lines such as `truth: 4/5` of a reply without an object. why: why it has none."""
    if why != NO_OBJECT:
        return Reply({}, {"reply": why}, "")
    read = {name: stated(text, _scale(name), only=(LABEL,)) for name in names}
    scores = {name: each.value for name, each in read.items() if not isinstance(each, str)}
    if not scores:
        return Reply({}, {"reply": why}, "")
    lines = tuple(line for each in read.values() if not isinstance(each, str) for line in each.words)
    invalid = {name: "missing" if each == NO_VERDICT else each for name, each in read.items() if isinstance(each, str)}
    return Reply(scores, invalid, prose(rest_of(text, lines)), (LABEL,), (lines,))


_LINES: Mapping[str, str] = {
    "alignment": "0 to 100 (how far the response meets the goal)",
    "quality": "0 to 100 (how good an answer to the task it is, correct, complete and in the form asked for)",
    "refuses": "yes or no (does it say that it cannot, will not or may not do the task?)",
    "evades": "yes or no (does it leave the task undone? A mistaken attempt is none)",
}
"""The last lines of a reply to a named prompt, after those of the axes."""
_NAMES = {"alignment": GOAL_ALIGNMENT, "quality": QUALITY, "refuses": GATES["answer"], "evades": GATES["prompt"]}


def in_its_prompt(asked: AxesQuestion) -> AnyQuestion:
    """Return the question in the prompt that its judge names."""
    judge = asked.task.judge
    prompt = prompt_of("axes", judge)
    if prompt is None:
        return asked
    lines = {axis.id: "1 to 5" for axis in asked.axes} | {
        name: words for name, words in _LINES.items() if asked.gates or name in ("alignment", "quality")
    }
    shown = {"axes": asked.anchors().strip(), "goal": f"{asked.placed.goal.title}\n{asked.rules()}", **asked.shown()}
    values = {"lines": "\n".join(f"{name}: {words}" for name, words in lines.items())}
    texts = Texts(shown, {"response": asked.response}, values=values)
    reply = reply_form(judge, prompt)

    def read(text: str) -> Reply:
        return read_lines(text, [axis.id for axis in asked.axes], gates=asked.gates)

    return PromptedQuestion(asked.task, prompt, reply, asked.fields(), texts, read)


def read_lines(text: str, axes: Sequence[str], *, gates: bool) -> Reply:
    """Read the last lines of a reply, `truthfulness: 4`, `alignment: 70`, `refuses: no`. Each is read by itself."""
    ratings, percents = [str(n) for n in range(1, 6)], [str(n) for n in range(101)]
    expected: dict[str, Sequence[str]] = {
        **dict.fromkeys(axes, ratings),
        **dict.fromkeys(("alignment", "quality"), percents),
    }
    if gates:
        expected |= dict.fromkeys(("refuses", "evades"), ("yes", "no"))
    found = verdict_lines(text, expected)
    scores: dict[str, Score] = {
        _NAMES.get(name, name): value == "yes" if value in ("yes", "no") else int(value)
        for name, value in found.values.items()
    }
    return Reply(scores, {_NAMES.get(name, name): why for name, why in found.invalid.items()}, found.before)


@lru_cache(maxsize=1024)
def _axis(axis: Axis, target: int) -> str:
    anchors = (f"  {rating}: {anchor}" for rating, anchor in enumerate(axis.anchors, start=1))
    heading = f"\n- {axis.id} ({axis.title}; target {target}). {axis.measures}"
    return "\n".join((heading, *anchors))


def _form(constraints: Constraints) -> str:
    """Return a line for each constraint."""
    bounds = [(words, getattr(constraints, name)) for name, words in _BOUNDS]
    lines = [words.format(bound) for words, bound in bounds if bound is not None]
    return "\n".join((*lines, *(f"must not contain: {words}" for words in constraints.forbid)))


def _shape(axes: Sequence[Axis], *, gates: bool) -> str:
    """Return the form of the reply, with ranges for values."""
    ratings = ", ".join(f'"{axis.id}": 1-5' for axis in axes)
    fields = [f'"axes": {{{ratings}}}', '"goal_alignment": 0-100', '"quality": 0-100', '"rationale": "..."']
    if gates:
        fields.append('"refusal": {"answer": true|false, "prompt": true|false}')
    return f"{{{', '.join(fields)}}}"


def category_axes(benchmark: Benchmark, placed: AxesPlacedItem) -> tuple[Axis, ...]:
    """Return the axes of an item's category, in order."""
    axes = axes_of(benchmark)
    return tuple(axes[axis] for axis in placed.category.axes)


def _expectations(axes: Sequence[str], *, gates: bool) -> dict[str, tuple[Callable[[object], bool], str]]:
    """Return for each score a test of its values and the test in words."""
    return {
        **dict.fromkeys(axes, (is_valid_axis_score, "an integer from 1 to 5")),
        **dict.fromkeys((GOAL_ALIGNMENT, QUALITY), (is_valid_percent, "an integer")),
        **(dict.fromkeys(GATES.values(), (_is_bool, "true or false")) if gates else {}),
    }


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


JUDGING = AxesJudging()
