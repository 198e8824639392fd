"""Bridges of a board: new judges that judge the same items as a panel member before they replace it.

Their judgments are in no score of the board. They get the questions of the replaced judge.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from functools import cached_property

import msgspec

from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.protocol import judging
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, Bridge, Judge, JudgedBoardFile, ModelFile

REVISION = 1
"""Increased when bridges would judge other items."""


class BoardBridge(msgspec.Struct, frozen=True, dict=True):
    """A new judge with the questions of the judge that it will replace, on some items of a board.

    before, after: the benchmark, and the same with the new judge on the panel.
    """

    judge: Judge
    spec: Bridge
    board: BoardFile
    before: Benchmark
    after: Benchmark

    @cached_property
    def items(self) -> frozenset[str]:
        """Return the items it judges: the number in the spec, drawn by their ids."""
        ids = [placed.id for placed in self.before.with_every_item.items(self.board)]
        if self.spec.items == "all":
            return frozenset(ids)
        drawn = sorted(ids, key=lambda item: hashlib.sha256(f"bridge\n{self.board.id}\n{item}".encode()).digest())
        return frozenset(drawn[: self.spec.items])

    def tasks(self, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return the tasks of the new judge for a contestant; none if it may not judge it."""
        tasks = judging(self.board.protocol).tasks(self.after, self.board, model)
        return tuple(task for task in tasks if task.judge.id == self.judge.id)


def bridges_of(benchmark: Benchmark, board: BoardFile) -> Iterator[BoardBridge]:
    """Yield the bridges of a board: from judges of its panel to judges that are not on it."""
    if not isinstance(board, JudgedBoardFile):
        return
    panel = benchmark.panels[board.panel]
    for judge in benchmark.judges.values():
        spec = judge.bridges
        if spec is not None and spec.judge in panel.judges and judge.id not in panel.judges:
            judges = tuple(judge.id if name == spec.judge else name for name in panel.judges)
            panels = {**benchmark.panels, panel.id: msgspec.structs.replace(panel, judges=judges)}
            yield BoardBridge(judge, spec, board, benchmark, dataclasses.replace(benchmark, panels=panels))
