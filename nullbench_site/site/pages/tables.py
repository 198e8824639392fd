"""Tables of contestants, highest first: a board or a part of it, whatever the protocol.

A protocol describes its columns once, in a `Layout`. The page, the group scores and the reader's browser all go by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from nullbench_site.scoring.columns import EVIDENCE, GROUPS, SCORE, Column, Metric
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import controls, paths, words
from nullbench_site.site.charts.style import extent, of_scores
from nullbench_site.site.pages.page import (
    IntervalCell,
    InWords,
    bands,
    in_words,
    interval_cell,
    rank_in_part,
    rank_words,
    sureness,
)
from nullbench_site.site.pages.panel_words import PANEL_METRICS, THIN_LINE
from nullbench_site.site.pages.sentences import floor_words, own_family, part_sentence, rank_head
from nullbench_site.site.pages.trust import TrustMark, trust
from nullbench_site.site.protocol import Layout, column_words, digits_of, pages_of
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.measure import PanelKind

_TRUST = replace(
    METRICS["trust"],
    shown_on=Column(
        group=EVIDENCE,
        kind="trust",
        parts=False,
        value=lambda view, row: sum(not mark.is_low for mark in trust(view, row)),
    ),
)


def layout_of(view: BoardView) -> Layout[Any]:
    """What the tables of a board show."""
    return pages_of(view.board.protocol).layout_of(view.board)


def derived_columns(view: BoardView) -> list[Metric]:
    """Return the metrics whose values the results have in `derived`, as far as the registry has them."""
    return [METRICS[name] for name in view.results.derived if name in METRICS]


def columns_of(view: BoardView, *, whole_board: bool) -> list[tuple[Metric, Column]]:
    """Return the columns of a board's tables, of the whole board or of its parts."""
    columns = [
        (metric, metric.shown_on)
        for metric in (*METRICS.values(), _TRUST)
        if metric.shown_on and view.board.protocol in metric.protocols and metric.shown_on.shown(view)
        if whole_board or metric.shown_on.parts
    ]
    return sorted(columns, key=lambda column: GROUPS.index(column[1].group))


@dataclass(frozen=True)
class Cell:
    """What a column says of a contestant: in words, or in trust marks."""

    number: InWords
    marks: Sequence[TrustMark] = ()


@dataclass(frozen=True)
class TableRow:
    """A contestant in a table of scores.

    values: what columns are sorted by: of the score, the ends of its interval and the columns, between commas; empty
    where there is none. facts: what it is filtered by. tie: its tie group, empty without; tied: with how many others,
    or that it may be the first, in words. band: see `bands`. evidence: what stands behind the score, where the score
    leads there.
    """

    model: ModelFile
    link: str
    rank: str
    score: InWords
    sureness: str
    note: str
    interval: IntervalCell | None
    cells: Sequence[Cell]
    remarks: Sequence[str]
    values: str
    facts: Mapping[str, str]
    tie: str = ""
    tied: str = ""
    band: str = ""
    evidence: str = ""


@dataclass(frozen=True)
class Head:
    """The head of a column. kind, digits: how a script puts a value into words, as `Column` does."""

    metric: Metric
    group: str
    kind: str
    digits: int
    whole_board: bool


@dataclass(frozen=True)
class Table:
    """A table of scores.

    floor: the score of the best null model on the same items, 0-100; None without one. floor_words: what is said of it.
    ceiling_words: of the ceiling of the whole board. says: the sentence on the highest score in a part of a board.
    panel: the kind of the panel. thick_line: what the interval in brackets is. rank_head: what the head of the ranks
    adds where nothing is claimed.
    """

    caption: str
    rank: Metric
    score: Metric
    interval: Metric
    heads: Sequence[Head]
    rows: Sequence[TableRow]
    floor: float | None
    floor_words: str
    says: str
    panel: PanelKind
    thick_line: str
    ceiling_words: str = ""
    rank_head: str = ""

    @cached_property
    def top(self) -> float:
        """Where the axis of its intervals ends."""
        return axis_top((row.interval for row in self.rows), self.floor)

    @property
    def extent(self) -> str:
        """From where to where that axis goes, in words."""
        return extent(self.top)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of columns that stand side by side in the header, and how many columns each has."""
        names = [SCORE, SCORE, *(head.group for head in self.heads)]
        return [(name, len(list(alike))) for name, alike in groupby(names)]

    @property
    def thin_line_metric(self) -> str:
        """The id of what the thin line shows, in the registry."""
        return PANEL_METRICS.get(self.panel, "panel_interval")

    @property
    def thin_line(self) -> str:
        """What the thin line behind an interval is; or why there is none, where the board has judges."""
        if self.panel == "one":
            return "No thin line: the panel has one judge."
        if not any(row.interval and row.interval.outer for row in self.rows):
            return ""
        return THIN_LINE[self.panel]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return 4 + len(self.heads)


def board_table(view: BoardView) -> Table:
    """The table of a whole board. Groups of ties share a band."""
    beside = rank_head(view)
    ties = [] if beside else [row for row in view.rows.values() if row.tie_group]
    shades, sizes = bands(ties), Counter(row.tie_group for row in ties)
    table = _Maker(view, whole_board=True)
    rows = [
        table.row(
            row,
            rank=rank_words(row),
            evidence=paths.evidence_url(view.board.id, model=row.model),
            tie=(row.tie_group or 0) if sizes[row.tie_group] > 1 else 0,
            tied=f"in a tie group of {sizes[row.tie_group]}" if sizes[row.tie_group] > 1 else "",
            band=shades.get(row.tie_group or 0, ""),
        )
        for row in view.rows.values()
    ]
    made = table.of(rows, view.floor, f"{view.board.title}, highest first", _floor_words(view))
    return replace(made, ceiling_words=controls.ceiling_words(view), rank_head=beside)


def group_table(view: BoardView, group: Any, name: str, domain: str, *, first: int | None = None) -> Table:
    """The table of a part of a board, a group of its results, highest first; those that may be the first share a band.

    name: of the part. domain: which it is, or is in; a score leads to the answers there. first: how many to show; all
    take part in ranks and floor.
    """
    beside = rank_head(view, group)
    best = group.best_set if len(group.best_set) > 1 and not beside else ()
    table = _Maker(view, whole_board=False)
    made = [
        table.row(
            row,
            rank=rank_in_part(row),
            evidence=paths.evidence_url(view.board.id, model=row.model, domain=domain),
            tied="may be the first" if row.model in best else "",
            band="nb-tie" if row.model in best else "",
        )
        for row in group.rows[:first]
    ]
    of_part = table.of(made, group_floor(view, group.rows), f"{name}, highest first", says=part_sentence(view, group))
    return replace(of_part, rank_head=beside)


def axis_top(intervals: Iterable[IntervalCell | None], floor: float | None) -> float:
    """Where the axis of these intervals ends: at 100, or earlier where all of them are low."""
    drawn = [value for interval in intervals if interval for value in interval.values]
    return of_scores(drawn if floor is None else [*drawn, floor]).high


def group_floor(view: BoardView, rows: Iterable[AnyRow]) -> float | None:
    """The score of the best null model in a part of a board, 0-100; None without one."""
    return max((row.score or 0.0 for row in rows if view.is_null(row.model)), default=None)


class _Maker:
    """Makes the rows and the heads of one table."""

    def __init__(self, view: BoardView, *, whole_board: bool) -> None:
        self.view, self.whole_board = view, whole_board
        self.layout = layout_of(view)
        self.columns = columns_of(view, whole_board=whole_board)

    def row(self, row: AnyRow, *, rank: str, evidence: str, tie: int = 0, tied: str = "", band: str = "") -> TableRow:
        view, model = self.view, self.view.benchmark.models[row.model]
        of_layout = self.layout.remarks(view, view.rows[row.model], self.whole_board)
        score = row.score
        values = [score, row.ci_low, row.ci_high, *(metric.read(view, row) for metric, _ in self.columns)]
        return TableRow(
            model=model,
            link=paths.model_url(row.model),
            rank=rank,
            score=in_words(words.number(score), row, "overall"),
            sureness=sureness(row),
            note=self.layout.note(view, row),
            interval=interval_cell(row, score, None, view.results.panel_kind),
            cells=[_cell(view, metric, column, row) for metric, column in self.columns],
            remarks=[remark for remark in (own_family(view, model), *of_layout) if remark],
            values=",".join("" if value is None else f"{value:.12g}" for value in values),
            facts=dict(_facts(model)),
            tie=str(tie) if tie else "",
            tied=tied,
            band=band,
            evidence=evidence,
        )

    def of(
        self, rows: Sequence[TableRow], floor: float | None, caption: str, floor_words: str = "", says: str = ""
    ) -> Table:
        heads = [
            Head(metric, column.group, column.kind, digits_of(metric), not column.parts)
            for metric, column in self.columns
        ]
        score = METRICS[self.layout.overall if self.whole_board else self.layout.in_part]
        interval = METRICS[self.layout.interval]
        kind = self.view.results.panel_kind
        return Table(
            caption, METRICS["rank"], score, interval, heads, rows, floor, floor_words, says, kind, self.view.thick_line
        )


def _cell(view: BoardView, metric: Metric, column: Column, row: AnyRow) -> Cell:
    if column.kind == "trust":
        return Cell(InWords(""), trust(view, row))
    return Cell(in_words(column_words(metric, view, row), row, metric.id))


def _facts(model: ModelFile) -> Iterator[tuple[str, str]]:
    """What readers filter contestants by, as far as the spec tells it: name of a data attribute, value."""
    if model.kind != "model":
        yield "kind", model.kind
    if model.mark is not None:
        yield "status", model.status
    if model.origin != "asked":
        yield "origin", model.origin
    if model.vendor:
        yield "vendor", model.vendor
    if model.open_weights is not None:
        yield "weights", "open" if model.open_weights else "closed"
    if model.parameters_b is not None:
        yield "size", f"{model.parameters_b:g}"
    if model.prices is not None:
        yield "price", f"{model.prices.output:g}"


def _floor_words(view: BoardView) -> str:
    floor = view.results.floor
    if floor is None:
        return ""
    return f"{floor_words(floor)}: what the best of the null models of this board scores ({view.title(floor.model)})"


@dataclass(frozen=True)
class Part:
    """A part of a board that readers can look at alone, a group of its results."""

    kind: Literal["domain", "difficulty"]
    id: str
    title: str
    group: Any


def parts(view: BoardView) -> Iterator[Part]:
    """The domains and the difficulties of a board."""
    for domain in view.results.domains:
        title = view.benchmark.domains[domain.id].title
        yield Part("domain", domain.id, title, domain)
    for difficulty in view.results.difficulties:
        yield Part("difficulty", difficulty.id, difficulty.id.capitalize(), difficulty)
