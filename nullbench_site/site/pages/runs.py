"""Make the pages of runs: what changed in each, how to verify it, its boards; and the ledger."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.extensions import registered
from nullbench_site.packaged import word_lines
from nullbench_site.runs.catalog import CatalogEntry, count_records
from nullbench_site.runs.manifest import Manifest
from nullbench_site.scoring.columns import Metric
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.data_files import ROOT, with_schema
from nullbench_site.site.gather import SiteData
from nullbench_site.site.history import Standing, read_standings
from nullbench_site.site.pages.page import IntervalCell, Page
from nullbench_site.site.pages.usage import run_cost
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.run_changes import (
    RunChange,
    Unreadable,
    boards_with_results,
    come_and_gone,
    kept,
    moved_yardstick,
    ranks_sentence,
    spec_lines,
    specs_of_run,
    specs_sentence,
)
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import BoardFile, JudgedBoardFile, LedgerEntry

_SHOWN = 30
"""How many contestants a table of moves shows; the best of the newer run."""
_REVISION = 1
"""Raised when the same run would be read in another way."""
_ADDRESS = re.compile(r"[0-9][0-9A-Za-z._-]*\Z")
"""Names of runs that can stand in an address, beside those of the other pages there; others no build gives."""


def pages(site: SiteData, changes: Mapping[str, RunChange], boards: Collection[str] = ()) -> Iterator[Page]:
    """Yield the page of runs. changes: of each run since the one before it. boards: runs whose boards have a page."""
    yield Page(
        url=paths.RUNS,
        title="Runs",
        template="runs.md.j2",
        context={
            "runs": [_run(site, entry, changes.get(entry.path.name)) for entry in reversed(site.runs)],
            "boards": boards,
            "here": _here(site),
            "most_moves": _SHOWN,
            "compare": paths.COMPARE_RUNS if len(boards) > 1 else "",
            "damaged": words.listed([words.foreign(name) for name in site.damaged]),
            "profiles": any(entry.manifest.profile for entry in site.runs),
            "terms": {
                name: {"title": title, "text": text}
                for name, title, text in (line.split(" | ") for line in word_lines("run-terms"))
            },
            "ledger": len(site.benchmark.ledger),
        },
        description="Every run (version), what changed since the one before, its digests and how to verify it.",
        searchable=False,
    )


def _run(site: SiteData, entry: CatalogEntry, change: RunChange | None) -> dict[str, Any]:
    responses, judgments, _ = count_records(entry).values()
    return {
        "name": entry.path.name,
        "manifest": entry.manifest,
        "shown": entry.path == site.entry.path,
        "commit": _commit(entry.manifest),
        "responses": responses,
        "judgments": judgments,
        "cost": run_cost(entry.manifest),
        "change": None if change is None else _change(site, entry, change),
    }


def _commit(manifest: Manifest) -> str:
    source = manifest.source
    if source is None:
        return "not recorded: the run was made by an earlier version"
    if source.commit is None:
        return f"none: {source.absent}"
    differed = {
        True: ", from which specs or answers differed",
        False: "",
        None: ", and whether the specs differed is not known",
    }
    return f"{source.commit}{differed[source.dirty]}"


def _change(site: SiteData, entry: CatalogEntry, change: RunChange) -> dict[str, Any]:
    before = next((other.manifest for other in site.runs if other.path.name == change.before), None)
    same_digest = before is not None and before.spec_digest == entry.manifest.spec_digest
    specs = change.specs
    return {
        "found": change,
        "specs": None if specs is None else specs_sentence(specs, same_digest=same_digest),
        "lines": spec_lines(specs or ()),
        "yardstick": moved_yardstick(specs or ()),
        "boards": [
            {
                "title": _title(site, board.board),
                "overall": _overall_of(site, board.board),
                "sentences": [ranks_sentence(board), *come_and_gone(board, change.titles)],
                "moves": [move for move in board.moves if move.moved],
            }
            for board in change.boards or ()
        ],
        "new_boards": [_title(site, board) for board in change.new_boards],
        "gone_boards": [_title(site, board) for board in change.gone_boards],
    }


def _overall_of(site: SiteData, board: str) -> Metric:
    spec = site.benchmark.boards.get(board)
    return METRICS[pages_of(spec.protocol).layout_of(spec).overall if spec else "overall"]


def _here(site: SiteData) -> set[str]:
    """Return the contestants that have a page."""
    return {model for view in site.views for model in view.rows}


def _title(site: SiteData, board: str) -> str:
    spec = site.benchmark.boards.get(board)
    return spec.title if spec else board


def ledger(site: SiteData) -> Iterator[Page]:
    """Yield the page of the ledger, newest entry first; none for a benchmark without a ledger."""
    entries = site.benchmark.ledger
    if not entries:
        return
    on_boards = _here(site)
    tally = Counter(entry.what for entry in entries)
    yield Page(
        url=paths.LEDGER,
        title="Ledger",
        template="ledger.md.j2",
        context={
            "entries": [{"entry": entry, "link": _link(entry, on_boards)} for entry in reversed(entries)],
            "tally": words.listed([f"{words.number(n, 0)} {what}" for what, n in tally.items()]),
            "since": entries[0].date,
        },
        description="What was added, changed and withdrawn, when, by whom and why.",
        searchable=False,
    )


def _link(entry: LedgerEntry, on_boards: set[str]) -> str:
    """Return the page of a ledger entry: of a contestant on a board, or of judges; empty without one."""
    if entry.kind == "contestant" and entry.id in on_boards:
        return paths.model_url(entry.id)
    return paths.JUDGES if entry.kind in ("judge", "panel") else ""


# The boards of every sealed run, and any two of them beside each other.


def sealed_boards(site: SiteData, boards: Mapping[str, RunBoards]) -> Iterator[Page]:
    """Yield a page for each run, and the one that compares two. boards: oldest run first."""
    names = list(boards)
    here = _here(site)
    for place, (name, of_run) in enumerate(boards.items()):
        yield Page(
            url=paths.run_url(name),
            title=f"Run {name}",
            template="run.md.j2",
            context={
                "run": of_run,
                "shown": name == site.entry.path.name,
                "earlier": names[place - 1] if place else "",
                "later": names[place + 1] if place + 1 < len(names) else "",
                "boards": [(board, _overall(board)) for board in of_run.boards],
                "here": here,
                "drawn": _interval,
                "several": len(boards) > 1,
                "data": f"{ROOT}/runs/{name}.json",
            },
            description=f"The boards of run {name} as they were sealed.",
            searchable=False,
        )
    if len(boards) > 1:
        yield Page(
            url=paths.COMPARE_RUNS,
            title="Compare runs",
            template="compare_runs.md.j2",
            context={
                "runs": [boards[name] for name in reversed(names)],
                "models": sorted(here),
            },
            description="Any two runs beside each other: the ranks and scores of every contestant in both.",
            searchable=False,
        )


def _overall(board: RunBoard) -> Metric:
    """Return the metric of a board's score; the general one if its protocol is not installed or has several."""
    pages = pages_of(board.protocol) if board.protocol and board.protocol in registered("protocols") else None
    return METRICS["overall" if pages is None or pages.layout_on else pages.layout.overall]


def _interval(row: RunRow) -> IntervalCell | None:
    if row.overall is None or row.ci_low is None or row.ci_high is None:
        return None
    return IntervalCell(row.overall, row.ci_low, row.ci_high, None)


# The boards of a sealed run by its own files: its specs for names, its leaderboards for the rest, and no record. They
# are read once, so those of fifty runs take no time.


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
    """Return the boards of each sealed run."""
    named = (entry for entry in runs if entry.manifest.sealed and _ADDRESS.match(entry.path.name))
    return {entry.path.name: _boards_of(entry, cache) for entry in named}


def run_board_files(boards: Mapping[str, RunBoards]) -> Iterator[tuple[str, bytes]]:
    """Yield the data file of each run and their schema, by path below the site's root."""
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
    """Name the panel of a board."""
    if not isinstance(board, JudgedBoardFile):
        return pages_of(board.protocol).not_asked or "No judge: programs marked the answers."
    panel = specs.panels[board.panel]
    judges = [specs.judges[judge] for judge in panel.judges]
    what = "Rule-based panel" if all(judge.is_program for judge in judges) else f"Panel “{words.isolated(panel.title)}”"
    return f"{what}: {words.listed([words.isolated(judge.title) for judge in judges])}."
