from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.scores import contrast_consistency, outcome_consistency

_BUNDLES = st.dictionaries(
    st.text(max_size=2), st.lists(st.sampled_from([True, False, None]), max_size=4), min_size=0, max_size=8
)


def test_bundles_that_are_all_right_and_all_alike() -> None:
    """Four whole bundles: two all right, one all wrong, one mixed: 2/4 and 3/4."""
    bundles: dict[str, list[bool | None]] = {
        "a": [True, True],
        "b": [True, True, True],
        "c": [False, False],
        "d": [True, False],
        "single": [True],
        "without a valid answer": [True, None],
    }
    assert contrast_consistency(bundles).value == pytest.approx(0.5)
    assert outcome_consistency(bundles).value == pytest.approx(0.75)


def test_a_contestant_that_is_always_wrong_is_steady_and_never_right() -> None:
    bundles: dict[str, list[bool | None]] = {"a": [False, False], "b": [False, False]}
    assert contrast_consistency(bundles).value == 0
    assert outcome_consistency(bundles).value == 1


@pytest.mark.parametrize("bundles", [{}, {"a": [True]}, {"a": [True, None]}, {"a": []}])
def test_without_a_whole_bundle_consistency_is_undefined(bundles: dict[str, list[bool | None]]) -> None:
    reason = "no bundle of two or more variants, all with valid answers"
    assert contrast_consistency(bundles).reason == reason
    assert outcome_consistency(bundles).reason == reason


@given(_BUNDLES)
def test_all_right_is_never_more_often_than_all_alike(bundles: dict[str, list[bool | None]]) -> None:
    right, alike = contrast_consistency(bundles).value, outcome_consistency(bundles).value
    assert (right is None) == (alike is None)
    if right is not None and alike is not None:
        assert 0 <= right <= alike <= 1


@given(_BUNDLES)
def test_the_order_of_bundles_does_not_matter(bundles: dict[str, list[bool | None]]) -> None:
    turned = dict(reversed(list(bundles.items())))
    assert contrast_consistency(turned) == contrast_consistency(bundles)
    assert outcome_consistency(turned) == outcome_consistency(bundles)
