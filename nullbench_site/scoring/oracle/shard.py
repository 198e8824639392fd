"""One contestant's shard of records -> its summary: how each answer was marked, without any text of it.

No summary knows of another contestant, so a board is a reduction over summaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from nullbench_site.runs.records import CheckResult
from nullbench_site.scoring.oracle.layout import OracleLayout
from nullbench_site.scoring.records import ShardReader
from nullbench_site.scoring.telemetry import Telemetry, telemetry
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import OracleBoardFile
from nullbench_site.stats.arrays import Ints

REVISION = 1
"""Raised when the same records would be summarised differently."""
OUTCOMES = ("correct", "wrong", "invalid", "errored", "unmarked")
"""How an answer ended, by number; the first three are marks."""
CORRECT, WRONG, INVALID, ERRORED, UNMARKED = range(len(OUTCOMES))
NO_ANSWER = -1
"""The number where there is no record."""


class OracleSummary(msgspec.Struct, kw_only=True):
    """What a board needs to know of one contestant, by unit: a sample of an item, as in `records.Responses`.

    outcome: (units,) numbers of OUTCOMES, or NO_ANSWER. why: unit -> why it has its mark, of public items alone.
    """

    model: str
    outcome: Ints
    why: dict[int, str]
    telemetry: Telemetry


class OracleSummariser:
    """Summarises shards for one board."""

    revision = f"oracle {REVISION}"
    kind = OracleSummary

    def __init__(self, benchmark: Benchmark, board: OracleBoardFile) -> None:
        self.board = board
        self.layout = OracleLayout.of(benchmark, board)
        self.reader = ShardReader(benchmark, board, self.layout)

    def summary(self, model: str, responses: Path, judgments: Path) -> OracleSummary:
        """The summary of `model` from the file of its responses. Raises RunError for a line that is no record."""
        answers = self.reader.responses(responses)
        outcome = np.where(answers.present, np.where(answers.answered, UNMARKED, ERRORED), NO_ANSWER)
        why: dict[int, str] = {}
        for unit, found in sorted(answers.checks.items()):
            mark = _mark(found)
            if outcome[unit] == UNMARKED and mark is not None:
                outcome[unit] = OUTCOMES.index(mark.outcome)
                if self.layout.public[unit // self.board.samples]:
                    why[unit] = "; ".join(mark.flags)
        return OracleSummary(model=model, outcome=outcome, why=why, telemetry=telemetry(answers))


def _mark(found: Sequence[CheckResult]) -> CheckResult | None:
    """The one mark of a response; None where there is none or, in a record that no program of ours wrote, several."""
    marks = [result for result in found if result.outcome in OUTCOMES[:ERRORED]]
    return marks[0] if len(marks) == 1 else None
