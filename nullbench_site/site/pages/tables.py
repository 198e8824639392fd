"""Tables of contestants, best first: a board or a part of it, whatever the protocol.

A protocol describes its columns once, in a `Layout`. The page, the group scores and the reader's browser all go by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.scoring.results import WHOLE_BOARD
from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import (
    AnyScores,
    IntervalCell,
    Told,
    bands,
    interval_cell,
    n_responses,
    ranks_in_group,
    sureness,
    told,
)
from nullbench_site.site.views.board import AnyRow, BoardView
from nullbench_site.site.views.trust import TrustMark, trust
from nullbench_site.specs.types import ModelFile

Kind: TypeAlias = Literal["number", "percent", "time", "count", "price", "trust"]
"""How a column's value becomes words: as a number, a share of 0-1, milliseconds, `M of N`, dollars, or trust marks."""

SCORE, BEHAVIOUR, SPEED, EVIDENCE = "Score", "Behaviour", "Speed and cost", "Evidence"

ViewT = TypeVar("ViewT", bound=BoardView)
RowT = TypeVar("RowT", bound=AnyScores)

_TRUST_POINTS = {"absent": 0, "low": 1, "medium": 2, "high": 3}


def _always(view: Any) -> bool:
    return True


def _priced(view: BoardView) -> bool:
    return any(view.benchmark.models[model].prices for model in view.rows)


def _price(view: BoardView, row: AnyScores) -> float | None:
    prices = view.benchmark.models[row.model].prices
    return None if prices is None else prices.output


def _trust_points(view: BoardView, row: Any) -> float | None:
    return sum(_TRUST_POINTS[mark.level] for mark in trust(view, row))


@dataclass(frozen=True)
class Column(Generic[ViewT, RowT]):
    """A column beside name, rank, score and interval.

    group: of columns, in the header. value: what rows are sorted by, in the unit of the kind. whole: of a count, what
    it is a part of. ends: the ends of the value's own interval. whole_board: whether parts of a board do not have it.
    shown: whether a board has it at all. digits: of a number.
    """

    metric: str
    group: str
    kind: Kind
    value: Callable[[ViewT, RowT], float | None]
    digits: int = 1
    whole: Callable[[ViewT, RowT], int] | None = None
    ends: Callable[[RowT], tuple[float, float] | None] | None = None
    whole_board: bool = False
    shown: Callable[[ViewT], bool] = _always

    def words(self, view: ViewT, row: RowT) -> str:
        """The value as readers see it."""
        value = self.value(view, row)
        match self.kind:
            case "percent":
                text = words.percent(value)
                ends = self.ends(row) if self.ends else None
                return text if ends is None else f"{text} [{words.number(100 * ends[0])}–{words.number(100 * ends[1])}]"
            case "time":
                return words.milliseconds(value)
            case "count" if self.whole is not None and value is not None:
                return words.of(int(value), self.whole(view, row))
            case "price":
                return _price_words(view.benchmark.models[row.model])
        return words.number(value, self.digits)


def speed_columns() -> tuple[Column[Any, Any], ...]:
    """What every board knows of the speed and the price of a contestant."""
    return (
        Column(
            "median_response_time_ms", SPEED, "time",
            lambda view, row: row.median_response_time_ms, whole_board=True,
        ),
        Column("price", SPEED, "price", _price, whole_board=True, shown=_priced),
    )  # fmt: skip


TRUST: Column[Any, Any] = Column("trust", EVIDENCE, "trust", _trust_points, whole_board=True)
"""The trust marks, as the last column of a board."""


@dataclass(frozen=True)
class Layout(Generic[ViewT, RowT]):
    """What the tables of a protocol show.

    overall, in_part: the metric of the score on a board and in a part of it. interval: the metric of its interval.
    remarks: what is said of a contestant under its name; of a part of the board too. note: what is said of a score.
    """

    overall: str
    in_part: str
    interval: str
    score: Callable[[RowT], float | None]
    columns: tuple[Column[ViewT, RowT], ...]
    remarks: Callable[[ViewT, AnyRow, bool], Iterable[str]]
    note: Callable[[ViewT, RowT], str] = lambda view, row: ""

    def columns_of(self, view: ViewT, *, whole_board: bool) -> list[Column[ViewT, RowT]]:
        """The columns of a view's tables."""
        return [column for column in self.columns if (whole_board or not column.whole_board) and column.shown(view)]


@dataclass(frozen=True)
class Cell:
    """What a column says of a contestant: in words, or in trust marks."""

    told: Told
    marks: Sequence[TrustMark] = ()


@dataclass(frozen=True)
class Row:
    """A contestant in a table of scores.

    values: what columns are sorted by: of the score, the ends of its interval and the columns, between commas; empty
    where there is none. facts: what it is filtered by. tie: its tie group, empty without; tied: with how many others,
    in words. band: see `bands`. evidence: what stands behind the score, where the score leads there.
    """

    model: ModelFile
    link: str
    rank: str
    score: Told
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
    """

    caption: str
    rank: Metric
    score: Metric
    interval: Metric
    heads: Sequence[Head]
    rows: Sequence[Row]
    floor: float | None
    floor_words: str

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of columns that stand side by side in the header, and how many columns each has."""
        names = [SCORE, SCORE, *(head.group for head in self.heads)]
        return [(name, len(list(found))) for name, found in groupby(names)]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return 4 + len(self.heads)


def board_table(view: ViewT, layout: Layout[ViewT, Any]) -> Table:
    """The table of a whole board. Groups of ties share a band."""
    columns = layout.columns_of(view, whole_board=True)
    shades = bands(view.rows.values())
    sizes = Counter(row.tie_group for row in view.rows.values())
    rows = [
        _row(
            view, layout, columns, row,
            rank=words.rank_range(row.rank, row.rank_low, row.rank_high),
            remarks=layout.remarks(view, row, True),
            tie=row.tie_group or 0,
            tied=sizes[row.tie_group] - 1 if row.tie_group else 0,
            band=shades.get(row.tie_group or 0, ""),
            evidence=paths.evidence_url(view.board.id, model=row.model),
        )
        for row in view.rows.values()
    ]  # fmt: skip
    caption = f"{view.board.title}, best first"
    return _table(
        layout, columns, rows,
        score=layout.overall, floor=view.floor, caption=caption, floor_words=_floor_words(view),
    )  # fmt: skip


def group_table(
    view: ViewT, layout: Layout[ViewT, RowT], rows: Sequence[RowT], name: str, domain: str, *, first: int | None = None
) -> Table:
    """The table of a part of a board, best first; ranked are those that the board ranks.

    name: of the part. domain: which it is, or is in; a score leads to the answers there. first: how many to show; all
    take part in ranks and floor.
    """
    columns = layout.columns_of(view, whole_board=False)
    floor = group_floor(view, layout, rows)
    ranks = ranks_in_group(view, {row.model: layout.score(row) for row in rows})
    made = [
        _row(
            view, layout, columns, row,
            rank=words.rank_range(ranks[row.model], ranks[row.model], ranks[row.model]),
            remarks=layout.remarks(view, view.rows[row.model], False),
            evidence=paths.evidence_url(view.board.id, model=row.model, domain=domain),
        )
        for row in rows[:first]
    ]  # fmt: skip
    return _table(layout, columns, made, score=layout.in_part, floor=floor, caption=f"{name}, best first")


def group_floor(view: ViewT, layout: Layout[ViewT, RowT], rows: Iterable[RowT]) -> float | None:
    """The score of the best null model in a part of a board, 0-100; None without one."""
    return max((layout.score(row) or 0.0 for row in rows if view.is_null(row.model)), default=None)


def _facts(model: ModelFile) -> Iterator[tuple[str, str]]:
    """What readers filter contestants by, as far as the spec tells it: name of a data attribute, value."""
    if model.kind != "model":
        yield "kind", model.kind
    if model.vendor:
        yield "vendor", model.vendor
    if model.open_weights is not None:
        yield "weights", "open" if model.open_weights else "closed"
    if model.parameters_b is not None:
        yield "size", f"{model.parameters_b:g}"
    if model.prices is not None:
        yield "price", f"{model.prices.output:g}"


def scored(view: BoardView, row: Any) -> float:
    """How many answers judges scored."""
    return float(row.n_scored)


def wanted(view: BoardView, row: Any) -> int:
    """Of how many: all that are wanted of a contestant on the board, all that it gave in a part."""
    return n_responses(row) if row.rank is WHOLE_BOARD else view.n_wanted


def _row(
    view: ViewT,
    layout: Layout[ViewT, RowT],
    columns: Sequence[Column[ViewT, RowT]],
    row: Any,
    *,
    rank: str,
    remarks: Iterable[str],
    tie: int = 0,
    tied: int = 0,
    band: str = "",
    evidence: str = "",
) -> Row:
    score = layout.score(row)
    values = [score, row.ci_low, row.ci_high, *(column.value(view, row) for column in columns)]
    return Row(
        model=view.benchmark.models[row.model],
        link=paths.model_url(row.model),
        rank=rank,
        score=told(words.number(score), row, "overall"),
        sureness=sureness(row),
        note=layout.note(view, row),
        interval=interval_cell(row, score, None),
        cells=[_cell(view, column, row) for column in columns],
        remarks=list(remarks),
        values=",".join("" if value is None else f"{value:.6g}" for value in values),
        facts=dict(_facts(view.benchmark.models[row.model])),
        tie=str(tie) if tie else "",
        tied=words.plural(tied, "other") if tied else "",
        band=band,
        evidence=evidence,
    )


def _cell(view: ViewT, column: Column[ViewT, RowT], row: Any) -> Cell:
    if column.kind == "trust":
        return Cell(Told(""), trust(view, row))
    return Cell(told(column.words(view, row), row, column.metric))


def _table(
    layout: Layout[ViewT, RowT],
    columns: Sequence[Column[ViewT, RowT]],
    rows: Sequence[Row],
    *,
    score: str,
    floor: float | None,
    caption: str,
    floor_words: str = "",
) -> Table:
    heads = [
        Head(METRICS[column.metric], column.group, column.kind, column.digits, column.whole_board) for column in columns
    ]
    return Table(caption, METRICS["rank"], METRICS[score], METRICS[layout.interval], heads, rows, floor, floor_words)


def _floor_words(view: BoardView) -> str:
    floor = view.results.floor
    if floor is None:
        return ""
    best = view.title(floor.model)
    return f"{words.number(floor.overall)}: what the best null model scores by ignoring the question ({best})"


def _price_words(model: ModelFile) -> str:
    if model.prices is None:
        return "not known"
    return f"{words.price(model.prices.input)} / {words.price(model.prices.output)}"


@dataclass(frozen=True)
class Part:
    """A part of a board that readers can look at alone: its contestants, best first, and on how many items."""

    kind: Literal["domain", "difficulty"]
    id: str
    title: str
    n_items: int
    rows: Sequence[AnyScores]


def parts(view: BoardView) -> Iterator[Part]:
    """The domains and the difficulties of a board."""
    for domain in view.results.domains:
        title = view.benchmark.domains[domain.id].title
        yield Part("domain", domain.id, title, domain.n_items, domain.rows)
    for difficulty in view.results.difficulties:
        yield Part("difficulty", difficulty.id, difficulty.id.capitalize(), difficulty.n_items, difficulty.rows)
