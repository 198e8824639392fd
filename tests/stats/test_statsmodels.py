"""Kappas, slopes and mean squares equal those of statsmodels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss

from nullbench_site.stats.agreement import cohen_kappa, fleiss_kappa, pair_tables
from nullbench_site.stats.bias import within_slopes
from nullbench_site.stats.wording import sigma_prompt

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_kappa_is_that_of_statsmodels(seed: int) -> None:
    ratings = np.random.default_rng(seed).choice(3, (5, 40), p=[0.2, 0.3, 0.5])
    counts = np.stack([(ratings == value).sum(axis=0) for value in range(3)], axis=1)
    tables = pair_tables(ratings, 3, np.arange(40), 40)
    assert fleiss_kappa(tables[5]).value == pytest.approx(fleiss(counts), abs=1e-12)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("seed", SEEDS)
def test_cohens_kappa_is_that_of_statsmodels(seed: int, weights: str | None) -> None:
    a, b = np.random.default_rng(seed).integers(0, 4, (2, 60))
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    far = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    apart = {None: 1.0 * (far > 0), "linear": far, "quadratic": far**2}[weights]
    found = cohen_kappa(pair_tables(np.array([a, b]), 4, np.arange(60), 60)[2], apart)
    assert found.value == pytest.approx(cohens_kappa(table, wt=weights).kappa, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes_on_form_are_those_of_a_regression_with_contestants_and_items(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, n = 4, 30
    form = rng.normal(size=(2, k, n))
    scores = 3 * form[0] - form[1] + rng.normal(size=(k, n)) + rng.normal(size=(k, 1)) + rng.normal(size=n)
    scores[rng.random((k, n)) < 0.2] = np.nan
    cells = pd.DataFrame({
        "score": scores.ravel(), "length": form[0].ravel(), "mark": form[1].ravel(),
        "contestant": np.repeat(np.arange(k), n), "item": np.tile(np.arange(n), k),
    }).dropna()  # fmt: skip
    theirs = ols("score ~ length + mark + C(contestant) + C(item)", cells).fit().params
    assert_allclose(within_slopes(scores, form, np.arange(n)).values, [theirs["length"], theirs["mark"]], atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_deviation_over_wordings_follows_from_the_mean_squares_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(50, 5)) + rng.normal(size=5) * 0.5
    cells = pd.DataFrame({
        "score": scores.ravel(), "item": np.repeat(np.arange(50), 5), "wording": np.tile(np.arange(5), 50),
    })  # fmt: skip
    squares = anova_lm(ols("score ~ C(item) + C(wording)", cells).fit())["mean_sq"]
    expected = max(0.0, (squares["C(wording)"] - squares["Residual"]) / 50) ** 0.5
    assert sigma_prompt(scores).value == pytest.approx(expected, abs=1e-9)
