"""The `axes` protocol: a judge rates each axis of the category 1-5, goal alignment and quality 0-100, and refusals.

The reference answer of an item with a source is its facts as prose, in the form that the task asks for.

Source: nullbench methodology.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import fsum
from typing import Any, ClassVar

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
from nullbench_site.judging.stated import NO_VERDICT, rest_of, stated
from nullbench_site.judging.verdict_lines import verdict_lines
from nullbench_site.programs.english import STOP_WORDS, normalise
from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem, Axis, Constraints, Fact, axes_of
from nullbench_site.runs.records import Judgment, Response, Score
from nullbench_site.specs.benchmark import Benchmark
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

    def questions(
        self, benchmark: Benchmark, board: AxesBoardFile, model: ModelFile, placed: AxesPlacedItem, response: Response
    ) -> Iterator[AnyQuestion]:
        """Yield one question per judge. The judges that are drawn are also asked about refusal."""
        tasks, axes = self.tasks(benchmark, board, model), category_axes(benchmark, placed)
        asked = self.gate_judges(benchmark.panels[board.panel], [task.judge.id for task in tasks], response)
        for task in tasks:
            yield in_its_prompt(AxesQuestion(task, placed, axes, response.text, gates=task.judge.id in asked))

    def blank_questions(
        self, benchmark: Benchmark, board: AxesBoardFile, placed: AxesPlacedItem, task: JudgeTask
    ) -> Iterator[AnyQuestion]:
        """Yield a question without the gates, and one with them."""
        for gates in (False, True):
            yield in_its_prompt(AxesQuestion(task, placed, category_axes(benchmark, placed), "", gates=gates))

    def value(self, judgment: Judgment) -> float | None:
        """Return the mean rating, if no score is missing."""
        ratings = _ratings(judgment)
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


def reference_answer(facts: Sequence[Fact], limits: Constraints) -> str | None:
    """Return the facts that fit, in the words of the spec and in its order; None if none fits.

    If not all fit, the first of each kind comes before the second of any, and context comes last. If there are more
    facts than sentences, semicolons join them; if there are more than bullets, they share bullets.
    """
    texts = [fact.text.strip() for fact in _chosen(facts, limits)]
    if not texts:
        return None
    if limits.format == "bullets":
        lines = _shared(texts, limits.bullets or len(texts))
        return "\n".join("- " + " ".join(_joined(line, limits.max_sentences and 1)) for line in lines)
    return " ".join(_joined(texts, limits.max_sentences))


def _chosen(facts: Sequence[Fact], limits: Constraints) -> list[Fact]:
    forbidden = [normalise(each) for each in limits.forbid]
    allowed = [fact for fact in facts if not any(each in normalise(fact.text) for each in forbidden)]
    seen: Counter[str] = Counter()
    turns = []
    for place, fact in enumerate(allowed):
        turns.append((fact.kind == "context", seen[fact.kind], place))
        seen[fact.kind] += 1
    left = math.inf if limits.max_words is None else limits.max_words
    chosen = []
    for _, _, place in sorted(turns):
        length = len(allowed[place].text.split())
        if length <= left:
            chosen.append(place)
            left -= length
    return [allowed[place] for place in sorted(chosen)]


def _joined(texts: Sequence[str], most: int | None) -> list[str]:
    """Return the facts as at most this many sentences."""
    return ["; ".join([of[0].rstrip("."), *map(_inner, of[1:])]) + "." for of in _shared(texts, most or len(texts))]


def _inner(sentence: str) -> str:
    """Return a sentence as a part of another: lower case unless the first word is a name."""
    first = sentence.split(maxsplit=1)[0]
    lowered = first.casefold() in STOP_WORDS
    return (sentence[:1].lower() + sentence[1:] if lowered else sentence).rstrip(".")


def _shared(texts: Sequence[str], parts: int) -> list[Sequence[str]]:
    """Split the facts into this many parts of about equal length; fewer parts if there are fewer facts."""
    parts = min(parts, len(texts))
    ends = [len(texts) * part // parts for part in range(parts + 1)]
    return [texts[start:end] for start, end in pairwise(ends)]
