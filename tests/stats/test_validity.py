"""How far marks go with those of other judges: worked by hand, and laws."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.validity import FIGURES, correlations, validity

NAN = float("nan")


def test_the_correlations_of_two_prompts_and_three_models_by_hand() -> None:
    """Over answers: x less 3 is -2, 0, 2, -2, 0, 2, y less 3 is -2, -1, 0, 0, 1, 2: 8 / sqrt(16 * 10). Within prompts
    and by model every model is as far from its neighbour in both."""
    figures = correlations([[1, 3, 5], [1, 3, 5]], [[1, 2, 3], [3, 4, 5]])
    assert figures["by_response"] == pytest.approx(8 / sqrt(160))
    assert figures["within_prompts"] == pytest.approx(1)
    assert figures["by_model"] == pytest.approx(1)
    assert figures["by_model_ranked"] == pytest.approx(1)


def test_an_answer_that_one_side_did_not_mark_counts_on_neither() -> None:
    whole = correlations([[1, 2, 4], [2, 3, 3]], [[1, 3, 4], [1, 2, 5]])
    more = correlations([[1, 2, 4], [2, 3, 3], [5, NAN, 5]], [[1, 3, 4], [1, 2, 5], [NAN, 1, NAN]])
    assert more == whole


def test_one_value_alone_has_no_correlation() -> None:
    assert all(isnan(value) for value in correlations([[3, 3], [3, 3]], [[1, 2], [3, 4]]).values())


def test_arrays_of_two_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="both are marks of prompts by models"):
        correlations([[1, 2]], [[1, 2, 3]])


MARKS = arrays(np.float64, (6, 4), elements=st.integers(1, 5).map(float))


@given(MARKS, MARKS)
def test_they_are_correlations_and_do_not_depend_on_scale_or_on_who_is_first(one: object, other: object) -> None:
    figures, turned = correlations(one, other), correlations(np.multiply(other, 2) + 1, one)
    for name in FIGURES:
        assert isnan(figures[name]) or -1 - 1e-9 <= figures[name] <= 1 + 1e-9
        assert figures[name] == pytest.approx(turned[name], abs=1e-9, nan_ok=True)


def test_the_interval_of_prompts_that_are_alike_is_narrower_than_of_prompts_that_differ() -> None:
    generator = np.random.default_rng(1)
    marks = generator.integers(1, 6, size=(40, 10)).astype(float)
    alike = marks + generator.normal(0, 1, marks.shape)
    signs = np.where(np.arange(40) % 2, 1, -1)[:, np.newaxis]
    widths = []
    for others in (alike, signs * alike):
        value, low, high = validity(marks, others, resamples=200, seed=1)["within_prompts"]
        assert low <= value <= high
        widths.append(high - low)
    assert widths[0] < widths[1]
