"""Compare the regressions of pairwise boards with a plain fit of the same size.

`python -m benchmarks.pairwise`. On made-up games of the size of the published ones, in CPU seconds of one thread each.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.measure import Outcome, ratio, report, seconds_of
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.style_control import GamedRows, length_controlled

FIT_LIMIT = 10.0
MODELS, ITEMS, GAMED = 12, 805, 1610
ROUNDS, RUNS = 9, 15


def outcomes() -> list[Outcome]:
    """Length control as a multiple of plain fits."""
    return [_length_control()]


def _seconds(work: Callable[[], object]) -> list[float]:
    """Of CPU, on one core: of some rounds, the least of several runs each, for they take milliseconds."""
    return [min(seconds_of(work, time.process_time) for _ in range(RUNS)) for _ in range(ROUNDS)]


def _length_control() -> Outcome:
    """The length-controlled win rates of 12 models with cross-validation, against one fit of the rows of each."""
    rng = np.random.default_rng(1)
    difficulty = rng.standard_normal(ITEMS)
    gamed_lengths, gamed_difficulty = rng.uniform(-1, 1, GAMED), np.tile(difficulty, 2)
    gamed = GamedRows(_shares(rng, -gamed_lengths), gamed_lengths, gamed_difficulty)
    models = []
    for place in range(MODELS):
        lengths = np.tanh(rng.standard_normal(ITEMS))
        models.append((_shares(rng, 0.7 * difficulty - lengths + place / 4 - 2), lengths))

    def plain() -> None:
        for shares, lengths in models:
            own = np.column_stack([lengths, difficulty, np.ones(ITEMS)])
            rows = np.vstack([np.column_stack([gamed_lengths, gamed_difficulty, np.zeros(GAMED)]), own])
            wins = np.concatenate([gamed.shares, shares])
            weights = np.concatenate([np.full(GAMED, 0.1), np.ones(ITEMS)])
            outcome, counted = np.repeat([1, 0], len(rows)), np.concatenate([weights * wins, weights * (1 - wins)])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of parameters that versions of scikit-learn call differently
                model = LogisticRegression(penalty="l1", solver="liblinear", fit_intercept=False)
                model.fit(np.vstack([rows, rows]), outcome, counted)

    def controlled() -> None:
        for shares, lengths in models:
            length_controlled(shares, lengths, difficulty, gamed=gamed)

    return ratio("length control of 12 models", _seconds(controlled), _seconds(plain), FIT_LIMIT)


def _shares(rng: np.random.Generator, margin: Floats) -> Floats:
    """As judges give them: most near an end."""
    shares: Floats = 1 / (1 + np.exp(-3 * (margin + rng.standard_normal(margin.shape))))
    return shares


if __name__ == "__main__":
    sys.exit(report(outcomes()))
