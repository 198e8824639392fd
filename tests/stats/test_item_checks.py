"""Which items strong contestants fail and weak ones solve."""

from __future__ import annotations

import numpy as np
import pytest

from nullbench_site.stats.item_checks import item_rest


def table(k: int = 15, n: int = 120, seed: int = 4) -> np.ndarray:
    """Right and wrong answers, 100 or 0, of contestants of different ability."""
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-(np.linspace(-2, 2, k)[:, np.newaxis] - rng.normal(size=n))))
    return np.where(rng.random((k, n)) < chance, 100.0, 0.0)


def test_the_correlation_is_with_the_mean_on_all_other_items() -> None:
    scores = table()
    found = item_rest(scores, 1)
    assert found is not None
    rest = np.delete(scores, 7, axis=1).mean(axis=1)
    assert found.correlation[7] == pytest.approx(np.corrcoef(scores[:, 7], rest)[0, 1])


def test_wrong_keys_come_first() -> None:
    scores = table()
    wrong = [3, 30, 55, 80, 110]
    scores[:, wrong] = 100 - scores[:, wrong]
    found = item_rest(scores, 1)
    assert found is not None
    lowest = np.argsort(found.correlation)[:10]
    assert len({*wrong} & {*lowest.tolist()}) >= 4
    assert set(np.flatnonzero(found.marked)) <= {*wrong}


def test_no_more_items_are_marked_than_chance_allows() -> None:
    """Of 30 boards whose answers have nothing to do with each other, some 5 % mark an item."""
    rng = np.random.default_rng(9)
    marked = 0
    for seed in range(30):
        found = item_rest(np.where(rng.random((9, 40)) < 0.5, 100.0, 0.0), seed)
        assert found is not None
        marked += bool(found.marked.any())
        assert found.by_chance == pytest.approx(found.n_below, abs=13)
    assert marked <= 5


def test_an_item_on_which_all_score_the_same_has_no_correlation() -> None:
    scores = table()
    scores[:, 5] = 100.0
    found = item_rest(scores, 1)
    assert found is not None
    assert np.isnan(found.correlation[5])
    assert np.isnan(found.p[5])
    assert not found.marked[5]


def test_fewer_than_eight_contestants_are_not_measured() -> None:
    assert item_rest(table(7), 1) is None
    assert item_rest(table(8), 1) is not None
