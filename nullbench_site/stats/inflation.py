"""How much contaminated items raise a score: the contamination rate and the inflation."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.estimate import group_mean
from nullbench_site.stats.measure import Bounded

WIDE_GAP = 5.0
"""Points. A wider gap between contaminated and clean items indicates inflation.

Source: the mathematical treatment of LLM evaluation, section 9, Exhibit 7.
"""
NO_ITEM = "no item was tested"
NONE_CONTAMINATED = "no tested item is contaminated"
NONE_CLEAN = "every tested item is contaminated"


@dataclass(frozen=True, slots=True)
class Inflation:
    """What contaminated items do to one contestant's score, in its unit.

    rate: c, the share of contaminated items, 0-1; None without an item. memorised, clean: p_mem and p_clean, the mean
    scores on contaminated and on clean items. gap: p_mem - p_clean. inflation: delta_c = c (p_mem - p_clean).
    """

    rate: float | None
    memorised: Bounded
    clean: Bounded
    gap: Bounded
    inflation: Bounded


def inflation(
    scores: npt.ArrayLike,
    contaminated: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    scale: tuple[float, float] = (0.0, 100.0),
) -> Inflation:
    """Return the contamination rate c and the inflation delta_c = c (p_mem - p_clean) of one contestant's score.

    scores: (n,) within the scale, NaN for a missing answer. contaminated: (n,) booleans. clusters: (n,) integers; each
    item is its own by default. c is that of these items and has no error.
    The means have the intervals of `group_mean`. That of the gap combines them: with means m and k and their ends, from
    m - k - sqrt((m - m_low)^2 + (k_high - k)^2) to m - k + sqrt((m_high - m)^2 + (k - k_low)^2). If clusters have items
    of both kinds, it is too wide rather than too narrow. It is missing, with the reason, if either mean has fewer than
    6 clusters.
    If no item is contaminated, the inflation is 0; if every item is, it is undefined.
    Source: the mathematical treatment of LLM evaluation, section 3, for c and delta_c; Newcombe (1998), Interval
    estimation for the difference between independent proportions, method 10, for the interval.
    """
    values, seen = np.asarray(scores, dtype=np.float64), np.asarray(contaminated, dtype=np.bool_)
    of = np.arange(values.size) if clusters is None else np.asarray(clusters)
    if values.ndim != 1 or seen.shape != values.shape or of.shape != values.shape:
        raise ValueError(f"scores, contaminated and clusters must have the same length, got shape {values.shape}")
    tested = ~np.isnan(values)
    if not tested.any():
        none = Bounded.undefined(NO_ITEM)
        return Inflation(None, none, none, none, none)
    rate = float(seen[tested].mean())
    m, k = (
        group_mean(values[own], None, of[own], scale=scale).bounded if own.any() else Bounded.undefined(without)
        for own, without in ((seen & tested, NONE_CONTAMINATED), (~seen & tested, NONE_CLEAN))
    )
    if m.value is None or k.value is None:
        gap = Bounded.undefined(m.reason or k.reason or NO_ITEM)
        return Inflation(rate, m, k, gap, Bounded(0.0, reason=m.reason) if rate == 0 else gap)
    gap = Bounded(m.value - k.value, *_ends(m, k), reason=m.reason or k.reason)
    low, high = (None if end is None else rate * end for end in (gap.low, gap.high))
    return Inflation(rate, m, k, gap, Bounded(rate * (m.value - k.value), low, high, gap.reason))


def _ends(m: Bounded, k: Bounded) -> tuple[float | None, float | None]:
    """Return the ends of the interval of m - k; none if either has no interval."""
    numbers = (m.value, m.low, m.high, k.value, k.low, k.high)
    if None in numbers:
        return None, None
    value, low, high, other, other_low, other_high = (float(number or 0.0) for number in numbers)
    gap = value - other
    return gap - hypot(value - low, other_high - other), gap + hypot(high - value, other - other_low)
