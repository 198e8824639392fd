"""The short questions about a response on an `axes` board: refusal, facts, rules of the goal, and its sentences.

Names have the number of a fact, a rule or a sentence, never its text. What the judge sees before the question is the
response alone for the question whether it refuses, the task and the response for facts and for work left undone, and
the source too for rules. A sentence is shown with the source, without the task and the rest of the response.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.short_questions.asking import PREFIX, ShortQuestion
from nullbench_site.judging.short_questions.sentences import MOST_SENTENCES, SplitResponse, split, within_words
from nullbench_site.protocols.axes.reference import chosen_facts
from nullbench_site.specs.benchmark import Benchmark

if TYPE_CHECKING:
    from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem, Constraints, Fact

SENTENCE, FACT, RULE = (f"{PREFIX}{what}-" for what in ("sentence", "fact", "rule"))
"""The beginnings of the names of questions that have a number."""
REFUSES, UNDONE = f"{PREFIX}gate-answer", f"{PREFIX}gate-prompt"
"""Whether the response refuses, and whether it leaves the task undone."""
CONTRADICTION = f"{PREFIX}contradiction"
"""Whether it contradicts itself. The value is reported and in no score."""
_WHOLE = {REFUSES: "refuses", UNDONE: "undone", CONTRADICTION: "contradiction"}
"""The questions about the response as a whole, each with the part of the wordings."""


def number_of(template: str, kind: str) -> int | None:
    """Return the number, from 1, in the name of a question of a kind, such as SENTENCE; None for another question."""
    number = template.removeprefix(kind)
    return int(number) if number != template and number.isascii() and number.isdigit() and len(number) < 6 else None


def question_names(benchmark: Benchmark, board: AxesBoardFile) -> tuple[str, ...]:
    """Return the names of all questions of a board; questions with the same beginning follow each other."""
    placed = list(benchmark.items(board))
    most = (
        (FACT, max((len(each.facts) for each in placed), default=0)),
        (RULE, max((len(each.goal.rules) for each in placed), default=0)),
        (SENTENCE, MOST_SENTENCES),
    )
    return (*_WHOLE, *(f"{kind}{number}" for kind, n in most for number in range(1, n + 1)))


def is_asked(placed: AxesPlacedItem, template: str) -> bool:
    """Return True if an item has this question; an answer may still be too short for one about a sentence."""
    if template in _WHOLE:
        return True
    if (number := number_of(template, SENTENCE)) is not None:
        return 1 <= number <= MOST_SENTENCES
    if (number := number_of(template, RULE)) is not None:
        return 1 <= number <= len(placed.goal.rules)
    number = number_of(template, FACT)
    return number is not None and number - 1 in _chosen(placed.facts, placed.constraints)


@lru_cache(maxsize=4096)
def _chosen(facts: tuple[Fact, ...], limits: Constraints) -> frozenset[int]:
    return frozenset(chosen_facts(facts, limits))


def sentences_of(placed: AxesPlacedItem, response: str) -> SplitResponse:
    """Return the sentences of a response, those that judges are asked about first."""
    return split(response, placed.source)


def has_sentence(placed: AxesPlacedItem, template: str, response: str) -> bool:
    """Return False for a question about a sentence that a response does not have."""
    number = number_of(template, SENTENCE)
    return number is None or number <= len(sentences_of(placed, response).asked)


def question_text(placed: AxesPlacedItem, template: str) -> str:
    """Return the fact or the rule that a question is about; for another question its name."""
    if (number := number_of(template, FACT)) is not None:
        return placed.facts[number - 1].text
    if (number := number_of(template, RULE)) is not None:
        return placed.goal.rules[number - 1].rule
    return template.removeprefix(PREFIX)


def short_question(placed: AxesPlacedItem, task: JudgeTask, response: str) -> ShortQuestion:
    """Return the question of a task about a response; about a sentence that it lacks, one with an empty sentence.

    Raise IndexError for a fact or a rule that the item lacks.
    """
    template = str(task.template)
    if (number := number_of(template, SENTENCE)) is not None:
        return _about_sentence(placed, task, response, number)
    about, asked, shared, said = {}, _WHOLE.get(template, ""), {"task": placed.task}, response
    if template == REFUSES:
        shared = {}
    elif (number := number_of(template, FACT)) is not None:
        about, asked = {"fact": placed.facts[number - 1].text}, "fact"
        said = within_words(response, placed.constraints.max_words)
    elif (number := number_of(template, RULE)) is not None:
        about, asked = {"rule": placed.goal.rules[number - 1].rule}, "rule"
        shared = {"task": placed.task, "source": placed.source}
    return ShortQuestion(
        task=task, response=said, asked=asked, shared=shared, about=about, item=_texts(placed, shared)
    )  # fmt: skip


def _about_sentence(placed: AxesPlacedItem, task: JudgeTask, response: str, number: int) -> ShortQuestion:
    own = sentences_of(placed, response).asked
    sentence = own[number - 1] if number <= len(own) else None
    before = "" if sentence is None else sentence.before
    return ShortQuestion(
        task=task,
        response="" if sentence is None else sentence.text,
        asked="supported",
        shared={"source": placed.source},
        what="sentence",
        context={"sentence before": before} if before else {},
    )


def _texts(placed: AxesPlacedItem, shared: dict[str, str]) -> tuple[str, ...]:
    """Return the texts of an item that the digits of fences must not occur in."""
    facts, rules = (each.text for each in placed.facts), (each.rule for each in placed.goal.rules)
    return (*facts, *(rules if "source" in shared else ()))
