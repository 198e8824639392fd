"""The shard of one contestant -> arrays: who answered, and what each judge gave. No text of an answer is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import nan
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
import numpy as np
from msgspec.structs import astuple

from nullbench_site.protocols import PROTOCOLS
from nullbench_site.protocols.votes import Bools, Floats, Ints, Votes
from nullbench_site.runs.records import Ended, Judgment, Record, Response, read_records
from nullbench_site.scoring.layout import Layout
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile

VERDICTS = ("scored", "unparsed", "errored")
"""How a judge's reply ended, by number."""
NO_VERDICT = -1
"""The number where a judge has no record."""
ENDS: tuple[Ended, ...] = get_args(Ended)
"""Why an answer ended, by number; the first is that of an answer which ended by itself."""
_ANSWER = (
    ("state", Literal["answered", "errored"]),
    ("text", str),
    ("seconds", float),
    ("output_tokens", int | None, None),
    ("ended", Literal[ENDS], ENDS[0]),
    ("served_model", str | None, None),
)
"""What scoring reads of a Response, beside its place."""
_VERDICT = (("scores", msgspec.Raw), ("invalid", dict[str, str]), ("repaired", str | None, None))
"""What scoring reads of a Judgment, beside its place, judge and state."""
_UNFIT = (msgspec.DecodeError, UnicodeDecodeError, KeyError)
_BLOCK_BYTES = 1 << 18
"""Read and decoded at a time: what fits the processor's cache. A call a line takes half as long again."""


@dataclass(frozen=True)
class Responses:
    """Responses by unit. A unit is a sample of an item; its number is `item number * samples + sample`.

    present: which units have a response. answered: which have one that did not fail. tokens: NaN where not counted.
    ended: numbers of ENDS. served: places in servers, the models that answered; the first, None, is the one asked.
    """

    present: Bools
    answered: Bools
    seconds: Floats
    runes: Ints
    tokens: Floats
    ended: Ints
    served: Ints
    servers: tuple[str | None, ...]


@dataclass(frozen=True)
class Judged:
    """votes: by unit and judge. state: (units, judges) numbers of VERDICTS or NO_VERDICT. invalid: fields refused.

    repaired: (units, judges) whether the judge was asked twice, and its second reply counts.
    """

    votes: Votes
    state: Ints
    invalid: Ints
    repaired: Bools


class ShardReader:
    """Reads shards of one board. Records of other boards, items and judges are left out; the last of a place counts.

    What our own programs write is decoded by types that nothing else fits, and needs no other check. Whatever does not
    fit them is read again with care.
    """

    def __init__(self, benchmark: Benchmark, board: BoardFile, layout: Layout) -> None:
        self.layout, self.board, self.protocol = layout, board, PROTOCOLS[board.protocol]
        panel = benchmark.panels[board.panel]
        self.units = len(layout.placed) * board.samples
        self.judges = {judge: number for number, judge in enumerate(panel.judges)}
        self.first = {item: number * board.samples for item, number in layout.number.items()}
        self.score_names = tuple(self.protocol.score_types(()))
        self.width = len(self.score_names) + layout.slots.shape[1]
        categories = {item.category.id: item.category for item in layout.placed}
        decoders = {name: self._decoder(category.axes) for name, category in categories.items()}
        self.decoder_of = {item.id: decoders[item.category.id] for item in layout.placed}
        self.alone = len(benchmark.boards) == 1
        sample = Annotated[int, msgspec.Meta(ge=0, lt=max(each.samples for each in benchmark.boards.values()))]
        place = [("board", Literal[tuple(benchmark.boards)]), ("item", str), ("sample", sample)]
        judge = [("judge", Literal[tuple(benchmark.judges)]), ("state", Literal[VERDICTS])]
        self.answer = msgspec.defstruct("Answer", [*place, *_ANSWER], gc=False)
        self.verdict = msgspec.defstruct("Verdict", [*place, *judge, *_VERDICT], gc=False)

    def responses(self, shard: Path) -> Responses:
        """The responses in the file `shard`. Raises RunError naming the line that is no record."""
        try:
            return self._responses(_blocks(shard, self.answer))
        except _UNFIT:
            return self._responses([[answer for answer in read_records(shard, Response) if self._is_ours(answer)]])

    def judged(self, shard: Path, present: Bools) -> Judged:
        """What the judgments in the file `shard` say of the responses `present`. Raises RunError as `responses`."""
        try:
            return self._judged(_blocks(shard, self.verdict), present)
        except _UNFIT:
            judgments = (judgment for judgment in read_records(shard, Judgment) if self._is_ours(judgment))
            return self._judged([[self._mended(j) for j in judgments if j.judge in self.judges]], present)

    def _responses(self, blocks: Iterable[list[Any]]) -> Responses:
        present, answered = (np.zeros(self.units, dtype=np.bool_) for _ in range(2))
        seconds, tokens = np.zeros(self.units), np.full(self.units, nan)
        runes, ended, served = (np.zeros(self.units, dtype=np.int64) for _ in range(3))
        servers: dict[str | None, int] = {None: 0}
        for ours in map(self._of_board, blocks):
            units = np.array([self.first[answer.item] + answer.sample for answer in ours], dtype=np.int64)
            present[units] = True
            answered[units] = [answer.state == "answered" for answer in ours]
            seconds[units] = [answer.seconds for answer in ours]
            runes[units] = [len(answer.text) for answer in ours]
            tokens[units] = np.array([answer.output_tokens for answer in ours], dtype=np.float64)
            # Nearly all ended by themselves and came from the model that was asked.
            ended[units], served[units] = 0, 0
            if any(answer.served_model or answer.ended != "stop" for answer in ours):
                ended[units] = [ENDS.index(answer.ended) for answer in ours]
                served[units] = [servers.setdefault(answer.served_model, len(servers)) for answer in ours]
        return Responses(present, answered, seconds, runes, tokens, ended, served, tuple(servers))

    def _judged(self, blocks: Iterable[list[Any]], present: Bools) -> Judged:
        first, judge_of, decoder_of = self.first, self.judges, self.decoder_of
        n_judges, size = len(judge_of), self.units * len(judge_of)
        given = np.full((size, self.width), nan)
        state, invalid = np.full(size, NO_VERDICT), np.zeros(size, dtype=np.int64)
        repaired = np.zeros(size, dtype=np.bool_)
        for ours in map(self._of_board, blocks):
            cells = np.array(
                [(first[verdict.item] + verdict.sample) * n_judges + judge_of[verdict.judge] for verdict in ours],
                dtype=np.int64,
            )
            scores = chain.from_iterable([astuple(decoder_of[verdict.item](verdict.scores)) for verdict in ours])
            given[cells] = np.fromiter(scores, np.float64, cells.size * self.width).reshape(-1, self.width)
            # Nearly all are scored at once and have nothing invalid.
            ended = np.full(cells.size, VERDICTS.index("scored"))
            refused, again = np.zeros(cells.size, dtype=np.int64), np.zeros(cells.size, dtype=np.bool_)
            for place, verdict in enumerate(ours):
                if verdict.invalid or verdict.repaired or verdict.state != "scored":
                    ended[place], refused[place] = VERDICTS.index(verdict.state), len(verdict.invalid)
                    again[place] = verdict.repaired is not None
            state[cells], invalid[cells], repaired[cells] = ended, refused, again
        shape = (self.units, n_judges)
        given, state, invalid = given.reshape(*shape, -1), state.reshape(shape), invalid.reshape(shape)
        repaired = repaired.reshape(shape)
        # What is said of a response that is not there counts for nothing.
        given[~present], state[~present], invalid[~present], repaired[~present] = nan, NO_VERDICT, 0, False
        return Judged(Votes(self.score_names, given), state, invalid, repaired)

    def _of_board(self, block: list[Any]) -> list[Any]:
        return block if self.alone else [r for r in block if r.board == self.board.id and r.sample < self.board.samples]

    def _is_ours(self, record: Record) -> bool:
        place = record.board == self.board.id and record.item in self.first
        return place and 0 <= record.sample < self.board.samples

    def _decoder(self, axes: tuple[str, ...]) -> Callable[[msgspec.Raw], msgspec.Struct]:
        """From the JSON of scores to a Struct of them in the order of Votes.given; what is absent is NaN in it."""
        padding = {f" {slot}": float for slot in range(len(axes), self.layout.slots.shape[1])}
        types = {**self.protocol.score_types(axes), **padding}
        # Axes are named in specs, so their fields get names of our own.
        fields = [(f"score_{place}", kind, nan) for place, kind in enumerate(types.values())]
        rename = {field: name for (field, _, _), name in zip(fields, types, strict=True)}
        return msgspec.json.Decoder(msgspec.defstruct("Scores", fields, rename=rename, gc=False)).decode

    def _mended(self, judgment: Judgment) -> Any:
        """The judgment with its valid scores alone."""
        axes = self.layout.placed[self.layout.number[judgment.item]].category.axes
        scores = self.protocol.valid_scores(judgment.scores, axes)
        fields = {**msgspec.structs.asdict(judgment), "scores": msgspec.Raw(msgspec.json.encode(scores))}
        return msgspec.convert(fields, self.verdict)


def _blocks(shard: Path, kind: type[Any]) -> Iterator[list[Any]]:
    """The records of a shard, some thousands at a time; none if there is no such file."""
    decoder = msgspec.json.Decoder(kind)
    if shard.is_file():
        with shard.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                yield decoder.decode_lines(block + file.readline())
