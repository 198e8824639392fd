from __future__ import annotations

from itertools import combinations
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nullbench_site.stats.robustness import Fragility, fewest_items, items_for_power, smallest_difference
from nullbench_site.stats.student import quantile


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
    assert found is not None
    assert (found.items, found.lead) == ((1,), -0.25)


def test_a_tie_is_no_lead() -> None:
    found = _fewest([4, 1, -1, 0], [0] * 4, limit=3)
    assert found is not None
    assert (found.items, found.lead) == ((0,), 0.0)
    already = _fewest([1, -1], [0, 0], limit=1)
    assert already is not None
    assert already.items == ()


def test_the_largest_differences_go_first_and_of_equal_ones_those_that_stand_first() -> None:
    found = _fewest([3, 4, -1, -1], [0] * 4, limit=3)
    assert found is not None
    assert (found.items, found.lead) == ((1, 0), -1.0)
    of_equals = _fewest([-1] * 18 + [1] * 20, [0] * 38, limit=3)
    assert of_equals is not None
    assert of_equals.items == (18, 19)


def test_of_two_groups_an_item_of_the_smaller_weighs_more() -> None:
    """Group 0: 6, 0, 0, 0, mean 1.5; group 1: 4, -6, mean -1, with the weight 1/2 each 0.25. Without the 4 it is
    (1.5 - 6) / 2 = -2.25, without the 6 (0 - 1) / 2 = -0.5; either is enough, and the least is taken."""
    found = _fewest([6, 0, 0, 0, 4, -6], [0, 0, 0, 0, 1, 1], limit=3)
    assert found is not None
    assert (found.items, found.lead) == ((4,), -2.25)


def test_a_lead_on_every_item_of_a_group_cannot_be_undone_for_a_group_keeps_an_item() -> None:
    assert _fewest([3, 2, 1], [0] * 3, limit=3) is None
    assert _fewest([3, 2, -1], [0] * 3, limit=1) is None


def test_items_that_only_one_has_a_score_on_play_no_part() -> None:
    found = _fewest([nan, 5, -1, nan, -1], [0, 0, 0, 1, 0], limit=2)
    assert found is not None
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
        assert found is not None
        assert len(found.items) == fewest[0]
        assert found.lead == pytest.approx(fewest[1], abs=1e-9)
        assert _mean(values, groups, everything - set(found.items), weights) == pytest.approx(found.lead, abs=1e-9)


def test_items_for_power_worked_by_hand() -> None:
    """A difference of 2 with an error of 1 on 100 items: by the normal quantiles 100 * (2.801585 / 2)^2 = 196.22; by
    Student's of 197 and 198 degrees of freedom, 1.972079 + 0.843422 and 1.972017 + 0.843411, 198.18 and 198.17, so 199.
    """
    assert items_for_power(2.0, 1.0, 1e9, 100, 100) == 197
    assert items_for_power(2.0, 1.0, 99, 100, 100) == 199
    assert items_for_power(-2.0, 1.0, 99, 100, 100) == 199


@pytest.mark.parametrize(("n", "clusters", "least"), [(156, 156, 6), (80, 20, 24), (13, 4, 20)])
def test_no_fewer_items_are_named_than_an_interval_needs(n: int, clusters: int, least: int) -> None:
    """Of six clusters, with as many items each as now."""
    assert items_for_power(90.0, 0.1, clusters - 1, n, clusters) == least


@given(
    value=st.floats(0.01, 100), se=st.floats(0.001, 50), df=st.floats(1, 500),
    n=st.integers(6, 5000), share=st.floats(0.01, 1),
)  # fmt: skip
def test_it_is_the_fewest_items_whose_quantiles_ask_for_no_more(
    value: float, se: float, df: float, n: int, share: float
) -> None:
    clusters = max(2, round(n * share))
    found = float(items_for_power(value, se, df, n, clusters))

    def asked(m: int) -> float:
        of_freedom = max(1.0, df * m / n)
        return float(n * ((quantile(0.95, of_freedom) + quantile(0.6, of_freedom)) * se / value) ** 2)

    assert asked(found) <= found + 1e-6
    assert found - 1 < 6 * n / clusters + 1e-9 or asked(found - 1) > found - 1 - 1e-6


def test_that_many_items_show_the_difference_in_80_of_100_runs() -> None:
    """Differences of sd 10 around 2: an error of 10 / sqrt(n). Of 4,000 runs of the number asked for 80 % are
    significant, give or take 3 standard deviations of a share, 1.9 %."""
    rng = np.random.default_rng(3)
    n = int(items_for_power(2.0, 10 / 50**0.5, 49, 50, 50))
    assert n == 199
    runs = rng.normal(2, 10, (4000, n))
    t = runs.mean(axis=1) / (runs.std(axis=1, ddof=1) / n**0.5)
    assert (t > 1.972).mean() == pytest.approx(0.8, abs=0.019)


def test_no_number_of_items_shows_a_difference_of_0_or_one_that_is_not_known() -> None:
    found = items_for_power(
        [0.0, 2.0, np.nan, 2.0, 2.0], [1.0, np.nan, 1.0, 1.0, 1.0], [99, 99, 99, np.nan, 99], 100, 100
    )
    assert np.isnan(found[:4]).all()
    assert found[4] == 199


def test_several_differences_need_what_each_needs_alone() -> None:
    """Also at 1 to 4 degrees of freedom, where few items more ask for far fewer, and where none is asked for again."""
    value, se = np.array([0.02, 0.5, 3.0, 9.0]), np.array([1.0, 2.0, 4.0, 0.5])
    given = [each.ravel() for each in np.meshgrid(value, se, [1.0, 2.5, 4.0, 99.0], [12, 400], [2, 12])]
    alone = [float(items_for_power(*one)) for one in zip(*given, strict=True)]
    assert items_for_power(*given).tolist() == alone


def test_the_smallest_difference_is_blooms_multiple_of_the_error_at_many_degrees_of_freedom() -> None:
    """Bloom (1995): 2.80 standard errors for a two-sided test at 5 % and a power of 80 %."""
    assert smallest_difference(1.0, 1e6) == pytest.approx(2.80, abs=0.005)
    assert smallest_difference(0.0, 10) == 0


def test_the_smallest_difference_is_the_one_that_as_many_items_as_there_are_would_show() -> None:
    """t of 10 degrees of freedom: 2.228 for 95 %, 0.879 for a power of 80 %; 3.107 standard errors in all."""
    smallest = smallest_difference(2.0, 10)
    assert smallest == pytest.approx(2 * (2.228 + 0.879), abs=0.002)
    assert items_for_power(smallest, 2.0, 10, 40, 40) in (40, 41)
