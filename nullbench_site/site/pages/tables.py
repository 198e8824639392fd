"""Make tables of contestants, highest first: of a board or a part of it, for any protocol.

A protocol describes its columns once, in a `Layout`. The page, the group scores and the reader's browser all go by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from nullbench_site.scoring.columns import EVIDENCE, GROUPS, SCORE, Column, Metric
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths
from nullbench_site.site.charts.style import extent, of_scores
from nullbench_site.site.differences import Next
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import IntervalCell, bands, interval_cell, rank_in_part, rank_words
from nullbench_site.site.pages.panel_words import THIN_LINE
from nullbench_site.site.pages.sentences import floor_words, own_family, rank_head, registry_floors
from nullbench_site.site.pages.trust_marks import in_one_word
from nullbench_site.site.protocol import Layout, pages_of
from nullbench_site.site.trust import controls
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.trust import Level

_LEVELS: tuple[Level, ...] = ("low", "medium", "high")
_TRUST = replace(
    METRICS["trust"],
    shown_on=Column(
        group=EVIDENCE,
        kind="trust",
        parts=False,
        value=lambda view, row: _LEVELS.index(in_one_word(view, [row]) or "low"),
        shown=lambda view: len({in_one_word(view, [row]) for row in view.rows.values()}) > 1,
    ),
)


def layout_of(view: BoardView) -> Layout[Any]:
    """Return the layout of the tables of a board."""
    return pages_of(view.board.protocol).layout_of(view.board)


def derived_columns(view: BoardView) -> list[Metric]:
    """Return the metrics whose values the results have in `derived`, as far as the registry has them."""
    return [METRICS[name] for name in view.results.derived if name in METRICS]


def columns_of(view: BoardView, *, whole_board: bool) -> list[tuple[Metric, Column]]:
    """Return the columns of a board's tables, of the whole board or of its parts."""
    columns = [
        (metric, metric.shown_on)
        for metric in (*METRICS.values(), _TRUST)
        if metric.shown_on and view.board.protocol in metric.protocols
        if (whole_board or metric.shown_on.parts) and metric.shown_on.shown(view)
    ]
    return sorted(columns, key=lambda column: GROUPS.index(column[1].group))


@dataclass(frozen=True)
class TableRow:
    """A contestant in a table of scores. row: of the results.

    values: the numbers to sort by, separated by commas: the score, the ends of its interval, the columns; empty for a
    missing one. facts: the values to filter by. tie: its tie group; empty without one. tied: the number of others in
    it, or that it may be the first, in words. band: see `bands`. evidence: the address of the evidence for the score.
    """

    row: AnyRow
    model: ModelFile
    rank: str
    note: str
    interval: IntervalCell | None
    trust: Level | None
    remarks: Sequence[str]
    values: str
    facts: Mapping[str, str]
    evidence: str
    tie: str = ""
    tied: str = ""
    band: str = ""


@dataclass(frozen=True)
class Table:
    """A table of scores. score: the metric of what contestants are ordered by.

    floor: the score of the best null model on the same items, 0-100; None without one. floor_words: what is said of it.
    ceiling_words: of the ceiling of the whole board. says: the sentence on the highest score in a part of a board.
    rank_head: what the head of the ranks adds where nothing is claimed. to_next: the difference of contestants from the
    next, in a domain.
    """

    view: BoardView
    caption: str
    columns: Sequence[tuple[Metric, Column]]
    rows: Sequence[TableRow]
    score: str
    floor: float | None
    floor_words: str = ""
    ceiling_words: str = ""
    says: str = ""
    rank_head: str = ""
    to_next: Mapping[str, Next] = field(default_factory=dict)

    @property
    def interval(self) -> str:
        """Return the metric of the interval of a score."""
        return layout_of(self.view).interval

    @cached_property
    def top(self) -> float:
        """Return the end of the axis of intervals."""
        return axis_top((row.interval for row in self.rows), self.floor)

    @property
    def extent(self) -> str:
        """Return the ends of that axis in words."""
        return extent(self.top)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Return the groups of columns in the header, each with its number of columns."""
        names = [SCORE, SCORE, *([SCORE] if self.to_next else []), *(column.group for _, column in self.columns)]
        return [(name, len(list(alike))) for name, alike in groupby(names)]

    @property
    def thin_line(self) -> str:
        """Say what the thin line behind an interval is or, on a board with judges, why there is none."""
        if self.view.results.panel_kind == "one":
            return "No thin line: the panel has one judge."
        if not any(row.interval and row.interval.outer for row in self.rows):
            return ""
        return THIN_LINE[self.view.results.panel_kind]

    @property
    def has_bands(self) -> bool:
        """Return True if a row has the shade of a band."""
        return any(row.band for row in self.rows)

    @property
    def unsure_ranks(self) -> bool:
        """Return True if a rank has no range, and so a question mark."""
        return any(row.rank.endswith("?") for row in self.rows)

    @property
    def has_ranks(self) -> bool:
        """Return True if a row has a rank."""
        return any(row.row.rank_low is not None for row in self.rows)

    @property
    def lacks_ranks(self) -> bool:
        """Return True if a contestant that is ranked on its slice has no range."""
        return any(row.row.rank is not None and row.row.rank_low is None for row in self.rows)

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return 4 + len(self.columns) + bool(self.to_next)


def board_table(view: BoardView) -> Table:
    """Return the table of a whole board. Contestants of a tie group share a band."""
    beside, columns = rank_head(view), columns_of(view, whole_board=True)
    ties = [] if beside else [row for row in view.rows.values() if row.tie_group]
    shades, sizes = bands(ties), Counter(row.tie_group for row in ties)
    rows = []
    for row in view.rows.values():
        of_row = _row(
            view,
            row,
            columns,
            rank=rank_words(row),
            evidence=paths.evidence_url(view.board.id, model=row.model),
            n_items=view.results.n_items,
        )
        if (size := sizes[row.tie_group]) > 1:
            group = row.tie_group
            of_row = replace(of_row, tie=str(group), tied=f"in a tie group of {size}", band=shades.get(group, ""))
        rows.append(of_row)
    return Table(
        view, f"{view.board.title}, highest first", columns, rows, layout_of(view).overall, view.floor,
        _floor_words(view), controls.ceiling_words(view), rank_head=beside,
    )  # fmt: skip


def group_table(view: BoardView, group: Any, name: str, domain: str, *, first: int | None = None) -> Table:
    """Return the table of a group of the results, highest first. Contestants that may be the first share a band.

    name: of the part. domain: which it is, or is in; a score leads to the answers there. first: how many to show; all
    take part in ranks and floor.
    """
    beside, columns = rank_head(view, group), columns_of(view, whole_board=False)
    best = group.best_set if len(group.best_set) > 1 and not beside else ()
    rows = []
    for row in group.rows[:first]:
        evidence = paths.evidence_url(view.board.id, model=row.model, domain=domain)
        of_row = _row(view, row, columns, rank=rank_in_part(row), evidence=evidence, n_items=group.n_items)
        rows.append(replace(of_row, tied="may be the first", band="nb-tie") if row.model in best else of_row)
    return Table(
        view, f"{name}, highest first", columns, rows, layout_of(view).in_part, group_floor(view, group.rows),
        says=opening(view, group).long, rank_head=beside,
    )  # fmt: skip


def axis_top(intervals: Iterable[IntervalCell | None], floor: float | None) -> float:
    """Return the end of the axis of these intervals: 100, or less if all of them are low."""
    drawn = [value for interval in intervals if interval for value in interval.values]
    return of_scores(drawn if floor is None else [*drawn, floor]).high


def group_floor(view: BoardView, rows: Iterable[AnyRow]) -> float | None:
    """Return the score of the best null model in a part of a board, 0-100; None without one."""
    return max((row.score or 0.0 for row in rows if view.is_null(row.model)), default=None)


def _row(
    view: BoardView, row: AnyRow, columns: Sequence[tuple[Metric, Column]], *, rank: str, evidence: str, n_items: int
) -> TableRow:
    """Return the row of a contestant. n_items: of the table; a mean over fewer is marked."""
    model, layout = view.benchmark.models[row.model], layout_of(view)
    of_layout = layout.remarks(view, view.rows[row.model], view.is_whole(row))
    screened = view.screened.get(row.model) if view.is_whole(row) else None
    is_flagged = screened is not None and screened.is_flagged and model.kind != "null"
    flag = "flagged by screening" if is_flagged else ""
    fewer = f"mean over {row.n_items} of {n_items} items" if 0 < row.n_items < n_items and row.score is not None else ""
    # Times of a busy host are shown and not sorted by.
    busy = row.model in view.under_load
    read = (None if busy and column.kind == "time" else metric.read(view, row) for metric, column in columns)
    values = [row.score, row.ci_low, row.ci_high, *read]
    return TableRow(
        row=row,
        model=model,
        rank=rank,
        note=layout.note(view, row),
        interval=interval_cell(row, row.score, None, view.results.panel_kind),
        trust=in_one_word(view, [row]) if view.is_whole(row) else None,
        remarks=[remark for remark in (own_family(view, model), flag, *of_layout, fewer) if remark],
        values=",".join("" if value is None else f"{value:.12g}" for value in values),
        facts=dict(_facts(model)),
        evidence=evidence,
    )


def _facts(model: ModelFile) -> Iterator[tuple[str, str]]:
    """Yield what readers filter contestants by, if the spec has it: name of a data attribute, value."""
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
    if floor is None:  # of a board without judges, its texts say what it can claim
        why = next((row.absent.get("above_null_floor") for row in view.contestants), None)
        return f"not measured: {why}" if why and view.panel is not None else ""
    own = f"{floor_words(floor)}: the score of the best null model ({view.title(floor.model)})"
    return "; ".join([own, *(f"with {says}" for says, _ in registry_floors(view))])


@dataclass(frozen=True)
class Part:
    """A part of a board that readers can look at alone, a group of its results."""

    kind: Literal["domain", "difficulty"]
    id: str
    title: str
    group: Any


def parts(view: BoardView) -> Iterator[Part]:
    """Yield the domains and the difficulties of a board."""
    for domain in view.results.domains:
        title = view.benchmark.domains[domain.id].title
        yield Part("domain", domain.id, title, domain)
    for difficulty in view.results.difficulties:
        yield Part("difficulty", difficulty.id, difficulty.id.capitalize(), difficulty)
