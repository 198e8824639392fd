"""The simulation of `make bench`, with fewer boards and cells: what intervals cover, and what equal contestants are."""

from __future__ import annotations

import pytest

from benchmarks.comparisons import CELLS, families, flips
from benchmarks.coverage import (
    APART,
    MARKED,
    MARKS,
    NEAR_AN_END,
    RARE,
    RARELY_APART,
    REAL,
    UNCOVERED,
    Cell,
    Shape,
    cells,
    of_differences,
)

PRACTICAL = (Shape(1, 80, 1), Shape(8, 10, 1))


def missed(found: list[Cell]) -> list[str]:
    assert found
    return [str(cell) for cell in found if cell.verdict == "MISSED"]


@pytest.mark.parametrize(
    "shape",
    [
        Shape(1, 6, 1),
        Shape(3, 2, 1),
        *(pytest.param(shape, marks=pytest.mark.sweep) for shape in (Shape(1, 12, 1), Shape(13, 4, 3))),
    ],
    ids=str,
)
def test_each_population_of_scores_is_covered_and_their_mean_is_not_too_sure(shape: Shape) -> None:
    assert missed([*cells(800, shapes=[shape])]) == []


def test_scores_like_those_of_the_practical_board_are_covered() -> None:
    assert missed([*cells(1000, shapes=PRACTICAL, kinds=REAL)]) == []


def test_populations_of_almost_nothing_but_0_are_covered() -> None:
    assert missed([*cells(1000, shapes=NEAR_AN_END[:4], kinds=RARE, rare=True)]) == []


def test_marks_with_a_mean_near_an_end_of_the_scale_are_covered() -> None:
    assert missed([*cells(800, shapes=MARKED, kinds=MARKS, rare=True)]) == []


def test_differences_of_scores_like_those_of_the_practical_board_are_covered() -> None:
    assert missed([*cells(1000, shapes=PRACTICAL, kinds=RARELY_APART, ends=of_differences, rare=True)]) == []


def test_each_population_of_differences_is_covered() -> None:
    shapes = [Shape(1, 8, 1), Shape(3, 2, 1), Shape(1, 52, 1)]
    assert missed([*cells(800, shapes=shapes, kinds=APART, ends=of_differences)]) == []


@pytest.mark.parametrize(
    ("coverage", "verdict"),
    [
        ({"a": 0.97, "b": 0.92}, "MISSED"),
        ({"a": 0.99, "b": 0.99}, "MISSED"),
        ({"a": 0.99, "b": 0.94}, "ok"),
        ({"a": 0.95, **dict.fromkeys(UNCOVERED, 0.8)}, "ok"),
    ],
    ids=["one population below 93", "a mean above 98.5", "between them", "one that no interval covers"],
)
def test_a_cell_is_judged_by_its_worst_population(coverage: dict[str, float], verdict: str) -> None:
    cell = Cell("made up", Shape(1, 12, 1), coverage)
    assert cell.verdict == verdict
    assert [name for name in UNCOVERED if name in coverage] == [n for n, why in UNCOVERED.items() if why in str(cell)]


def test_a_cell_of_fewer_than_six_sources_is_marked() -> None:
    assert {cell.verdict for cell in cells(2, shapes=[Shape(1, 5, 2), Shape(2, 2, 1)])} == {"too few"}


@pytest.mark.parametrize(
    "kind",
    [
        "normal",
        *(pytest.param(kind, marks=pytest.mark.sweep) for kind in ("skewed", "uneven spread", "binary, rate 0.05")),
        "most 0, middle -60",
    ],
)
def test_equal_contestants_are_told_apart_on_no_more_than_five_boards_of_a_hundred(kind: str) -> None:
    found = [cell for cell in CELLS if cell.kind == kind and cell.shape.groups * cell.shape.sources <= 12]
    assert found
    assert [str(each) for each in families(200, cells=found, ways={"flips": flips}) if each.verdict != "ok"] == []
