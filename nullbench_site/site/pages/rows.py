"""What rows of tables have in common: a score in words with the drawing of its interval, shades, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from nullbench_site.site import words
from nullbench_site.site.views import AnyRow


@dataclass(frozen=True)
class InWords:
    """A number in words and, where it is absent, why."""

    text: str
    why: str = ""


def in_words(text: str, row: AnyRow, column: str, beside: str = "") -> InWords:
    """What a column of a row says. text: the number in words. beside: what is said of it where it is there."""
    return InWords(text, row.absent.get(column, beside))


@dataclass(frozen=True)
class IntervalCell:
    """A score with its interval and the null floor, in hundredths of the width.

    outer: the ends of the interval on items and judges like these, which is drawn as a thin line behind; None without.
    """

    at: float
    low: float
    high: float
    floor: float | None
    outer: tuple[float, float] | None = None

    @property
    def words(self) -> str:
        """The interval from end to end, and that with other judges."""
        outer = f"; with judges like these {words.interval(*self.outer)}" if self.outer else ""
        return f"{words.interval(self.low, self.high)}{outer}"


def panel_ends(row: AnyRow) -> tuple[float, float] | None:
    """The interval of a row on items and judges like these; None where there is none, as in parts of a board."""
    ends = row.panel_low, row.panel_high
    return None if UNSET in ends or None in ends else ends


def interval_cell(row: AnyRow, score: float | None, floor: float | None) -> IntervalCell | None:
    """The drawing of a row's interval; None where there is none to draw."""
    if score is None or row.ci_low is None or row.ci_high is None:
        return None
    return IntervalCell(score, row.ci_low, row.ci_high, floor, panel_ends(row))


def sureness(row: AnyRow) -> str:
    """How sure the score of a row is: the ends of its interval, or empty where there is none."""
    return words.interval(row.ci_low, row.ci_high)


def score_words(row: AnyRow) -> str:
    """The score of a row with its interval."""
    return f"{words.number(row.score)} {sureness(row)}".rstrip()


@dataclass(frozen=True)
class HeatCell:
    """A score in words, and its shade from 0 to 10."""

    score: str
    shade: int


def heat(score: float | None) -> HeatCell:
    """The cell of an overview on one scale. score: 0-100."""
    return HeatCell("–", 0) if score is None else HeatCell(words.number(score, 0), round(score / 10))


def bands(rows: Iterable[AnyRow]) -> Mapping[int, str]:
    """Tie group -> its shade, for groups of more than one; two such groups in a row have two shades."""
    sizes = Counter(row.tie_group for row in rows if row.tie_group is not None)
    tied = [group for group, size in sorted(sizes.items()) if size > 1]
    return {group: ("nb-tie", "nb-tie-other")[place % 2] for place, group in enumerate(tied)}


def rank_words(row: AnyRow) -> str:
    """The rank of a contestant, or the range of its ranks."""
    return words.rank_range(row.rank, row.rank_low, row.rank_high)


def rank_in_part(row: AnyRow) -> str:
    """The same in a part of a board, where there is no rank without a range."""
    return words.rank_range(None if row.rank_low is None else row.rank, row.rank_low, row.rank_high)
