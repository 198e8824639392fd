"""From answers to short questions to a mark: the value of a question, of an item, and the mark.

Source: RocketEval (Wei et al., ICLR 2025): a checklist for each item, each question asked alone, P(yes) / (P(yes) +
P(no)). The relative value, the product with prohibitions and the scale of the mark are decisions of ours.
"""

from __future__ import annotations

import numpy as np

from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.judges import MARK_MAX, MARK_MIN, mean_of_known

UNANSWERABLE = 0.9
"""A judge that says yes to the empty response with more than this probability cannot answer the question."""
_HALF = 0.5


def relative_value(yes: Floats, empty: Floats) -> Floats:
    """Return how far p is above e, as a share of what is above e: max(0, (p - e) / (1 - e)).

    yes: p, the probability of yes for the response. empty: e, that for the empty response; of the same shape. NaN in
    either gives NaN. Within 0-1, never falls when p rises, and 0 for the empty response; 0 where e is 1.
    """
    room = 1 - empty
    share = np.divide(yes - empty, room, out=np.zeros_like(yes), where=room > 0)
    return np.where(np.isnan(yes) | np.isnan(empty), np.nan, np.clip(share, 0, 1))


def yes_or_no(yes: Floats) -> Floats:
    """Return 1 where the probability of yes is 0.5 or more, else 0; NaN stays."""
    return np.where(np.isnan(yes), np.nan, (yes >= _HALF).astype(float))


def item_value(values: Floats, prohibited: Bools) -> Floats:
    """Return (units,) the mean of the values of the other questions times the mean of those of prohibitions.

    values: (units, questions), NaN for a question that does not count. prohibited: (units, questions) or (questions,).
    Without prohibitions that count, the second factor is 1. NaN without another question that counts: avoiding faults
    earns nothing without an answer.
    """
    shape = np.broadcast_to(prohibited, values.shape)
    others = mean_of_known(np.where(shape, np.nan, values))
    avoided = mean_of_known(np.where(shape, values, np.nan))
    product: Floats = others * np.where(np.isnan(avoided), 1.0, avoided)
    return product


def mark_of(value: Floats, lowest: float = MARK_MIN, highest: float = MARK_MAX) -> Floats:
    """Return the mark of a value on a scale; of 1-5 it is 1 + 4 x value, the expected share of requirements met."""
    return lowest + (highest - lowest) * value


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Return (units,) the mean of the known values of each unit, weighted; NaN without one of a weight above 0.

    values, weights: (units, questions), NaN for a value that does not count.
    """
    counting = np.where(np.isnan(values), 0.0, weights)
    total = counting.sum(axis=1)
    means: Floats = np.divide(
        (np.nan_to_num(values) * counting).sum(axis=1), total, out=np.full(total.shape, np.nan), where=total > 0
    )
    return means


def harmonic_mean(p: Floats, r: Floats) -> Floats:
    """Return 2PR / (P + R), 0 where both are 0; NaN where one is unknown.

    Source: van Rijsbergen (1979), Information retrieval, 7: F with equal weights of precision and recall.
    """
    total = p + r
    mean: Floats = np.divide(2 * p * r, total, out=np.zeros_like(total), where=total > 0)
    return np.where(np.isnan(total), np.nan, mean)


def share_of_target(ratings: Floats, targets: Floats, lowest: float = MARK_MIN) -> Floats:
    """Return how much of the way from the lowest rating to a target is reached, 0-1; 1 where the target is the lowest.

    ratings, targets: of the same shape. NaN in a rating gives NaN.
    """
    room = targets - lowest
    share = np.divide(ratings - lowest, room, out=np.ones_like(ratings), where=room > 0)
    return np.where(np.isnan(ratings), np.nan, np.minimum(1.0, share))
