"""Records where they stand in runs, the requests behind them, and in what two requests differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from nullbench_site.errors import NullbenchError
from nullbench_site.evaluation.conversations import said_by_others
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Target
from nullbench_site.protocols.base import AnyQuestion, Request, Seat, judging
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE, shards_of
from nullbench_site.runs.records import Judgment, Record, Response, damaged_line
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import quoted


class Held(msgspec.Struct, frozen=True):
    """A record and where it stands. number: of its line, from 1. whole: with its words, None where these are lost."""

    run: CatalogEntry
    path: Path
    number: int
    record: Record
    whole: Record | None

    @property
    def where(self) -> str:
        return f"run {self.run.path.name}, {self.path.relative_to(self.run.path)}:{self.number}"


class Call(msgspec.Struct, frozen=True):
    """A call of the specs as they are now; without a request while a judge has no response to be shown."""

    target: Target
    seat: Seat | None
    request: Request | None
    question: AnyQuestion | None = None

    @property
    def who(self) -> str:
        if self.seat is None:
            placed = self.target.placed
            turn = f" (turn {placed.turn} of {placed.n_turns})" if placed.n_turns > 1 else ""
            return f"contestant {self.target.model.id}{turn}"
        wording = "" if self.seat.template is None else f" ({self.seat.template})"
        return f"judge {self.seat.judge.id}{wording}"

    def is_of(self, record: Record) -> bool:
        """Whether the record is about the same place, whatever its wording."""
        same_turn = record.turn == self.target.placed.turn
        return (
            self.is_about(record)
            and same_turn
            and _seat(record) == (self.seat and (self.seat.judge.id, self.seat.template))
        )

    def is_about(self, record: Record) -> bool:
        """Whether the record is of the same conversation."""
        here = (self.target.board.id, self.target.model.id, self.target.placed.id, self.target.sample)
        return here == (record.board, record.model, record.item, record.sample)


def _seat(record: Record) -> tuple[str, str | None] | None:
    """The judge of a record and the wording it was asked in; None of a response."""
    return (record.judge, record.judge_template) if isinstance(record, Judgment) else None


def about(item: str) -> Callable[[bytes], bool]:
    """Whether a line of a shard may be about the item."""
    needle = b'"item":' + msgspec.json.encode(item)
    return lambda line: needle in line


def held_records(runs: Sequence[CatalogEntry], may_be: Callable[[bytes], bool]) -> list[Held]:
    """The records of the lines that `may_be` lets through, oldest run first. Raises RunError for one that is none."""
    held: list[Held] = []
    for run in runs:
        private = shards_of(run.path / PRIVATE)
        whole = {record.key: record for kind, path in private for _, record in _records(path, kind, may_be)}
        for kind, path in shards_of(run.path):
            for number, record in _records(path, kind, may_be):
                words = record if record.hidden is None else whole.get(record.key)
                held.append(Held(run, path, number, record, words))
    return held


def _records(path: Path, kind: type[Record], may_be: Callable[[bytes], bool]) -> Iterator[tuple[int, Record]]:
    """The whole lines of a shard that `may_be` lets through, with their numbers."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"\n") and may_be(line):
                yield number, _decoded(path, number, line, kind)


def _decoded(path: Path, number: int, line: bytes, kind: type[Record]) -> Record:
    try:
        return msgspec.json.decode(line, type=kind)
    except NOT_JSON as error:
        raise damaged_line(path, number, kind, error) from error


def difference(held: Held, call: Call, builder: RequestBuilder, of_item: Sequence[Held]) -> str:
    """In what the request behind a record differs from the one of now.

    of_item: everything that is held on its item.
    """
    old = _rebuilt(held, builder, of_item)
    return old if isinstance(old, str) else "; ".join(_differences(old, _Asked(builder, call)))


class _Asked(msgspec.Struct, frozen=True):
    """A call with a request, and the specs they came of."""

    builder: RequestBuilder
    call: Call

    @property
    def request(self) -> Request:
        assert self.call.request is not None  # noqa: S101 - calls without one are compared with nothing
        return self.call.request

    def texts(self) -> dict[str, Any]:
        """What the wording of the request came of, by name."""
        target, question = self.call.target, self.call.question
        if question is not None:
            return question.fields()
        template = self.builder.benchmark.templates.get(target.template)
        said = {"said": target.placed.said} if target.placed.said else {}
        return {**self.builder.prompt(target).fields, **said, **({} if template is None else {"template": template})}


def _rebuilt(held: Held, builder: RequestBuilder, of_item: Sequence[Held]) -> _Asked | str:
    """The call behind a record, from the specs of its own run; or why it cannot be made again."""
    record, run = held.record, held.run
    try:
        texts = run.path / PRIVATE / "items"
        specs = load_benchmark(run.path / "specs", profile=run.manifest.profile, private=texts)
    except NullbenchError as error:
        return f"its request cannot be rebuilt, as the specs of that run cannot be read: {quoted(str(error))}"
    lost = f"its request cannot be rebuilt; it was made by {quoted(run.manifest.tool)}"
    board, model = specs.boards.get(record.board), specs.models.get(record.model)
    placed = next((each for each in specs.items(board) if each.id == record.item), None) if board else None
    if board is None or model is None or placed is None:
        return lost
    if placed.withheld:
        return "its request cannot be rebuilt, as the text of the private item is not with that run"
    target = Target(board, model, placed, record.sample)
    if record.template != target.template:
        return lost

    def response_to(asked: Target) -> Response | None:
        of_run = (each for each in reversed(of_item) if each.run.path == run.path and each.record.place == asked.place)
        return next((each.whole for each in of_run if isinstance(each.whole, Response)), None)

    old = RequestBuilder(specs, builder.backends, builder.execute)
    try:
        calls = [call for call in calls_of(old, target, response_to) if call.is_of(record)]
    except KeyError:  # a backend that is no more
        return lost
    for call in calls:
        if call.request is not None and (request := _as_recorded(call.request, record.key)) is not None:
            return _Asked(old, replace(call, request=request))
    return lost


def calls_of(
    builder: RequestBuilder, target: Target, response_to: Callable[[Target], Response | None]
) -> Iterator[Call]:
    """The call for a response, and those for the judgments of it; without requests where an answer is not there."""
    yield Call(target, None, None if target.placed.withheld else builder.response_request(target))
    response, seats = response_to(target), builder.seats_at(target)
    if response is None:
        yield from (Call(target, seat, None) for seat in seats)
        for turn in target.later_turns:
            yield Call(turn, None, None)
            yield from (Call(turn, seat, None) for seat in builder.seats_at(turn))
        return
    others = said_by_others(builder, target, response_to)
    for call in builder.judge_calls(target, response, others):
        yield Call(target, call.question.seat, call.request, call.question)
    yield from (Call(target, seat, None) for seat in seats if seat.opponent is not None and seat.opponent not in others)
    if (following := target.after(response)) is not None:
        yield from calls_of(builder, following, response_to)


def _as_recorded(request: Request, key: str) -> Request | None:
    """The request with that key: this one, or as an earlier revision of its backend was asked."""
    name, _, revision = request.backend.partition("@")
    earlier = range(int(revision) - 1, 0, -1) if revision.isdecimal() else ()
    for backend in (request.backend, *(f"{name}@{number}" for number in earlier)):
        candidate = msgspec.structs.replace(request, backend=backend)
        if candidate.key() == key:
            return candidate
    return None


def _differences(old: _Asked, new: _Asked) -> Iterator[str]:
    """The parts of two requests that are not the same, in words."""
    before, now = old.request, new.request
    if before.backend != now.backend:
        yield f"backend: {before.backend} -> {now.backend}"
    if before.salt != now.salt:
        yield "the salt of the private item changed"
    if before.model != now.model:
        yield f"model: {quoted(before.model)} -> {quoted(now.model)}"
    yield from _changes("params", before.params, now.params)
    yield from _changes("decoding", msgspec.structs.asdict(before.decoding), msgspec.structs.asdict(now.decoding))
    if (before.messages, before.fields, before.reply_schema) != (now.messages, now.fields, now.reply_schema):
        texts, then = new.texts(), old.texts()
        changed = [name for name in texts if texts[name] != then.get(name)]
        protocol = judging(new.call.target.board.protocol)
        if "response" in changed:
            changed = [name for name in changed if name not in protocol.drawn]
        # Titles and anchors stand in messages and not among the fields.
        words = {"said": "what was answered before", **protocol.words}
        what = " and ".join(words.get(name, f"the {name}") for name in changed) or "the wording"
        yield f"{what} changed: the {'messages' if now.messages else 'fields'} differ"


def _changes(part: str, before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield f"{part}: {name} {_value(before, name)} -> {_value(now, name)}"


def _value(values: dict[str, Any], name: str) -> str:
    return "none" if values.get(name) is None else quoted(values[name])
