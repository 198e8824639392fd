"""Student's t distribution: p-values and quantiles, for degrees of freedom that need not be whole."""

from __future__ import annotations

from math import lgamma, pi
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats

_STEPS = 300
"""Most steps of a loop; all take some ten, but for degrees of freedom in the millions."""
_PRECISE = 1e-12


def two_sided_p(t: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom, element by element.

    I_x(df/2, 1/2) with x = df/(df + t^2), the regularised incomplete beta function by its continued fraction.
    Source: Abramowitz & Stegun (1964), Handbook of mathematical functions, 26.7.1 and 26.5.8.
    """
    t, df = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    with np.errstate(over="ignore"):
        square = np.square(t)
    x, rest = df / (df + square), square / (df + square)
    a, half = df / 2, np.full(df.shape, 0.5)
    tail = x < (a + 1) / (a + 2.5)
    part = _incomplete_beta(np.where(tail, a, half), np.where(tail, half, a), np.where(tail, x, rest))
    p: Floats = np.where(tail, part, 1 - part)
    return p


def quantile(level: float, df: npt.ArrayLike) -> Floats:
    """The t >= 0 with P(|T| <= t) = `level` for Student's t with `df` > 0 degrees of freedom, element by element.

    level: 0 < level < 1; 0.95 gives 2.228 for df = 10, and for an infinite df the normal distribution's 1.96.
    ValueError for other arguments.
    Source: the inverse of `two_sided_p`, by Newton's method.
    """
    degrees = np.asarray(df, np.float64)
    if not 0 < level < 1 or not (degrees > 0).all():
        raise ValueError(f"level must lie between 0 and 1 and df above 0, got {level!r} and {df!r}")
    normal = NormalDist().inv_cdf((1 + level) / 2)
    t = np.full(degrees.shape, normal)
    finite = degrees < 1e9  # beyond it the two agree to all digits that matter
    t[finite] = _newton(1 - level, degrees[finite], normal)
    return t


def _newton(p: float, df: Floats, t: float) -> Floats:
    """The t of two-sided probability `p`, from the normal distribution's `t` on."""
    # In log t, so that no step leaves t > 0: the p-value of a small df falls as a power of t.
    log_t = np.full(df.shape, np.log(t))
    scale = np.array([lgamma((n + 1) / 2) - lgamma(n / 2) for n in df.tolist()]) - np.log(pi * df) / 2
    for _ in range(_STEPS):
        of_t = two_sided_p(np.exp(log_t), df)
        log_density = scale - (df + 1) / 2 * np.log1p(np.exp(2 * log_t) / df)
        step = (np.log(of_t) - np.log(p)) * of_t / (2 * np.exp(log_density + log_t))
        log_t += np.clip(step, -2, 2)
        if np.abs(step).max(initial=0.0) < _PRECISE:
            break
    t_of_p: Floats = np.exp(log_t)
    return t_of_p


def _incomplete_beta(a: Floats, b: Floats, x: Floats) -> Floats:
    """I_x(a, b) for x below (a + 1) / (a + b + 2), by Lentz's evaluation of the continued fraction."""
    front = np.array(
        [lgamma(m + n) - lgamma(m) - lgamma(n) for m, n in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)]
    ).reshape(a.shape)
    with np.errstate(divide="ignore"):
        front = np.exp(front + a * np.log(x) + b * np.log1p(-x)) / a
    d = 1 / (1 - (a + b) * x / (a + 1))
    c = np.ones_like(x)
    fraction = d.copy()
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + even * d)
        c = 1 + even / c
        fraction *= c * d
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + odd * d)
        c = 1 + odd / c
        fraction *= c * d
        if np.abs(c * d - 1).max(initial=0.0) < 1e-15:
            break
    result: Floats = front * fraction
    return result
