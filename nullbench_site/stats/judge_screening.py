"""Tests by which a judge passes or fails: its rank correlation within items, and shares of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import TypeVar

import msgspec

from nullbench_site.stats.estimate import LEVEL, quantile, two_sided_p
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded
from nullbench_site.stats.prompt_choice import mean_with_interval, put_above

CaseT = TypeVar("CaseT")


class Tested(msgspec.Struct, frozen=True):
    """A figure with its interval, and the one-sided p of no more than a limit; 1 if the figure is undefined."""

    figure: Bounded
    p: float


def correlation_within_item(
    values: Mapping[CaseT, float | None], order: Sequence[tuple[CaseT, CaseT]]
) -> tuple[float, int] | None:
    """Return how far values follow a known order of the responses to one item, -1 to 1, and of how many pairs.

    order: pairs of responses, the better one first. The result is the share of pairs in this order less that in the
    reverse one; equal values are in neither. A missing value, of a response whose verdict cannot be read, puts the
    pair in the reverse order. Pairs of which a response is not in `values` are left out; None if all are.

    Source: Somers (1962), A new asymmetric measure of association for ordinal variables: Kendall's tau with the ties
    of the truth left out.
    """
    pairs = [put_above(values[better], values[worse]) for better, worse in order if {better, worse} <= values.keys()]
    return (fsum(2 * each - 1 for each in pairs) / len(pairs), len(pairs)) if pairs else None


def mean_correlation(items: Sequence[tuple[float, int]], limit: float) -> Tested:
    """Return the mean of correlations within items, its 95 % interval and the p of a mean of at most `limit`.

    items: of each item its correlation and the number of its pairs. Items are independent, responses to one item are
    not, so the interval is Student's over items. Its variance is at least the one that a single wrong pair on a single
    item would make: a judge that is right everywhere on ten items has an interval too. Undefined with too few items.

    Source: Student (1908), The probable error of a mean; the least variance is a decision of ours.
    """
    n = len(items)
    if n < LEAST_CLUSTERS:
        return Tested(Bounded.undefined(f"fewer than {LEAST_CLUSTERS} items"), 1.0)
    mean = fsum(value for value, _ in items) / n
    step = 2 / min(pairs for _, pairs in items)
    variance = max(fsum((value - mean) ** 2 for value, _ in items) / (n - 1), step**2 / n)
    error = sqrt(variance / n)
    half = float(quantile(LEVEL, n - 1)) * error
    t = (mean - limit) / error
    tail = float(two_sided_p(t, n - 1)) / 2
    return Tested(Bounded(mean, max(-1.0, mean - half), min(1.0, mean + half)), tail if t > 0 else 1 - tail)


def mean_share(items: Sequence[float], limit: float) -> Tested:
    """Return the mean of values 0-1, its interval and the p of a mean of at most `limit`, 0-1.

    The lower end of the interval is above the limit if p is below 0.025.
    Source: Wilson (1927), whose interval inverts this test; see `mean_with_interval`.
    """
    figure = mean_with_interval(items)
    if figure.value is None:
        return Tested(figure, 1.0)
    z = (figure.value - limit) / sqrt(limit * (1 - limit) / len(items))
    return Tested(figure, 1 - NormalDist().cdf(z))


def all_pass(ps: Sequence[float]) -> float:
    """Return the p of a candidate that passes only if each of its tests rejects.

    Source: Berger (1982), Multiparameter hypothesis testing and acceptance sampling: the largest p needs no correction
    for the number of these tests.
    """
    return max(ps, default=1.0)
