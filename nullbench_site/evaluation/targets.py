"""Targets: the responses that a benchmark needs, and the selection and scope that limit its calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from nullbench_site.errors import UsageError
from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.controls import BoardControls
from nullbench_site.judging.protocol import JudgingProtocol, judging
from nullbench_site.runs.records import ProbeAnswer, Response
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.canaries import PlacedCanary
from nullbench_site.specs.types import CONTROLS, BoardFile, Judge, ModelFile, WordedJudge
from nullbench_site.text import did_you_mean

Who = tuple[str, str]
"""("contestant" or "judge", id)."""


class Target(msgspec.Struct, frozen=True):
    """One response of a contestant: at a turn of an item of a board, in one wording, one sample; or to a canary."""

    board: BoardFile
    model: ModelFile
    placed: PlacedItem
    template: str
    sample: int

    @property
    def is_probe(self) -> bool:
        """Return True if the contestant is asked to complete a canary: no judge sees it, and no score counts it."""
        return isinstance(self.placed, PlacedCanary)

    @property
    def record_type(self) -> type[Response]:
        """Return the type of the record of the response."""
        return ProbeAnswer if self.is_probe else Response

    @property
    def dimensions(self) -> dict[str, Any]:
        """Return the fields that a record of the response, or of a judgment of it, shares with the target."""
        return {
            "board": self.board.id,
            "model": self.model.id,
            "item": self.placed.id,
            "template": self.template,
            "sample": self.sample,
            "turn": self.placed.turn,
        }

    @property
    def place(self) -> tuple[str, ...]:
        """Return the place of the record of the response."""
        place = (self.board.id, self.model.id, self.placed.id, self.template)
        return (*place, str(self.sample), str(self.placed.turn))

    def after(self, response: Response) -> Target | None:
        """Return the next turn, with this answer in context; None after the last turn and after a failed answer."""
        if self.placed.is_last_turn or response.state == "errored":
            return None
        return replace(self, placed=self.placed.at(*self.placed.earlier, response.text))

    def by(self, opponent: ModelFile) -> Target:
        """Return the same target of an opponent, in the first wording if it answers only that."""
        known = self.board.wordings_for(opponent)
        return replace(self, model=opponent, template=self.template if self.template in known else known[0])

    @property
    def every_turn(self) -> Iterator[Target]:
        """Yield each turn of the item, without earlier answers."""
        return (replace(self, placed=placed) for placed in self.placed.every_turn)

    @property
    def later_turns(self) -> Iterator[Target]:
        """Yield the turns after this one, without earlier answers."""
        return (turn for turn in self.every_turn if turn.placed.turn > self.placed.turn)

    def judged_by(self, task: JudgeTask) -> tuple[str, ...]:
        """Return the place of the record of a judgment of the response."""
        return (*self.place, task.judge.id, str(task.template))


class Selection(msgspec.Struct, frozen=True):
    """The boards, models, domains and items to call; empty means all. Recorded answers of the others are still used.

    limit: only the first items of each board, so many of those in the selection. shard: (K, N), of the answers only the
    K-th of N parts, by the key of their first call: see `RequestBuilder.in_shard`.
    """

    boards: Collection[str] = ()
    models: Collection[str] = ()
    domains: Collection[str] = ()
    items: Collection[str] = ()
    limit: int | None = None
    shard: tuple[int, int] | None = None

    def check(self, benchmark: Benchmark) -> None:
        """Raises UsageError for names that do not exist."""
        for name in self.boards:
            if name not in benchmark.boards:
                raise UsageError(f"there is no board {name!r} in the specs; {did_you_mean(name, benchmark.boards)}")
        boards = [benchmark.boards[board] for board in self.boards or benchmark.boards]
        placed = [placed for board in boards for placed in benchmark.items(board)] if self.part_of_items else []
        for kind, names, known in (
            ("domain", self.domains, {each.domain.id for each in placed}),
            ("item", self.items, {each.id for each in placed}),
        ):
            for name in names:
                if name not in known:
                    raise UsageError(f"no selected board has the {kind} {name!r}; {did_you_mean(name, known)}")
        on_boards = {model.id for board in boards for model in benchmark.contestants(board)}
        if any(name in CONTROLS for name in self.models):
            on_boards |= {each.id for board in boards for each in BoardControls(benchmark, board).all}
        for name in self.models:
            if name not in on_boards:
                where = " and ".join(repr(board.id) for board in boards)
                others = ", ".join(sorted(set(benchmark.profiles) - {benchmark.profile}))
                elsewhere = f"; a board may have it under another --profile: {others}" if others else ""
                raise UsageError(f"{name!r} is not a contestant of {where}; {did_you_mean(name, on_boards)}{elsewhere}")

    @property
    def everything(self) -> bool:
        return not self.boards and not self.models and not self.part_of_items and self.shard is None

    @property
    def n_shards(self) -> int:
        return 1 if self.shard is None else self.shard[1]

    @property
    def part_of_items(self) -> bool:
        """Return True if only some items of a board are called."""
        return bool(self.domains or self.items) or self.limit is not None

    def items_of(self, benchmark: Benchmark, board: BoardFile) -> Iterator[PlacedItem]:
        """Yield the selected items of a board."""
        chosen = (
            placed
            for placed in benchmark.items(board)
            if (not self.domains or placed.domain.id in self.domains) and (not self.items or placed.id in self.items)
        )
        yield from islice(chosen, self.limit)

    def has(self, board: BoardFile, model: ModelFile) -> bool:
        """Return True if a contestant of a board is selected."""
        return (not self.boards or board.id in self.boards) and (not self.models or model.id in self.models)


class Scope(msgspec.Struct, frozen=True):
    """The missing calls that may be made; known calls are always copied. judges: None means all."""

    contestants: bool = True
    judges: Collection[str] | None = None

    def check(self, benchmark: Benchmark) -> None:
        """Raises UsageError for a judge that no panel in use has."""
        for name in self.judges or ():
            if name not in benchmark.judges:
                known = did_you_mean(name, benchmark.judges)
                raise UsageError(f"no panel of these boards has a judge {name!r}; {known}")

    def asks(self, judge: Judge) -> bool:
        return self.judges is None or is_named(judge, self.judges)


def is_named(judge: Judge, names: Collection[str]) -> bool:
    """Return True if names contain a judge: its id, or without the wording, which names it in all wordings."""
    return judge.id in names or (isinstance(judge, WordedJudge) and judge.base in names)


def protocol_of(board: BoardFile) -> JudgingProtocol[Any, Any]:
    """Return the judging of the board's protocol."""
    return judging(board.protocol)
