"""The ledgers of the two sides: what was written stays as it was, and what changes is written."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from nullbench_site.review.revisions import Revision
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change
from nullbench_site.specs.document import MAX_BYTES
from nullbench_site.text import listed, some_of

_FILE = "ledger.yaml"
_TOLD = frozenset({"contestant", "judge", "item"})
"""Kinds of specs of which somebody will ask why they are not what they were."""
_MOST_NAMED = 8


def edited(base: Revision, head: Revision) -> Iterator[str]:
    """A line where the ledger of the head does not begin with that of the base, byte for byte."""
    before, after = _content(base), _content(head)
    if before is None or (after is not None and after.startswith(before)):
        return
    if after is None:
        yield f"the head has no specs/{_FILE}, which the base has; entries are never taken out"
        return
    lines = zip_longest(before.splitlines(keepends=True), after.splitlines(keepends=True))
    line = next((number for number, (old, new) in enumerate(lines, start=1) if old != new), 1)
    yield f"specs/{_FILE} is not what it was from line {line} on; entries are added at its end, and none is edited"


def continued(before: Benchmark | None, after: Benchmark) -> Iterator[str]:
    """A line where what follows the ledger of the base makes another of its entries, as a text that goes on does."""
    if before is not None and after.ledger[: len(before.ledger)] != before.ledger:
        yield f"what was added to specs/{_FILE} changes an entry above it; begin it with an entry of its own"


def notices(
    before: Benchmark, after: Benchmark, changes: Sequence[Change], private: Mapping[str, str]
) -> Iterator[str]:
    """What changes without an entry, and entries of what was never there; nothing where there is no ledger.

    private: what hidden items are called, by id.
    """
    if not after.ledger:
        return
    added = after.ledger[len(before.ledger) :]
    entries = {(entry.kind, entry.id) for entry in added}
    untold = [
        f"{change.kind} {private.get(change.id, change.id)}"
        for change in changes
        if change.kind in _TOLD
        and change.scored
        and not entries & {(change.kind, change.id), (change.kind, change.before)}
    ]
    if untold:
        yield f"no new entry of specs/{_FILE} tells of {_some(untold)}"
    went = (change for change in changes if change.what in ("removed", "renamed"))
    gone = {(change.kind, (change.before or change.id).rpartition("/")[2]) for change in went}
    withdrawn = (entry for entry in added if entry.what == "withdrawn" and before.ledger)
    strange = [entry for entry in withdrawn if (entry.kind, entry.id) not in gone]
    if strange:
        names = [f"{entry.kind} {private.get(entry.id, entry.id)}" for entry in strange]
        yield f"specs/{_FILE} says withdrawn of what no board of the base has: {_some(names)}"


def _some(names: Sequence[str]) -> str:
    return listed(some_of(names, _MOST_NAMED, thousands=","))


def _content(side: Revision) -> bytes | None:
    path = side.specs / _FILE
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None  # a link, or a pipe that nobody writes to
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError:
        return None
