"""How a contestant answered and what each judge gave, as its records say, in arrays. No text is kept.

No observation knows of another contestant, so a board is a reduction over shards, and one more contestant costs one
more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any, Protocol, get_args

import msgspec
import numpy as np

from nullbench_site.errors import StorageError
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import (
    CheckResult,
    Ended,
    Judgment,
    RecordT,
    Response,
    Score,
    read_records,
)
from nullbench_site.runs.storage import read_cache, write_cache
from nullbench_site.scoring.layout import BoardLayout
from nullbench_site.scoring.results import significant
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import CONTROLS, BoardFile, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import percentile, stability, throughput_runes_per_s, tokens_per_s

VERDICTS = ("scored", "unparsed", "errored", "missing")
"""How a verdict that an answer needs ended, by number; missing: nobody was asked for it yet."""
SCORED, UNPARSED, ERRORED, MISSING = range(len(VERDICTS))
NOT_DUE = -1
"""The number where no verdict is needed: no answer to judge, or a judge that may not."""
ALONE = -1
"""The position of an answer that a judge was shown alone, or nobody knows where."""
ENDS: tuple[Ended, ...] = get_args(Ended)
"""Why an answer ended, by number; the first is that of an answer which ended by itself."""
UNTIMED = "answers came without the time they took"
NO_TEXTS = "the texts are not in the data"


class Observations(msgspec.Struct, kw_only=True):
    """What the records of one contestant on one board say.

    A unit is a sample of an item, all turns of it; its number is `item number * samples + sample`. A task is a judge
    with a wording.
    present: (units,) which have a response, at every turn or up to one that failed. answered: which have one that did
    not fail, at every turn. turns: how many were answered. seconds, runes, tokens: sums over turns, NaN where not
    measured. ended: numbers of ENDS, of several turns the highest. served: places in servers, the models that answered;
    the first, None, is the one asked.
    checks: unit -> what programs found in the answer, where there is anything.
    values: (units, tasks, scores) what each task gave, NaN for nothing valid; the scores of an item in the order in
    which its protocol names them. verdicts: (units, tasks) numbers of VERDICTS, or NOT_DUE. invalid: (units, tasks)
    fields refused. repaired: whether the judge was asked twice, and its second reply counts. positions: (units, tasks)
    where the answer stood of two: 0 first, 1 second, or ALONE. cost: (units,) US dollars
    of the answer and of all verdicts on it; NaN where one of them has no price.
    """

    model: str
    present: Bools
    answered: Bools
    turns: Ints
    seconds: Floats
    runes: Ints
    tokens: Floats
    ended: Ints
    served: Ints
    servers: tuple[str | None, ...]
    checks: dict[int, tuple[CheckResult, ...]]
    values: Floats
    verdicts: Ints
    invalid: Ints
    repaired: Bools
    positions: Ints
    cost: Floats

    def judged_by(self, tasks: Bools) -> Observations:
        """The same as if these tasks, (tasks,), had been asked alone; its cost is that of all."""
        return msgspec.structs.replace(
            self,
            values=np.where(tasks[:, np.newaxis], self.values, nan),
            verdicts=np.where(tasks, self.verdicts, NOT_DUE),
            invalid=np.where(tasks, self.invalid, 0),
            repaired=self.repaired & tasks,
        )

    @property
    def silent(self) -> Bools:
        """(units,) answers that no task replied about: none was asked yet, or all calls failed; none without tasks."""
        replied = (self.verdicts == SCORED) | (self.verdicts == UNPARSED)
        silent: Bools = self.answered & ~replied.any(axis=1) & (self.verdicts.shape[1] > 0)
        return silent


def read_kept(kept: Path | None) -> Observations | None:
    """Those that were kept at a place; None where there are none to be used."""
    content = None if kept is None else read_cache(kept)
    try:
        return None if content is None else msgspec.msgpack.decode(content, type=Observations, dec_hook=_array)
    except (msgspec.DecodeError, ValueError):
        return None  # those of another time are only to be made again


def keep(kept: Path, observations: Observations) -> None:
    """Keep them for `read_kept`, where that is possible."""
    try:
        write_cache(kept, msgspec.msgpack.encode(observations, enc_hook=_packed))
    except StorageError:
        return  # without the cache the next build is slower, not wrong


def _packed(array: Any) -> Any:
    return array.dtype.str, array.shape, array.tobytes()


def _array(kind: Any, packed: Any) -> Any:
    dtype, shape, content = packed
    return np.frombuffer(content, dtype=dtype).reshape(shape)


def telemetry(observations: Observations) -> dict[str, Any]:
    """The columns of a board's row that come from answered responses alone; `absent` says why some are None.

    Tokens are exact if the endpoint counted those of every answer. served_by: the models that answered in place of the
    one asked -> how many answers.
    """
    chosen = observations.answered
    seconds, runes, tokens = (of[chosen] for of in (observations.seconds, observations.runes, observations.tokens))
    exact = bool(chosen.any() and not np.isnan(tokens).any())
    timed = not np.isnan(seconds).any()  # a part of the times would be those of a part of the answers
    seconds = seconds if timed else seconds[:0]
    untimed = Measure.undefined(UNTIMED)
    measures: dict[str, Measure] = {
        "throughput_rps": throughput_runes_per_s(runes, seconds) if timed else untimed,
        "throughput_tps": tokens_per_s(runes, seconds, tokens if exact else None) if timed else untimed,
    }
    steady = stability(seconds) if timed else UNTIMED
    absent = {name: measure.reason for name, measure in measures.items() if measure.reason}
    if isinstance(steady, str):
        absent["stability"] = steady
    if not timed and runes.size and not runes.any():  # whoever brings verdicts alone has no texts to measure
        runes, absent["median_response_length"] = runes[:0], NO_TEXTS
    ends = np.bincount(observations.ended[chosen], minlength=len(ENDS)).tolist()
    served = np.bincount(observations.served[chosen], minlength=len(observations.servers)).tolist()
    return dict(
        stability=None if isinstance(steady, str) else round(steady.score, 2),
        stability_tail=None if isinstance(steady, str) else round(steady.tail, 2),
        stability_extremes=None if isinstance(steady, str) else round(steady.extremes, 2),
        stability_jitter=None if isinstance(steady, str) else round(steady.jitter, 2),
        **{name: significant(rate.value, 2) for name, rate in measures.items()},
        tokens_exact=exact,
        median_response_time_ms=significant(percentile(1000 * seconds, 50), 3),
        p95_response_time_ms=significant(percentile(1000 * seconds, 95), 3),
        max_response_time_ms=significant(percentile(1000 * seconds, 100), 3),
        median_response_length=percentile(runes, 50),
        **{f"ended_{end}": n for end, n in zip(ENDS, ends, strict=True) if end != "stop"},
        served_by={name: n for name, n in sorted(zip(observations.servers[1:], served[1:], strict=True)) if name and n},
        absent=absent,
    )


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
