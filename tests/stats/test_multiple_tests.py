"""Corrections of several tests for their number."""

from __future__ import annotations

import pytest

from nullbench_site.stats.multiple_tests import holm


def test_holms_correction_on_the_numbers_of_a_textbook() -> None:
    # Holm's procedure on 0.01, 0.04, 0.03 and 0.005: 4 x 0.005, 3 x 0.01, 2 x 0.03, then not below the one before.
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06}
    )
    assert holm({}) == {}
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
