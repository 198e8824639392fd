"""What a build may need that does not come with the package: DeepEval, and a sandbox for code."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.plan import Caller, Selection
from nullbench_site.specs.types import BoardFile, RubricBoardFile


def check_needs(caller: Caller, selection: Selection) -> None:
    """Raises UsageError before anything is paid for, where answers could not be checked or measured."""
    if has_geval(caller, selection):
        from nullbench_site.evaluation.geval import missing

        if advice := missing():
            raise UsageError(advice)
    if not any(_executes(caller, board) for board in _boards(caller, selection)):
        return
    from nullbench_site.checks.sandbox import SandboxUnavailableError, sandbox_problem

    if problem := sandbox_problem():
        raise SandboxUnavailableError(f"{problem}; or take `run` out of the checks, to look at the syntax only")


def has_geval(caller: Caller, selection: Selection) -> bool:
    """Whether DeepEval is to measure answers."""
    return any(isinstance(board, RubricBoardFile) and board.geval for board in _boards(caller, selection))


def _boards(caller: Caller, selection: Selection) -> Iterator[BoardFile]:
    return (
        board for name, board in caller.benchmark.boards.items() if not selection.boards or name in selection.boards
    )


def _executes(caller: Caller, board: BoardFile) -> bool:
    if not isinstance(board, RubricBoardFile):
        return False
    placed = caller.benchmark.rubric_items(board)
    return any(check.executes for item in placed for check in item.checks)
