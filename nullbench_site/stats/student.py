"""Student's t distribution: p-values and quantiles, for degrees of freedom that need not be whole."""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, pi
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats

_STEPS = 300
"""Most terms of the continued fraction; it takes some ten, and more only for degrees of freedom in the millions."""
_MANY = 1000.0
_PRECISE = 1e-12
_LOG_GAMMA_HALF = lgamma(0.5)


def two_sided_p(t: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom, element by element.

    I_x(df/2, 1/2) with x = df/(df + t^2), the regularised incomplete beta function by its continued fraction.
    Source: Abramowitz & Stegun (1964), Handbook of mathematical functions, 26.7.1 and 26.5.8.
    """
    t, df = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    return _two_sided(t, df, *_log_gammas(df))


def _two_sided(t: Floats, df: Floats, of_half: Floats, of_sum: Floats) -> Floats:
    """of_half, of_sum: as `_log_gammas` of df has them, which need not be worked out anew for another t."""
    with np.errstate(over="ignore"):
        square = np.square(t)
    x, rest = df / (df + square), square / (df + square)
    a, half = df / 2, np.full(df.shape, 0.5)
    tail = x < (a + 1) / (a + 2.5)
    front = np.where(tail, of_sum - of_half - _LOG_GAMMA_HALF, of_sum - _LOG_GAMMA_HALF - of_half)
    part = _incomplete_beta(np.where(tail, a, half), np.where(tail, half, a), np.where(tail, x, rest), front)
    p: Floats = np.where(tail, part, 1 - part)
    return p


def _log_gammas(df: Floats) -> tuple[Floats, Floats]:
    """log gamma of df/2 and of (df + 1)/2. Contestants on the same items have the same df again and again."""
    degrees, place = np.unique(df, return_inverse=True)
    of_each = np.array([(lgamma(n / 2), lgamma((n + 1) / 2)) for n in degrees.tolist()]).reshape(-1, 2)
    of_half, of_sum = of_each[place.ravel()].T
    return of_half.reshape(df.shape), of_sum.reshape(df.shape)


def quantile(level: float, df: npt.ArrayLike) -> Floats:
    """The t >= 0 with P(|T| <= t) = `level` for Student's t with `df` > 0 degrees of freedom, element by element.

    level: 0 < level < 1; 0.95 gives 2.228 for df = 10, and for an infinite df the normal distribution's 1.96.
    ValueError for other arguments.
    Source: the inverse of `two_sided_p`, by Newton's method.
    """
    degrees, place = np.unique(np.asarray(df, np.float64), return_inverse=True)
    if not 0 < level < 1 or not (degrees > 0).all():
        raise ValueError(f"level must lie between 0 and 1 and df above 0, got {level!r} and {df!r}")
    t = _only(level, float(degrees[0])) if degrees.size == 1 else _newton(level, degrees)
    return t[place].reshape(np.shape(df))


@lru_cache(maxsize=1024)
def _only(level: float, df: float) -> Floats:
    """Slices of a board have as many clusters as others again and again."""
    return _newton(level, np.array([df]))


def _newton(level: float, df: Floats) -> Floats:
    p, z = 1 - level, NormalDist().inv_cdf((1 + level) / 2)
    # In log t, so that no step leaves t > 0: the p-value of a small df falls as a power of t.
    log_t = np.log(np.where(df < 3, z, _expansion(z, df)))
    near = np.flatnonzero(df < _MANY)
    some, step = df[near], np.ones(near.size)
    of_half, of_sum = _log_gammas(some)
    scale = of_sum - of_half - np.log(pi * some) / 2
    while np.abs(step).max(initial=0.0) > _PRECISE:
        of_t = _two_sided(np.exp(log_t[near]), some, of_half, of_sum)
        log_density = scale - (some + 1) / 2 * np.log1p(np.exp(2 * log_t[near]) / some)
        step = (np.log(of_t) - np.log(p)) * of_t / (2 * np.exp(log_density + log_t[near]))
        log_t[near] += np.clip(step, -2, 2)
    t: Floats = np.exp(log_t)
    return t


def _expansion(z: float, df: Floats) -> Floats:
    """The t of the same probability as `z`, better the greater df: to 12 digits from 1,000 on.

    Source: Abramowitz & Stegun (1964), 26.7.5.
    """
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    t = np.full(df.shape, z)
    for power, term in enumerate(terms, start=1):
        t += term / df**power
    t_of_z: Floats = np.maximum(t, z / 2)
    return t_of_z


def _incomplete_beta(a: Floats, b: Floats, x: Floats, front: Floats) -> Floats:
    """I_x(a, b) for x below (a + 1) / (a + b + 2), by Lentz's evaluation of the continued fraction.

    front: log gamma of a + b less those of a and of b.
    """
    with np.errstate(divide="ignore"):
        front = np.exp(front + a * np.log(x) + b * np.log1p(-x)) / a
    both = a + b
    d = 1 / (1 - both * x / (a + 1))
    c = np.ones_like(x)
    fraction = d.copy()
    for m in range(1, _STEPS):
        place = a + 2 * m
        even = m * (b - m) * x / ((place - 1) * place)
        d = 1 / (1 + even * d)
        c = 1 + even / c
        fraction *= c * d
        odd = (a + m) * (both + m) * x / (place * (place + 1))
        d = 1 / (1 - odd * d)
        c = 1 - odd / c
        factor = c * d
        fraction *= factor
        if np.abs(factor - 1).max(initial=0.0) < 1e-15:
            break
    result: Floats = front * fraction
    return result
