"""The short questions about a response on a `rubric` board: each criterion, and whether it contradicts itself.

Names have the number of a criterion, never its text, because the names of records are published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.quoting import asked_in_context
from nullbench_site.judging.short_questions.asking import PREFIX, ShortQuestion
from nullbench_site.specs.benchmark import Benchmark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricPlacedItem
    from nullbench_site.specs.types import Judge

_CRITERION = f"{PREFIX}criterion-"
CONTRADICTION = f"{PREFIX}contradiction"
"""The question whether a response contradicts itself. Its value is reported and in no mark."""


def criterion_question(number: int) -> str:
    """Return the template of the question about a criterion. number: from 1."""
    return f"{_CRITERION}{number}"


def criterion_of(template: str) -> int | None:
    """Return the number of the criterion, from 1, that a question is about; None for another question."""
    number = template.removeprefix(_CRITERION)
    return int(number) if number != template and number.isascii() and number.isdigit() else None


def question_names(benchmark: Benchmark, board: RubricBoardFile) -> tuple[str, ...]:
    """Return the templates of all questions of a board: as many criteria as its longest item has."""
    most = max((len(placed.criteria) for placed in benchmark.items(board)), default=0)
    return (*(criterion_question(number) for number in range(1, most + 1)), CONTRADICTION)


def question_tasks(judges: Sequence[Judge], names: Sequence[str]) -> Iterator[JudgeTask]:
    """Yield the tasks of a panel: a verdict of each judge, or its questions."""
    for judge in judges:
        yield from (JudgeTask(judge, name) for name in names) if judge.asks_questions else (JudgeTask(judge),)


def is_asked(placed: RubricPlacedItem, template: str) -> bool:
    """Return True if an item has this question."""
    number = criterion_of(template)
    return template == CONTRADICTION or (number is not None and 1 <= number <= len(placed.criteria))


def is_prohibited(benchmark: Benchmark, item: str, template: str) -> bool:
    """Return True if a question is about a criterion that the empty response meets by design."""
    return criterion_of(template) in benchmark.prohibitions.get(item, ())


def short_question(placed: RubricPlacedItem, task: JudgeTask, response: str) -> ShortQuestion:
    """Return the question of a task about a response. Raises IndexError for a criterion that the item lacks."""
    number = criterion_of(str(task.template))
    prompt = asked_in_context(placed)
    return ShortQuestion(
        task=task,
        response=response,
        asked="contradiction" if number is None else "criterion",
        shared={"task": prompt},
        about={} if number is None else {"requirement": placed.criteria[number - 1]},
        item=placed.criteria,
    )
