"""Student's t distribution: p-values and quantiles, for degrees of freedom that need not be whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtr, stdtrit

from nullbench_site.stats.arrays import Floats


def two_sided_p(t: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """Return P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom, element by element."""
    return np.asarray(2 * stdtr(df, -np.abs(np.asarray(t, np.float64))), np.float64)


def quantile(level: float, df: npt.ArrayLike) -> Floats:
    """Return the t >= 0 with P(|T| <= t) = `level` for `df` > 0 degrees of freedom, element by element.

    level: 0 < level < 1; 0.95 gives 2.228 for df = 10, and for an infinite df the normal distribution's 1.96.
    ValueError for other arguments.
    """
    degrees = np.asarray(df, np.float64)
    if not 0 < level < 1 or not (degrees > 0).all():
        raise ValueError(f"level must lie between 0 and 1 and df above 0, got {level!r} and {df!r}")
    upper = (1 + level) / 2
    return np.asarray(np.where(np.isinf(degrees), ndtri(upper), stdtrit(degrees, upper)), np.float64)
