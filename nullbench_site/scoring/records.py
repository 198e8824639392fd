"""The shard of one contestant -> arrays: how it answered. What judges gave is read by each protocol's own reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
import numpy as np

from nullbench_site.runs.records import CheckResult, Ended, Hidden, RecordT, Response, read_records
from nullbench_site.scoring.layout import BoardLayout
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.arrays import Bools, Floats, Ints

VERDICTS = ("scored", "unparsed", "errored")
"""How a judge's reply ended, by number."""
NO_VERDICT = -1
"""The number where a judge has no record."""
ENDS: tuple[Ended, ...] = get_args(Ended)
"""Why an answer ended, by number; the first is that of an answer which ended by itself."""
UNFIT = (msgspec.DecodeError, UnicodeDecodeError, KeyError)
"""What is raised by a record that is not of the form our own programs write, or of no item of the board."""
_ANSWER = (
    ("state", Literal["answered", "errored"]),
    ("text", str),
    ("seconds", float),
    ("output_tokens", int | None, None),
    ("ended", Literal[ENDS], ENDS[0]),
    ("served_model", str | None, None),
    ("checks", tuple[CheckResult, ...], ()),
    ("hidden", Hidden | None, None),
)
"""What scoring reads of a Response, beside its place."""
_BLOCK_BYTES = 1 << 18
"""Read and decoded at a time: what fits the processor's cache. A call a line takes half as long again."""


@dataclass(frozen=True)
class Responses:
    """Responses by unit. A unit is a sample of an item; its number is `item number * samples + sample`.

    present: which units have a response. answered: which have one that did not fail. tokens: NaN where not counted.
    ended: numbers of ENDS. served: places in servers, the models that answered; the first, None, is the one asked.
    checks: unit -> what programs found in the answer, where there is anything.
    """

    present: Bools
    answered: Bools
    seconds: Floats
    runes: Ints
    tokens: Floats
    ended: Ints
    served: Ints
    servers: tuple[str | None, ...]
    checks: dict[int, tuple[CheckResult, ...]]


class ShardReader:
    """Reads shards of one board: records of its items and samples, no others; the last of a place counts.

    What our own programs write is decoded by types that nothing else fits, and needs no other check. Whatever does not
    fit them is read again with care.
    """

    def __init__(self, benchmark: Benchmark, board: BoardFile, layout: BoardLayout[Any]) -> None:
        self.board = board
        self.units = len(layout.placed) * board.samples
        self.first = {item: number * board.samples for item, number in layout.number.items()}
        self.alone = len(benchmark.boards) == 1
        sample = Annotated[int, msgspec.Meta(ge=0)]
        self.place = [("board", Literal[tuple(benchmark.boards)]), ("item", str), ("sample", sample)]
        self.answer = msgspec.defstruct("Answer", [*self.place, *_ANSWER], gc=False)

    def responses(self, shard: Path) -> Responses:
        """The responses in the file `shard`. Raises RunError naming the line that is no record."""
        try:
            return self._responses(self.blocks(shard, self.answer))
        except UNFIT:
            return self.responses_of(read_records(shard, Response))

    def responses_of(self, records: Iterable[Response]) -> Responses:
        """The same of records that are at hand."""
        return self._responses([self.ours(records)])

    def blocks(self, shard: Path, kind: type[Any]) -> Iterator[list[Any]]:
        """The records of this board in a shard, some thousands at a time; none if there is no such file.

        Raises one of UNFIT.
        """
        decoder = msgspec.json.Decoder(kind)
        if shard.is_file():
            with shard.open("rb") as file:
                while block := file.read(_BLOCK_BYTES):
                    yield self._of_board(decoder.decode_lines(block + file.readline()))

    def ours(self, records: Iterable[RecordT]) -> list[RecordT]:
        """Those of this board, of an item of it and a sample that it has."""
        board, first, samples = self.board.id, self.first, self.board.samples
        return [
            record
            for record in records
            if record.board == board and record.item in first and 0 <= record.sample < samples
        ]

    def _of_board(self, block: list[Any]) -> list[Any]:
        board, samples = self.board.id, self.board.samples
        if self.alone:
            return [record for record in block if record.sample < samples]
        return [record for record in block if record.board == board and record.sample < samples]

    def _responses(self, blocks: Iterable[list[Any]]) -> Responses:
        present, answered = (np.zeros(self.units, dtype=np.bool_) for _ in range(2))
        seconds, tokens = np.zeros(self.units), np.full(self.units, nan)
        runes, ended, served = (np.zeros(self.units, dtype=np.int64) for _ in range(3))
        servers: dict[str | None, int] = {None: 0}
        checks: dict[int, tuple[CheckResult, ...]] = {}
        for ours in blocks:
            units = np.array([self.first[answer.item] + answer.sample for answer in ours], dtype=np.int64)
            present[units] = True
            answered[units] = [answer.state == "answered" for answer in ours]
            seconds[units] = [answer.seconds for answer in ours]
            runes[units] = [len(answer.text) if answer.hidden is None else answer.hidden.runes for answer in ours]
            tokens[units] = np.array([answer.output_tokens for answer in ours], dtype=np.float64)
            # Nearly all ended by themselves and came from the model that was asked.
            ended[units], served[units] = 0, 0
            if any(answer.served_model or answer.ended != "stop" for answer in ours):
                ended[units] = [ENDS.index(answer.ended) for answer in ours]
                served[units] = [servers.setdefault(answer.served_model, len(servers)) for answer in ours]
            if checks or any(answer.checks for answer in ours):
                checks |= zip(units.tolist(), [answer.checks for answer in ours], strict=True)
        return Responses(present, answered, seconds, runes, tokens, ended, served, tuple(servers), checks)
