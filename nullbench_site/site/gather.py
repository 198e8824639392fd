"""Read everything that the pages are made of, once; several audits of one board become one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.audit.recorded_studies import RecordedStudy, is_study, recorded_studies
from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.verify import integrity_problems, sealed_content
from nullbench_site.scoring.columns import Metric
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.tables import read_results
from nullbench_site.site.charts.style import Look, looks
from nullbench_site.site.convergence import other_boards
from nullbench_site.site.host_load import HostLoad
from nullbench_site.site.judge_replies import RepliesOfRun, recorded
from nullbench_site.site.views import Audit, BoardView, known, view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import BoardFile, JudgedBoardFile

_KEYS: dict[str, Callable[[Any], Any]] = {
    "leaderboard": lambda row: row.model,
    "attacks": lambda row: (row.model, row.judge),
    "attacked_judges": lambda row: row.judge,
    "defences": lambda row: (row.defence, row.judge),
    "defended_attacks": lambda row: (row.defence, row.judge, row.model),
}
"""The tables of an audit, and what a row is of. The newest measured row of each counts."""


def merged(parts: Sequence[tuple[CatalogEntry, BoardView]], *, current: bool) -> Audit:
    """Return several audits of a board, newest first, as one."""
    return Audit(parts[0][0], together([view for _, view in parts]), current, parts)


def together(views: Sequence[BoardView]) -> BoardView:
    """Return the first view with the attacks and judges of all. Rows of all judges are only of views that ask all."""
    newest = views[0]
    if len(views) == 1:
        return newest
    asked = [_asked(view) for view in views]
    whole = set[str]().union(*asked)
    tables = {
        name: _first(
            key,
            (
                [
                    row
                    for row in known(getattr(view.results, name))
                    if of == whole or getattr(row, "judge", "") is not None
                ]
                for view, of in zip(views, asked, strict=True)
            ),
        )
        for name, key in _KEYS.items()
    }
    judges = {judge.id: judge for view in reversed(views) for judge in view.judges}
    panels = dict(newest.benchmark.panels)
    if newest.panel is not None:
        panels[newest.panel.id] = msgspec.structs.replace(newest.panel, judges=tuple(judges))
    benchmark = replace(
        newest.benchmark,
        judges={**newest.benchmark.judges, **judges},
        models={name: model for view in reversed(views) for name, model in view.benchmark.models.items()},
        panels=panels,
    )
    return replace(newest, benchmark=benchmark, results=msgspec.structs.replace(newest.results, **tables))


def _asked(view: BoardView) -> set[str]:
    """Return the judges of the specs that a view asks, in any wording."""
    return {getattr(judge, "base", judge.id) for judge in view.judges}


def _first(key: Callable[[Any], Any], tables: Iterable[Sequence[Any]]) -> list[Any]:
    """Return the rows of all tables; of several with one key, the first that is measured, or else the first."""
    rows: dict[Any, Any] = {}
    for table in tables:
        for row in table:
            if not _is_measured(rows.setdefault(key(row), row)) and _is_measured(row):
                rows[key(row)] = row
    return [*rows.values()]


def _is_measured(row: Any) -> bool:
    """Return False for a row that says why all of it is absent. Other rows say so by column, or are always measured."""
    return not isinstance(getattr(row, "absent", None), str)


@dataclass(frozen=True)
class SiteData:
    """A benchmark, the run to show, the results of its boards, and all runs there are.

    damaged: the names of those whose manifest cannot be read. audits: of judges, by board. studies: of judging prompts.
    """

    benchmark: Benchmark
    entry: CatalogEntry
    runs: Sequence[CatalogEntry]
    boards: Mapping[str, Results]
    damaged: Collection[str] = ()
    audits: Mapping[str, Audit] = field(default_factory=dict)
    studies: Sequence[RecordedStudy] = ()

    @cached_property
    def views(self) -> tuple[BoardView, ...]:
        """Return the views of all boards: those mostly of language models first, in each group imported ones last.

        Boards about judges, and boards of a single contestant, come after all others.
        """
        views = [self._view(name, results) for name, results in self.boards.items()]

        def place(view: BoardView) -> tuple[bool, bool, bool]:
            n_models = len(view.language_models)
            last = view.board.about == "judges" or n_models + view.n_programs < 2
            return last, n_models <= view.n_programs, view.board.imported is not None

        return tuple(sorted(views, key=place))

    def _view(self, name: str, results: Results) -> BoardView:
        others = other_boards(self.benchmark, name, self.boards)
        view = view_of(self.benchmark, self.benchmark.boards[name], results, others)
        audit = self._audit(view.board)
        if audit is not None and audit.current:
            audit = replace(audit, view=together([audit.view, view]))
        return replace(view, audit=audit, replies=self._replies, load=self._load)

    @cached_property
    def _load(self) -> HostLoad:
        return HostLoad(self.benchmark, self.entry.path)

    @cached_property
    def _replies(self) -> RepliesOfRun:
        return recorded(self.benchmark, self.entry.path)

    def _audit(self, board: BoardFile) -> Audit | None:
        """Return the audit of a board in this run, or of another board that asks alike; else the newest."""
        own = self.audits.get(board.id)
        current = [(self.benchmark.boards.get(name), each) for name, each in self.audits.items() if each.current]
        if (own is not None and own.current) or not isinstance(board, JudgedBoardFile):
            return own
        return next((each for other, each in current if other is not None and _asks_alike(board, other)), own)

    @cached_property
    def protocols(self) -> tuple[str, ...]:
        """Return the protocols of the boards, each once, in order."""
        return tuple(dict.fromkeys(view.board.protocol for view in self.views))

    @cached_property
    def looks(self) -> Mapping[str, Look]:
        """Return the colour and shape of each contestant. Null models are grey."""
        nulls = looks(view.nulls for view in self.views)
        return {**nulls, **looks([row.model for row in view.contestants] for view in self.views)}


def _asks_alike(board: JudgedBoardFile, other: BoardFile) -> bool:
    """Return True if two boards ask the same judges the same question."""
    return isinstance(other, JudgedBoardFile) and all(
        getattr(board, name) == getattr(other, name) for name in ("protocol", "panel", "judge_templates")
    )


def gather(
    benchmark: Benchmark,
    entry: CatalogEntry,
    runs: Sequence[CatalogEntry],
    damaged: Collection[str] = (),
    audits: Path | None = None,
) -> SiteData:
    """Read the results of every board of a run. Raises RunError if they are missing or were changed after sealing.

    audits: the folder of audits, which may be absent.
    """
    boards = {board.id: _results(entry, board) for board in benchmark.boards.values()}
    _refuse_a_changed_run(entry)
    if audits is None:
        return SiteData(benchmark, entry, runs, boards, damaged)
    return SiteData(benchmark, entry, runs, boards, damaged, read_audits(audits, entry), recorded_studies(audits))


def read_audits(folder: Path, shown: CatalogEntry) -> Mapping[str, Audit]:
    """Return the sealed audits of each board as one: those of the shown run, or the newest of another.

    Raises RunError if one is damaged or changed.
    """
    parts: dict[str, list[tuple[CatalogEntry, BoardView]]] = {}
    others: dict[str, CatalogEntry] = {}
    for entry in reversed(list_runs(folder)):
        if not entry.manifest.sealed or is_study(entry):
            continue
        if entry.manifest.version == shown.manifest.run:
            for view in _views(entry):
                parts.setdefault(view.board.id, []).append((entry, view))
        else:
            for path in entry.path.glob("results/*/results.json"):
                others.setdefault(path.parent.name, entry)
    found = {name: merged(of_board, current=True) for name, of_board in parts.items()}
    for name, entry in others.items():
        if name not in found:
            old = [(entry, view) for view in _views(entry) if view.board.id == name]
            found |= {name: merged(old, current=False)} if old else {}
    return found


def _views(audit: CatalogEntry) -> Sequence[BoardView]:
    return gather(load_benchmark(audit.path / "specs"), audit, [audit]).views


def shown_metrics(site: SiteData) -> list[Metric]:
    """Return the metrics of the protocols on the site."""
    return [metric for metric in METRICS.values() if set(site.protocols) & set(metric.protocols)]


def _results(entry: CatalogEntry, board: BoardFile) -> Results:
    folder = f"results/{board.id}"
    try:
        for name in entry.manifest.files:
            if name.startswith(f"{folder}/"):
                sealed_content(entry.path, entry.manifest, name)
        results = read_results(entry.path, board.id)
        if results.protocol != board.protocol:
            raise ValueError(f"they are of the protocol {results.protocol!r}, but the board of {board.protocol!r}")
        return results
    except (FileNotFoundError, ValueError, *NOT_JSON) as error:
        advice = f"recompute them with: nullbench-site score {entry.path.name}"
        raise RunError(f"{entry.path / folder}: the results are missing or damaged ({error}); {advice}") from error


def _refuse_a_changed_run(entry: CatalogEntry) -> None:
    """Refuse a sealed run whose files changed. Results are checked one by one: they can be recomputed."""
    if not entry.manifest.sealed:
        return
    _, problems = integrity_problems(entry.path, but_for="results/")
    if problems:
        advice = "a changed run is not published; restore it from git, or delete the folder and build again"
        raise RunError("\n".join([*problems, advice]))
