"""The shard of one contestant -> its observations.

What is worked on are arrays: a million judgments pass here in seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import msgspec
import numpy as np
from msgspec.structs import astuple

from nullbench_site.protocols.base import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import (
    CheckResult,
    Count,
    Dollars,
    Hidden,
    Judgment,
    RecordT,
    Response,
    Score,
    Seconds,
    read_records,
)
from nullbench_site.scoring.layout import BoardLayout
from nullbench_site.scoring.observations import (
    ALONE,
    ENDS,
    MISSING,
    NOT_DUE,
    SCORED,
    VERDICTS,
    Observations,
    keep,
    read_kept,
)
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.types import CONTROLS, BoardFile, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints

REVISION = 3
"""Raised when the same records would be observed differently."""
_UNFIT = (*NOT_JSON, KeyError)
"""What is raised by a record that is not of the form our own programs write, or of no item or judge of the board."""
_ANSWER = (
    ("state", Literal["answered", "errored"]),
    ("text", str),
    ("seconds", Seconds | None),
    ("output_tokens", Count, nan),
    ("ended", Literal[ENDS], ENDS[0]),
    ("served_model", str | None, None),
    ("checks", tuple[CheckResult, ...], ()),
    ("hidden", Hidden | None, None),
    ("cost_usd", Dollars, nan),
)
"""What scoring reads of a Response, beside its place."""
_VERDICT = (
    ("judge", str),
    ("judge_template", str | None),
    ("position", Literal[0, 1] | None),
    ("state", Literal[VERDICTS[:MISSING]]),
    ("invalid", dict[str, str]),
    ("repaired", str | None, None),
    ("cost_usd", Dollars, nan),
)
"""What scoring reads of a Judgment, beside its place and scores."""
_NUMBERS = np.full(256, nan)
"""What MessagePack writes as one byte, by that byte: 0 to 127, -32 to -1, false and true; NaN for nil."""
_NUMBERS[:0x80], _NUMBERS[0xE0:], _NUMBERS[[0xC2, 0xC3]] = np.arange(128), np.arange(-32, 0), (0, 1)
_BLOCK_BYTES = 1 << 18
"""Read and decoded at a time: what fits the processor's cache. A call a line takes half as long again, as do blocks so
large that the system gives and takes their memory each time."""


class Instrument(Protocol):
    """What a protocol measures on a board, and by whom."""

    @property
    def benchmark(self) -> Benchmark: ...

    @property
    def board(self) -> BoardFile: ...

    @property
    def layout(self) -> BoardLayout: ...

    @property
    def seats(self) -> Sequence[tuple[str, str | None]]:
        """Each judge with the wording it is asked in."""
        ...

    def wording(self, template: str | None) -> str | None:
        """The wording of a seat to which one that a record names belongs."""
        ...

    def asked(self, model: ModelFile) -> Bools:
        """(units, seats) whether a seat judges the answers of a contestant; (seats,) where the item does not matter."""
        ...

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        """The scores of a judgment on an item, each with a type of which every value is valid: on all items of the
        board that have a score of the name, the same."""
        ...

    def valid_scores(self, scores: Mapping[str, Score], placed: PlacedItem) -> dict[str, Score]:
        """What of a record's scores is valid, fit for `score_types`; for records that another program wrote."""
        ...


class ShardReader:
    """Reads shards of one board: records of its items, samples and seats, no others; the last of a place counts.

    What our own programs write is decoded by types that nothing else fits, and needs no other check. Whatever does not
    fit them is read again with care.
    """

    def __init__(self, instrument: Instrument) -> None:
        benchmark, board, layout = instrument.benchmark, instrument.board, instrument.layout
        self.benchmark, self.board, self.layout, self.instrument = benchmark, board, layout, instrument
        self.units = len(layout.placed) * board.samples
        self.first = {item: number * board.samples for item, number in layout.number.items()}
        self.seats = {seat: number for number, seat in enumerate(instrument.seats)}
        self.first_cell = {item: unit * len(self.seats) for item, unit in self.first.items()}
        self.seat_of: dict[str, dict[str | None, int]] = {}
        for (judge, wording), number in self.seats.items():
            self.seat_of.setdefault(judge, {})[wording] = number
        bridging = {judge.id: judge.bridges.judge for judge in benchmark.judges.values() if judge.bridges is not None}
        self.strangers = {*bridging, *bridging.values()} - {judge for judge, _ in instrument.seats}
        sample = Annotated[int, msgspec.Meta(ge=0)]
        place = [("board", Literal[tuple(benchmark.boards)]), ("item", str), ("sample", sample)]
        n_turns = np.array([placed.n_turns for placed in layout.placed], dtype=np.int64)
        self.turns = max(map(int, n_turns), default=1)
        self.n_turns = n_turns.repeat(board.samples)
        turn = ("turn", Annotated[int, msgspec.Meta(ge=1, le=self.turns)], 1)
        self.answer = msgspec.defstruct("Answer", [*place, *_ANSWER, turn], gc=False)
        judged = judging(board.protocol).turn
        turn_of = [[judged(placed, seat) or 0 for _, seat in instrument.seats] for placed in layout.placed]
        self.turn_of = np.array(turn_of, dtype=np.int64).reshape(len(layout.placed), -1).repeat(board.samples, axis=0)
        types = {item.id: instrument.score_types(item) for item in layout.placed} if self.seats else {}
        self.width = max(map(len, types.values()), default=0)
        names = {name: kind for of_item in types.values() for name, kind in of_item.items()}
        field_of = {name: place for place, name in enumerate(names)}
        slots = np.full((len(types), self.width), len(names))  # behind the last is what an item with fewer lacks
        for own, of_item in zip(slots, types.values(), strict=True):
            own[: len(of_item)] = [field_of[name] for name in of_item]
        self.slots = slots.repeat(board.samples, axis=0)
        # Scores may be named in specs, so their fields get names of our own.
        fields = [(f"score_{place}", kind, None) for place, kind in enumerate([*names.values(), float])]
        rename = {field: name for (field, _, _), name in zip(fields, [*names, " "], strict=True)}
        scores = msgspec.defstruct("Scores", fields, rename=rename, gc=False)
        self.scores = list[scores]  # type: ignore[valid-type]
        self.verdict = msgspec.defstruct("Verdict", [*place, ("scores", scores), *_VERDICT], gc=False)

    def observe(self, model: str, responses: Path, judgments: Path) -> Observations:
        """From the files of a contestant's records. Raises RunError naming the line that is no record."""
        try:
            answers = self._answers(self._blocks(responses, self.answer))
        except _UNFIT:
            answers = self._answers([self._ours(read_records(responses, Response))])
        if not self.seats:
            return self._observations(model, answers, [])
        try:
            return self._observations(model, answers, self._blocks(judgments, self.verdict))
        except _UNFIT:
            return self._observations(model, answers, [self._mended(self._ours(read_records(judgments, Judgment)))])

    def observe_records(self, model: str, responses: Iterable[Response], judgments: Iterable[Judgment]) -> Observations:
        """The same of records that are at hand, of which others are of other boards, items or seats."""
        answers, verdicts = self._answers([self._ours(responses)]), self._ours(judgments)
        try:
            return self._observations(model, answers, [verdicts])
        except _UNFIT:
            return self._observations(model, answers, [self._mended(verdicts)])

    def _blocks(self, shard: Path, kind: type[Any]) -> Iterator[list[Any]]:
        """The records of this board in a shard, some hundreds at a time; none if there is no such file.

        Raises one of _UNFIT.
        """
        decoder = msgspec.json.Decoder(kind)
        board, samples = self.board.id, self.board.samples
        if shard.is_file():
            with shard.open("rb") as file:
                while block := file.read(_BLOCK_BYTES):
                    records = decoder.decode_lines(block + file.readline())
                    if self.strangers and kind is self.verdict:
                        records = [record for record in records if record.judge not in self.strangers]
                    yield [record for record in records if record.board == board and record.sample < samples]

    def _ours(self, records: Iterable[RecordT]) -> list[RecordT]:
        """Those of this board, of an item of it and a sample that it has."""
        board, first, samples = self.board.id, self.first, self.board.samples
        return [
            record
            for record in records
            if record.board == board and record.item in first and 0 <= record.sample < samples
            if 1 <= record.turn <= self.turns
        ]

    def _mended(self, judgments: Iterable[Judgment]) -> list[Judgment]:
        """Those of the board's seats, with their valid scores alone."""
        mended = []
        for judgment in judgments:
            wording = self.instrument.wording(judgment.judge_template)
            if (judgment.judge, wording) in self.seats:
                placed = self.layout.placed[self.layout.number[judgment.item]]
                scores = self.instrument.valid_scores(judgment.scores, placed)
                mended.append(msgspec.structs.replace(judgment, judge_template=wording, scores=scores))
        return mended

    def _answers(self, blocks: Iterable[list[Any]]) -> dict[str, Any]:
        size = self.units * self.turns
        present, answered = (np.zeros(size, dtype=np.bool_) for _ in range(2))
        seconds, tokens, cost = np.zeros(size), np.full(size, nan), np.full(size, nan)
        runes, ended, served = (np.zeros(size, dtype=np.int64) for _ in range(3))
        servers: dict[str | None, int] = {None: 0}
        checks: dict[int, tuple[CheckResult, ...]] = {}
        for ours in blocks:
            units = np.array([self.first[answer.item] + answer.sample for answer in ours], dtype=np.int64)
            units = units * self.turns + np.array([answer.turn - 1 for answer in ours], dtype=np.int64)
            present[units] = True
            answered[units] = [answer.state == "answered" for answer in ours]
            seconds[units] = np.array([answer.seconds for answer in ours], dtype=np.float64)
            runes[units] = [len(answer.text) if answer.hidden is None else answer.hidden.runes for answer in ours]
            tokens[units] = np.array([answer.output_tokens for answer in ours], dtype=np.float64)
            cost[units] = np.array([answer.cost_usd for answer in ours], dtype=np.float64)
            # Nearly all ended by themselves and came from the model that was asked.
            ended[units], served[units] = 0, 0
            if any(answer.served_model or answer.ended != "stop" for answer in ours):
                ended[units] = [ENDS.index(answer.ended) for answer in ours]
                served[units] = [servers.setdefault(answer.served_model, len(servers)) for answer in ours]
            if checks or any(answer.checks for answer in ours):
                checks |= zip(units.tolist(), [answer.checks for answer in ours], strict=True)
        columns: dict[str, Any] = {
            "present": present, "answered": answered, "seconds": seconds, "runes": runes, "tokens": tokens,
            "ended": ended, "served": served, "cost": cost,
        }  # fmt: skip
        return {**self._of_conversations(columns, checks), "servers": tuple(servers)}

    def _of_conversations(self, columns: dict[str, Any], checks: dict[int, Any]) -> dict[str, Any]:
        """What answers turn by turn, (units * turns,), come to; `turns` is how many were answered."""
        if self.turns == 1:
            return {**columns, "checks": checks, "turns": columns["answered"].astype(np.int64)}
        by_turn = {name: column.reshape(-1, self.turns) for name, column in columns.items()}
        asked = np.arange(self.turns) < self.n_turns[:, np.newaxis]
        answers = (asked & by_turn["answered"]).sum(axis=1)
        failed = (asked & by_turn["present"] & ~by_turn["answered"]).any(axis=1)
        # Behind a turn that failed nothing is asked, and that costs nothing.
        due = asked & (by_turn["present"] | ~failed[:, np.newaxis])
        return {
            **{name: np.where(due, by_turn[name], 0).sum(axis=1) for name in ("seconds", "runes", "tokens", "cost")},
            **{name: np.where(due, by_turn[name], 0).max(axis=1) for name in ("ended", "served")},
            "present": failed | (answers == self.n_turns),
            "answered": answers == self.n_turns,
            "checks": {unit // self.turns: results for unit, results in checks.items() if results},
            "turns": answers,
        }

    def _observations(self, model: str, answers: dict[str, Any], blocks: Iterable[list[Any]]) -> Observations:
        seats = self.seats
        size = self.units * len(seats)
        values, verdicts = np.full((size, self.width), nan), np.full(size, NOT_DUE)
        invalid, repaired = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.bool_)
        positions = np.full(size, ALONE)
        cost = np.zeros(size)
        for ours in blocks:
            cells = self._cells(ours)
            scores = msgspec.convert([verdict.scores for verdict in ours], self.scores)  # of records at hand, maps
            values[cells] = _numbers(scores, self.slots[cells // len(seats)])
            verdicts[cells], invalid[cells], repaired[cells] = SCORED, 0, False
            unusual = [
                place
                for place, verdict in enumerate(ours)
                if verdict.invalid or verdict.repaired or verdict.state != "scored"
            ]
            if unusual:  # of a few; in arrays of all, as a later record of the same place counts
                ends, faults = np.full(cells.size, SCORED), np.zeros(cells.size, dtype=np.int64)
                twice = np.zeros(cells.size, dtype=np.bool_)
                for place in unusual:
                    verdict = ours[place]
                    ends[place], faults[place] = VERDICTS.index(verdict.state), len(verdict.invalid)
                    twice[place] = verdict.repaired is not None
                verdicts[cells], invalid[cells], repaired[cells] = ends, faults, twice
            positions[cells] = [ALONE if verdict.position is None else verdict.position for verdict in ours]
            cost[cells] = np.array([verdict.cost_usd for verdict in ours], dtype=np.float64)
        shape = (self.units, len(seats))
        given = values.reshape(*shape, self.width)
        ended, refused, again = verdicts.reshape(shape), invalid.reshape(shape), repaired.reshape(shape)
        # What is said where no verdict is due counts for nothing.
        may = self.instrument.asked(self.benchmark.answerer(model))
        due = (answers["turns"][:, np.newaxis] >= self.turn_of) & (self.turn_of > 0) & may
        given[~due], ended[~due], refused[~due], again[~due] = nan, NOT_DUE, 0, False
        ended[due & (ended == NOT_DUE)] = MISSING
        return Observations(
            model=model,
            **answers | {"cost": answers["cost"] + cost.reshape(shape).sum(axis=1)},
            values=given,
            verdicts=ended,
            invalid=refused,
            repaired=again,
            positions=positions.reshape(shape),
        )

    def _cells(self, ours: Sequence[Any]) -> Ints:
        """(n,) the place of each verdict, unit * seats + seat. Raises KeyError for one of no item or seat."""
        first, seat_of = self.first_cell, self.seat_of
        cells = np.array([first[each.item] + seat_of[each.judge][each.judge_template] for each in ours], dtype=np.int64)
        if self.board.samples > 1:
            cells += np.array([each.sample for each in ours], dtype=np.int64) * len(self.seats)
        return cells


def _numbers(scores: Sequence[msgspec.Struct], slots: Ints) -> Floats:
    """(n, width) the scores of each verdict. slots: (n, width) the number of the field of each."""
    given = list(map(astuple, scores))
    # Nearly all are truth values and small integers, and bytes become numbers in a quarter of the time objects do.
    packed = msgspec.msgpack.encode(given)
    width = len(given[0]) if given else 0
    size = len(msgspec.msgpack.encode((None,) * width))
    start = len(packed) - len(given) * size
    if start == len(msgspec.msgpack.encode([None] * len(given))) - len(given):
        first = np.arange(start + size - width, len(packed), size)
        numbers: Floats = _NUMBERS[np.frombuffer(packed, np.uint8)[first[:, np.newaxis] + slots]]
        return numbers
    return np.take_along_axis(np.array(given, dtype=np.float64), slots, axis=1)


def observe(
    reader: ShardReader, folder: RunFolder, revision: str, cache: Path | None, *, controls: bool = False
) -> Iterator[Observations]:
    """The observations of each contestant of the board that has records, by id; of the controls instead of these.

    revision: of the protocol. cache: a folder to keep them in, each by the digest of what it was made from, or None to
    work all out anew, as verification does.
    """
    folder.require_records()
    present = set(folder.models())
    for model in CONTROLS.values() if controls else reader.benchmark.contestants(reader.board):
        if model.id not in present:
            continue
        kept = None if cache is None else cache / f"{_digest(revision, folder, reader.board, model.id)}.msgpack"
        observations = read_kept(kept)
        if observations is None:
            shards = folder.shard(Response, model.id), folder.shard(Judgment, model.id)
            observations = reader.observe(model.id, *shards)
            if kept is not None:
                keep(kept, observations)
        yield observations


def _digest(revision: str, folder: RunFolder, board: BoardFile, model: str) -> str:
    names = f"{revision} {REVISION} {board.id} {model} {folder.manifest.calls_digest}"
    digest = hashlib.sha256(names.encode())
    for kind in (Response, Judgment):
        shard = folder.shard(kind, model)
        if shard.is_file():
            with shard.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
