"""Every run of the benchmark: when, by what, what changed since, how to check it, its boards; and the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from nullbench_site.extensions import registered
from nullbench_site.packaged import word_lines
from nullbench_site.runs.catalog import CatalogEntry, count_records
from nullbench_site.runs.manifest import Manifest
from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import change_words, paths, words
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import IntervalCell, Page, metrics
from nullbench_site.site.pages.usage import run_cost
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.run_boards import RunBoard, RunBoards, RunRow
from nullbench_site.site.run_changes import BoardChange, RunChange
from nullbench_site.specs.types import LedgerEntry

_SHOWN = 30
"""How many contestants a table of moves shows; the best of the newer run."""


def pages(site: SiteData, changes: Mapping[str, RunChange], boards: Collection[str] = ()) -> Iterator[Page]:
    """The one page of runs. changes: of each run against the one before it. boards: runs whose boards have a page."""
    yield Page(
        url=paths.RUNS,
        title="Runs",
        template="runs.md.j2",
        context={
            "runs": [_run(site, entry, changes.get(entry.path.name), boards) for entry in reversed(site.runs)],
            "compare": paths.COMPARE_RUNS if len(boards) > 1 else "",
            "damaged": words.listed([words.foreign(name) for name in site.damaged]),
            "profiles": any(entry.manifest.profile for entry in site.runs),
            "terms": {
                name: {"title": title, "text": text}
                for name, title, text in (line.split(" | ") for line in word_lines("run-terms"))
            },
            "metrics": metrics("rank"),
            "ledger": words.plural(len(entries), "entry", "entries") if (entries := site.benchmark.ledger) else "",
        },
        description="Every run, what changed since the one before, its digests and how to verify it.",
        searchable=False,
    )


def _run(site: SiteData, entry: CatalogEntry, change: RunChange | None, boards: Collection[str]) -> dict[str, Any]:
    manifest = entry.manifest
    counts = manifest.counts
    responses, judgments = count_records(entry).values()
    return {
        "manifest": manifest,
        "shown": entry.path == site.entry.path,
        "date": manifest.date,
        "begun": _when(manifest.created_at),
        "sealed": _when(manifest.sealed_at) if manifest.sealed_at else "",
        "boards": paths.run_url(entry.path.name) if entry.path.name in boards else "",
        "commit": _commit(manifest),
        "commit_known": manifest.source is not None and manifest.source.commit is not None,
        "responses": words.number(responses, 0),
        "judgments": words.number(judgments, 0),
        "failed": words.number(counts.failed, 0),
        "unparsed": words.number(counts.unparsed, 0),
        "cost": run_cost(manifest),
        "anew": words.listed(list(manifest.judged_anew)),
        "files": words.number(len(manifest.files), 0),
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


def _when(moment: str) -> str:
    """`2026-11-21 19:28 UTC`."""
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _change(site: SiteData, entry: CatalogEntry, change: RunChange) -> dict[str, Any]:
    before = next((other.manifest for other in site.runs if other.path.name == change.before), None)
    same_digest = before is not None and before.spec_digest == entry.manifest.spec_digest
    specs = change.specs
    return {
        "before": change.before,
        "specs": None if specs is None else change_words.specs_sentence(specs, same_digest=same_digest),
        "lines": change_words.spec_lines(specs or ()),
        "yardstick": change_words.moved_yardstick(specs or ()),
        "boards": [_board(site, board, change.titles) for board in change.boards or ()],
        "new_boards": [_title(site, board) for board in change.new_boards],
        "gone_boards": [_title(site, board) for board in change.gone_boards],
        "problems": change.problems,
    }


def _board(site: SiteData, change: BoardChange, titles: Mapping[str, str]) -> dict[str, Any]:
    spec = site.benchmark.boards.get(change.board)
    here = {model for view in site.views for model in view.rows}
    moves = list(change_words.moves_in_words(change.moves))
    return {
        "title": _title(site, change.board),
        "overall": METRICS[pages_of(spec.protocol).layout_of(spec).overall if spec else "overall"],
        "sentence": change_words.ranks_sentence(change),
        "others": list(change_words.come_and_gone(change, titles)),
        "moves": [
            {
                **move,
                "title": titles.get(move["model"], move["model"]),
                "link": paths.model_url(move["model"]) if move["model"] in here else "",
            }
            for move in moves[:_SHOWN]
        ],
        "more": words.plural(len(moves) - _SHOWN, "contestant") if len(moves) > _SHOWN else "",
    }


def _title(site: SiteData, board: str) -> str:
    spec = site.benchmark.boards.get(board)
    return spec.title if spec else board


def ledger(site: SiteData) -> Iterator[Page]:
    """The one page of what was added, changed or withdrawn, newest first; none of a benchmark without a ledger."""
    entries = site.benchmark.ledger
    if not entries:
        return
    on_boards = {model for view in site.views for model in view.rows}
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
    """The page of a contestant that is on a board, or that of judges; empty for what has no page of its own."""
    if entry.kind == "contestant" and entry.id in on_boards:
        return paths.model_url(entry.id)
    return paths.JUDGES if entry.kind in ("judge", "panel") else ""


# The boards of every sealed run, and any two of them beside each other.


def sealed_boards(site: SiteData, boards: Mapping[str, RunBoards]) -> Iterator[Page]:
    """A page a run, and the one on which two are compared. boards: oldest run first."""
    names = list(boards)
    here = {model for view in site.views for model in view.rows}
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
                "boards": [_past_board(board, here) for board in of_run.boards],
                "metrics": metrics("rank", "ci"),
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
                "root": ROOT,
                "models": sorted(here),
                "metrics": metrics("rank"),
            },
            description="Any two runs beside each other: the ranks and scores of every contestant in both.",
            searchable=False,
        )


def _past_board(board: RunBoard, here: set[str]) -> dict[str, Any]:
    return {
        "id": board.id,
        "title": board.title,
        "damage": board.damage,
        "panel": board.panel or "Who judged is not known here, as the specs of the run cannot be read.",
        "overall": _overall(board),
        "rows": [_past_row(row, here) for row in board.rows],
    }


def _overall(board: RunBoard) -> Metric:
    """What its score is called; as that of any board where its protocol is not installed, or has several."""
    pages = pages_of(board.protocol) if board.protocol and board.protocol in registered("protocols") else None
    return METRICS["overall" if pages is None or pages.layout_on else pages.layout.overall]


def _past_row(row: RunRow, here: set[str]) -> dict[str, Any]:
    drawn = None
    if row.overall is not None and row.ci_low is not None and row.ci_high is not None:
        drawn = IntervalCell(row.overall, row.ci_low, row.ci_high, None)
    return {
        "title": row.title,
        "kind": {"null": "null model", "baseline": "baseline"}.get(row.kind or "", ""),
        "link": paths.model_url(row.model) if row.model in here else "",
        "rank": words.rank_range(row.rank, row.rank_low, row.rank_high),
        "score": words.number(row.overall),
        "sureness": words.interval(row.ci_low, row.ci_high),
        "interval": drawn,
    }
