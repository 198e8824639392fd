"""A group of items against the others of the same contestant."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.contrasts import group_contrasts


def _group_contrasts(table: Floats, groups: list[int]) -> tuple[Floats, Floats]:
    return group_contrasts(table, groups, list(range(len(groups))), seed=1)


def test_a_group_is_held_against_the_mean_of_the_means_of_the_others() -> None:
    values = np.concatenate([np.arange(6.0), np.arange(6.0) + 10, np.arange(12.0) + 4])
    contrasts, _ = _group_contrasts(values[np.newaxis], [0] * 6 + [1] * 6 + [2] * 12)
    assert contrasts[0].tolist() == pytest.approx([2.5 - (12.5 + 9.5) / 2, 12.5 - (2.5 + 9.5) / 2, 9.5 - 7.5])


def test_its_p_value_is_the_share_of_deals_with_a_contrast_as_large() -> None:
    """Of two groups of six with one error for all deals: the share of the 924 ways to choose six of twelve."""
    values = np.array([1.0, 2, 3, 4, 5, 9, 4, 6, 7, 8, 10, 11])
    apart = abs(values[:6].mean() - values[6:].mean())
    deals = [abs(sum(chosen) / 3 - values.sum() / 6) for chosen in combinations(values, 6)]
    exact = np.mean([deal >= apart - 1e-9 for deal in deals])
    _, p = _group_contrasts(values[np.newaxis], [0] * 6 + [1] * 6)
    assert p[0].tolist() == pytest.approx([exact, exact], abs=0.025)


def test_a_group_of_few_clusters_a_missing_score_and_one_score_throughout_are_not_tested() -> None:
    groups = [0] * 6 + [1] * 6 + [2] * 5
    holed = np.arange(17.0)
    holed[3] = np.nan
    _, p = _group_contrasts(np.array([np.arange(17.0), holed, np.full(17, 5.0)]), groups)
    assert np.isnan(p).tolist() == [[False, False, True], [True] * 3, [True] * 3]


@pytest.mark.parametrize("share", [0.5, 0.2, 0.05])
def test_chance_alone_names_no_domain_of_few_items_that_are_all_wrong(share: float) -> None:
    """Ten domains of eight right or wrong answers: a domain without variance is often all wrong by chance."""
    draws = 100.0 * (np.random.default_rng(1).random((300, 80)) < share)
    _, p = _group_contrasts(draws, [group for group in range(10) for _ in range(8)])
    assert (p < 0.05).any(axis=1).mean() <= 0.05
