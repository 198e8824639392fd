"""What labels are worth, next to the interval that `ppi_mean` gives."""

from __future__ import annotations

import numpy as np
import pytest

from nullbench_site.stats.labels import label_worth, ppi_mean, weighted_mean


def test_the_widths_are_those_of_the_intervals() -> None:
    rng = np.random.default_rng(5)
    clusters = np.arange(400) // 2
    y = (rng.random(400) < np.repeat(rng.random(200), 2)).astype(float)
    f = np.clip(0.3 + 0.4 * y + 0.3 * rng.random(400), 0, 1)
    rest = np.tile(f, 3)
    worth = label_worth(y, f, clusters, 400, 1200)
    assert worth is not None
    both = np.concatenate([clusters, 200 + np.arange(1200) // 2])
    found, alone = ppi_mean(y, f, rest, clusters=both), weighted_mean(y, None, clusters)
    assert found.low is not None
    assert found.high is not None
    assert alone.low is not None
    assert alone.high is not None
    assert worth.corrected == pytest.approx((found.high - found.low) / 2, rel=0.02)
    assert worth.alone == pytest.approx((alone.high - alone.low) / 2, rel=0.02)
    assert worth.equal_to == pytest.approx(400 * (worth.alone / worth.corrected) ** 2)
    assert worth.equal_to > 700


def test_a_judge_that_sees_nothing_saves_no_label() -> None:
    y, f = np.tile([0.0, 1.0], 60), np.full(120, 0.5)
    worth = label_worth(y, f, np.arange(120), 100, 1000)
    assert worth is not None
    assert worth.equal_to == pytest.approx(100)
    assert worth.alone == worth.corrected == pytest.approx(1.96 * 0.5 / 10, rel=0.01)
    assert label_worth(np.ones(120), f, np.arange(120), 100, 1000) is None
