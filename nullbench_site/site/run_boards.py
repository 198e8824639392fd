"""The boards of a run by its own files: its specs for names, its leaderboards for the rest, and not one record.

So those of fifty runs take no time: what a sealed run has is worked out once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.site import words
from nullbench_site.site.data_files import with_schema
from nullbench_site.site.history import Standing, read_standings
from nullbench_site.site.run_changes import Unreadable, boards_with_results, kept, specs_of_run
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import BoardFile, JudgedBoardFile

_REVISION = 1
"""Raised when the same run would be read in another way."""
_ADDRESS = re.compile(r"[0-9][0-9A-Za-z._-]*\Z")
"""Names of runs that can stand in an address, beside those of the other pages there; others no build gives."""


class RunRow(Standing, frozen=True, kw_only=True):
    """A contestant on the board of a run. kind: null where the specs of the run cannot be read."""

    model: str
    title: str
    kind: str | None


class RunBoard(msgspec.Struct, frozen=True):
    """A board of a run, best first. damage: why there are no rows.

    protocol, panel: null where the specs of the run cannot be read; panel: who judged, in words.
    """

    id: str
    title: str
    protocol: str | None
    panel: str | None
    rows: tuple[RunRow, ...]
    damage: str = ""


class RunBoards(msgspec.Struct, frozen=True):
    """data/v1/runs/<run>.json: the boards of a sealed run. problems: what of it could not be read, and why."""

    run: str
    benchmark: str
    version: str
    profile: str | None
    date: str
    spec_digest: str
    manifest_digest: str
    boards: tuple[RunBoard, ...]
    problems: tuple[str, ...] = ()


def run_boards(runs: Sequence[CatalogEntry], cache: Path) -> Mapping[str, RunBoards]:
    """Run -> its boards, of all sealed runs in their order."""
    named = (entry for entry in runs if entry.manifest.sealed and _ADDRESS.match(entry.path.name))
    return {entry.path.name: _boards_of(entry, cache) for entry in named}


def run_board_files(boards: Mapping[str, RunBoards]) -> Iterator[tuple[str, bytes]]:
    """The data file of each run, and their schema, by path below the site's root."""
    for name, of_run in boards.items():
        yield from with_schema(f"runs/{name}.json", "runs/run.schema.json", of_run)


def _boards_of(entry: CatalogEntry, cache: Path) -> RunBoards:
    key = sha256(f"{_REVISION} {entry.path.name} {entry.manifest.digest}".encode())
    return kept(cache / "boards" / f"{key}.json", partial(_read, entry), RunBoards)


def _read(entry: CatalogEntry) -> RunBoards:
    problems = []
    specs: Benchmark | None = None
    try:
        specs = specs_of_run(entry)
    except Unreadable as reason:
        problems.append(str(reason))
    boards = [_board(entry, board, specs) for board in boards_with_results(entry)]
    problems += [f"the results of board {board.id} cannot be shown: {board.damage}" for board in boards if board.damage]
    manifest = entry.manifest
    order = {name: place for place, name in enumerate(specs.boards if specs else ())}
    return RunBoards(
        run=entry.path.name,
        benchmark=manifest.benchmark,
        version=manifest.version,
        profile=manifest.profile,
        date=manifest.date,
        spec_digest=manifest.spec_digest,
        manifest_digest=manifest.digest,
        boards=tuple(sorted(boards, key=lambda board: order.get(board.id, len(order)))),
        problems=tuple(problems),
    )


def _board(entry: CatalogEntry, board: str, specs: Benchmark | None) -> RunBoard:
    spec = specs.boards.get(board) if specs else None
    models = specs.models if specs else {}
    try:
        standings = read_standings(entry, board)
        damage = ""
    except (FileNotFoundError, RunError) as error:
        standings, damage = {}, str(error)
    rows = (
        RunRow(
            **msgspec.structs.asdict(standing),
            model=model,
            title=models[model].title if model in models else model,
            kind=models[model].kind if model in models else None,
        )
        for model, standing in standings.items()
    )
    if specs is None or spec is None:
        return RunBoard(board, board, None, None, tuple(rows), damage)
    return RunBoard(board, spec.title, spec.protocol, _panel(specs, spec), tuple(rows), damage)


def _panel(specs: Benchmark, board: BoardFile) -> str:
    """Who judged, in words: the panel alone, as who is asked beside it is a matter of results."""
    if not isinstance(board, JudgedBoardFile):
        return "No judge: programs marked the answers."
    panel = specs.panels[board.panel]
    judges = [specs.judges[judge] for judge in panel.judges]
    what = "Rule-based panel" if all(judge.is_program for judge in judges) else f"Panel “{panel.title}”"
    return f"{what}: {words.listed([judge.title for judge in judges])}."
