"""The boards of every sealed run, and any two of them beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nullbench_site.extensions import registered
from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import paths, words
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, metrics
from nullbench_site.site.pages.rows import IntervalCell
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.run_boards import RunBoard, RunBoards, RunRow


def pages(site: SiteData, boards: Mapping[str, RunBoards]) -> Iterator[Page]:
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
                "boards": [_board(board, here) for board in of_run.boards],
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


def _board(board: RunBoard, here: set[str]) -> dict[str, Any]:
    return {
        "id": board.id,
        "title": board.title,
        "damage": board.damage,
        "panel": board.panel or "Who judged is not known here, as the specs of the run cannot be read.",
        "overall": _overall(board),
        "rows": [_row(row, here) for row in board.rows],
    }


def _overall(board: RunBoard) -> Metric:
    """What its score is called; as that of any board where its protocol is not installed, or has several."""
    pages = pages_of(board.protocol) if board.protocol and board.protocol in registered("protocols") else None
    return METRICS["overall" if pages is None or pages.layout_on else pages.layout.overall]


def _row(row: RunRow, here: set[str]) -> dict[str, Any]:
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
