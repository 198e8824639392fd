from __future__ import annotations

from itertools import combinations
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nullbench_site.stats.estimate import quantile
from nullbench_site.stats.robustness import Fragility, fewest_items, smallest_difference


def _fewest(
    difference: list[float], groups: list[int], *, limit: int, weights: list[float] | None = None
) -> Fragility | None:
    (found,) = fewest_items([difference], groups, limit=limit, weights=weights)
    return found


def test_of_many_leads_each_is_as_if_it_were_alone() -> None:
    """Also where the items that two have a score on are others than those of the next two."""
    generator = np.random.default_rng(5)
    table = generator.normal(0.3, 1, (60, 23)).round(1)
    table[::7, 3] = table[1::9, 20:] = nan
    groups, weights = np.arange(23) % 3, [1.0, 2.0, 5.0]
    found = fewest_items(table, groups, limit=6, weights=weights)
    alone = [_fewest(each.tolist(), groups.tolist(), limit=6, weights=weights) for each in table]
    assert found == alone
    assert 0 < found.count(None) < len(found)


def test_the_fewest_items_worked_by_hand() -> None:
    """5 + 3 + 1 - 2 - 3 = 4 over five items: without the first -1 over four."""
    found = _fewest([1, 5, -2, 3, -3], [0] * 5, limit=4)
    assert (found.items, found.lead) == ((1,), -0.25)


def test_a_tie_is_no_lead() -> None:
    found = _fewest([4, 1, -1, 0], [0] * 4, limit=3)
    assert (found.items, found.lead) == ((0,), 0.0)
    already = _fewest([1, -1], [0, 0], limit=1)
    assert already.items == ()


def test_the_largest_differences_go_first_and_of_equal_ones_those_that_stand_first() -> None:
    found = _fewest([3, 4, -1, -1], [0] * 4, limit=3)
    assert (found.items, found.lead) == ((1, 0), -1.0)
    of_equals = _fewest([-1] * 18 + [1] * 20, [0] * 38, limit=3)
    assert of_equals.items == (18, 19)


def test_of_two_groups_an_item_of_the_smaller_weighs_more() -> None:
    """Group 0: 6, 0, 0, 0, mean 1.5; group 1: 4, -6, mean -1, with the weight 1/2 each 0.25. Without the 4 it is
    (1.5 - 6) / 2 = -2.25, without the 6 (0 - 1) / 2 = -0.5; either is enough, and the least is taken."""
    found = _fewest([6, 0, 0, 0, 4, -6], [0, 0, 0, 0, 1, 1], limit=3)
    assert (found.items, found.lead) == ((4,), -2.25)


def test_a_lead_on_every_item_of_a_group_cannot_be_undone_for_a_group_keeps_an_item() -> None:
    assert _fewest([3, 2, 1], [0] * 3, limit=3) is None
    assert _fewest([3, 2, -1], [0] * 3, limit=1) is None


def test_items_that_only_one_has_a_score_on_play_no_part() -> None:
    found = _fewest([nan, 5, -1, nan, -1], [0, 0, 0, 1, 0], limit=2)
    assert found.items == (1,)


def _mean(values: list[int], groups: list[int], kept: set[int], weights: list[float]) -> float | None:
    """The mean over groups, None where a group is empty; the rule once more, in the plainest words."""
    total = 0.0
    names = sorted(set(groups))
    for name in names:
        own = [values[place] for place in kept if groups[place] == name]
        if not own:
            return None
        total += weights[name] * sum(own) / len(own)
    return total / sum(weights[name] for name in names)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(-5, 8), st.integers(0, 2)), min_size=1, max_size=8), st.booleans())
def test_no_fewer_items_would_do(items: list[tuple[int, int]], weighted: bool) -> None:
    """Against every choice of items."""
    values = [value for value, _ in items]
    groups = np.unique([group for _, group in items], return_inverse=True)[1].tolist()
    weights = [1.0, 2.0, 5.0] if weighted else [1.0, 1.0, 1.0]
    everything = set(range(len(values)))
    fewest = None
    for n in range(len(values)):
        leads = [_mean(values, groups, everything - set(out), weights) for out in combinations(everything, n)]
        if any(lead is not None and lead <= 1e-9 for lead in leads):
            fewest = n, min(lead for lead in leads if lead is not None)
            break
    found = _fewest(values, groups, limit=len(values), weights=weights[: max(groups) + 1])
    if fewest is None:
        assert found is None
    else:
        assert len(found.items) == fewest[0]
        assert found.lead == pytest.approx(fewest[1], abs=1e-9)
        assert _mean(values, groups, everything - set(found.items), weights) == pytest.approx(found.lead, abs=1e-9)


def test_the_smallest_difference_is_blooms_multiple_of_the_error_at_many_degrees_of_freedom() -> None:
    """Bloom (1995): 2.80 standard errors for a two-sided test at 5 % and a power of 80 %."""
    assert smallest_difference(1.0, 1e6) == pytest.approx(2.80, abs=0.005)
    assert smallest_difference(0.0, 10) == 0


def test_the_smallest_difference_at_few_degrees_of_freedom() -> None:
    """t of 10 degrees of freedom: 2.228 for 95 %, 0.879 for a power of 80 %; 3.107 standard errors in all."""
    assert smallest_difference(2.0, 10) == pytest.approx(2 * (2.228 + 0.879), abs=0.002)


def test_a_true_difference_of_that_size_is_significant_in_80_of_100_runs() -> None:
    """Means of 50 items of sd 10, tested at 1 %: of 4,000 runs 80 %, give or take three standard errors of a share."""
    rng = np.random.default_rng(3)
    runs = rng.normal(smallest_difference(10 / 50**0.5, 49, level=0.99), 10, (4000, 50))
    t = runs.mean(axis=1) / (runs.std(axis=1, ddof=1) / 50**0.5)
    assert (t > quantile(0.99, 49)).mean() == pytest.approx(0.8, abs=0.019)
