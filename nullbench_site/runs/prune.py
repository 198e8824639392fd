"""Old runs without the records that newer ones hold: their manifest, specs and results stay.

A record goes only if the same line, byte for byte, stands in a newer sealed run, so the newest of each stays where it
is. Records of private items stay, as what is behind them may not be here.

Killed at any moment nothing is lost and every shard is sound: the manifest says first what is going to be left of each,
and both are until all are cut. The next pruning goes on with it, and takes away what was half written.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import HIDDEN
from nullbench_site.runs.manifest import FileDigest, Pruned, write_pruned
from nullbench_site.runs.records import Judgment, Response, damaged_line
from nullbench_site.runs.storage import drop_temporary, storage_errors, write_atomically
from nullbench_site.runs.verify import is_sealed
from nullbench_site.specs.digest import NOT_JSON

_SHARD = re.compile(r"(?:responses|judgments)/[^/\\]+\.jsonl\Z")


class _Board(msgspec.Struct):
    board: str


class Pruning(msgspec.Struct):
    """What pruning drops of a run: how many records, of which boards, and who has them; `left` stay.

    stands: each shard as it is, by path below the run; cuts: what is to be left of those that get shorter.
    """

    entry: CatalogEntry
    dropped: int = 0
    left: int = 0
    bytes: int = 0
    boards: Counter[str] = msgspec.field(default_factory=Counter)
    held_by: set[str] = set()
    stands: dict[str, FileDigest | None] = {}
    cuts: dict[str, _Cut] = {}

    @property
    def run(self) -> str:
        return self.entry.path.name

    @property
    def due(self) -> bool:
        """Whether there is something to do, be it to end what was interrupted."""
        pruned = self.entry.manifest.pruned
        return bool(self.dropped or (pruned and pruned.cutting))


class _Cut(msgspec.Struct, frozen=True):
    """What is left of a shard, None where nothing is; places: of the lines that stay, in bytes: start, end ..."""

    left: FileDigest | None
    places: array[int]


def prunings(entries: Sequence[CatalogEntry], whole: Collection[Path]) -> list[Pruning]:
    """What can go of the sealed runs that are not to stay whole, oldest first; runs of which nothing can are left out.

    entries: oldest first. Raises RunError where a shard is not what was sealed, be it that of a run that stays, where a
    line of one is no record, and where a link stands in a run.
    """
    by_run = {entry.path: Pruning(entry) for entry in entries if entry.manifest.sealed}
    for entry in entries:
        RunFolder(entry.path, entry.manifest)  # which has no links
    for name in sorted({name for each in by_run.values() for name in _shards(each.entry)}):
        # Of one contestant at a time: the digest of a line -> the newest run that has it.
        holder: dict[bytes, str] = {}
        for pruning in reversed(by_run.values()):
            _look(pruning, name, holder, whole=pruning.entry.path in whole)
    return [each for each in by_run.values() if each.due and each.entry.path not in whole]


def _shards(entry: CatalogEntry) -> Iterator[str]:
    """The names alone that shards of ours have: a manifest may be anybody's, and what is named is written."""
    return (name for name in entry.manifest.files if _SHARD.match(name))


def _look(pruning: Pruning, name: str, holder: dict[bytes, str], *, whole: bool) -> None:
    path, manifest = pruning.entry.path / name, pruning.entry.manifest
    if name not in manifest.files or not path.is_file():
        return
    sealed, left, places = hashlib.sha256(), hashlib.sha256(), array("q")
    size = dropped = lines = at = 0
    own = {}
    with path.open("rb") as shard:
        for line in shard:
            sealed.update(line)
            lines += 1
            digest = hashlib.blake2b(line, digest_size=16).digest()
            holding = None if whole or HIDDEN in line else holder.get(digest)
            if holding is None:
                own[digest] = pruning.run
                left.update(line)
                size += len(line)
                places.extend((at, at + len(line)))
            else:
                dropped += 1
                pruning.held_by.add(holding)
                pruning.boards[_board_of(path, lines, line)] += 1
            at += len(line)
    if not is_sealed(manifest, name, sealed.hexdigest()):
        advice = "restore it from git, or delete the run folder"
        raise RunError(f"{path}: the file was changed after the run was sealed; nothing was pruned; {advice}")
    for digest, run in own.items():
        holder.setdefault(digest, run)
    pruning.left += lines - dropped
    pruning.stands[name] = FileDigest(sealed.hexdigest(), at)
    if dropped:
        pruning.dropped += dropped
        pruning.bytes += at - size
        pruning.cuts[name] = _Cut(FileDigest(left.hexdigest(), size) if size else None, places)


def _board_of(path: Path, number: int, line: bytes) -> str:
    try:
        return msgspec.json.decode(line, type=_Board).board
    except NOT_JSON as error:
        raise damaged_line(path, number, Response if path.parent.name == "responses" else Judgment, error) from error


def prune(pruning: Pruning, now: str) -> None:
    """Drop it. Hold `storage.exclusive` around finding and pruning. now: when, for the manifest."""
    path, manifest = pruning.entry.path, pruning.entry.manifest
    before = manifest.pruned or Pruned(manifest.digest, now, 0, (), {})
    planned = {name: cut.left for name, cut in pruning.cuts.items()}
    stands = {name: pruning.stands.get(name) for name in (*before.left, *before.cutting)}
    pruned = Pruned(
        digest=before.digest,
        at=now,
        records=manifest.counts.calls - pruning.left,
        held_by=tuple(sorted({*before.held_by, *pruning.held_by})),
        left=stands,
        cutting=planned,
    )
    drop_temporary(path)
    write_pruned(path, pruned)
    for name, cut in pruning.cuts.items():
        with storage_errors(path / name):
            if cut.left is None:
                (path / name).unlink()
            else:
                write_atomically(path / name, _kept(path / name, cut.places))
    left = {name: file for name, file in {**stands, **planned}.items() if file != manifest.files[name]}
    write_pruned(path, msgspec.structs.replace(pruned, left=left, cutting={}))


def _kept(path: Path, places: array[int]) -> Iterator[bytes]:
    with path.open("rb") as shard:
        for start, end in zip(places[::2], places[1::2], strict=True):
            shard.seek(start)
            yield shard.read(end - start)


def lost_lines(was: Path, entry: CatalogEntry, runs: Sequence[CatalogEntry]) -> int:
    """How many records a run had, in the folder `was`, that neither it has since pruning nor any of the runs it names.

    runs: those beside it.
    """
    pruned = entry.manifest.pruned
    named = () if pruned is None else pruned.held_by
    folders = [entry.path, *(run.path for run in runs if run.path.name in named)]
    lost = 0
    for name in filter(_SHARD.match, entry.manifest.shortened):
        had = _lines(was / name)
        lost += len(had.difference(*(_lines(folder / name) for folder in folders))) if had else 0
    return lost


def _lines(shard: Path) -> set[bytes]:
    """The digest of each line; none where the shard is not there."""
    if not shard.is_file():
        return set()
    with shard.open("rb") as lines:
        return {hashlib.blake2b(line, digest_size=16).digest() for line in lines}
