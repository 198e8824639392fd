"""Bounds of means of bounded numbers that hold at any number of items, by betting against each possible mean."""

from __future__ import annotations

from math import log

import numpy as np

from nullbench_site.stats.arrays import Floats

_MOST = 0.75
"""The largest share of the capital that one bet may lose."""


def log_capital(values: Floats, mean: float, error: float) -> Floats:
    """Return the largest logarithm of the capital of a gambler who bets that the mean is above `mean`, (k,).

    values: (k, n) of 0-1, in an order that does not depend on them. mean: 0 < mean < 1. error: for which the bets are
    made, 0-1. If the mean of the values is at most `mean`, the capital ever reaches 1 / p with probability p or less.
    The capital is the product of 1 + l_t (x_t - mean). With m_t = (1/2 + x_1 + ... + x_t) / (t + 1) and
    v_t = (1/4 + sum_i (x_i - m_i)^2) / (t + 1), the bet is l_t = sqrt(2 ln(2 / error) / (n v_(t-1))), at most
    3/4 / mean.
    Source: Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting, sections 4.2 and
    4.4; the bound by Ville (1939), Étude critique de la notion de collectif.
    """
    n = values.shape[1]
    count = np.arange(2, n + 2)
    running = (0.5 + np.cumsum(values, axis=1)) / count
    variance = (0.25 + np.cumsum(np.square(values - running), axis=1)) / count
    before = np.column_stack([np.full(len(values), 0.25), variance[:, :-1]])
    bets = np.minimum(np.sqrt(2 * log(2 / error) / (n * before)), _MOST / mean)
    capital: Floats = np.maximum(np.cumsum(np.log1p(bets * (values - mean)), axis=1).max(axis=1), 0.0)
    return capital
