from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.floor import NullFloor, above_floor, null_floor


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
