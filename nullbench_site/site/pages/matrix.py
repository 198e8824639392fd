"""Where the judges agree and where not, as a matrix: pairs of judges, or categories by axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nullbench_site.protocols.rubric.results import JudgePair
from nullbench_site.site import paths, words
from nullbench_site.site.views import AxesView, RubricView


@dataclass(frozen=True)
class MatrixCell:
    """An alpha in words, its shade from 0 to 10, and what stands behind it or why it is absent."""

    alpha: str
    shade: int
    why: str


@dataclass(frozen=True)
class MatrixRow:
    """link: of its title; empty where it has none."""

    title: str
    link: str
    cells: Sequence[MatrixCell]


@dataclass(frozen=True)
class Matrix:
    """A table of agreements. says: where it is best and where least, in a sentence; empty where there is one cell."""

    caption: str
    first: str
    columns: Sequence[str]
    rows: Sequence[MatrixRow]
    says: str


_ALL_ANSWERS = (
    "On all answers: refusals and null models, to which every judge gives the lowest mark, raise it; the tables below "
    "tell it on scored answers too."
)
NOTHING = MatrixCell("", 0, "")
"""Where there is nothing to agree on: a judge with itself, an axis that a category has not."""


def by_category_and_axis(view: AxesView) -> Matrix:
    """The agreement of a panel on each axis of each category, on all answers."""
    rows, named = [], []
    for domain in view.board.domains:
        for category in view.domains[domain].categories:
            cells = []
            for axis in view.results.axes:
                if axis not in category.axes:
                    cells.append(NOTHING)
                    continue
                found = view.agreement(category.id, axis)
                cells.append(_cell(found.alpha, found.absent, f"{words.plural(found.units, 'unit')}, {found.label}"))
                if found.alpha is not None:
                    named.append((found.alpha, f"{view.benchmark.axes[axis].short.lower()} in {category.title}"))
            link = f"{paths.domain_url(view.board.id, domain)}#{category.id}"
            rows.append(MatrixRow(category.title, link, cells))
    return Matrix(
        caption=f"Agreement α by category and axis, {view.board.title}",
        first="Category",
        columns=[view.benchmark.axes[axis].short for axis in view.results.axes],
        rows=rows,
        says=f"{_says(named, 'The judges agree best on {} (α {}) and least on {} (α {}).')} {_ALL_ANSWERS}".strip(),
    )


def by_pair(view: RubricView) -> Matrix | None:
    """The agreement of each two judges on the answers that both marked; None where no two judged."""
    pairs = {frozenset((pair.judge, pair.other)): pair for pair in view.results.judge_pairs}
    if not pairs:
        return None
    judges = [judge for judge in view.judges if any(judge.id in pair for pair in pairs)]
    named = [
        (pair.alpha, words.listed([view.benchmark.judges[judge].title for judge in (pair.judge, pair.other)]))
        for pair in view.results.judge_pairs
        if pair.alpha is not None
    ]
    return Matrix(
        caption=f"Agreement α of each two judges, {view.board.title}",
        first="Judge",
        columns=[judge.title for judge in judges],
        rows=[
            MatrixRow(
                judge.title, "", [_of_pair(pairs.get(frozenset((judge.id, other.id)))) for other in judges]
            )
            for judge in judges
        ],
        says=_says(named, "{} agree best (α {}), {} least (α {})."),
    )  # fmt: skip


def _of_pair(pair: JudgePair | None) -> MatrixCell:
    if pair is None:
        return NOTHING
    behind = f"{words.plural(pair.n, 'answer')}, {words.percent(pair.exact)} with the same mark"
    return _cell(pair.alpha, pair.absent.get("alpha"), behind)


def _cell(alpha: float | None, absent: str | None, behind: str) -> MatrixCell:
    if alpha is None:
        return MatrixCell("–", 0, absent or "")
    # The shades are for what agreement is between half of it and all.
    return MatrixCell(words.number(alpha, 2), round(10 * max(0.0, 2 * alpha - 1)), behind)


def _says(named: Sequence[tuple[float, str]], sentence: str) -> str:
    if len(named) < 2:
        return ""
    (least, worst), (most, best) = min(named), max(named)
    return sentence.format(best, words.number(most, 2), worst, words.number(least, 2)) if least < most else ""
