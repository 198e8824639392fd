"""The simulation of `make bench`, with fewer boards and cells: what intervals cover, and what equal contestants are."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import (
    APART,
    NEAR_AN_END,
    RARE,
    RARELY_APART,
    REAL,
    UNCOVERED,
    Cell,
    Shape,
    cells,
    floors,
    of_differences,
    told_apart,
)

PRACTICAL = (Shape(1, 80, 1), Shape(8, 10, 1))


def missed(found: list[Cell]) -> list[str]:
    assert found
    return [str(cell) for cell in found if cell.verdict == "MISSED"]


@pytest.mark.parametrize("shape", [Shape(1, 6, 1), Shape(3, 2, 1), Shape(1, 12, 1), Shape(13, 4, 3)], ids=str)
def test_each_population_of_scores_is_covered_and_their_mean_is_not_too_sure(shape: Shape) -> None:
    assert missed([*cells(800, shapes=[shape])]) == []


def test_scores_like_those_of_the_practical_board_are_covered() -> None:
    assert missed([*cells(1000, shapes=PRACTICAL, kinds=REAL)]) == []


def test_populations_of_almost_nothing_but_0_are_covered() -> None:
    assert missed([*cells(1000, shapes=NEAR_AN_END[:4], kinds=RARE, rare=True)]) == []


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
    ("boards", "most"), [pytest.param(150, 14, id="few"), pytest.param(600, 43, id="many", marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize(
    ("contestants", "shape"),
    [(8, Shape(1, 6, 1)), (3, Shape(1, 30, 1)), pytest.param(6, Shape(13, 4, 1), marks=pytest.mark.sweep)],
)
def test_equal_contestants_are_told_apart_on_no_more_than_five_boards_of_a_hundred(
    contestants: int, shape: Shape, boards: int, most: int
) -> None:
    """Of 600 boards 30, with a standard error of 5.3; of 150 boards 7.5, with one of 2.7."""
    rng = np.random.default_rng(4)
    assert sum(told_apart(rng, contestants, shape, seed) for seed in range(boards)) <= most


def test_a_contestant_of_a_null_models_skill_is_called_above_it_on_no_more_than_five_boards_of_a_hundred() -> None:
    """Of 100 boards each: where the null scores nothing by chance, 96 to 16 were called so."""
    cells = [(0.005, Shape(1, 8, 1)), (0.02, Shape(1, 80, 1)), (0.05, Shape(1, 80, 1)), (0.05, Shape(13, 12, 1))]
    assert [str(each) for each in floors(100, cells=cells) if each.above > 0.05] == []
