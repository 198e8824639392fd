"""The table of a contestant's scores by domain, difficulty or the like, on a board of any protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import AnyScores, IntervalCell, Told, interval_cell, sureness
from nullbench_site.site.views import BoardView

RowT = TypeVar("RowT", bound=AnyScores)


@dataclass(frozen=True)
class Line:
    """A contestant in one group. link: the page of the group, evidence: its answers there by the explorer's hash."""

    title: str
    link: str
    score: Told
    sureness: str
    interval: IntervalCell | None
    cells: Sequence[Told]
    evidence: str


@dataclass(frozen=True)
class Table:
    """Scores by group. score, interval, columns: the metrics in the header, the last of the `cells` of a line."""

    what: str
    caption: str
    score: Metric
    interval: Metric
    columns: Sequence[Metric]
    lines: Sequence[Line]


@dataclass(frozen=True)
class Columns(Generic[RowT]):
    """What such tables of a protocol show: its score with its interval, and further metrics with what they say."""

    score: str
    interval: str
    overall: Callable[[RowT], float | None]
    absent: str
    cells: Mapping[str, Callable[[RowT], Told]]


def table(
    view: BoardView,
    model: str,
    what: str,
    groups: Mapping[str, Mapping[str, RowT]],
    columns: Columns[RowT],
    *,
    titles: Mapping[str, str] | None = None,
) -> Table:
    """The table of a contestant. groups: group -> contestant -> its row there. titles: where ids are none to read."""
    return Table(
        what=what,
        caption=f"Scores by {what} on {view.board.title}",
        score=METRICS[columns.score],
        interval=METRICS[columns.interval],
        columns=[METRICS[name] for name in columns.cells],
        lines=list(_lines(view, model, groups, columns, what=what, titles=titles or {})),
    )


def _lines(
    view: BoardView,
    model: str,
    groups: Mapping[str, Mapping[str, RowT]],
    columns: Columns[RowT],
    *,
    what: str,
    titles: Mapping[str, str],
) -> Iterator[Line]:
    is_domain = what == "domain"
    evidence = f"#board={view.board.id}&model={model}"
    for group, rows in groups.items():
        own = rows.get(model)
        if own is None:
            continue
        score = columns.overall(own)
        yield Line(
            title=titles.get(group, group),
            link=paths.domain_url(view.board.id, group) if is_domain else "",
            score=Told(words.number(score), own.absent.get(columns.absent, "")),
            sureness=sureness(own),
            interval=interval_cell(own, score, _floor(view, (what, group), rows, columns.overall)),
            cells=[cell(own) for cell in columns.cells.values()],
            evidence=f"{evidence}&domain={group}" if is_domain else "",
        )


def _floor(
    view: BoardView, group: tuple[str, str], rows: Mapping[str, RowT], overall: Callable[[RowT], float | None]
) -> float | None:
    """The score of the best null model in a group, 0-100; None without one. Worked out once for all contestants."""
    if group not in view.floors:
        scores = (overall(rows[model]) or 0.0 for model in view.nulls if model in rows)
        view.floors[group] = max(scores, default=None)
    return view.floors[group]
