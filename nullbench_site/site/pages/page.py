"""Define a page before it is written, what every page says about a board and the run, and parts of tables:
a score in words with the drawing of its interval, shades, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import UNSET

from nullbench_site.site import words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.panel_words import (
    MEANS,
    PANEL_METRICS,
    agreement_class,
    panel_ends,
    spread,
    with_other_judges,
)
from nullbench_site.site.protocol import Term, column_words, digits_of, pages_of
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.stats.measure import PanelKind

_SERVERS = 5
"""How many models that answered for another are named."""
Section: TypeAlias = Mapping[str, Any]
"""The context of one board on a page that all boards share; `template` names its template."""


@dataclass(frozen=True)
class Page:
    """A page at `url`, made by `template` from `context`.

    card: the picture that links to it show; a path from the site's root. terms: what the search finds on it, besides
    the page itself.
    """

    url: str
    title: str
    template: str
    context: Mapping[str, Any]
    description: str = ""
    searchable: bool = True
    card: str = ""
    terms: Sequence[Term] = ()


def site_facts(site: SiteData) -> dict[str, str]:
    """Return what the foot of every page says about the run."""
    manifest = site.entry.manifest
    return {
        "run": manifest.run,
        "date": manifest.date,
        "digest": manifest.digest[:12],
        "state": manifest.state,
    }


def section(view: BoardView, part: Mapping[str, Any]) -> Section:
    """Return a part of a page with what every page says about a board."""
    return {"view": view, "board": view.board, "link": view.url, "panel": panel_words(view), **part}


def marked(view: BoardView) -> str:
    """Return what programs mark on a board without a panel: `answer by its key`."""
    return f"answer {pages_of(view.board.protocol).marks_by}".rstrip()


def panel_words(view: BoardView) -> str:
    """Name the panel of a board and the profile of the specs, or say that there are no judges.

    A board that averages over constructs says so here, because every page with its scores has these words.
    """
    profile = f" Profile “{view.benchmark.profile}”." if view.benchmark.profile else ""
    if weighted := weights_notice(view):
        profile += f" {weighted}"
    if not_asked := pages_of(view.board.protocol).not_asked:
        return f"{not_asked}{profile}"
    if view.panel is None:
        nobody = " No language model answered: all contestants are programs." if view.of_programs else ""
        return f"No judge: a program marks each {marked(view)}.{nobody}{profile}"
    judges = words.listed([words.isolated(judge.title) for judge in view.judges])
    beside = f" {view.asked_beside}" if view.asked_beside else ""
    if not all(judge.is_program for judge in view.judges):
        return f"Panel “{words.isolated(view.panel.title)}”: {judges}.{beside}{profile}"
    what = "which is a program" if len(view.judges) == 1 else "which are programs"
    nobody = " No language model judged." if view.rule_based else ""
    if view.of_programs:
        either = " either" if nobody else ""
        nobody += f" No language model answered{either}: all contestants are programs."
    return f"Rule-based panel: {judges}, {what}.{beside}{nobody}{profile}"


def weights_notice(view: BoardView) -> str:
    """Return the notice of a board that averages over constructs; empty if it has one construct."""
    weights = view.board.construct_weights
    if not weights:
        return ""
    shares = words.listed([f"{name} {weight:g}" for name, weight in sorted(weights.items())])
    return f"The score averages over constructs with the weights {shares}. These weights are a value judgment."


def scored_by(view: BoardView) -> str:
    """Say in one short sentence who scores a board."""
    if not_asked := pages_of(view.board.protocol).not_asked:
        return not_asked
    if view.panel is None:
        return f"A program marks each {marked(view)}."
    return f"Scored by {len(view.judges)} {view.judges_called}."


@dataclass(frozen=True)
class InWords:
    """A number in words and, if it is absent, the reason."""

    text: str
    why: str = ""


def in_words(text: str, row: AnyRow, column: str, beside: str = "") -> InWords:
    """Return the cell of a column. text: the number in words. beside: the note on a number that is there."""
    return InWords(text, row.absent.get(column, beside))


@dataclass(frozen=True)
class IntervalCell:
    """A score with its interval and the null floor, 0-100.

    low, high: the interval in brackets, a thick line. outer: the ends of the panel's interval, a thin line; None
    without. outer_words: the same with what it is.
    """

    at: float
    low: float
    high: float
    floor: float | None
    outer: tuple[float, float] | None = None
    outer_words: str = ""

    @property
    def words(self) -> str:
        """Return the interval in words, and the panel's."""
        return "; ".join(filter(None, (words.interval(self.low, self.high), self.outer_words)))

    @property
    def values(self) -> list[float]:
        """All that is drawn."""
        return [self.at, self.high, *(self.outer or ()), *([] if self.floor is None else [self.floor])]


def panel_line(row: AnyRow, kind: PanelKind) -> tuple[float, float] | None:
    """Return the panel's interval of a row; None without one, as in parts of a board."""
    ends = row.panel_low, row.panel_high
    return None if kind not in MEANS or UNSET in ends or None in ends else ends


def interval_cell(
    row: AnyRow, score: float | None, floor: float | None, kind: PanelKind = "none"
) -> IntervalCell | None:
    """Return the drawing of a row's interval; None without one. kind: of the board's panel."""
    if score is None or row.ci_low is None or row.ci_high is None:
        return None
    outer = panel_line(row, kind)
    return IntervalCell(score, row.ci_low, row.ci_high, floor, outer, with_other_judges(kind, *outer) if outer else "")


def sureness(row: AnyRow) -> str:
    """Return the interval of a row's score; empty without one."""
    return words.interval(row.ci_low, row.ci_high)


def score_words(row: AnyRow) -> str:
    """Return the score of a row with its interval."""
    return words.estimate(row.score, row.ci_low, row.ci_high)


def bands(rows: Iterable[AnyRow]) -> Mapping[int, str]:
    """Return the shade of each tie group of more than one; adjacent groups differ."""
    sizes = Counter(row.tie_group for row in rows if row.tie_group is not None)
    tied = [group for group, size in sorted(sizes.items()) if size > 1]
    return {group: ("nb-tie", "nb-tie-other")[place % 2] for place, group in enumerate(tied)}


def rank_words(row: AnyRow) -> str:
    """Return the rank range of a contestant."""
    return words.rank_range(row.rank, row.rank_low, row.rank_high)


def rank_in_part(row: AnyRow) -> str:
    """Return the rank range in a part of a board; a dash without a range."""
    return words.rank_range(None if row.rank_low is None else row.rank, row.rank_low, row.rank_high)


def servers(row: AnyRow) -> str:
    """Name the models that answered in place of the requested one, the most frequent first."""
    by = sorted(row.served_by.items(), key=lambda served: (-served[1], served[0]))
    return words.listed(
        words.some_of([f"{words.foreign(name)} ({count})" for name, count in by], _SERVERS, thousands="")
    )


ROW_FILTERS: Mapping[str, Callable[..., Any]] = {
    "agreement_class": agreement_class,
    "column_words": column_words,
    "digits_of": digits_of,
    "panel_metric": lambda kind: PANEL_METRICS.get(kind, "panel_interval"),
    "panel_ends": panel_ends,
    "servers": servers,
    "spread": spread,
    "score_words": score_words,
    "sureness": sureness,
    "rank_words": rank_words,
    "rank_in_part": rank_in_part,
}
"""The filters of page templates that word what rows of the results hold: `{{ row|score_words }}`."""
