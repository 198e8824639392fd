"""What rows of tables have in common, whatever their scores are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nullbench_site.protocols.axes.results import GroupRow
from nullbench_site.protocols.oracle.results import OracleRow, OracleScores
from nullbench_site.protocols.rubric.results import RubricScores
from nullbench_site.site import words
from nullbench_site.site.views.board import AnyRow, BoardView
from nullbench_site.stats.normal import half_width

AnyScores: TypeAlias = GroupRow | RubricScores | OracleScores
"""A contestant on some of the items of a board, or on all."""


@dataclass(frozen=True)
class IntervalCell:
    """A score with its interval and the null floor, in hundredths of the width."""

    at: float
    low: float
    high: float
    floor: float | None

    @property
    def words(self) -> str:
        """The interval from end to end."""
        return f"{words.number(self.low)}–{words.number(self.high)}"


@dataclass(frozen=True)
class HeatCell:
    """A score in words, and its shade from 0 to 10."""

    score: str
    shade: int


def heat(score: float | None) -> HeatCell:
    """The cell of an overview on one scale. score: 0-100."""
    return HeatCell("–", 0) if score is None else HeatCell(words.number(score, 0), round(score / 10))


def interval_cell(row: AnyScores, score: float | None, floor: float | None) -> IntervalCell | None:
    """The drawing of a row's interval; None where there is none to draw."""
    if score is None or row.ci_low is None or row.ci_high is None:
        return None
    return IntervalCell(score, row.ci_low, row.ci_high, floor)


def margin(se: float | None) -> float | None:
    """Half of the 95 % interval before it was cut at the ends of the scale; None without a standard error."""
    return None if se is None else half_width(se)


def sureness(row: AnyScores) -> str:
    """How sure a score is: `± 2.9`; of a share of right answers, whose interval has two unlike halves, its two ends."""
    if not isinstance(row, OracleScores):
        return words.plus_minus(margin(row.se))
    return "" if row.ci_low is None else f"[{words.number(row.ci_low)}–{words.number(row.ci_high)}]"


def bands(rows: Iterable[AnyRow]) -> Mapping[int, str]:
    """Tie group -> its shade, for groups of more than one; two such groups in a row have two shades."""
    sizes = Counter(row.tie_group for row in rows if row.tie_group is not None)
    tied = [group for group, size in sorted(sizes.items()) if size > 1]
    return {group: ("nb-tie", "nb-tie-other")[place % 2] for place, group in enumerate(tied)}


def n_responses(row: AnyScores) -> int:
    """How many answers stand in some count: all but those that nobody judged or marked."""
    if isinstance(row, OracleScores):
        return row.n_correct + row.n_wrong + row.n_invalid + row.n_errored
    refused = row.n_refused if isinstance(row, GroupRow) else 0
    return row.n_scored + refused + row.n_errored + row.n_unparsed


def so_far(view: BoardView, row: AnyRow) -> str:
    """What a contestant still lacks to be ranked; empty where it lacks nothing."""
    if isinstance(row, OracleRow):
        if row.n_unmarked:
            return f"{words.plural(row.n_unmarked, 'answer')} without a mark"
    elif row.judge_missing:
        return f"judged by {words.of(row.judge_calls - row.judge_missing, row.judge_calls)} calls so far"
    elif row.n_unjudged:
        return f"{words.plural(row.n_unjudged, 'answer')} without any verdict"
    answered = n_responses(row)
    return f"{words.of(answered, view.n_wanted)} answers so far" if answered < view.n_wanted else ""


def failed_words(row: AnyRow) -> str:
    """How many answers of a contestant failed; empty where none did."""
    return f"{words.plural(row.n_errored, 'answer')} failed" if row.n_errored else ""


def ranks_in_group(view: BoardView, scores: Mapping[str, float | None]) -> dict[str, int | None]:
    """The rank of each contestant in a part of a board, among those that the board ranks; None for the others.

    scores: of all in the part. Equal scores share a rank.
    """
    ranked = sorted((-(score or 0.0) for model, score in scores.items() if view.rows[model].rank is not None))
    place = {score: number for number, score in reversed(list(enumerate(ranked, start=1)))}
    return {model: None if view.rows[model].rank is None else place[-(score or 0.0)] for model, score in scores.items()}


@dataclass(frozen=True)
class Told:
    """A number in words and, where it is absent, why."""

    text: str
    why: str = ""


def told(text: str, row: AnyScores, column: str) -> Told:
    """What a column of a row says. text: the number in words."""
    return Told(text, row.absent.get(column, ""))
