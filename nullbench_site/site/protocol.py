"""What a protocol shows of its boards: the one interface by which the site goes, whatever the protocol.

The module `pages` of a protocol's package holds a `ProtocolPages` under the name PAGES. What it leaves out is shown in
the shared way, so that a protocol which adds nothing has whole pages all the same. How a row is read (its score, what
it lacks, how sure it is) the protocol's view says, a subclass of `BoardView`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from nullbench_site.extensions import protocol_part
from nullbench_site.scoring.columns import Column, Metric
from nullbench_site.site import words
from nullbench_site.site.charts.chart import ChartFigure
from nullbench_site.site.evidence import BoardEvidence
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, ModelFile

ViewT = TypeVar("ViewT", bound=BoardView)
Context: TypeAlias = dict[str, Any]
"""What a part of a page is made of; `template` names what places it, where that is not the shared one."""


def column_words(metric: Metric, view: BoardView, row: AnyRow) -> str:
    """Return what the column of a metric shows for a row."""
    column, value = metric.shown_on or Column(), metric.read(view, row)
    match column.kind:
        case "percent":
            ends = column.ends(row) if column.ends else None
            interval = "" if ends is None else words.interval(100 * ends[0], 100 * ends[1])
            return f"{words.percent(value)} {interval}".rstrip()
        case "time":
            return words.milliseconds(value)
        case "count" if column.whole is not None and value is not None:
            return words.of(int(value), column.whole(view, row))
        case "price":
            return _price_words(view.benchmark.models[row.model])
    return words.number(value, digits_of(metric))


def digits_of(metric: Metric) -> int:
    """Return the digits after the point that the column of a metric shows."""
    column = metric.shown_on
    return metric.digits if column is None or column.digits is None else column.digits


def _price_words(model: ModelFile) -> str:
    if model.prices is None:
        return "not known"
    return f"{words.price(model.prices.input)} / {words.price(model.prices.output)}"


def failed_words(row: AnyRow) -> str:
    """How many answers of a contestant failed; empty where none did."""
    return f"{words.plural(row.n_errored, 'answer')} failed" if row.n_errored else ""


def _remarks(view: BoardView, row: AnyRow, whole_board: bool) -> Iterable[str]:
    return [remark for remark in (view.lacking(row), failed_words(row) if whole_board else "") if remark]


@dataclass(frozen=True)
class Layout(Generic[ViewT]):
    """What the tables of a protocol show.

    overall, in_part: the metric of the score on a board and in a part of it. interval: the metric of its interval.
    failed: that of the share of answers that failed. remarks: what is said of a contestant under its name; of a part of
    the board too. note: what is said of a score.
    """

    overall: str
    in_part: str
    interval: str = "ci"
    failed: str = "error_rate"
    remarks: Callable[[ViewT, AnyRow, bool], Iterable[str]] = _remarks
    note: Callable[[ViewT, AnyRow], str] = lambda view, row: ""


@dataclass(frozen=True)
class Disagreement:
    """How far judges are apart on an answer: the metric, its unit in words, and how many digits are shown."""

    metric: str = "mark_spread"
    unit: str = "marks of 1 to 5"
    digits: int = 2


@dataclass(frozen=True)
class Term:
    """A name that a page explains, at an anchor of it, and a sentence about it."""

    anchor: str
    title: str
    text: str = ""


@dataclass(frozen=True)
class Explanation:
    """What the page of the method says once of all boards of a protocol.

    anchors: of its headings, with their titles. terms: what the search finds of it.
    """

    template: str
    context: Context
    anchors: Sequence[tuple[str, str]]
    terms: Sequence[Term]


def _nothing(*_: Any) -> Context:
    return {}


@dataclass(frozen=True, kw_only=True)
class ProtocolPages(Generic[ViewT]):
    """What the site shows of the boards of a protocol, beside what it shows of every board.

    view: what a board is looked at by. layout: of its tables; layout_on: of those of one board, where boards of the
    protocol score differently. Templates of its own stand in the folder `templates` of
    its package, named below the protocol's name: `<protocol>/judges.md.j2`. A script `explorer.js` there shows its
    evidence in the explorer, a module that exports what it shows in its own way: `item`, `verdicts`, `score`. A script
    `compare.js` exports `items`, what the page of comparison shows item by item; compared: what it is told of a board.

    Parts of pages, each a context that is added to the shared one; `template` in it names one of its own:
    board: the page of the board. domain: that of a domain, from its group in the results. fingerprints: the board's
    section of the page of contestants. fingerprint: that of a contestant's page. judges: of the page of judges. method:
    of that of the method; explanation: what it says there once of all its boards.

    by_item: the chart of how single items went, None without; None here: quartiles of their scores.
    failures: what became of answers and verdicts that failed, in words; None: of judged answers.

    verdict, judged: what is said of an answer when it is scored. disagreement: of judges on an answer. Where nobody
    judges, marks_by: how programs mark an answer, as in `by its key`; unjudged: what is said of all boards in the place
    of judges. not_asked: a sentence on where the scores come from, if the run has no answers of contestants.

    evidence: what the evidence of its boards says. holds: what a board's file holds beside the board. board_schema: the
    name of its schema; empty: by the protocol's name. dictionary: what the data dictionary says of its columns.
    """

    layout: Layout[ViewT]
    evidence: type[BoardEvidence[ViewT, Any, Any]] = BoardEvidence
    view: type[ViewT] = field(default=BoardView)  # type: ignore[assignment]
    layout_on: Callable[[Any], Layout[ViewT]] | None = None

    compared: Callable[[ViewT], Context] = _nothing
    board: Callable[[ViewT], Context] = _nothing
    domain: Callable[[ViewT, Any], Context] = _nothing
    fingerprints: Callable[[ViewT], Context] = _nothing
    fingerprint: Callable[[ViewT, ModelFile], Context] = _nothing
    judges: Callable[[ViewT], Context] = _nothing
    method: Callable[[ViewT], Context] = _nothing
    explanation: Callable[[Benchmark], Explanation] | None = None

    by_item: Callable[[SiteData, ViewT], ChartFigure | None] | None = None
    failures: Callable[[ViewT], str] | None = None

    verdict: str = "verdict"
    judged: str = "judged"
    disagreement: Disagreement = Disagreement()
    marks_by: str = ""
    not_asked: str = ""
    unjudged: str = "programs mark the answers"

    holds: str = "its domains, categories, difficulties and items"
    board_schema: str = ""
    dictionary: str = ""

    def layout_of(self, board: BoardFile) -> Layout[ViewT]:
        """What the tables of a board show."""
        return self.layout if self.layout_on is None else self.layout_on(board)


def answered(views: Iterable[BoardView]) -> list[BoardView]:
    """Return the boards whose answers are in the run, and were judged or marked."""
    return [view for view in views if not pages_of(view.board.protocol).not_asked]


def pages_of(protocol: str) -> ProtocolPages[Any]:
    """What a protocol shows. Raises KeyError for a protocol nobody registered, UsageError where it cannot be had."""
    pages: ProtocolPages[Any] = protocol_part(protocol, "pages")
    return pages
