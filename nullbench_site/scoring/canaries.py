"""How many canaries of a board's files each contestant completes."""

from __future__ import annotations

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import ProbeAnswer
from nullbench_site.scoring.contamination_tables import CanaryRow
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.canaries import canaries_of
from nullbench_site.specs.types import PROGRAMS, RECORDED, BoardFile, ModelFile

NOT_TRAINED = "does not apply: a program is not trained"
IMPORTED = "not measurable here: its answers were imported, so it cannot be asked"
NOT_ASKED = "not asked in this run"


def canary_rows(benchmark: Benchmark, board: BoardFile, folder: RunFolder) -> list[CanaryRow]:
    """Return a row for each contestant of a board that asks for canaries; none for other boards."""
    if not board.ask_canaries:
        return []
    canaries = {canary.file: canary for canary in canaries_of(benchmark, board)}
    rows = []
    for model in benchmark.contestants(board):
        answers = [
            (canaries[each.item], each)
            for each in folder.records(ProbeAnswer, model.id)
            if each.board == board.id and each.item in canaries
        ]
        answered = [(canary, each.text) for canary, each in answers if each.state == "answered"]
        rows.append(
            CanaryRow(
                model=model.id,
                n_canaries=len(canaries),
                n_answered=len(answered),
                n_errored=len(answers) - len(answered),
                n_completed=sum(canary.is_completed_by(text) for canary, text in answered),
                completed=sorted(canary.file for canary, text in answered if canary.is_completed_by(text)),
                absent=None if answered else _absent(model, failed=bool(answers)),
            )
        )
    return rows


def _absent(model: ModelFile, *, failed: bool) -> str:
    """Return why a contestant has no answer."""
    if failed:
        return "every call failed"
    return {PROGRAMS: NOT_TRAINED, RECORDED: IMPORTED}.get(model.backend, NOT_ASKED)
