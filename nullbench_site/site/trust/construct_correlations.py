"""What the page of trust shows of convergent and discriminant validity: correlations of tasks, and of boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import CorrelationRow
from nullbench_site.site import words
from nullbench_site.site.convergence import OtherBoard
from nullbench_site.site.views import BoardView


@dataclass(frozen=True)
class Line:
    """The correlations of a group of tasks in words: within, across and their difference, then the same without the
    first factor."""

    title: str
    cells: Sequence[str]


@dataclass(frozen=True)
class Correlations:
    """Correlations of tasks and of boards.

    says: what those of tasks show, in sentences. tasks: lines over all tasks, then by group; n_models and n_families:
    over which language models. boards: the others of the site with a common language model. boards_say: whether three
    boards of one construct agree.
    """

    says: Sequence[str]
    tasks: Sequence[Line]
    n_models: int
    n_families: int
    absent: str
    boards: Sequence[tuple[OtherBoard, str]]
    boards_say: str


def correlations(view: BoardView) -> Correlations:
    """Return what is known about a board."""
    rows = () if view.results.correlations is UNSET else view.results.correlations
    absent = "" if rows else "the board has fewer than two tasks, or the run was scored before this was measured"
    if rows and rows[0].n_families and all(row.value is None for row in rows):
        absent = rows[0].absent or ""
    elif rows and all(row.value is None for row in rows):
        absent = "no language model has a score on every task"
    titles = {name: domain.title for name, domain in view.domains.items()}
    lines = [] if absent else _lines(rows, titles)
    n_models, n_families = (rows[0].n_models, rows[0].n_families) if rows else (0, 0)
    boards = [(other, words.interval(other.found.low, other.found.high, 2)) for other in view.others]
    says = _says(rows) if lines else []
    return Correlations(says, lines, n_models, n_families, absent, boards, _boards_say(view))


def _lines(rows: Sequence[CorrelationRow], titles: Mapping[str, str]) -> list[Line]:
    lines = []
    for group in dict.fromkeys(row.group for row in rows):
        own = [row for row in rows if row.group == group]
        raw = [_cell(row.value, row.low, row.high) for row in own]
        rest = [_cell(row.rest, row.rest_low, row.rest_high) for row in own]
        lines.append(Line("All tasks" if group is None else titles.get(group, group), [*raw, *rest]))
    return lines


def _cell(value: float | None, low: float | None, high: float | None) -> str:
    return "not measured" if value is None else f"{words.number(value, 2)} {words.interval(low, high, 2)}".rstrip()


def _says(rows: Sequence[Any]) -> list[str]:
    """Say whether tasks of one group are closer to each other than to others, with and without the first factor."""
    apart = next(row for row in rows if row.kind == "within minus across" and row.group is None)
    says = []
    for what, value, low, high in (
        ("Correlations", apart.value, apart.low, apart.high),
        ("Without what all tasks share, correlations", apart.rest, apart.rest_low, apart.rest_high),
    ):
        if value is None or low is None or high is None:
            continue
        if low > 0 or high < 0:
            more = "higher" if low > 0 else "lower"
            least, most = (low, high) if low > 0 else (-high, -low)
            figure = f"{words.number(abs(value), 2)} {words.interval(least, most, 2)}"
            says.append(f"{what} within a group are {figure} {more} than across groups.")
        else:
            says.append(f"{what} within a group are not distinguishable from those across groups.")
    return says


def _boards_say(view: BoardView) -> str:
    """Say whether three boards of one construct agree, which high trust takes."""
    same = [other for other in view.others if other.same]
    measured = [other for other in same if other.found.value is not None]
    if len(measured) < 2:
        n_common = max((other.n_models for other in same), default=0)
        return (
            "Whether three boards of one construct agree is not measurable here: it takes two other boards of this "
            f"construct with language models of six families in common, and the most in common is "
            f"{words.plural(n_common, 'model')}."
        )
    agreeing = sum(other.agrees for other in same)
    return f"{words.of(agreeing, len(measured))} other boards of this construct agree with it; high trust takes two."
