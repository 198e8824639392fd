"""The simulation of `make bench`, with fewer boards and cells: what intervals cover, and what equal contestants are."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import HIGH, KINDS, LOW, NEAR_AN_END, RARE, Shape, cells, differences, floors, told_apart
from nullbench_site.scoring.metrics import METRICS

_SLACK = 0.006
"""Two standard errors of a share of 95 % of 5,000 boards."""
SHAPES = (Shape(1, 6, 1), Shape(1, 12, 1), Shape(6, 2, 1), Shape(13, 4, 3), Shape(26, 6, 1))


def test_ninety_five_of_a_hundred_intervals_hold_the_score_of_items_like_these() -> None:
    found = list(cells(5000, shapes=SHAPES))
    assert len(found) == len(KINDS) * len(SHAPES)
    assert {str(cell): cell.coverage for cell in found if not LOW - _SLACK <= cell.coverage <= HIGH + _SLACK} == {}


def test_the_site_says_how_far_intervals_miss_where_almost_every_score_is_0() -> None:
    """Of the shares of single populations, which differ by a point of 100 from one run to another."""
    found = list(cells(1500, shapes=NEAR_AN_END, kinds=RARE))
    assert 0.84 < min(cell.lowest for cell in found) < LOW
    assert max(cell.coverage for cell in found) < 0.99
    assert "86 to 98 where nearly all items" in METRICS["ci"].explanation


def test_a_cell_of_fewer_than_six_sources_is_marked() -> None:
    assert {cell.verdict for cell in cells(22, shapes=[Shape(1, 5, 2), Shape(2, 2, 1)])} == {"too few"}


def test_intervals_of_paired_differences_cover_as_much() -> None:
    found = [cell for cell in differences(1500) if not cell.few]
    assert {str(cell) for cell in found if not LOW - 0.01 <= cell.coverage <= HIGH + 0.01} == set()


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
