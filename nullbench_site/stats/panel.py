"""Judges as a sample of judges like them: what a score would be under others, and how severe each is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import LEVEL
from nullbench_site.stats.student import quantile

ONE_JUDGE = "a panel of one judge says nothing of other judges"
NO_SAMPLE = "these judges are not a sample of judges like them"
SAME_OF_ALL = "the score is the same whichever judge is left out, and how other judges would differ is not measured"
"""A variance of 0 among a handful of judges is no evidence that judges like them never differ."""


def jackknife_variance(left_out: npt.ArrayLike) -> Floats:
    """The variance of each score for the choice of judges, (k,), in its unit squared, by leaving out one at a time.

    left_out: (k, J) the score without each of J judges, NaN where a judge has no part in it. (J-1)/J * sum_j
    (theta_-j - mean)^2 over the J judges of a score; of a mean over judges it is s^2 / J, s^2 the variance of what
    single judges give with the divisor J - 1. NaN for fewer than two judges.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, 11.2.
    """
    theta = np.asarray(left_out, dtype=np.float64)
    if theta.ndim != 2 or np.isinf(theta).any():
        raise ValueError(f"a jackknife is of finite scores by judge, (k, J), got shape {theta.shape}")
    n = (~np.isnan(theta)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = theta - (np.nansum(theta, axis=1) / n)[:, np.newaxis]
        variance: Floats = np.where(n > 1, (n - 1) / n * np.nansum(np.square(off), axis=1), np.nan)
    return variance


def panel_errors(se: Floats, df: Floats, variance: Floats, judges: Ints) -> tuple[Floats, Floats]:
    """Standard errors on items and judges like these, and half the widths of the 95 % intervals; (k,) each.

    Of scores or of differences of two. se, df: on items like these with this panel. variance: for the choice of judges,
    as `jackknife_variance`. judges: how many, >= 2. The variance is the sum of both: what the choice of items and that
    of judges add. What single judges make of single items is in both, so it is rather too large, by the variance of
    item x judge over items and judges, and never negative. Half the width is
    sqrt(V_i + V_j) (V_i t_i + V_j t_j) / (V_i + V_j), t_i and t_j Student's quantiles for df and for judges - 1. Chosen
    by measurement: with degrees of freedom by Satterthwaite's rule 95 % intervals hold 87 of 100 scores or differences
    of two judges that differ much, and 93 of three (benchmarks/panels.py).
    Source: Cameron, Gelbach & Miller (2011), Robust inference with multiway clustering, section 2, without the term of
    both, which they subtract; Cochran (1964), Approximate significance levels of the Behrens-Fisher test.
    """
    of_items, of_judges = np.square(se), np.asarray(variance, dtype=np.float64)
    both = of_items + of_judges
    t_items, t_judges = quantile(LEVEL, df), quantile(LEVEL, judges - 1)
    share = np.divide(of_items, both, out=np.ones(both.shape), where=both > 0)
    errors = np.sqrt(both)
    return errors, errors * (share * t_items + (1 - share) * t_judges)


def severity_adjustment(cells: Floats, fitted: Bools) -> Floats | str:
    """What each contestant's score would gain with every judge of the panel judging it, or why that cannot be told.

    cells: (contestants, judges) the score that each judge alone gives, NaN where it may not judge. fitted:
    (contestants,) of whom judges' severities are estimated. With score = contestant + judge, least squares over the
    cells, a contestant gains the mean severity of all judges less that of its own; one that all judged gains 0. In the
    unit of the scores; NaN for a contestant that nobody judged.
    Source: the additive model of two factors with missing cells, Searle (1971), Linear Models, 7.1; that of judges as
    in Linacre (1989), Many-facet Rasch measurement, on the raw scale.
    """
    there = ~np.isnan(cells)
    used = there & fitted[:, np.newaxis]
    n = used.sum(axis=1)
    some = n > 0
    values = np.where(used, cells, 0.0)[some]
    weights, n = used[some].astype(np.float64), n[some]
    normal = np.diag(weights.sum(axis=0)) - (weights / n[:, np.newaxis]).T @ weights
    judges = cells.shape[1]
    if np.linalg.matrix_rank(normal) < judges - 1:
        return "no contestant that two judges share ties them together"
    right = (values - weights * (values.sum(axis=1) / n)[:, np.newaxis]).sum(axis=0)
    severity = np.linalg.pinv(normal) @ right
    with np.errstate(invalid="ignore"):
        own = np.where(there, severity, 0.0).sum(axis=1) / there.sum(axis=1)
    gain: Floats = severity.mean() - own
    gain[there.all(axis=1)] = 0.0
    return gain
