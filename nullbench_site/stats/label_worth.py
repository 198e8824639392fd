"""What labels are worth next to the scores of a judge: the widths of intervals at numbers of labels not yet made."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite
from nullbench_site.stats.estimate import LEVEL, quantile


@dataclass(frozen=True)
class Worth:
    """Half the widths of two 95 % intervals, in the unit of the labels.

    alone: of the mean of the labels. corrected: of `ppi_mean`. equal_to: how many labels alone would give the latter.
    """

    alone: float
    corrected: float
    equal_to: float


def label_worth(
    labels: npt.ArrayLike, judge: npt.ArrayLike, clusters: npt.ArrayLike, n: int, others: int
) -> Worth | None:
    """Return what `n` labels give alone, and next to the scores that a judge gave `others` further answers.

    labels, judge: (m,) Y and f of the same answers. clusters: (m,) integers. Variances are those of these answers, with
    the parts of a cluster added: V(x) = C/(C-1) sum_c (sum_{i in c} x_i - mean x)^2 / m. The widths follow from
    V(Y)/n and, with the lambda of `ppi_mean`, from V(Y - lambda f)/n + lambda^2 V(f)/others.
    None with fewer than 2 clusters, and if labels do not vary.
    Source: Angelopoulos, Duchi & Zrnic (2023), Efficient prediction-powered inference.
    """
    y, f = finite("labels", labels, ndim=1), finite("judge", judge, ndim=1)
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if not y.size or cluster.max() < 1 or np.ptp(y) == 0:
        return None
    spread = float(np.var(f, ddof=1))
    covariance = float(np.cov(y, f)[0, 1])
    scale = min(1.0, max(0.0, covariance / ((1 + n / others) * spread))) if spread > 0 else 0.0
    alone = _variance(y, cluster)
    corrected = _variance(y - scale * f, cluster) / n + scale**2 * _variance(f, cluster) / others
    z = float(quantile(LEVEL, inf))
    return Worth(z * sqrt(alone / n), z * sqrt(corrected), alone / corrected)


def _variance(values: Floats, cluster: Ints) -> float:
    n = int(cluster.max()) + 1
    sums = np.bincount(cluster, values - values.mean())
    return n / (n - 1) * float(sums @ sums) / values.size
