"""Correlate the marks of one judge with those of other judges of the same answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.agreement import spearman
from nullbench_site.stats.arrays import Floats

FIGURES = ("by_response", "by_response_ranked", "within_prompts", "by_model", "by_model_ranked")


class Correlation(NamedTuple):
    """A correlation, -1 to 1, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def correlations(marks: npt.ArrayLike, others: npt.ArrayLike) -> dict[str, float]:
    """FIGURES by name, -1 to 1, NaN where one side has a single value.

    marks, others: (prompts, models), NaN where there is no answer; only answers that both marked count. Pearson's
    correlation over answers, over answers less the mean of their prompt, and over the means of models; of the first and
    the last Spearman's too. ValueError for arrays of two shapes.
    """
    x, y = np.array(marks, dtype=np.float64), np.array(others, dtype=np.float64)
    if x.ndim != 2 or x.shape != y.shape:
        raise ValueError(f"both are marks of prompts by models, got shapes {x.shape} and {y.shape}")
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known.any(axis=1)][:, known.any(axis=0)], y[known.any(axis=1)][:, known.any(axis=0)]
    known = known[known.any(axis=1)][:, known.any(axis=0)]
    x[~known], y[~known] = np.nan, np.nan
    inner = [(table - np.nanmean(table, axis=1, keepdims=True))[known] for table in (x, y)]
    of_models = [np.nanmean(table, axis=0) for table in (x, y)]
    return {
        "by_response": _pearson(x[known], y[known]),
        "by_response_ranked": _spearman(x[known], y[known]),
        "within_prompts": _pearson(inner[0], inner[1]),
        "by_model": _pearson(of_models[0], of_models[1]),
        "by_model_ranked": _spearman(of_models[0], of_models[1]),
    }


def _pearson(one: Floats, other: Floats) -> float:
    """Source: Pearson (1896), Regression, heredity and panmixia."""
    a, b = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else float("nan")


def _spearman(one: Floats, other: Floats) -> float:
    value = spearman(one, other).value
    return float("nan") if value is None else value


def validity(marks: npt.ArrayLike, others: npt.ArrayLike, *, resamples: int, seed: int) -> dict[str, Correlation]:
    """`correlations` with percentile intervals of a bootstrap by prompt: other prompts like these, the same models.

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, percentiles; prompts are the clusters.
    """
    x, y = np.asarray(marks, dtype=np.float64), np.asarray(others, dtype=np.float64)
    values = correlations(x, y)
    generator = np.random.default_rng(seed)
    draws = [correlations(x[rows], y[rows]) for rows in generator.integers(len(x), size=(resamples, len(x)))]
    ends = {name: np.nanquantile([draw[name] for draw in draws], (0.025, 0.975)) for name in FIGURES}
    return {name: Correlation(values[name], float(ends[name][0]), float(ends[name][1])) for name in FIGURES}
