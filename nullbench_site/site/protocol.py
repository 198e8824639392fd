"""Define what a protocol adds to the pages of its boards.

The module `pages` of a protocol's package has a `ProtocolPages` named PAGES. What it leaves out is shown in the shared
way, so a protocol that adds nothing still has complete pages. A protocol's view, a subclass of `BoardView`, reads rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from nullbench_site.extensions import protocol_part
from nullbench_site.runs.records import Response, Score
from nullbench_site.scoring.columns import Column, Metric
from nullbench_site.site import words
from nullbench_site.site.charts.chart import ChartFigure
from nullbench_site.site.evidence import BoardEvidence
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, ModelFile

ViewT = TypeVar("ViewT", bound=BoardView)
Answers: TypeAlias = Callable[[str], Iterable[Response]]
"""Return the recorded answers of a contestant."""
Context: TypeAlias = dict[str, Any]
"""What the template of a part of a page receives. `template` names one of the protocol's own."""


BUSY = "(busy host)"
"""The mark of a time that was measured while other calls to its host ran."""


def column_words(metric: Metric, view: BoardView, row: AnyRow) -> str:
    """Return what the column of a metric shows for a row."""
    column, value = metric.shown_on or Column(), metric.read(view, row)
    match column.kind:
        case "percent":
            ends = column.ends(row) if column.ends else None
            interval = "" if ends is None else words.interval(100 * ends[0], 100 * ends[1])
            of = "" if column.whole is None or value is None else f"of {words.number(column.whole(view, row), 0)}"
            return " ".join(filter(None, (words.percent(value), of, interval)))
        case "time":
            busy = f" {BUSY}" if value is not None and row.model in view.under_load else ""
            return f"{words.milliseconds(value)}{busy}"
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
    """Say how many answers of a contestant failed; empty if none did."""
    return f"{words.plural(row.n_errored, 'answer')} failed" if row.n_errored else ""


def _remarks(view: BoardView, row: AnyRow, whole_board: bool) -> Iterable[str]:
    return [remark for remark in (view.lacking(row), failed_words(row) if whole_board else "") if remark]


@dataclass(frozen=True)
class Layout(Generic[ViewT]):
    """Define what the tables of a protocol show.

    overall, in_part: the metric of the score on a board and in a part of it. interval: the metric of its interval.
    failed: the metric of the share of answers that failed. remarks: the lines under the name of a contestant, on the
    board and in its parts. note: the text beside a score.
    """

    overall: str
    in_part: str
    interval: str = "ci"
    failed: str = "error_rate"
    remarks: Callable[[ViewT, AnyRow, bool], Iterable[str]] = _remarks
    note: Callable[[ViewT, AnyRow], str] = lambda view, row: ""


@dataclass(frozen=True)
class Disagreement:
    """Define how disagreement of judges on an answer is shown: the metric, its unit in words, and the digits."""

    metric: str = "mark_spread"
    unit: str = "marks of 1 to 5"
    digits: int = 2


@dataclass(frozen=True)
class Term:
    """A name that a page explains at an anchor, and a sentence about it."""

    anchor: str
    title: str
    text: str = ""


@dataclass(frozen=True)
class Explanation:
    """What the method page says once about all boards of a protocol.

    anchors: of its headings, with their titles. terms: what the search finds.
    """

    template: str
    context: Context
    anchors: Sequence[tuple[str, str]]
    terms: Sequence[Term]


@dataclass(frozen=True)
class Contradicted:
    """An item whose key most good contestants contradict in the same way. answer: theirs, which n of `of` give."""

    item: str
    answer: str
    n: int
    of: int


def _nothing(*_: Any) -> Context:
    return {}


def _no_marks(scores: Mapping[str, Score]) -> Iterable[float]:
    return ()


def _no_vote(scores: Mapping[str, Score]) -> bool | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ProtocolPages(Generic[ViewT]):
    """Define what the site shows of a protocol's boards, in addition to what it shows of every board.

    view: the type of its views. layout: of its tables. layout_on: return the layout of one board, if boards of the
    protocol score differently. Its own templates are in the folder `templates` of its package; their names begin with
    the protocol's: `<protocol>/judges.md.j2`. A script `explorer.js` in the package shows its evidence: it exports
    `item`, `verdicts` and `score` as needed. A script `compare.js` exports `items`, which the comparison page shows
    item by item; compared: return the data for it.

    These return the context of a part of a page, which is added to the shared one; its `template` names one of the
    protocol's own. board: the page of a board; the template extends `board.md.j2`. domain: the page of a domain, from
    its group in the results. fingerprints: the board's section in the list of contestants. fingerprint: the section of
    a contestant's page; the template extends `_fingerprint.md.j2` and fills its blocks with figures. judges, method:
    the board's page of judges and of methods. explanation: what the method page says once about all boards.

    marks: return the marks in the scores of a judgment, of which a judge should not give one alone. one_mark: say that
    it did, with a place for the share; empty for a mark that is no fault. contradicts: say whether a judgment calls an
    answer refused and gives it the highest marks; None if the judge was not asked.

    contradicted: yield the items whose key most of some contestants contradict in the same way, from their answers;
    None without keys. by_item: return the chart of single items, None without one; by default quartiles of
    their scores. failures: say how many answers and verdicts failed; by default for judged answers.

    verdict, judged: the words for a score and for a scored answer. disagreement: of judges on an answer. If nobody
    judges, marks_by says how programs mark an answer, as in `by its key`, and unjudged replaces what pages say of
    judges. not_asked: a sentence on where the scores come from, if the run has no answers of contestants.

    evidence: the type of its evidence. holds: what a board's data file has besides the board. board_schema: the name of
    that file's schema; by default from the protocol's name. dictionary: a note on its columns in the data dictionary.
    """

    layout: Layout[ViewT]
    evidence: type[BoardEvidence[ViewT, Any, Any]] = BoardEvidence
    view: type[ViewT] = field(default=BoardView)  # type: ignore[assignment]
    layout_on: Callable[[Any], Layout[ViewT]] | None = None

    compared: Callable[[ViewT], Context] = _nothing
    board: Callable[[ViewT], Context] = _nothing
    from_records: Callable[[Path, ViewT], Context] = _nothing
    domain: Callable[[ViewT, Any], Context] = _nothing
    fingerprints: Callable[[ViewT], Context] = _nothing
    fingerprint: Callable[[ViewT, ModelFile], Context] = _nothing
    judges: Callable[[ViewT], Context] = _nothing
    method: Callable[[ViewT], Context] = _nothing
    explanation: Callable[[Benchmark], Explanation] | None = None

    contradicted: Callable[[ViewT, Answers, Sequence[str]], Iterable[Contradicted]] | None = None
    marks: Callable[[Mapping[str, Score]], Iterable[float]] = _no_marks
    one_mark: Callable[[int], str] = lambda mark: f"gave {{}} answers the mark {mark}"
    contradicts: Callable[[Mapping[str, Score]], bool | None] = _no_vote

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
        """Return the layout of the tables of a board."""
        return self.layout if self.layout_on is None else self.layout_on(board)


def answered(views: Iterable[BoardView]) -> list[BoardView]:
    """Return the boards whose answers are in the run, and were judged or marked."""
    return [view for view in views if not pages_of(view.board.protocol).not_asked]


def pages_of(protocol: str) -> ProtocolPages[Any]:
    """Return the pages of a protocol. Raises KeyError if it is not registered, UsageError if it cannot be loaded."""
    pages: ProtocolPages[Any] = protocol_part(protocol, "pages")
    return pages
