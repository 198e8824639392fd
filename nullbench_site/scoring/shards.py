"""The shard of one contestant -> its observations.

What is worked on are arrays: a million judgments pass here in seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import (
    CheckResult,
    Judgment,
    RecordT,
    Response,
    Score,
    read_records,
)
from nullbench_site.scoring.layout import BoardLayout
from nullbench_site.scoring.observations import (
    ALONE,
    ENDS,
    MISSING,
    NOT_DUE,
    VERDICTS,
    Observations,
    keep,
    read_kept,
)
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import CONTROLS, BoardFile, ModelFile
from nullbench_site.stats.arrays import Bools

REVISION = 3
"""Raised when the same records would be observed differently."""
_AT_A_TIME = 4096
"""Records in memory together."""


class Instrument(Protocol):
    """What a protocol measures on a board, and by whom."""

    @property
    def benchmark(self) -> Benchmark: ...

    @property
    def board(self) -> BoardFile: ...

    @property
    def layout(self) -> BoardLayout: ...

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        """Each judge with the wording it is asked in."""
        ...

    def wording(self, template: str | None) -> str | None:
        """The wording of a task to which one that a record names belongs."""
        ...

    def asked(self, model: ModelFile) -> Bools:
        """(units, tasks) whether a task judges the answers of a contestant; (tasks,) where the item does not matter."""
        ...

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        """The scores of a judgment on an item, each with a type of which every value is valid: on all items of the
        board that have a score of the name, the same."""
        ...

    def valid_scores(self, scores: Mapping[str, Score], placed: PlacedItem) -> dict[str, Score]:
        """What of a record's scores is valid, fit for `score_types`; for records that another program wrote."""
        ...


class ShardReader:
    """Reads shards of one board: records of its items, samples and tasks, no others; the last of a place counts."""

    def __init__(self, instrument: Instrument) -> None:
        benchmark, board, layout = instrument.benchmark, instrument.board, instrument.layout
        self.benchmark, self.board, self.layout, self.instrument = benchmark, board, layout, instrument
        self.units = len(layout.placed) * board.samples
        self.first = {item: number * board.samples for item, number in layout.number.items()}
        self.tasks = {task: number for number, task in enumerate(instrument.tasks)}
        n_turns = np.array([placed.n_turns for placed in layout.placed], dtype=np.int64)
        self.turns = max(map(int, n_turns), default=1)
        self.n_turns = n_turns.repeat(board.samples)
        judged = judging(board.protocol).turn
        turn_of = [[judged(placed, task) or 0 for _, task in instrument.tasks] for placed in layout.placed]
        self.turn_of = np.array(turn_of, dtype=np.int64).reshape(len(layout.placed), -1).repeat(board.samples, axis=0)
        names = [list(instrument.score_types(placed)) for placed in layout.placed] if self.tasks else []
        self.width = max(map(len, names), default=0)
        self.names = names

    def observe(self, model: str, responses: Path, judgments: Path) -> Observations:
        """Read the files of a contestant's records. Raises RunError naming the line that is no record."""
        return self.observe_records(
            model,
            read_records(responses, Response) if responses.is_file() else (),
            read_records(judgments, Judgment) if self.tasks and judgments.is_file() else (),
        )

    def observe_records(self, model: str, responses: Iterable[Response], judgments: Iterable[Judgment]) -> Observations:
        """Observe records, of which others are of other boards, items or tasks."""
        return self._observations(model, self._answers(_blocks(self._ours(responses))), _blocks(self._ours(judgments)))

    def _ours(self, records: Iterable[RecordT]) -> Iterator[RecordT]:
        """Those of this board, of an item of it and a sample that it has."""
        board, first, samples = self.board.id, self.first, self.board.samples
        return (
            record
            for record in records
            if record.board == board and record.item in first and 0 <= record.sample < samples
            if 1 <= record.turn <= self.turns
        )

    def _answers(self, blocks: Iterable[list[Response]]) -> dict[str, Any]:
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
            ended[units] = [ENDS.index(answer.ended) for answer in ours]
            served[units] = [servers.setdefault(answer.served_model, len(servers)) for answer in ours]
            checks |= zip(units.tolist(), [answer.checks for answer in ours], strict=True)
        columns: dict[str, Any] = {
            "present": present, "answered": answered, "seconds": seconds, "runes": runes, "tokens": tokens,
            "ended": ended, "served": served, "cost": cost,
        }  # fmt: skip
        some = {unit: results for unit, results in checks.items() if results}
        return {**self._of_conversations(columns, some), "servers": tuple(servers)}

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
            "checks": {unit // self.turns: results for unit, results in checks.items()},
            "turns": answers,
        }

    def _observations(self, model: str, answers: dict[str, Any], blocks: Iterable[list[Any]]) -> Observations:
        tasks = self.tasks
        size = self.units * len(tasks)
        values, verdicts = np.full((size, self.width), nan), np.full(size, NOT_DUE)
        invalid, repaired = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.bool_)
        positions = np.full(size, ALONE)
        cost = np.zeros(size)
        for ours in blocks:
            seated = [
                (judgment, self.first[judgment.item] + judgment.sample, task)
                for judgment in ours
                if (task := tasks.get((judgment.judge, self.instrument.wording(judgment.judge_template)))) is not None
            ]
            verdicts_of = [judgment for judgment, _, _ in seated]
            cells = np.array([unit * len(tasks) + task for _, unit, task in seated], dtype=np.int64)
            values[cells] = [self._values(judgment) for judgment in verdicts_of]
            verdicts[cells] = [VERDICTS.index(judgment.state) for judgment in verdicts_of]
            invalid[cells] = [len(judgment.invalid) for judgment in verdicts_of]
            repaired[cells] = [judgment.repaired is not None for judgment in verdicts_of]
            positions[cells] = [ALONE if judgment.position is None else judgment.position for judgment in verdicts_of]
            cost[cells] = np.array([judgment.cost_usd for judgment in verdicts_of], dtype=np.float64)
        shape = (self.units, len(tasks))
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

    def _values(self, judgment: Judgment) -> list[float]:
        """(width,) the valid scores of a judgment in the order of its item's names, NaN for none."""
        number = self.layout.number[judgment.item]
        valid = self.instrument.valid_scores(judgment.scores, self.layout.placed[number])
        scores = [float(valid.get(name, nan)) for name in self.names[number]]
        return scores + [nan] * (self.width - len(scores))


def _blocks(records: Iterable[RecordT]) -> Iterator[list[RecordT]]:
    rest = iter(records)
    while block := list(islice(rest, _AT_A_TIME)):
        yield block


def observe(
    reader: ShardReader, folder: RunFolder, revision: str, cache: Path | None, *, controls: bool = False
) -> Iterator[Observations]:
    """The observations of each contestant of the board that has records, by id; of the controls instead of these.

    revision: of the protocol. cache: a folder to keep them in, each by the digest of what it was made from, or None to
    work all out anew, as verification does.
    """
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
