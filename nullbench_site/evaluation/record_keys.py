"""Recompute the call keys of a run: each record must answer the request that the specs make in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target
from nullbench_site.evaluation.walk import Call, recorded_calls
from nullbench_site.git import IMPORTED
from nullbench_site.judging.calls import JudgeCall, Request
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import SHARDS, shards_of
from nullbench_site.runs.records import Judgment, Record, Response, read_records
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import plural

_IMPORTED = "the keys of its records cannot be recomputed: the records were imported"
_OTHER_VERSION = "the keys of its records cannot be recomputed: another version of the program made its calls"
KEYLESS = frozenset({_IMPORTED, _OTHER_VERSION})
"""Notes that do not concern results."""


def key_problems(run: CatalogEntry) -> tuple[list[str], list[str]]:
    """Return the problems of the keys of a sealed run, and notes on keys that cannot be recomputed here.

    There is a line for each shard with a public record that answers no call of the run's specs, and one if calls have
    no record; a run may lack answers to probes. Keys of judgments cover the text of the response, so they reveal an
    edited one. Raises RunError, SpecError.
    """
    if run.manifest.source is not None and run.manifest.source.absent == IMPORTED:
        return [], [_IMPORTED]
    benchmark = load_benchmark(run.path / "specs", profile=run.manifest.profile)
    builder = RequestBuilder(benchmark, backends(), execute=False)
    if builder.backends_in_use - set(backends()) or builder.calls_digest != run.manifest.calls_digest:
        return [], [_OTHER_VERSION]
    fit, lacking, problems = Counter[tuple[type[Record], str]](), 0, list[str]()
    for call in calls_of_run(builder, run):
        record = call.record
        asked = run.manifest.asked.get(call.turn.board.id)  # a run may have answers beyond the look of a stop
        is_due = not call.turn.is_probe and (asked is None or call.turn.placed.id in asked)
        lacking += record is None and is_due
        if record is not None and record.hidden is None:
            fit[type(record), record.model] += answers_call(call, record)
    tables = TableRecords(builder)
    for kind, shard in shards_of(run.path):
        total = other = 0
        for record in read_shard(run, kind, shard):
            if tables.are_of(record):
                other += not tables.takes(record)
            else:
                total += record.hidden is None
        if other:
            problems.append(f"{shard}: {plural(other, 'record')} that the tables in its specs do not contain")
        if wrong := total - fit[kind, shard.stem]:
            problems.append(f"{shard}: {wrong:,} of {plural(total, 'record')} whose key does not match the request")
    lacking += len(tables.left)
    if lacking:
        problems.append(f"{run.path}: {plural(lacking, 'call')} of its specs without a record")
    return problems, []


class TableRecords:
    """The records of boards whose results are in tables. left: those that were not taken yet, by place."""

    def __init__(self, builder: RequestBuilder) -> None:
        self._boards = builder.benchmark.tables.keys()
        self.left = {record.place: record for record in builder.recorded()}

    def are_of(self, record: Record) -> bool:
        """Return True if a record is of such a board."""
        return record.board in self._boards

    def takes(self, record: Record) -> bool:
        """Take a record of a run. Return False if the tables do not contain it."""
        return self.left.pop(record.place, None) == record


class _RunRecords:
    """The records of a run, found by their place."""

    def __init__(self, run: CatalogEntry) -> None:
        self._run = run
        self._shard = lru_cache(maxsize=32)(self._read_shard)

    def answer(self, turn: Target, request: Request) -> Response | None:
        record = self._shard(turn.record_type, turn.model.id).get(turn.place)
        return record if isinstance(record, Response) else None

    def judgment(self, turn: Target, call: JudgeCall) -> Judgment | None:
        record = self._shard(Judgment, turn.model.id).get(turn.judged_by(call.question.task))
        return record if isinstance(record, Judgment) else None

    def _read_shard(self, kind: type[Record], model: str) -> Mapping[tuple[str, ...], Record]:
        shard = self._run.path / SHARDS[kind] / f"{model}.jsonl"
        return {record.place: record for record in read_shard(self._run, kind, shard)}


def calls_of_run(builder: RequestBuilder, run: CatalogEntry) -> Iterator[Call]:
    """Walk the calls of a benchmark, each with the run's record in its place."""
    records = _RunRecords(run)
    for target in builder.targets(Selection()):
        for call in () if target.placed.withheld else recorded_calls(builder, target, records):
            if not call.is_unseen:
                yield call


def answers_call(call: Call, record: Record) -> bool:
    """Return True if a record answers this call. Judgments of two answers also depend on their order."""
    position = None if call.judge_call is None else call.judge_call.position
    same = call.request is not None and record.key == call.request.key()
    return same and (isinstance(record, Response) or record.position == position)


def read_shard(run: CatalogEntry, kind: Any, shard: Path) -> Iterator[Record]:
    """Yield the records of a shard. In an open run, invalid lines are skipped."""
    if run.manifest.sealed:
        yield from read_records(shard, kind) if shard.is_file() else ()
        return
    decode = msgspec.json.Decoder(kind).decode
    for line in shard.read_bytes().split(b"\n") if shard.is_file() else ():
        with suppress(*NOT_JSON):
            yield decode(line)
