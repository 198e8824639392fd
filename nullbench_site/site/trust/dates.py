"""Contamination by date: the part of the trust page, and what it found about one contestant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import TypeAlias

from msgspec import UNSET

from nullbench_site.scoring.contamination_tables import ContaminationDateRow
from nullbench_site.site import words
from nullbench_site.site.trust.contamination import Probe
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.stats.measure import LEAST_CLUSTERS

DateRow: TypeAlias = ContaminationDateRow
SECTION = "dates"
"""The id of the heading on the trust page."""
_TITLE = "By date"
_NAMED = 3
"""How many contestants a part of the board names that it cannot test."""


@dataclass(frozen=True)
class DatesTable:
    """A test of all contestants on one part of the board.

    part: what the items are, in words. rows: of the tested contestants, in the order of the board. untested: why others
    are not tested, each reason with these contestants in words.
    """

    part: str
    rows: Sequence[DateRow]
    untested: Sequence[tuple[str, str]]

    @property
    def flagged(self) -> Sequence[str]:
        """The flagged contestants by id."""
        return [row.model for row in self.rows if row.flagged]

    @property
    def reach(self) -> float | None:
        """The difference in points from which half of the contestants would be flagged; None if none was tested."""
        halves = [row.difference - row.low for row in self.rows if row.difference is not None and row.low is not None]
        return median(halves) if halves else None


@dataclass(frozen=True)
class DatesPart:
    """What the trust page shows: the tests against the date of the board, None without one, and training cutoffs.

    newer: the contestants for which all items are newer than their cutoff, each with the cutoff.
    """

    date: str | None
    by_date: Sequence[DatesTable]
    by_cutoff: Sequence[DatesTable]
    newer: Sequence[str]

    @property
    def n_tests(self) -> int:
        """How many of the tables have a tested contestant."""
        return sum(bool(table.rows) for table in (*self.by_date, *self.by_cutoff))


def dates_part(view: BoardView) -> DatesPart | None:
    """Return what the trust page shows; None on a board whose items have no dates."""
    rows = _rows(view)
    if not rows:
        return None
    newer = [row for row in rows if _is_newer(view, row)]
    without = {row.model for row in newer}
    of_date = [row for row in rows if row.by == "date"]
    of_cutoff = [row for row in rows if row.by == "cutoff" and row.model not in without]
    return DatesPart(
        date=of_date[0].date if of_date else None,
        by_date=list(_tables(view, of_date)),
        by_cutoff=list(_tables(view, of_cutoff)),
        newer=[f"{view.title(row.model)} ({row.date})" for row in sorted(newer, key=_order(view))],
    )


def _order(view: BoardView) -> Callable[[DateRow], int]:
    """Return the sort key that puts rows in the order of the board."""
    places = {model: place for place, model in enumerate(view.rows)}
    return lambda row: places[row.model]


def _is_newer(view: BoardView, row: DateRow) -> bool:
    """Return True if all items of the board have a date and are newer than the contestant's training cutoff."""
    return row.by == "cutoff" and row.n_before == 0 and row.n_after == view.results.n_items


def _rows(view: BoardView) -> Sequence[DateRow]:
    rows = getattr(view.results, "contamination_dates", UNSET)
    return () if rows is UNSET else [row for row in rows if row.model in view.rows]


def _tables(view: BoardView, rows: Sequence[DateRow]) -> Iterator[DatesTable]:
    known: set[str] = set()
    for category, of_part in groupby(rows, key=lambda row: row.category):
        own = sorted(of_part, key=_order(view))
        untested: dict[str, list[str]] = {}
        for row in own:
            if row.absent is not None and row.model not in known:
                untested.setdefault(row.absent, []).append(view.title(row.model))
        if category is None:  # who is not tested on all items is not named again in its parts
            known = {row.model for row in own if row.absent is not None}
        named = len(own) if category is None else _NAMED
        yield DatesTable(
            _part(view, category),
            [row for row in own if row.absent is None],
            [(why, words.listed(words.some_of(titles, named))) for why, titles in untested.items()],
        )


def _part(view: BoardView, category: str | None) -> str:
    """Return a part of the board in words: `items`, `LeetCode items`."""
    titles = {each.id: each.title for domain in view.domains.values() for each in domain.categories}
    return "items" if category is None else f"{titles[category]} items"


def dates_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what the dates of the items say of a contestant; None on a board whose items have no dates."""
    rows = [each for each in _rows(view) if each.model == row.model]
    if not rows:
        return None
    tested = [each for each in rows if each.low is not None]
    if flagged := [each for each in tested if each.flagged]:
        strongest = max(flagged, key=lambda each: each.low or 0.0)
        why = f"Flagged by date: {_found(view, strongest)}; it may have seen older ones in training."
        return Probe(_TITLE, "flagged", _figure(strongest), why, SECTION)
    for each in rows:
        if _is_newer(view, each):
            why = f"All {words.plural(each.n_after, 'item')} are newer than its training cutoff, {each.date}, as the "
            return Probe(_TITLE, "newer", f"cutoff {each.date}", f"{why}specs state it.", SECTION, declared=True)
    if tested:
        why = f"No sign by date: {_found(view, tested[0])}; medium trust takes a test of overlap with training text."
        return Probe(_TITLE, "no sign", _figure(tested[0]), why, SECTION)
    why = f"By date it is not testable: {rows[0].absent}. A test takes {LEAST_CLUSTERS} independent items on each side."
    return Probe(_TITLE, "not testable", "", why, SECTION)


def _found(view: BoardView, row: DateRow) -> str:
    """Say how much more a contestant drops than others."""
    since = f"newer than its training cutoff, {row.date}" if row.by == "cutoff" else f"from {row.date} on"
    bounds = f"bounds {words.number(row.low)} to {words.number(row.high)}"
    more = row.difference or 0.0
    points = f"{words.number(abs(more))} points {'less' if more < 0 else 'more'}"
    return f"its score drops {points} than that of others on {_part(view, row.category)} {since} ({bounds})"


def _figure(row: DateRow) -> str:
    return f"drop {words.signed(row.difference, 1)}"
