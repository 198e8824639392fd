"""The short questions of a `rubric` board when it is scored."""

from __future__ import annotations

from collections.abc import Sequence

from nullbench_site.protocols.rubric.questions_asked import (
    criterion_of,
    is_asked,
    is_prohibited,
    question_names,
)
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricPlacedItem
from nullbench_site.scoring.short_questions import QuestionLists, QuestionsOfBoard
from nullbench_site.specs.benchmark import Benchmark


def questions_of_board(
    benchmark: Benchmark, board: RubricBoardFile, placed: Sequence[RubricPlacedItem], judges: Sequence[str]
) -> QuestionsOfBoard:
    """Return the questions of a board: each criterion, with the prohibitions of the specs, and the one in no mark."""
    asking = any(benchmark.judges[judge].asks_questions for judge in judges)
    lists = QuestionLists(
        names={None: question_names(benchmark, board) if asking else ()},
        is_asked=is_asked,
        is_counted=lambda name: criterion_of(name) is not None,
        is_prohibited=lambda item, name: is_prohibited(benchmark, item.id, name),
    )
    return QuestionsOfBoard(benchmark, board, placed, judges, lists)
