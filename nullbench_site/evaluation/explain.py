"""Why a call is known, or why it is not: what the runs hold of it, and in what it differs from what they hold.

Only reads, without a lock: a build may be writing the newest run meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import NullbenchError, UsageError
from nullbench_site.evaluation.order import Order, retry_of, run_to_use
from nullbench_site.evaluation.requests import RequestBuilder, Selection, Target
from nullbench_site.protocols.base import AnyQuestion, Seat
from nullbench_site.protocols.request import Request
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.folder import PRIVATE
from nullbench_site.runs.known import KnownCalls, Retry
from nullbench_site.runs.records import Judgment, Record, Response, damaged_line, is_answered, is_settled
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import AxesBoardFile
from nullbench_site.text import did_you_mean, quoted

_KEY = re.compile(r"[0-9a-f]{6,64}\Z")
_KINDS: dict[str, type[Record]] = {"responses": Response, "judgments": Judgment}
_MOST_SHOWN = 200
_FIELDS = {
    "axes": "the axes",
    "goal": "the goal",
    "task": "the task",
    "source": "the source",
    "constraints": "the constraints",
    "facts": "the reference facts",
    "response": "the response",
    "gates": "whether the judge is asked about refusal",
    "prompt": "the prompt",
    "ideal": "the ideal answer",
    "criteria": "the criteria",
    "flags": "what the checks found",
    "checks": "the types of checks",
    "metric": "the metric",
    "steps": "the steps of the metric",
    "deepeval": "the version of DeepEval",
}
"""The fields of a judge's request, in words."""


@dataclass(frozen=True)
class Held:
    """A record and where it stands. number: of its line, from 1. whole: with its words, None where these are lost."""

    run: CatalogEntry
    path: Path
    number: int
    record: Record
    whole: Record | None

    @property
    def where(self) -> str:
        return f"run {self.run.path.name}, {self.path.relative_to(self.run.path)}:{self.number}"


@dataclass(frozen=True)
class Call:
    """A call of the specs as they are now; without a request while a judge has no response to be shown."""

    target: Target
    seat: Seat | None
    request: Request | None
    question: AnyQuestion | None = None

    @property
    def who(self) -> str:
        if self.seat is None:
            return f"contestant {self.target.model.id}"
        wording = "" if self.seat.template is None else f" ({self.seat.template})"
        return f"judge {self.seat.judge.id}{wording}"

    def is_of(self, record: Record) -> bool:
        """Whether the record is about the same place, whatever its wording."""
        here = (self.target.board.id, self.target.model.id, self.target.placed.id, self.target.sample)
        there = (record.board, record.model, record.item, record.sample)
        return here == there and _seat(record) == (self.seat and (self.seat.judge.id, self.seat.template))


@dataclass(frozen=True)
class Standing:
    """Whether the next build knows the answer of a call, and why or why not."""

    call: Call
    known: bool
    why: str


@dataclass(frozen=True)
class KeyStanding:
    """What there is of a key: the records with it, newest first, and what it is to the specs as they are now."""

    key: str
    held: tuple[Held, ...]
    standing: Standing | None
    why: str


@dataclass(frozen=True)
class Filter:
    """Which calls on an item are wanted; None: all."""

    board: str | None = None
    model: str | None = None
    judge: str | None = None

    @property
    def selection(self) -> Selection:
        return Selection([self.board] if self.board else (), [self.model] if self.model else ())


def explain(
    builder: RequestBuilder, runs_dir: Path, name: str, wanted: Filter | None = None
) -> KeyStanding | list[Standing]:
    """What is known of the call with a key, or the beginning of one, or of every call on an item.

    Raises UsageError for a name that is neither, or that does not say which call is meant.
    """
    wanted = wanted or Filter()
    wanted.selection.check(builder.benchmark)
    if wanted.judge is not None and wanted.judge not in builder.benchmark.judges:
        message = f"no panel of these boards has a judge {wanted.judge!r}"
        raise UsageError(f"{message}; {did_you_mean(wanted.judge, builder.benchmark.judges)}")
    items = {placed.id for board in builder.benchmark.boards.values() for placed in builder.benchmark.items(board)}
    explainer = _Explainer(builder, list_runs(runs_dir))
    if name in items:
        return list(explainer.of_item(name, wanted))
    if not _KEY.match(name):
        advice = "name an item, or a key by its first 6 hex digits or more"
        raise UsageError(f"there is no item {quoted(name)} on these boards; {did_you_mean(name, items)}; {advice}")
    return explainer.of_key(name)


@dataclass
class _Explainer:
    builder: RequestBuilder
    runs: list[CatalogEntry]

    def of_item(self, item: str, wanted: Filter) -> Iterator[Standing]:
        held = _held(self.runs, _about(item))
        for call in self._calls(item, held, wanted.selection):
            if wanted.judge is None or (call.seat is not None and call.seat.judge.id == wanted.judge):
                yield self._standing(call, held)

    def of_key(self, prefix: str) -> KeyStanding:
        begins = b'{"key":"' + prefix.encode()
        found = _held(self.runs, lambda line: line.startswith(begins))
        keys = {each.record.key for each in found}
        if not found:
            return self._never_recorded(prefix)
        if len(keys) > 1:
            raise _ambiguous(prefix, keys)
        (key,) = keys
        newest = found[-1]
        held = _held(self.runs, _about(newest.record.item))
        calls = list(self._calls(newest.record.item, held, Selection()))
        same = next((call for call in calls if call.request is not None and call.request.key() == key), None)
        if same is not None:
            return KeyStanding(key, tuple(reversed(found)), self._standing(same, held), "")
        at_place = next((call for call in calls if call.is_of(newest.record)), None)
        if at_place is None:
            why = "these boards ask nothing of the kind: the board, item, contestant or judge is not on them"
        elif at_place.request is None:
            why = f"{at_place.who} is to be asked about another response there, which is not known yet"
        else:
            why = (
                f"{at_place.who} is asked otherwise there: {self._difference(newest, at_place, at_place.request, held)}"
            )
        return KeyStanding(key, tuple(reversed(found)), None, why)

    def _never_recorded(self, prefix: str) -> KeyStanding:
        known = KnownCalls(self.runs)
        found = {}
        for target in self.builder.targets(Selection()):
            for call in self._calls_of(target, lambda key: known.find(Response, key)):
                if call.request is not None and (key := call.request.key()).startswith(prefix):
                    found[key] = call
        if not found:
            raise UsageError(f"no run holds a call with the key {prefix}, and these boards make none with it")
        if len(found) > 1:
            raise _ambiguous(prefix, found)
        ((key, call),) = found.items()
        return KeyStanding(key, (), self._standing(call, _held(self.runs, _about(call.target.placed.id))), "")

    def _calls(self, item: str, held: Sequence[Held], selection: Selection) -> Iterator[Call]:
        """The calls on an item, each contestant's with those of its judges."""

        def response(key: str) -> Response | None:
            found = self._reusable(key, held)
            return found.whole if found is not None and isinstance(found.whole, Response) else None

        for board, model in self.builder.contestants(selection):
            for placed in self.builder.benchmark.items(board):
                if placed.id == item:
                    for sample in range(board.samples):
                        yield from self._calls_of(Target(board, model, placed, sample), response)

    def _calls_of(self, target: Target, response_to: Callable[[str], Response | None]) -> Iterator[Call]:
        request = None if target.placed.withheld else self.builder.response_request(target)
        yield Call(target, None, request)
        response = None if request is None else response_to(request.key())
        if response is None:
            for seat in self.builder.seats(target.board, target.model):
                yield Call(target, seat, None)
            return
        for call in self.builder.judge_calls(target, self.builder.checked(target, response)):
            yield Call(target, call.question.seat, call.request, call.question)

    def _standing(self, call: Call, held: Sequence[Held]) -> Standing:
        if call.request is None:
            return self._by_place(call, held)
        key = call.request.key()
        if (known := self._reusable(key, held)) is not None:
            return Standing(call, True, f"known: {known.where}{self._unread(known.record)}")
        same = [each for each in held if each.record.key == key]
        if due := [each for each in same if each.record.state != "errored" and not self._is_answered(each.record)]:
            at, where = due[-1].record.started_at, due[-1].where
            return Standing(
                call, False, f"asked {at}, {where}, but its reply cannot be used; the next build asks again"
            )
        if answered := [each for each in same if each.record.state != "errored"]:
            run = self._used_run.path.name if self._used_run else ""
            but = f"run {run} is to take none from others" if answered[-1].whole else "its words are not here"
            return Standing(call, False, f"answered in {answered[-1].where}; but {but}")
        if same:
            error, at = quoted(same[-1].record.error or "", _MOST_SHOWN), same[-1].record.started_at
            done = self._used_run is not None and self._used_run.manifest.state == "sealed"
            again = "build --retry-failed asks again" if done else "the next build asks again"
            return Standing(call, False, f"asked {at}, {same[-1].where}, but failed; {again}: {error}")
        if at_place := [each for each in held if call.is_of(each.record)]:
            newest = at_place[-1]
            return Standing(
                call, False, f"asked otherwise in {newest.where}: {self._difference(newest, call, call.request, held)}"
            )
        return Standing(call, False, "never asked")

    def _by_place(self, call: Call, held: Sequence[Held]) -> Standing:
        """Of a call whose request cannot be made: a run holds its answer without words, or nobody can be asked yet."""
        own = [each for each in held if self._used_run is not None and each.run.path == self._used_run.path]
        if done := [each for each in own if call.is_of(each.record) and each.record.hidden and is_settled(each.record)]:
            return Standing(call, True, f"known: {done[-1].where}")
        withheld = "the text of this private item is not here, so nobody can be asked"
        return Standing(call, False, withheld if call.target.placed.withheld else "there is no response to judge yet")

    def _reusable(self, key: str, held: Sequence[Held]) -> Held | None:
        """The record that the next build would take for a call: that of its own run, else of the newest that may be."""
        run = self._used_run
        answered = [each for each in held if each.whole and each.record.key == key and self._is_answered(each.record)]
        own = [each for each in answered if run is not None and each.run.path == run.path]
        if own or run is None:
            return next(iter(own[-1:] or answered[-1:]), None)
        anew = run.manifest.judged_anew
        others = [each for each in answered if not (isinstance(each.record, Judgment) and each.record.judge in anew)]
        return others[-1] if others and not run.manifest.fresh else None

    def _is_answered(self, record: Record) -> bool:
        return is_answered(record) and not self._retry.wants(record)

    def _unread(self, record: Record) -> str:
        """What to add where the answer that is known is none."""
        if not isinstance(record, Judgment) or record.state != "unparsed":
            return ""
        again = "; build --retry-failed asks again" if record.judge in self._retry.judges else ""
        return f", a reply that could not be read{again}"

    @cached_property
    def _retry(self) -> Retry:
        return retry_of(self.builder, self._used_run.manifest.retry if self._used_run is not None else 0)

    @cached_property
    def _used_run(self) -> CatalogEntry | None:
        return run_to_use(self.builder, self.runs, Order())

    def _difference(self, held: Held, call: Call, request: Request, of_item: Sequence[Held]) -> str:
        """In what the request behind a record differs from the one of now."""
        old = self._rebuilt(held, of_item)
        if isinstance(old, str):
            return old
        return "; ".join(_differences(old, _Asked(self.builder, call, request)))

    def _rebuilt(self, held: Held, of_item: Sequence[Held]) -> _Asked | str:
        """The call behind a record, from the specs of its own run; or why it cannot be made again."""
        record, run = held.record, held.run
        try:
            builder = self._old_builder(run)
        except NullbenchError as error:
            return f"its request cannot be rebuilt, as the specs of that run cannot be read: {quoted(str(error))}"
        lost = f"its request cannot be rebuilt; it was made by {quoted(run.manifest.tool)}"
        specs = builder.benchmark
        board, model = specs.boards.get(record.board), specs.models.get(record.model)
        placed = next((each for each in specs.items(board) if each.id == record.item), None) if board else None
        if board is None or model is None or placed is None:
            return lost
        if placed.withheld:
            return "its request cannot be rebuilt, as the text of the private item is not with that run"
        target = Target(board, model, placed, record.sample)
        if record.template != target.template:
            return lost
        response = next(
            (
                each.whole
                for each in reversed(of_item)
                if isinstance(each.whole, Response)
                and each.run.path == run.path
                and each.record.place == (record.board, record.model, record.item, record.template, str(record.sample))
            ),
            None,
        )
        try:
            calls = list(self._made_by(builder, target, response))
        except KeyError:  # a backend that is no more
            return lost
        for call in (call for call in calls if call.is_of(record)):
            if call.request is not None and (request := _as_recorded(call.request, record.key)) is not None:
                return _Asked(builder, call, request)
        return lost

    @staticmethod
    def _made_by(builder: RequestBuilder, target: Target, response: Response | None) -> Iterator[Call]:
        yield Call(target, None, builder.response_request(target))
        if response is not None:
            for call in builder.judge_calls(target, response):
                yield Call(target, call.question.seat, call.request, call.question)

    def _old_builder(self, run: CatalogEntry) -> RequestBuilder:
        """Raises NullbenchError where the specs of the run cannot be read."""
        specs, texts = run.path / "specs", run.path / PRIVATE / "items"
        return RequestBuilder(load_benchmark(specs, profile=run.manifest.profile, private=texts), self.builder.backends)


def _seat(record: Record) -> tuple[str, str | None] | None:
    """The judge of a record and the wording it was asked in; None of a response."""
    return (record.judge, record.judge_template) if isinstance(record, Judgment) else None


def _about(item: str) -> Callable[[bytes], bool]:
    """Whether a line of a shard may be about the item."""
    needle = b'"item":' + msgspec.json.encode(item)
    return lambda line: needle in line


def _held(runs: Sequence[CatalogEntry], may_be: Callable[[bytes], bool]) -> list[Held]:
    """The records of the lines that `may_be` lets through, oldest run first. Raises RunError for one that is none."""
    found: list[Held] = []
    for run in runs:
        for folder, kind in _KINDS.items():
            private = (run.path / PRIVATE / folder).glob("*.jsonl")
            whole = {record.key: record for path in sorted(private) for _, record in _records(path, kind, may_be)}
            for path in sorted((run.path / folder).glob("*.jsonl")):
                for number, record in _records(path, kind, may_be):
                    words = record if record.hidden is None else whole.get(record.key)
                    found.append(Held(run, path, number, record, words))
    return found


def _records(path: Path, kind: type[Record], may_be: Callable[[bytes], bool]) -> Iterator[tuple[int, Record]]:
    """The whole lines of a shard that `may_be` lets through, with their numbers."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"\n") and may_be(line):
                yield number, _decoded(path, number, line, kind)


def _decoded(path: Path, number: int, line: bytes, kind: type[Record]) -> Record:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged_line(path, number, kind, error) from error


def _ambiguous(prefix: str, keys: Sequence[str] | set[str] | dict[str, Any]) -> UsageError:
    some = ", ".join(sorted(keys)[:3])
    return UsageError(f"{len(keys)} calls have a key that begins with {prefix}; give more of it, such as {some}")


def _as_recorded(request: Request, key: str) -> Request | None:
    """The request with that key: this one, or as an earlier revision of its backend was asked."""
    name, _, revision = request.backend.partition("@")
    earlier = range(int(revision) - 1, 0, -1) if revision.isdecimal() else ()
    for backend in (request.backend, *(f"{name}@{number}" for number in earlier)):
        candidate = msgspec.structs.replace(request, backend=backend)
        if candidate.key() == key:
            return candidate
    return None


@dataclass(frozen=True)
class _Asked:
    """A call with its request, and the specs they came of."""

    builder: RequestBuilder
    call: Call
    request: Request

    def texts(self) -> dict[str, Any]:
        """What the wording of the request came of, by the words for it."""
        target, question = self.call.target, self.call.question
        if question is not None:
            return {_FIELDS.get(name, name): value for name, value in question.fields().items()}
        texts: dict[str, Any] = {
            _FIELDS.get(name, name): value for name, value in self.builder.prompt(target).fields.items()
        }
        if isinstance(target.board, AxesBoardFile):
            texts["the template"] = self.builder.benchmark.templates[target.board.template]
        return texts


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
        changed = [words for words in texts if texts[words] != then.get(words)]
        if _FIELDS["response"] in changed:  # which draws the judges that are asked about refusal
            changed = [words for words in changed if words != _FIELDS["gates"]]
        # Titles and anchors stand in messages and not among the fields.
        what = " and ".join(changed) or "the wording"
        yield f"{what} changed: the {'messages' if now.messages else 'fields'} differ"


def _changes(part: str, before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield f"{part}: {name} {_value(before, name)} -> {_value(now, name)}"


def _value(values: dict[str, Any], name: str) -> str:
    return "none" if values.get(name) is None else quoted(values[name])
