"""The library: open a sealed run, and read its tables, comparisons and charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop import frames
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import NAME, read_manifest
from nullbench_site.runs.verify import check_sealed, misnamed, not_sealed
from nullbench_site.scoring.recomputation import run_benchmark
from nullbench_site.site.charts.chart import chart_spec
from nullbench_site.site.charts.style import light
from nullbench_site.site.differences import paired
from nullbench_site.site.gather import SiteData, gather
from nullbench_site.site.pages.charts import board_charts
from nullbench_site.site.pages.sentences import of_two
from nullbench_site.site.views import BoardView
from nullbench_site.stats.measure import PanelKind, Robustness
from nullbench_site.text import did_you_mean

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


def open_run(folder: str | PathLike[str]) -> Run:
    """Open the newest sealed run of a benchmark repository, or the run in a run folder, and verify it.

    In a repository, if the current specs are those of an earlier run, that run is opened. Every file is compared with
    the digest in the manifest. `nullbench-site verify` also recomputes the scores. Nothing is written.

    Raises UsageError if the folder is neither, RunError if it has no sealed run or the run was changed.
    """
    path = Path(folder)
    repository = None if (path / NAME).is_file() else Repository(path)
    if repository is None:
        entry = CatalogEntry(path, read_manifest(path))
    elif repository.runs.is_dir():
        entry = api.find_run(repository, None)
    else:
        what = "there is no such folder" if not path.is_dir() else f"this folder has neither runs/ nor {NAME}"
        raise UsageError(f"{path}: {what}; name a benchmark repository or a run folder")
    check_sealed(entry.path, entry.manifest)
    if repository is not None and (problems := misnamed(entry, repository.runs)):
        raise not_sealed(entry.path, problems)
    benchmark = run_benchmark(entry.path) if repository is None else api.words_of(repository, entry)
    return Run(gather(benchmark, entry, [entry]))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The score of `a` less that of `b`, paired by item. `str()` is the sentence.

    value: the difference, in points of 0-100; None if no item has a score of both. n_items: the number of items with a
    score of both. score_a, score_b: the scores on these items. se, df: the standard error and its degrees of freedom.
    low, high: the 95 % interval on items like these.
    panel: the kind of judges. If "models", panel_low and panel_high are the 95 % interval on items and judges like
    these; if "mixed", the lowest and the highest difference with one judge left out. None with fewer than two judges.
    significant: whether the two differ, all pairs of the board tested together at 5 %; None if not tested.
    robustness: whether the difference is robust to the panel.
    sentence: the claim that the evidence supports. absent: why a number is missing, by its name.
    """

    a: str
    b: str
    value: float | None
    n_items: int
    score_a: float | None
    score_b: float | None
    se: float | None
    df: float | None
    low: float | None
    high: float | None
    panel: PanelKind
    panel_low: float | None
    panel_high: float | None
    significant: bool | None
    robustness: Robustness
    sentence: str
    absent: Mapping[str, str]

    def __str__(self) -> str:
        return self.sentence


class Run:
    """A sealed run that was verified when it was opened. Make one with `open_run`.

    name: as in `runs/`. path: its folder. boards: their ids, in the order of the specs. Methods take `board`; a run
    with one board needs none. They raise UsageError for an unknown name, with the names that exist.
    """

    def __init__(self, site: SiteData) -> None:
        self._site = site
        self.path: Path = site.entry.path
        self.name: str = site.entry.manifest.run
        self.boards: tuple[str, ...] = tuple(site.boards)

    def __repr__(self) -> str:
        return f"<run {self.name}: {', '.join(self.boards)}>"

    def tables(self, *, board: str | None = None) -> tuple[str, ...]:
        """Return the names of the frames of a board."""
        return frames.frame_names(self._view(board))

    def frame(self, table: str, *, board: str | None = None) -> pd.DataFrame:
        """Return a table of a board as a data frame.

        leaderboard, domains, categories, difficulties: a row per contestant, or per part and contestant.
        items: a row per contestant and item. differences: a row per pair. judges, agreement, controls, components,
        score_errors, biases: facts about the panel. responses, judgments: a row per record. trust: five marks a
        contestant. metrics: title, unit, direction and formula of the numbers; its `columns` names theirs.
        Protocols have further tables: see `tables`.

        A frame has the columns and the order of the CSV file of the same name. Scores and intervals are 0-100, rates
        0-1, times in seconds unless the name has `_ms`. Missing numbers are NaN in columns of fractions and `<NA>`
        elsewhere; the last column `absent` maps the missing columns of a row to the reasons. Lists are joined by
        spaces. Texts of private items are missing from records.
        """
        view = self._view(board)
        folder = RunFolder(self.path, self._site.entry.manifest)
        try:
            return frames.frame_of_board(folder, view, table)
        except KeyError:
            known = self.tables(board=view.board.id)
            advice = did_you_mean(table, known, len(known))
            raise UsageError(f"board {view.board.id!r} has no table {table!r}; {advice}") from None

    def compare(self, a: str, b: str, *, board: str | None = None) -> Comparison:
        """Compare two contestants on the items on which both have a score, as the page of comparison does.

        a, b: ids of contestants, null models among them.
        """
        view = self._view(board)
        for model in (a, b):
            if model not in view.rows:
                known = did_you_mean(model, view.rows, len(view.rows))
                problem = f"contestant {model!r} is missing from board {view.board.id!r}, or has no answers there"
                raise UsageError(f"{problem}; {known}")
        if a == b:
            raise UsageError(f"{a!r} is compared with itself; name two contestants")
        pair = paired(view, a, b)
        own = msgspec.structs.asdict(pair.difference)
        same = {name: own[name] for name in Comparison.__dataclass_fields__ if name in own}
        return Comparison(
            **same,
            n_items=pair.n_items,
            score_a=pair.score_a,
            score_b=pair.score_b,
            panel=view.results.panel_kind,
            sentence=of_two(view, pair),
        )

    def chart(self, kind: str, *, board: str | None = None) -> alt.TopLevelMixin:
        """Return a chart of a board as an Altair chart, in the colours of a light page.

        kind: intervals, quartiles or outcomes, latency, tokens, cost; a board has those that its data allow.
        """
        import altair as alt  # noqa: PLC0415 - costs more than all else here

        view = self._view(board)
        charts = board_charts(self._site, view)
        figures = {figure.chart.kind: figure.chart for figure in (*charts.scores, *charts.tradeoffs)}
        if kind not in figures:
            raise UsageError(f"board {view.board.id!r} has no chart {kind!r}; {did_you_mean(kind, figures)}")
        spec = msgspec.json.encode(chart_spec(figures[kind], None)).decode()
        return alt.Chart.from_json(light(spec))

    def _view(self, board: str | None) -> BoardView:
        if board is None and len(self.boards) == 1:
            (board,) = self.boards
        views = {view.board.id: view for view in self._site.views}
        if board not in views:
            what = "name a board" if board is None else f"there is no board {board!r}"
            raise UsageError(f"run {self.name}: {what}; {did_you_mean(board or '', views, len(views))}")
        return views[board]
