"""Add to a plan what its items detect, and the items and calls that a difference takes."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

from nullbench_site.evaluation.plan_report import Plan, detect_row
from nullbench_site.evaluation.targets import Selection
from nullbench_site.runs.catalog import list_runs, newest_of_profiles
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.assumption import Assumption


def add_power(
    calls: Plan,
    benchmark: Benchmark,
    selection: Selection,
    runs: Path,
    *,
    detect: float | None,
    assumed: Assumption | None,
) -> None:
    """Add the differences that the planned items detect, from the newest sealed run of the profile.

    detect: a difference in points for which the plan says what each board takes. assumed: of boards without a run.
    """
    sealed = [e for e in newest_of_profiles(list_runs(runs)) if e.manifest.profile == benchmark.profile]
    if not sealed and detect is None and assumed is None:
        return
    from nullbench_site.scoring.power import powers  # noqa: PLC0415 - arrays, which plans before a first run do not need

    boards = [board for board in benchmark.boards.values() if not selection.boards or board.id in selection.boards]
    planned = {board.id: {placed.id for placed in selection.items_of(benchmark, board)} for board in boards}
    found = powers(benchmark, planned, sealed[-1].path if sealed else None, assumed)
    known = {board: each for board, each in found.items() if not isinstance(each, str)}
    calls.detectable = {
        board: known[board].detects if board in known and isfinite(known[board].detects) else None for board in found
    }
    calls.undetectable = {board: each for board, each in found.items() if isinstance(each, str)}
    calls.assumed = tuple(board for board, each in known.items() if each.assumed)
    if detect is not None:
        calls.detect = tuple(detect_row(board, each, detect, calls.of_board[board]) for board, each in found.items())
