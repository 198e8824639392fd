"""Rules about changes over time: marks of contestants, successors of judges, the ledger."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.protocol import kinds_of_specs, specs_of
from nullbench_site.specs.sources import BackendNames, SpecFile, SpecFiles
from nullbench_site.text import did_you_mean, quoted


def wrong_date(day: str, what: str, *, past: bool) -> str | None:
    """Return the problem of a date, or None. what: the date to write, for the message.

    past: the date must not be in the future. One day is allowed for time zones.
    """
    try:
        to_come = date.fromisoformat(day) > today() + timedelta(days=1)
    except ValueError:
        return f"{day!r} is not a date; write {what}"
    return f"{day!r} is in the future; write {what}" if past and to_come else None


def today() -> date:
    """Return the date in UTC."""
    return datetime.now(UTC).date()


_PINNED = re.compile(
    r"(19|20)[0-9]{2}-?(0[1-9]|1[0-2])(-?[0-3][0-9])?(?![0-9])"  # 2026-03-17, 20251001, 2025-12
    r"|-(0[1-9]|1[0-2])[0-3][0-9](?![0-9])"  # 0613: month and day
    r"|-2[0-9](0[1-9]|1[0-2])(?![0-9])"  # 2411: year and month
    r"|-0[0-9]{2}(?![0-9])"  # 001, a version
    r"|-v[0-9]"
    r"|[@:](sha256[:-])?[0-9a-f]{7,64}$"
)
"""The forms of a version or date in the name of a model."""


def marks_are_valid(models: Sequence[SpecFile[types.ModelFile]], *, new: bool) -> Iterator[Problem]:
    """Check that a contestant has at most one mark, with a date in the past."""
    for source in models:
        given = {"provisional": source.spec.provisional, "retired": source.spec.retired}
        if all(given.values()):
            message = "a contestant is either retired or provisional; keep one of the two keys"
            yield source.document.problem(["provisional"], message, at_key=True)
        for key, mark in given.items():
            if mark is not None and (wrong := wrong_date(mark.since, "the date from which it applies", past=new)):
                yield source.document.problem([key, "since"], wrong)


def judges_succeed(judges: SpecFile[types.JudgesFile] | None) -> Iterator[Problem]:
    """Check the retirement dates of judges, and that a judge bridges from another one that exists."""
    if judges is None:
        return
    known = {judge.id: judge for judge in judges.spec.judges}
    for number, judge in enumerate(judges.spec.judges):
        steps: list[str | int] = ["judges", number]
        if judge.retires is not None and (wrong := wrong_date(judge.retires, "the date of its retirement", past=False)):
            yield judges.document.problem([*steps, "retires"], wrong)
        if judge.bridges is None:
            continue
        place, other = [*steps, "bridges", "judge"], judge.bridges.judge
        if other == judge.id:
            yield judges.document.problem(place, f"judge {other!r} cannot bridge from itself; name its predecessor")
        elif other not in known:
            yield judges.document.problem(place, f"unknown judge {other!r}; {did_you_mean(other, known)}")
        elif types.RECORDED in (judge.backend, known[other].backend):
            message = f"backend {types.RECORDED!r} has only imported verdicts and cannot judge more"
            yield judges.document.problem(place, f"{message}; remove `bridges`")
        for panel in judges.spec.panels:
            if other != judge.id and {judge.id, other} <= set(panel.judges):
                message = f"panel {panel.id!r} has both {judge.id!r} and {other!r}"
                yield judges.document.problem(place, f"{message}; remove `bridges`, or one of the two judges")


def judges_that_change(files: SpecFiles, backends: BackendNames, asked: Collection[str]) -> Iterator[Problem]:
    """Warn of retired judges on panels, and of judges in use with an unversioned model name."""
    voting = {judge for panel in files.panels for judge in panel.judges}
    for number, judge in enumerate(files.all_judges):
        assert files.judges is not None  # noqa: S101 - it holds the judge
        document = files.judges.document
        if judge.id in voting and is_past(judge):
            advice = "replace it with a successor that bridges from it"
            message = f"judge {judge.id!r} retired on {judge.retires} but is still on a panel; {advice}"
            yield document.problem(["judges", number, "retires"], message)
        chats = judge.backend != types.RECORDED and backends.judges.get(judge.backend, frozenset()) is None
        if chats and judge.id in asked and is_alias(judge.model):
            message = f"unversioned model name {quoted(judge.model)}: it may later point to another model"
            yield document.problem(["judges", number, "model"], f"{message}; use a name with a date or a version")


def is_alias(model: str) -> bool:
    """Return True if the name has no version, so that it may later point to another model."""
    return model.endswith("latest") or not _PINNED.search(model)


def is_past(judge: types.Judge) -> bool:
    """Return True if the judge has retired."""
    return judge.retires is not None and judge.retires < today().isoformat()


def ledger_is_valid(files: SpecFiles, *, new: bool) -> Iterator[Problem]:
    """Check that entries are in order, and that the last entry of each spec agrees with the specs."""
    source = files.ledger
    if source is None:
        return
    entries = source.spec.entries
    ids = _ids(files)
    kinds = sorted({*ids, *kinds_of_specs()})
    last = {(entry.kind, entry.id): number for number, entry in enumerate(entries) if entry.kind in kinds}
    for number, entry in enumerate(entries):
        if entry.kind not in kinds:
            message = f"unknown kind {entry.kind!r}; {did_you_mean(entry.kind, kinds, limit=20)}"
            yield source.document.problem(["entries", number, "kind"], message)
        if wrong := wrong_date(entry.date, "the date of the change", past=new):
            yield source.document.problem(["entries", number, "date"], wrong)
        elif number and entry.date < entries[number - 1].date:
            message = f"{entry.date} is before the previous entry, {entries[number - 1].date}; list the oldest first"
            yield source.document.problem(["entries", number, "date"], message)
    yield from _last_entries(source, last, ids)


def _last_entries(
    source: SpecFile[types.LedgerFile], last: Mapping[tuple[str, str], int], ids: Mapping[str, set[str]]
) -> Iterator[Problem]:
    for (kind, name), number in last.items():
        withdrawn, there = source.spec.entries[number].what == "withdrawn", name in ids.get(kind, ())
        if withdrawn and there:
            message = f"{kind} {name!r} exists, but its last entry says withdrawn"
            yield source.document.problem(["entries", number, "what"], f"{message}; add an entry")
        elif not withdrawn and not there:
            message = f"unknown {kind} {name!r}; {did_you_mean(name, ids.get(kind, ()))}"
            advice = "if it is gone, add an entry that says withdrawn"
            yield source.document.problem(["entries", number, "id"], f"{message}; {advice}")


def _ids(files: SpecFiles) -> Mapping[str, set[str]]:
    own: dict[str, set[str]] = {}
    for protocol in files.protocols:
        for kind, name, *_ in specs_of(protocol).listed(files):
            own.setdefault(kind, set()).add(name)
    categories = [category for source in files.domains for category in source.spec.categories]
    return own | {
        "board": {source.spec.id for source in files.boards},
        "domain": {source.spec.id for source in files.domains},
        "category": {category.id for category in categories},
        "item": {item.id for category in categories for item in category.items},
        "template": set(files.templates),
        "contestant": {source.spec.id for source in files.contestants},
        "judge": {judge.id for judge in files.all_judges},
        "panel": {panel.id for panel in files.panels},
    }
