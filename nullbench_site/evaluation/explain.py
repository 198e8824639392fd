"""Why a call is known, or why it is not: what the runs hold of it, and in what it differs from what they hold.

Only reads, without a lock: a build may be writing the newest run meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.held import Call, Held, about, calls_of, difference, held_records
from nullbench_site.evaluation.order import Order, retry_of, run_to_use
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.known import KnownCalls, Retry
from nullbench_site.runs.records import Judgment, Record, Response, is_settled
from nullbench_site.text import did_you_mean, quoted

_KEY = re.compile(r"[0-9a-f]{6,64}\Z")
_MOST_SHOWN = 200


class Standing(msgspec.Struct, frozen=True):
    """Whether the next build knows the answer of a call, and why or why not."""

    call: Call
    known: bool
    why: str


class KeyStanding(msgspec.Struct, frozen=True):
    """What there is of a key: the records with it, newest first, and what it is to the specs as they are now."""

    key: str
    held: tuple[Held, ...]
    standing: Standing | None
    why: str


def explain(
    builder: RequestBuilder, runs_dir: Path, name: str, selection: Selection, judge: str | None = None
) -> KeyStanding | list[Standing]:
    """What is known of the call with a key, or the beginning of one, or of every call on an item.

    selection, judge: which calls on an item are wanted; None: those of all judges. Raises UsageError for a name that is
    neither, or that does not say which call is meant.
    """
    selection.check(builder.benchmark)
    if judge is not None and judge not in builder.benchmark.judges:
        message = f"no panel of these boards has a judge {judge!r}"
        raise UsageError(f"{message}; {did_you_mean(judge, builder.benchmark.judges)}")
    items = {placed.id for board in builder.benchmark.boards.values() for placed in builder.benchmark.items(board)}
    explainer = _Explainer(builder, list_runs(runs_dir))
    if name in items:
        return list(explainer.of_item(name, selection, judge))
    if not _KEY.match(name):
        advice = "name an item, or a key by its first 6 hex digits or more"
        raise UsageError(f"there is no item {quoted(name)} on these boards; {did_you_mean(name, items)}; {advice}")
    return explainer.of_key(name)


class _Explainer(msgspec.Struct, dict=True):
    builder: RequestBuilder
    runs: list[CatalogEntry]

    def of_item(self, item: str, selection: Selection, judge: str | None) -> Iterator[Standing]:
        held = held_records(self.runs, about(item))
        for call in self._calls(item, held, selection):
            if judge is None or (call.seat is not None and call.seat.judge.id == judge):
                yield self._standing(call, held)

    def of_key(self, prefix: str) -> KeyStanding:
        begins = b'{"key":"' + prefix.encode()
        same_key = held_records(self.runs, lambda line: line.startswith(begins))
        if not same_key:
            return self._never_recorded(prefix)
        keys = {each.record.key for each in same_key}
        if len(keys) > 1:
            raise _ambiguous(prefix, keys)
        (key,) = keys
        newest_first = tuple(reversed(same_key))
        newest = newest_first[0]
        held = held_records(self.runs, about(newest.record.item))
        calls = list(self._calls(newest.record.item, held, Selection()))
        same = next((call for call in calls if call.request is not None and call.request.key() == key), None)
        if same is not None:
            return KeyStanding(key, newest_first, self._standing(same, held), "")
        at_place = next((call for call in calls if call.is_of(newest.record)), None)
        if at_place is None:
            why = "these boards ask nothing of the kind: the board, item, contestant or judge is not on them"
        elif at_place.request is None:
            why = f"{at_place.who} is to be asked about another response there, which is not known yet"
        else:
            why = f"{at_place.who} is asked otherwise there: {difference(newest, at_place, self.builder, held)}"
        return KeyStanding(key, newest_first, None, why)

    def _never_recorded(self, prefix: str) -> KeyStanding:
        known, calls = KnownCalls(self.runs), {}
        for target in self.builder.targets(Selection()):
            for call in self._calls_of(target, lambda key: known.find(Response, key)):
                if call.request is not None and (key := call.request.key()).startswith(prefix):
                    calls[key] = call
        if not calls:
            raise UsageError(f"no run holds a call with the key {prefix}, and these boards make none with it")
        if len(calls) > 1:
            raise _ambiguous(prefix, calls)
        ((key, call),) = calls.items()
        held = held_records(self.runs, about(call.target.placed.id))
        return KeyStanding(key, (), self._standing(call, held), "")

    def _calls(self, item: str, held: Sequence[Held], selection: Selection) -> Iterator[Call]:
        """The calls on an item, each contestant's with those of its judges."""

        def response(key: str) -> Response | None:
            answer = self._reusable(key, held)
            return answer.whole if answer is not None and isinstance(answer.whole, Response) else None

        for target in self.builder.targets(selection):
            if target.placed.id == item:
                yield from self._calls_of(target, response)

    def _calls_of(self, target: Target, response_to: Callable[[str], Response | None]) -> Iterator[Call]:
        def checked(asked: Target) -> Response | None:
            withheld = asked.placed.withheld
            response = None if withheld else response_to(self.builder.response_request(asked).key())
            return None if response is None else self.builder.checked(asked, response)

        return calls_of(self.builder, target, checked)

    def _standing(self, call: Call, held: Sequence[Held]) -> Standing:
        if call.request is None:
            return self._by_place(call, held)
        key = call.request.key()
        if (known := self._reusable(key, held)) is not None:
            return Standing(call, True, f"known: {known.where}{self._unread(known.record)}")
        return Standing(call, False, self._why_unknown(call, [each for each in held if each.record.key == key], held))

    def _why_unknown(self, call: Call, same: Sequence[Held], held: Sequence[Held]) -> str:
        """same: those of `held` with the key of the call."""
        answered = [each for each in same if each.record.state != "errored"]
        if due := [each for each in answered if not self._retry.is_answered(each.record)]:
            unusable = "but its reply cannot be used; the next build asks again"
            return f"asked {due[-1].record.started_at}, {due[-1].where}, {unusable}"
        if answered:
            run = self._used_run.path.name if self._used_run else ""
            but = f"run {run} is to take none from others" if answered[-1].whole else "its words are not here"
            return f"answered in {answered[-1].where}; but {but}"
        if same:
            error, at = quoted(same[-1].record.error or "", _MOST_SHOWN), same[-1].record.started_at
            done = self._used_run is not None and self._used_run.manifest.sealed
            again = "build --retry-failed asks again" if done else "the next build asks again"
            return f"asked {at}, {same[-1].where}, but failed; {again}: {error}"
        if at_place := [each for each in held if call.is_of(each.record)]:
            newest = at_place[-1]
            return f"asked otherwise in {newest.where}: {difference(newest, call, self.builder, held)}"
        return "never asked"

    def _by_place(self, call: Call, held: Sequence[Held]) -> Standing:
        """Of a call whose request cannot be made: a run holds its answer without words, or nobody can be asked yet."""
        own = [each for each in held if self._used_run is not None and each.run.path == self._used_run.path]
        if done := [each for each in own if call.is_of(each.record) and each.record.hidden and is_settled(each.record)]:
            return Standing(call, True, f"known: {done[-1].where}")
        placed = call.target.placed
        if placed.withheld:
            return Standing(call, False, "the text of this private item is not here, so nobody can be asked")
        answers = (each.record for each in own if isinstance(each.record, Response) and call.is_about(each.record))
        failed = [each.turn for each in answers if each.state == "errored" and each.turn <= placed.turn]
        if failed and placed.n_turns > 1:
            return Standing(call, False, f"not asked, as the answer to turn {failed[-1]} failed; see there")
        unanswered = "there is no response to judge yet" if call.seat else f"turn {placed.turn - 1} is not answered yet"
        return Standing(call, False, unanswered)

    def _reusable(self, key: str, held: Sequence[Held]) -> Held | None:
        """The record that the next build would take for a call: that of its own run, else of the newest that may be."""
        run = self._used_run
        answered = [
            each for each in held if each.whole and each.record.key == key and self._retry.is_answered(each.record)
        ]
        own = [each for each in answered if run is not None and each.run.path == run.path]
        if own or run is None:
            return next(iter(own[-1:] or answered[-1:]), None)
        anew = run.manifest.judged_anew
        others = [each for each in answered if not (isinstance(each.record, Judgment) and each.record.judge in anew)]
        return others[-1] if others and not run.manifest.fresh else None

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


def _ambiguous(prefix: str, keys: Sequence[str] | set[str] | dict[str, Any]) -> UsageError:
    some = ", ".join(sorted(keys)[:3])
    return UsageError(f"{len(keys)} calls have a key that begins with {prefix}; give more of it, such as {some}")
