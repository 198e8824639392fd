"""The records of one contestant as arrays: how it answered, and what each judge gave. Texts are not kept.

Observations of one contestant do not depend on others, so one more contestant costs one more shard.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from itertools import starmap
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import msgspec
import numpy as np
from msgspec.structs import astuple

from nullbench_site.errors import StorageError
from nullbench_site.judging.protocol import judging
from nullbench_site.judging.style import Marks, marks
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
from nullbench_site.scoring.results import significant
from nullbench_site.specs.types import CONTROLS
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import percentile, stability, throughput_runes_per_s, tokens_per_s

if TYPE_CHECKING:
    from nullbench_site.scoring.scorer import Scorer

VERDICTS = ("scored", "unparsed", "errored", "missing")
"""How a verdict ended; codes are places in this list. missing: not requested yet."""
SCORED_VERDICT, UNPARSED_VERDICT, ERRORED_VERDICT, MISSING = range(len(VERDICTS))
NOT_DUE = -1
"""The code if no verdict is needed: there is no answer to judge, or the judge may not judge it."""
ALONE = -1
"""The position of an answer that was shown alone, or whose position is unknown."""
ENDS: tuple[Ended, ...] = get_args(Ended)
"""Why an answer ended; codes are places in this list. The first: it ended by itself."""
UNTIMED = "answers came without the time they took"
NO_TEXTS = "the texts are not in the data"


def replied(verdicts: Ints) -> Bools:
    """Return whether a judge replied, readable or not."""
    return np.isin(verdicts, (SCORED_VERDICT, UNPARSED_VERDICT))


class Observations(msgspec.Struct, kw_only=True):
    """The records of one contestant on one board as arrays.

    A unit is a draw of an item with all its turns: a wording of the prompt and a sample. Its number is `(item number *
    wordings + wording) * samples + sample`. A task is a judge with a template.

    present: (units,) which have a response, at every turn or up to one that failed. answered: which have a response to
    every turn, none of which failed. turns: how many turns were answered. seconds, runes, tokens: sums over turns, NaN
    if not measured. marks: (units, 3) headers, list items and bold passages of Markdown, sums over turns; NaN for texts
    that are not in the data, and where no score needs them. ended: places in ENDS; with several turns, the highest.
    served: places in `servers`, the models that answered; the first, None, is the requested model. checks: what
    programs found in the answers, for units where they found anything. confidence, stated_confidence: 0-1, of the last
    turn; NaN for none.

    values: (units, tasks, scores) the valid scores, NaN for none, in the order in which the protocol names the scores
    of the item. verdicts: (units, tasks) places in VERDICTS, or NOT_DUE. invalid: (units, tasks) how many fields were
    invalid. repaired: whether the judge was asked twice and the second reply counts. positions: (units, tasks) where
    the answer stood of two: 0 first, 1 second, or ALONE. forms: form -> (tasks,) how many replies have it; forms that
    none has are left out. cost: (units,) US dollars for the answer and all its verdicts;
    NaN if one of them has no price. parts: (units, parts) the weights of the parts of an answer that judges are asked
    about one by one, 0 for none; (0, 0) if judges are asked about whole answers.
    """

    model: str
    present: Bools
    answered: Bools
    turns: Ints
    seconds: Floats
    runes: Ints
    tokens: Floats
    marks: Floats
    ended: Ints
    served: Ints
    servers: tuple[str | None, ...]
    checks: dict[int, tuple[CheckResult, ...]]
    confidence: Floats
    stated_confidence: Floats
    values: Floats
    verdicts: Ints
    invalid: Ints
    repaired: Bools
    positions: Ints
    cost: Floats
    forms: dict[str, Ints] = {}
    parts: Floats = msgspec.field(default_factory=lambda: np.zeros((0, 0)))

    def judged_by(self, tasks: Bools) -> Observations:
        """Return the observations with the verdicts of these tasks, (tasks,), only. The cost stays that of all."""
        return msgspec.structs.replace(
            self,
            values=np.where(tasks[:, np.newaxis], self.values, nan),
            verdicts=np.where(tasks, self.verdicts, NOT_DUE),
            invalid=np.where(tasks, self.invalid, 0),
            repaired=self.repaired & tasks,
            forms={form: np.where(tasks, counts, 0) for form, counts in self.forms.items()},
        )

    def at(self, units: Ints) -> Observations:
        """Return the observations of these units, in this order."""
        arrays = {name: getattr(self, name)[units] for name in _OF_UNITS}
        checks = {place: self.checks[unit] for place, unit in enumerate(units.tolist()) if unit in self.checks}
        parts = self.parts[units] if self.parts.size else self.parts
        return msgspec.structs.replace(self, **arrays, checks=checks, parts=parts)

    @property
    def silent(self) -> Bools:
        """(units,) answers without a reply of any task: not requested yet, or all calls failed.

        False on boards without tasks.
        """
        silent: Bools = self.answered & ~replied(self.verdicts).any(axis=1) & (self.verdicts.shape[1] > 0)
        return silent


_OF_UNITS = tuple(
    name for name in Observations.__struct_fields__ if name not in ("model", "servers", "checks", "forms", "parts")
)
"""The fields with a row for each unit."""


def read_kept(kept: Path | None) -> Observations | None:
    """Read cached observations; None if there are none that can be used."""
    content = None if kept is None else read_cache(kept)
    try:
        return None if content is None else msgspec.msgpack.decode(content, type=Observations, dec_hook=_array)
    except (msgspec.DecodeError, ValueError):
        return None  # those of another time are only to be made again


def keep(kept: Path, observations: Observations) -> None:
    """Cache observations for `read_kept`, if possible."""
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
    """Return the columns of a row that depend only on answered responses; `absent` has the reasons for absent ones.

    tokens_exact: whether the endpoint counted the tokens of every answer. served_by: for each model that answered
    instead of the requested one, how many answers it gave.
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


REVISION = 5
"""Raise it when the same records would be observed differently."""
_CONFIDENCES = ("confidence", "stated_confidence")
_SUMS = ("seconds", "runes", "tokens", "cost", *Marks._fields)
"""What is added up over turns."""
_NO_TEXT = (nan,) * len(Marks._fields)


class ShardReader:
    """Reads the records of one board from shards: those of its items, samples and tasks.

    The last record of a call counts. base: the observations of the scorer's base, as recorded; `observe` reads them.
    """

    base: Observations | None = None

    def __init__(self, scorer: Scorer[Any, Any, Any]) -> None:
        benchmark, board, layout = scorer.benchmark, scorer.board, scorer.layout
        self.benchmark, self.board, self.layout, self.scorer = benchmark, board, layout, scorer
        self.units = len(layout.placed) * board.draws
        self.first = {item: number * board.draws for item, number in layout.number.items()}
        recorded = scorer.recorded_tasks
        self.tasks = {task: number for number, task in enumerate(recorded)}
        n_turns = np.array([placed.n_turns for placed in layout.placed], dtype=np.int64)
        self.turns = max(map(int, n_turns), default=1)
        self.n_turns = n_turns.repeat(board.draws)
        judged = judging(board.protocol).turn
        turn_of = [[judged(placed, task) or 0 for _, task in recorded] for placed in layout.placed]
        self.turn_of = np.array(turn_of, dtype=np.int64).reshape(len(layout.placed), -1).repeat(board.draws, axis=0)
        of_items = {each.id: tuple(scorer.score_types(each).items()) for each in layout.placed} if self.tasks else {}
        structs = {types: _struct_of(types) for types in set(of_items.values())}
        self.part_of = np.array([-1 if (part := scorer.part_of(task)) is None else part for _, task in recorded])
        self.width = max(map(len, of_items.values()), default=0)
        self.scores_of = {
            item: (structs[types], (nan,) * (self.width - len(types))) for item, types in of_items.items()
        }

    @property
    def n_parts(self) -> int:
        """The most parts of an answer that judges are asked about one by one."""
        return int(self.part_of.max(initial=-1)) + 1

    def observe(self, model: str, responses: Path, judgments: Path) -> Observations:
        """Read the files of a contestant's records, as recorded. Raises RunError, which names the damaged line."""
        return self.as_recorded(
            model,
            read_records(responses, Response) if responses.is_file() else (),
            read_records(judgments, Judgment) if self.tasks and judgments.is_file() else (),
        )

    def observe_records(self, model: str, responses: Iterable[Response], judgments: Iterable[Judgment]) -> Observations:
        """Observe the records of this board; others are skipped."""
        return self.settled(self.as_recorded(model, responses, judgments))

    def settled(self, observations: Observations) -> Observations:
        """Return observations as recorded with one task where the scorer has one."""
        return self.scorer.settled(observations, self.base)

    def as_recorded(self, model: str, responses: Iterable[Response], judgments: Iterable[Judgment]) -> Observations:
        """Observe the records of this board by the recorded tasks, which is what the cache keeps."""
        answers = self._answers(self._ours(model, responses))
        if not self.benchmark.answerer(model).timed:
            answers["seconds"] = np.full_like(answers["seconds"], nan)
        return self._observations(model, answers, self._ours(model, judgments))

    def _ours(self, model: str, records: Iterable[RecordT]) -> Iterator[tuple[int, RecordT]]:
        """Yield the records of this board's items, wordings and samples, each with its unit."""
        board, first, samples = self.board, self.first, self.board.samples
        answered = board.wordings_for(self.benchmark.answerer(model))
        start = {template: place * samples for place, template in enumerate(answered)}
        only = 0 if len(board.wordings) == 1 else None  # the template of imported records may have another name
        for record in records:
            of_item, of_wording = first.get(record.item), start.get(record.template, only)
            if record.board != board.id or of_item is None or of_wording is None:
                continue
            if 0 <= record.sample < samples and 1 <= record.turn <= self.turns:
                yield of_item + of_wording + record.sample, record

    def _answers(self, responses: Iterable[tuple[int, Response]]) -> dict[str, Any]:
        size = self.units * self.turns
        columns: dict[str, Any] = {  # in the order of a row
            **{name: np.zeros(size, np.bool_) for name in ("present", "answered")},
            **{name: np.zeros(size, np.int64) for name in ("runes", "ended", "served")},
            "seconds": np.zeros(size),
            **{name: np.full(size, nan) for name in ("tokens", "cost", *_CONFIDENCES, *Marks._fields)},
        }
        servers: dict[str | None, int] = {None: 0}
        rows: dict[int, tuple[float | None, ...]] = {}
        checks: dict[int, tuple[CheckResult, ...]] = {}
        parts = np.zeros((self.units, self.n_parts) if self.n_parts else (0, 0))
        marked = self.scorer.MARKS and bool(self.tasks)
        for draw, answer in responses:
            unit = draw * self.turns + answer.turn - 1
            runes = len(answer.text) if answer.hidden is None else answer.hidden.runes
            answered, ended = answer.state == "answered", ENDS.index(answer.ended)
            served = servers.setdefault(answer.served_model, len(servers))
            numbers = answer.seconds, answer.output_tokens, answer.cost_usd
            confidences = answer.confidence, answer.stated_confidence
            seen = marks(answer.text) if marked and answer.hidden is None else _NO_TEXT
            rows[unit] = (True, answered, runes, ended, served, *numbers, *confidences, *seen)
            checks[unit] = answer.checks
            if self.n_parts and answered and answer.hidden is None:
                weights = self.scorer.parts(self.layout.placed[draw // self.board.draws], answer.text)
                parts[draw] = 0.0
                parts[draw, : len(weights)] = weights
        if rows:
            at, values = np.array(list(rows)), np.array(list(rows.values()), np.float64)
            for column, of in zip(columns.values(), values.T, strict=True):
                column[at] = of
        some = {unit: results for unit, results in checks.items() if results}
        found = self._of_conversations(columns, some)
        of_texts = np.column_stack([found.pop(name) for name in Marks._fields])
        return {**found, "marks": of_texts, "servers": tuple(servers), "parts": parts}

    def _of_conversations(self, columns: dict[str, Any], checks: dict[int, Any]) -> dict[str, Any]:
        """Combine the turns of conversations, (units * turns,). `turns`: how many were answered."""
        if self.turns == 1:
            return {**columns, "checks": checks, "turns": columns["answered"].astype(np.int64)}
        by_turn = {name: column.reshape(-1, self.turns) for name, column in columns.items()}
        asked = np.arange(self.turns) < self.n_turns[:, np.newaxis]
        answers = (asked & by_turn["answered"]).sum(axis=1)
        failed = (asked & by_turn["present"] & ~by_turn["answered"]).any(axis=1)
        # After a turn that failed, no further turn is requested, which costs nothing.
        due = asked & (by_turn["present"] | ~failed[:, np.newaxis])
        return {
            **{name: np.where(due, by_turn[name], 0).sum(axis=1) for name in _SUMS},
            **{name: np.where(due, by_turn[name], 0).max(axis=1) for name in ("ended", "served")},
            **{name: by_turn[name][np.arange(self.units), self.n_turns - 1] for name in _CONFIDENCES},
            "present": failed | (answers == self.n_turns),
            "answered": answers == self.n_turns,
            "checks": {unit // self.turns: results for unit, results in checks.items()},
            "turns": answers,
        }

    def _observations(
        self, model: str, answers: dict[str, Any], judgments: Iterable[tuple[int, Judgment]]
    ) -> Observations:
        units: list[int] = []
        tasks: list[int] = []
        values: list[Score] = []
        others: list[float | None] = []
        forms: dict[str, list[tuple[int, int]]] = {}
        task_of = cache(lambda judge, template: self.tasks.get((judge, self.scorer.wording(template))))
        for unit, judgment in judgments:
            task = task_of(judgment.judge, judgment.judge_template)
            if task is None:
                continue
            units.append(unit)
            tasks.append(task)
            for form in judgment.forms:
                forms.setdefault(form, []).append((unit, task))
            kind, none = self.scores_of[judgment.item]
            try:
                values += astuple(msgspec.convert(judgment.scores, kind))
            except msgspec.ValidationError:
                placed = self.layout.placed[self.layout.number[judgment.item]]
                values += astuple(msgspec.convert(self.scorer.valid_scores(judgment.scores, placed), kind))
            values += none
            position = ALONE if judgment.position is None else judgment.position
            state, invalid, repaired = judgment.state, len(judgment.invalid), judgment.repaired is not None
            others += VERDICTS.index(state), position, invalid, repaired, judgment.cost_usd
        shape = self.units, len(self.tasks)
        given, cost = np.full((*shape, self.width), nan), np.zeros(shape)
        ended, positions = np.full(shape, NOT_DUE), np.full(shape, ALONE)
        refused, again = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        if units:
            cells = np.array(units), np.array(tasks)
            given[cells] = np.array(values, np.float64).reshape(len(units), self.width)
            columns = ended, positions, refused, again, cost
            for column, of in zip(columns, np.array(others, np.float64).reshape(len(units), -1).T, strict=True):
                column[cells] = of
        # A verdict that is not due does not count.
        may = self.scorer.asked(self.benchmark.answerer(model))
        due = (answers["turns"][:, np.newaxis] >= self.turn_of) & (self.turn_of > 0) & may
        if self.n_parts:
            due &= np.where(self.part_of >= 0, answers["parts"][:, self.part_of] > 0, True)
        given[~due], ended[~due], refused[~due], again[~due] = nan, NOT_DUE, 0, False
        ended[due & (ended == NOT_DUE)] = MISSING
        return Observations(
            model=model,
            **answers | {"cost": answers["cost"] + cost.sum(axis=1)},
            values=given,
            verdicts=ended,
            invalid=refused,
            repaired=again,
            positions=positions,
            forms={form: _counted(cells, due) for form, cells in forms.items()},
        )


def _counted(cells: Iterable[tuple[int, int]], due: Bools) -> Ints:
    """Return how many of these cells, unit and task, are due in each task."""
    counts = np.zeros(due.shape[1], np.int64)
    for unit, task in cells:
        counts[task] += due[unit, task]
    return counts


def _struct_of(types: Iterable[tuple[str, Any]]) -> type[msgspec.Struct]:
    """Return a type with a field for each score, NaN where a judgment has none."""
    fields = [(f"score_{n}", kind, msgspec.field(name=name, default=nan)) for n, (name, kind) in enumerate(types)]
    return msgspec.defstruct("Scores", fields)


Shards: TypeAlias = tuple[str, Path, Path]
"""A contestant, the file of its responses and that of its judgments."""


def observe(
    reader: ShardReader,
    folder: RunFolder,
    cache: Path | None = None,
    *,
    part: str = "",
    controls: bool = False,
    only: Collection[str] | None = None,
    read: Callable[[Iterable[Shards]], Iterator[Observations]] | None = None,
) -> Iterator[Observations]:
    """Yield the observations of each contestant of the board that has records, or of the controls.

    only: some of them. cache: a folder for observations, by the digest of the records; None reads all records. part:
    what the reader reads, if not all of the board. read: returns the observations from these shards, in order; by
    default the reader's.
    """
    if (of_specs := reader.scorer.from_specs()) is not None:
        yield from () if controls else (each for each in of_specs if only is None or each.model in only)
        return
    present = set(folder.models()) if only is None else {*folder.models()}.intersection(only)
    revision = f"{reader.board.protocol} {reader.scorer.revision}{part}"
    wanted = CONTROLS.values() if controls else reader.benchmark.contestants(reader.board)
    kept = {
        model.id: None if cache is None else cache / f"{_digest(revision, folder, reader, model.id)}.msgpack"
        for model in wanted
        if model.id in present
    }
    shards = {model: (model, folder.shard(Response, model), folder.shard(Judgment, model)) for model in kept}
    if (base := reader.scorer.base) is not None:
        reader.base = reader.observe(base, folder.shard(Response, base), folder.shard(Judgment, base))
    unread = [model for model, path in kept.items() if path is None or not path.is_file()]
    found = (read or partial(starmap, reader.observe))(shards[model] for model in unread)
    for model, path in kept.items():
        observations = next(found) if model in unread else read_kept(path)
        if model in unread or observations is None:
            observations = observations or reader.observe(*shards[model])
            if path is not None:
                keep(path, observations)
        yield reader.settled(observations)


def _digest(revision: str, folder: RunFolder, reader: ShardReader, model: str) -> str:
    asked = sorted(reader.benchmark.asked.get(reader.board.id, ()))
    names = " ".join([revision, str(REVISION), reader.board.id, model, folder.manifest.calls_digest, *asked])
    digest = hashlib.sha256(names.encode())
    for kind in (Response, Judgment):
        shard = folder.shard(kind, model)
        if shard.is_file():
            with shard.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
