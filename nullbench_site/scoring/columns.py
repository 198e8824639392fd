"""The declaration of a number: its names, its meaning and source, how to compute it, and where pages show it.

Files, the data dictionary, the methodology page, tables and tooltips all follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from nullbench_site.stats.measure import Measure

if TYPE_CHECKING:
    from nullbench_site.stats.arrays import Bools
    from nullbench_site.stats.estimate import Estimate

ScorerT = TypeVar("ScorerT")
ContestantT = TypeVar("ContestantT")
Direction: TypeAlias = Literal["higher", "lower", "neither"]
Kind: TypeAlias = Literal["number", "percent", "time", "count", "price", "trust"]
"""How a value is worded: as a number, a share of 0-1, milliseconds, `M of N`, dollars, or trust marks."""
Number: TypeAlias = "float | str | Measure | None"
"""A number, or in words why there is none."""
Scale: TypeAlias = tuple[float | None, float | None]
"""The lowest and the highest possible value; None for an end that is open."""
SharedBy: TypeAlias = Literal["all", "scores", "panels"]
"""The boards that have a shared metric: all, those whose score is a mean of scores of answers, or those with judges."""

SCORE, BEHAVIOUR, SPEED, EVIDENCE = "Score", "Behaviour", "Speed and cost", "Evidence"
GROUPS = (SCORE, BEHAVIOUR, SPEED, EVIDENCE)
"""The groups of columns, in the order of a table."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """How tables of contestants show a metric.

    group: the group of columns in the header. digits: after the point; those of the metric if None. parts: whether
    tables of a part of the board have the column. value: return the number to show and sort by, from a view of the
    board and a row; by default the row's field with the metric's id. whole: return what a count is a part of, or how
    many cases a share is of. ends: return the ends of a share's interval. beside: return a note on a value. shown:
    return True if a board has the column.
    """

    group: str = BEHAVIOUR
    kind: Kind = "number"
    digits: int | None = None
    parts: bool = True
    value: Callable[[Any, Any], float | None] | None = None
    whole: Callable[[Any, Any], int] | None = None
    ends: Callable[[Any], tuple[float, float] | None] | None = None
    beside: Callable[[Any], str] = lambda row: ""
    shown: Callable[[Any], bool] = lambda view: True


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number of a contestant, a judge, an item or a board.

    short: the title in a narrow column; by default the title. unit: empty if the scale says enough. scale: None if both
    ends are open. formula: LaTeX; empty if the sentence is enough. sentence: one or more plain sentences. columns: in
    CSV files; by default the id, none if only pages show the metric. `<axis>`, `<judge>` and `<metric>` stand for
    ids.
    timed: whether it depends on response times, which differ each time that calls are made.

    of: which boards have a shared metric. protocols: the protocols of the boards that have it; the registry fills it
    in. before, after: the shared metric next to which the methodology page lists a protocol's own.

    value: compute it, or several columns by name. A package's metric gets the observations of a contestant on a whole
    board; a protocol's metric gets a `Slice`. A column that is no field of the row is stored in `derived`. whole_board:
    whether only rows of a whole board have it. shown_on: its column in tables of contestants.
    """

    id: str
    title: str
    short: str = ""
    unit: str = ""
    scale: Scale | None = None
    direction: Direction = "neither"
    digits: int = 1
    formula: str = ""
    source: str
    sentence: str
    columns: tuple[str, ...] | None = None
    timed: bool = False
    of: SharedBy = "all"
    protocols: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    value: Callable[[Any], Number | Mapping[str, Number]] | None = None
    whole_board: bool = False
    shown_on: Column | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "short", self.short or self.title)

    @property
    def unit_and_scale(self) -> str:
        """The scale and the unit in words, such as `0-100` or `0-1, shown in %`."""
        return ", ".join(filter(None, (_scale_words(self.scale), self.unit)))

    def read(self, view: Any, row: Any) -> float | None:
        """Return the value of a row, in the unit that the column shows."""
        if self.shown_on is not None and self.shown_on.value is not None:
            return self.shown_on.value(view, row)
        own = getattr(row, self.id) if hasattr(row, self.id) else (row.derived or {}).get(self.id)
        return None if own is None else float(own)


class MetricEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A number of the results: its title, unit, scale, meaning and source, and the columns that hold it.

    scale: the lowest and the highest possible value; null for an end that is open. formula: LaTeX.
    """

    id: str
    title: str
    short: str
    unit: str
    scale: Scale | None
    direction: Direction
    sentence: str
    formula: str = ""
    source: str
    columns: tuple[str, ...]
    protocols: tuple[str, ...]
    digits: Annotated[int, msgspec.Meta(ge=0, le=12)] = 1

    @classmethod
    def of(cls, metric: Metric) -> MetricEntry:
        """Return the published part of a metric. Raises msgspec.ValidationError if a field is invalid."""
        return msgspec.convert({name: getattr(metric, name) for name in cls.__struct_fields__}, cls)


def _scale_words(scale: Scale | None) -> str:
    match scale:
        case None | (None, None):
            return ""
        case (None, high):
            return f"at most {high:g}"
        case (low, None):
            return f"at least {low:g}"
        case (low, high):
            return f"{low:g}{'-' if low >= 0 else ' to '}{high:g}"


@dataclass(frozen=True)
class Slice(Generic[ScorerT, ContestantT]):
    """A contestant on some items of a board: what the metrics of a protocol are computed from. chosen: (items,)."""

    scorer: ScorerT
    contestant: ContestantT
    chosen: Bools


@dataclass(frozen=True)
class ColumnValues:
    """Computed columns: those that are fields of a row, the others, and why some are absent."""

    fields: Mapping[str, float | None]
    derived: Mapping[str, float | None]
    absent: Mapping[str, str]


def measured(metrics: Iterable[Metric], of: Any, row: type[msgspec.Struct]) -> ColumnValues:
    """Compute the columns of metrics for a row of this type."""
    fields: dict[str, float | None] = {}
    derived: dict[str, float | None] = {}
    absent: dict[str, str] = {}
    for metric in metrics:
        if metric.value is None:
            continue
        found = metric.value(of)
        for column, number in (found if isinstance(found, Mapping) else {metric.id: found}).items():
            value, why = _number(number)
            (fields if column in row.__struct_fields__ else derived)[column] = value
            if why is not None:
                absent[column] = why
    return ColumnValues(fields, derived, absent)


def _number(number: Number) -> tuple[float | None, str | None]:
    if isinstance(number, Measure):
        return number.value, number.reason
    return (None, number) if isinstance(number, str) else (number, None)


def value_of(estimate: Estimate | str) -> float | str | None:
    """Return the value of an estimate, or why there is none."""
    return estimate if isinstance(estimate, str) else estimate.value


def ends_of(prefix: str, estimate: Estimate | str) -> dict[str, Number]:
    """Return the ends of the interval of an estimate as the columns `<prefix>_low` and `<prefix>_high`."""
    low, high = f"{prefix}_low", f"{prefix}_high"
    if isinstance(estimate, str):
        return {low: None, high: None}
    if estimate.reason is not None:
        return {low: estimate.reason, high: None}
    return {low: estimate.low, high: estimate.high}
