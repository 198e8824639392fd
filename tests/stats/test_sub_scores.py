"""Whether the score of a part adds to the score of a board."""

from __future__ import annotations

import numpy as np
import pytest

from nullbench_site.stats.sub_scores import sub_score


def board(k: int, own: float, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Scores of k contestants on three parts of six items; own: the variance of what they have of a part alone."""
    rng = np.random.default_rng(seed)
    parts = np.repeat(np.arange(3), 6)
    ability = rng.normal(size=(k, 1)) + rng.normal(size=(k, 3))[:, parts] * np.sqrt(own)
    return ability + rng.normal(size=parts.size) * 3 + rng.normal(size=(k, parts.size)) * 0.7, parts


def test_the_reductions_are_those_of_the_formula() -> None:
    """Worked without arrays of clusters: Haberman's PRMSE from variances and covariances of two columns."""
    scores, parts = board(30, 0.5)
    found = sub_score(scores, parts == 1, parts, np.arange(parts.size), weights=None, seed=1)
    assert found is not None
    rest = scores - scores.mean(axis=0)
    part, whole = scores[:, parts == 1].mean(axis=1), scores.mean(axis=1)
    spread = [rest[:, parts == each].var(axis=1, ddof=1) for each in range(3)]
    e_ss, e_sx = float(np.mean(spread[1])) / 6, float(np.mean(spread[1])) / 6 / 3
    true = part.var(ddof=1) - e_ss
    shared = np.cov(part, whole)[0, 1] - e_sx
    assert found.by_itself == pytest.approx(true / part.var(ddof=1))
    assert found.by_whole == pytest.approx(shared**2 / (true * whole.var(ddof=1)))
    assert found.low < found.by_itself - found.by_whole < found.high


def test_a_part_adds_if_contestants_have_something_of_their_own_there() -> None:
    apart, parts = board(60, 2.0)
    alike, _ = board(60, 0.0)
    items = np.arange(parts.size)
    adds = sub_score(apart, parts == 0, parts, items, weights=None, seed=1)
    nothing = sub_score(alike, parts == 0, parts, items, weights=None, seed=1)
    assert adds is not None
    assert nothing is not None
    assert adds.low > 0 > nothing.low


def test_the_difficulty_of_items_changes_nothing() -> None:
    scores, parts = board(40, 0.5)
    harder = scores + np.linspace(-500, 500, parts.size)
    items = np.arange(parts.size)
    first = sub_score(scores, parts == 2, parts, items, weights=None, seed=1)
    assert first == pytest.approx(sub_score(harder, parts == 2, parts, items, weights=None, seed=1), abs=1e-6)


def test_items_of_one_cluster_count_as_one() -> None:
    """Each item twice: a copy in the same cluster brings nothing."""
    scores, parts = board(40, 0.5)
    items = np.arange(parts.size)
    once = sub_score(scores, parts == 2, parts, items, weights=[1, 2, 3], seed=1)
    twice = sub_score(
        np.repeat(scores, 2, axis=1), np.repeat(parts == 2, 2), np.repeat(parts, 2), np.repeat(items, 2),
        weights=[1, 2, 3], seed=1,
    )  # fmt: skip
    assert once == pytest.approx(twice)


def test_too_few_contestants_or_nothing_but_errors_are_not_measured() -> None:
    scores, parts = board(19, 1.0)
    items = np.arange(parts.size)
    assert sub_score(scores, parts == 0, parts, items, weights=None, seed=1) is None
    same = np.tile(np.random.default_rng(1).permuted(np.tile([0.0, 1.0], 9)), (30, 1))
    assert sub_score(same, parts == 0, parts, items, weights=None, seed=1) is None
