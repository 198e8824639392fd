"""The dates of items: the first commit, or the first sealed run, whose specs have the longest line of an item's text.

Only boards whose items people or programs made have dates: a model may know what a model wrote. Dates are those that
commits and runs state. They are found when a run is scored, kept in its manifest, and found again by `verify`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nullbench_site.errors import RunError
from nullbench_site.git import git
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.manifest import ItemDates, Manifest
from nullbench_site.runs.verify import sealed_content
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.item_texts import item_texts
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.overlap import words

DATED_MAKERS = ("people", "program")
"""The makers whose items can be newer than a model."""
_SPECS = "specs"
_MOST_BYTES = 20_000_000
"""The size of the largest file that is read; a larger one leaves the dates unknown."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
SHALLOW = "a shallow clone has no history; run: git fetch --unshallow"


class _Version(NamedTuple):
    """A text of specs. day: of its commit or run, in UTC. source: `commit 1a2b3c` or `run 2.3.0-30998cf4`."""

    day: str
    source: str
    text: str


class _UnknownError(Exception):
    """The history cannot be read; the message is the reason."""


def dates_of_items(benchmark: Benchmark, run_dir: Path) -> dict[str, ItemDates]:
    """Return the dates of the items of each board that can have some. run_dir: the run that is scored."""
    boards = [board for board in benchmark.boards.values() if _is_dated(board)]
    if not boards:
        return {}
    try:
        versions = sorted(_versions(run_dir))
    except _UnknownError as unknown:
        return {board.id: ItemDates(n_items=_n_items(benchmark, board), absent=str(unknown)) for board in boards}
    return {board.id: _dates(benchmark, board, versions) for board in boards}


def date_problems(benchmark: Benchmark, run_dir: Path, manifest: Manifest) -> Iterator[tuple[bool, str]]:
    """Yield a line for each board whose dates are not those of the manifest, and whether it is a problem.

    Dates that cannot be found here, such as in a shallow clone, are no problem.
    """
    stated = {name: dates for name, dates in manifest.item_dates.items() if dates.first is not None}
    found = dates_of_items(benchmark, run_dir) if stated else {}
    for name, dates in stated.items():
        now = found.get(name)
        if now is None:
            yield True, f"{run_dir}: board {name!r} has dates of items, but its specs do not allow any"
        elif now.first is None:
            yield False, f"board {name}: the dates of its items are not checked here: {now.absent}"
        elif now != dates:
            was, here = f"{dates.first} ({dates.source})", f"{now.first} ({now.source})"
            advice = f"score the run again: nullbench-site score {manifest.run}"
            yield True, f"{run_dir}: the first item of board {name!r} is from {here}, the manifest says {was}; {advice}"


def _is_dated(board: BoardFile) -> bool:
    return board.items_made is not None and board.items_made.by in DATED_MAKERS


def _n_items(benchmark: Benchmark, board: BoardFile) -> int:
    return sum(1 for _ in benchmark.items(board))


def _dates(benchmark: Benchmark, board: BoardFile, versions: list[_Version]) -> ItemDates:
    n_items = _n_items(benchmark, board)
    asked = {text.id: _longest_line(text.asked) for text in item_texts(board, benchmark.domains)}
    if len(asked) != n_items or not all(each.strip() for each in asked.values()):
        return ItemDates(n_items=n_items, absent="not every item has a public text")
    pending = dict(asked)
    first: tuple[_Version, str] | None = None
    for version in versions:
        plain = _plain(version.text)
        seen = [item for item, text in pending.items() if text in plain]
        if seen and first is None:
            first = version, seen[0]
        for item in seen:
            del pending[item]
        if not pending:
            break
    if pending or first is None:
        where = "no commit and no earlier sealed run has the text of"
        return ItemDates(n_items=n_items, absent=f"{where} item {next(iter(pending), '')!r}")
    version, item = first
    return ItemDates(n_items=n_items, first=version.day, item=item, source=version.source)


def _longest_line(text: str) -> str:
    """Return the longest line of a text. Fields of an item, such as its source and its task, are lines of their own."""
    return max(map(_plain, text.splitlines()), key=len, default="")


def _plain(text: str) -> str:
    """Return the words of a text with a space around each: quotes, folds and escapes of YAML and JSON do not count."""
    spelled = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    return f" {' '.join(words(spelled))} "


def _versions(run_dir: Path) -> Iterator[_Version]:
    """Yield the texts of specs in commits and in other sealed runs. Raises _UnknownError."""
    yield from _of_commits(run_dir.parent.parent)
    yield from _of_runs(run_dir)


def _of_commits(root: Path) -> Iterator[_Version]:
    """Yield each file of specs of the history of HEAD, once, with its first commit; nothing without a repository."""
    try:
        shallow = git(root, "rev-parse", "--is-shallow-repository")
        listed = git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except FileNotFoundError:
        return
    if shallow is None or listed is None:
        return
    if shallow.strip() != b"false":
        raise _UnknownError(SHALLOW)
    # A replaced object or a graft could hide commits.
    log = git(root, "--no-replace-objects", "rev-list", "--full-history", "--timestamp", "HEAD", "--", f"{_SPECS}")
    if log is None:
        raise _UnknownError("git cannot read the history")
    commits = sorted((int(stamp), commit) for stamp, commit in (line.split() for line in log.decode().splitlines()))
    known: set[str] = set()
    for stamp, commit in commits:
        tree = git(root, "--no-replace-objects", "ls-tree", "-r", "-z", "-l", commit, "--", f"{_SPECS}/")
        if tree is None:
            raise _UnknownError(f"git cannot read commit {commit[:12]}")
        for entry in filter(None, tree.split(b"\0")):
            _, kind, oid, size = entry.partition(b"\t")[0].decode().split()
            if kind != "blob" or oid in known:
                continue
            known.add(oid)
            if not size.isdigit() or int(size) > _MOST_BYTES:
                raise _UnknownError(f"a file of commit {commit[:12]} is missing, or too large to read")
            content = git(root, "--no-replace-objects", "cat-file", "blob", oid)
            if content is None:
                raise _UnknownError(f"git cannot read a file of commit {commit[:12]}")
            yield _Version(_day(stamp, commit), f"commit {commit[:12]}", content.decode("utf-8", "replace"))


def _day(stamp: int, commit: str) -> str:
    try:
        return datetime.fromtimestamp(stamp, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        raise _UnknownError(f"commit {commit[:12]} has an impossible date") from error


def _of_runs(run_dir: Path) -> Iterator[_Version]:
    """Yield the specs of other sealed runs; those that were changed since are passed over."""
    try:
        entries = list_runs(run_dir.parent)
    except RunError:
        return
    for entry in entries:
        if not entry.manifest.sealed or entry.path.name == run_dir.name:
            continue
        for name in entry.manifest.files:
            if name.startswith(f"{_SPECS}/"):
                try:
                    content = sealed_content(entry.path, entry.manifest, name)
                except (OSError, ValueError):
                    continue
                yield _Version(entry.manifest.date, f"run {entry.manifest.run}", content.decode("utf-8", "replace"))
