from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.trust import (
    Level,
    NullFloor,
    above_floor,
    agreement_level,
    null_floor,
    sampling_level,
    validity_level,
)


def test_the_best_null_model_is_the_floor() -> None:
    assert null_floor({"empty": 0.0, "constant": 31.5, "template": 12.0}) == NullFloor("constant", 31.5)


def test_null_models_that_tie_are_told_apart_by_id() -> None:
    assert null_floor({"b": 10.0, "a": 10.0, "c": 3.0}) == NullFloor("a", 10.0)


def test_a_board_without_null_models_has_no_floor() -> None:
    assert null_floor({}) is None


def test_a_floor_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        null_floor({"empty": math.nan})


@pytest.mark.parametrize(("ci_low", "above"), [(31.6, True), (31.5, False), (20.0, False)])
def test_a_contestant_is_above_only_when_its_whole_interval_is(ci_low: float, above: bool) -> None:
    """Floor 31.5. A score of 60 with an interval from 20 to 100 has not shown that it beats a model that
    reads nothing."""
    assert above_floor(ci_low, NullFloor("constant", 31.5)) is above


def test_without_an_interval_or_a_floor_nothing_can_be_said() -> None:
    assert above_floor(None, NullFloor("constant", 31.5)) is None
    assert above_floor(80.0, None) is None


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 100), min_size=1))
def test_no_null_model_scores_above_the_floor(scores: dict[str, float]) -> None:
    floor = null_floor(scores)
    assert floor is not None
    assert scores[floor.id] == floor.score == max(scores.values())
    assert null_floor(dict(reversed(scores.items()))) == floor


ORDER: list[Level] = ["low", "medium", "high"]


@pytest.mark.parametrize(
    ("n_items", "se", "level"),
    [
        (1001, 1.49, "high"),
        (1000, 0.5, "medium"),
        (1001, 1.5, "medium"),
        (5000, 1.7, "medium"),
        (200, 4.0, "medium"),
        (600, 3.0, "medium"),
        (200, 4.01, "low"),
        (5000, 4.01, "low"),
        (199, 0.1, "low"),
        (199, None, "low"),
        (200, None, "absent"),
    ],
)
def test_items_and_standard_error_have_both_to_reach_a_class_of_exhibit_7(
    n_items: int, se: float | None, level: Level
) -> None:
    """High n > 1000 and SE < 1.5, medium n = 200-1000 and SE 2-4, low n < 200 or SE > 4; a gap is the class below."""
    assert sampling_level(n_items, se) == level


@pytest.mark.parametrize(
    ("alpha", "level"),
    [(1.0, "high"), (0.80, "high"), (0.79, "medium"), (0.60, "medium"), (0.59, "low"), (-0.2, "low"), (None, "absent")],
)
def test_the_agreement_of_a_panel_has_the_classes_of_exhibit_7(alpha: float | None, level: Level) -> None:
    assert agreement_level(3, alpha) == level


@pytest.mark.parametrize("n_judges", [0, 1])
def test_a_single_judge_is_low_whatever_the_panel_agrees_on(n_judges: int) -> None:
    assert agreement_level(n_judges, 0.95) == agreement_level(n_judges, None) == "low"


def test_a_single_benchmark_is_at_most_medium_and_low_at_the_null_floor() -> None:
    assert validity_level(above_null_floor=True) == "medium"
    assert validity_level(above_null_floor=False) == "low"
    assert validity_level(above_null_floor=None) == "absent"


@given(st.integers(0, 3000), st.integers(0, 3000), st.floats(0, 10), st.floats(0, 10))
def test_more_items_and_a_smaller_error_never_lower_the_class(n: int, more: int, se: float, less: float) -> None:
    lower, higher = sampling_level(min(n, more), max(se, less)), sampling_level(max(n, more), min(se, less))
    assert ORDER.index(lower) <= ORDER.index(higher)
