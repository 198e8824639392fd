"""What a board detects on planned items, and the items that a difference takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.estimate import means
from nullbench_site.stats.power import ItemDesign, Power, clusters_of, shared_part


def design(*clusters: int, groups: tuple[int, ...] | None = None) -> ItemDesign:
    return ItemDesign(np.array(groups or [0] * len(clusters)), np.array(clusters))


def test_the_variance_of_a_mean_comes_from_clusters_and_from_items() -> None:
    """Two clusters of two items count half each: share (1/4 + 1/4), and (1 - share) 4/16."""
    assert design(0, 0, 1, 1).variances(0.4) == pytest.approx((0.2, 0.15))
    assert design(0, 1, 2, 3).variances(0.4) == pytest.approx((0.1, 0.15)), "a cluster of one item is an item"


def test_groups_count_alike_however_many_items_they_have() -> None:
    assert design(0, 1, 2, 3, groups=(0, 1, 1, 1)).variances(0.0) == pytest.approx((0.0, 1 / 4 + 3 / 36))


def test_the_shared_part_is_that_of_an_analysis_of_variance() -> None:
    """1, 3 and 7, 9: MSW = 2, MSB = 36, so 17 of 19."""
    assert shared_part(np.array([[1.0, 3.0, 7.0, 9.0]]), design(0, 0, 1, 1)) == pytest.approx(17 / 19)
    assert shared_part(np.array([[1.0, 9.0, 2.0, 8.0]]), design(0, 0, 1, 1)) == 0.0, "no more alike than others"
    assert shared_part(np.array([[1.0, 3.0, 7.0, 9.0]]), design(0, 1, 2, 3)) == 0.0, "no cluster has two items"
    assert shared_part(np.array([[1.0, np.nan, 7.0, 9.0]]), design(0, 0, 1, 1)) == pytest.approx(
        shared_part(np.array([[1.0, 7.0, 9.0]]), design(0, 1, 1))
    )


def test_the_shared_part_finds_the_one_that_made_the_differences() -> None:
    random = np.random.default_rng(5)
    clusters = np.repeat(np.arange(400), 4)
    drawn = random.normal(size=(3, 400))[:, clusters] * 0.6 + random.normal(size=(3, 1600)) * 0.8
    assert shared_part(drawn, ItemDesign(np.zeros_like(clusters), clusters)) == pytest.approx(0.36, abs=0.04)


def test_a_board_of_four_items_detects_what_students_t_says() -> None:
    """se = 10 / 2; (3.1824 + 0.9785) 5 with 3 degrees of freedom."""
    assert Power(design(0, 1, 2, 3), 10.0, 0.0, 0.05).detects == pytest.approx(20.8, abs=0.01)


def test_four_times_the_items_halve_the_error_and_new_clusters_bring_degrees_of_freedom() -> None:
    """se = 10 / 4. Of the same clusters, df = 3: 4.1609 x 2.5. Of 16 clusters, df = 15: (2.1314 + 0.8662) 2.5."""
    power = Power(design(0, 1, 2, 3), 10.0, 0.0, 0.05)
    assert power.with_items(4) == pytest.approx(10.402, abs=0.01)
    assert power.with_clusters(4) == pytest.approx(7.494, abs=0.01)


def test_if_items_of_a_cluster_are_alike_only_more_clusters_help() -> None:
    power = Power(design(0, 0, 1, 1, 2, 2, 3, 3), 10.0, 1.0, 0.05)
    assert power.detects == pytest.approx(20.8, abs=0.01)
    assert power.with_items(100) == pytest.approx(power.detects)
    assert power.with_clusters(4) == pytest.approx(7.494, abs=0.01)


def test_one_cluster_detects_nothing() -> None:
    one = Power(design(0, 0, 0), 10.0, 0.5, 0.05)
    assert one.detects == float("inf")
    assert one.items_for(5.0, same_clusters=True) is None


def test_more_items_of_the_same_clusters_do_not_help_below_the_variance_of_clusters() -> None:
    power = Power(design(*np.repeat(np.arange(20), 2).tolist()), 40.0, 0.5, 0.05)
    assert power.items_for(18.0, same_clusters=True) is None
    assert power.with_items(1e9) > 18.0
    more = power.items_for(18.0, same_clusters=False)
    assert more is not None
    assert power.with_clusters(more / 40) <= 18.0 < power.with_clusters((more - 1) / 40)
    assert clusters_of(more, power.design) == -(-more // 2)


@given(st.integers(2, 30), st.integers(1, 5), st.floats(0, 1), st.floats(1, 60))
def test_more_items_never_make_a_board_detect_less(clusters: int, each: int, share: float, points: float) -> None:
    power = Power(design(*np.repeat(np.arange(clusters), each).tolist()), 40.0, share, 0.01)
    assert power.with_items(2) <= power.detects + 1e-9
    assert power.with_clusters(2) <= power.with_items(2) + 1e-9
    needed = power.items_for(points, same_clusters=False)
    if needed is not None and needed > 1:
        assert power.with_clusters(needed / power.design.n) <= points


def test_the_planned_error_is_that_of_as_many_items_drawn_again() -> None:
    """Errors on 60 clusters of three items, predicted from boards of 20 clusters of two."""
    random = np.random.default_rng(8)

    def drawn(clusters: int, each: int, rows: int) -> tuple[np.ndarray, ItemDesign]:
        place = np.repeat(np.arange(clusters), each)
        table = random.normal(size=(rows, clusters))[:, place] * 20 + random.normal(size=(rows, place.size)) * 30
        return table, ItemDesign(np.zeros_like(place), place)

    table, small = drawn(20, 2, 400)
    _, large = drawn(60, 3, 1)
    share = shared_part(table, small)
    of_small = float(np.sqrt(np.mean(np.square(means(table, small.groups, small.clusters).se))))
    expected = of_small * np.sqrt(sum(large.variances(share)) / sum(small.variances(share)))
    bigger, _ = drawn(60, 3, 2000)
    assert expected == pytest.approx(float(bigger.mean(axis=1).std()), rel=0.06)
