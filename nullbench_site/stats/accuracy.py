"""Answers that are marked right or wrong -> accuracy, its interval, and the consistency of bundles.

Nearly all here takes bundles: bundle -> for each of its variants whether the answer is right, None where there is no
valid answer. Variants of a bundle ask the same in several ways; an item without variants is a bundle of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats._arrays import finite, level_tails
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.interval import Interval, clustered_standard_error, normal_interval
from nullbench_site.stats.measure import Measure

_LIMIT = 10.0


def accuracy(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """Right answers / valid answers, 0..1, higher is better; every variant counts alike.

    What is not valid is in neither number, so a contestant may look better by answering less: show the share of valid
    answers beside it. Undefined where no answer is valid.
    Source: a decision of ours (issue 4, oracle protocol).
    """
    right = [answer for answers in bundles.values() for answer in answers if answer is not None]
    return Measure(sum(right) / len(right)) if right else Measure.undefined("no valid answer")


def accuracy_standard_error(bundles: Mapping[str, Sequence[bool | None]]) -> float | None:
    """Standard error of `accuracy`, in its unit, with variants clustered by bundle; None for fewer than 2 bundles.

    Source: as `interval.clustered_standard_error`, over the valid answers.
    """
    return clustered_standard_error(*_valid(bundles))


def accuracy_interval(bundles: Mapping[str, Sequence[bool | None]], level: float = 0.95) -> Interval | None:
    """The interval of `accuracy`, within 0..1; 0 < level < 1.

    Wilson's where no bundle has more than one valid answer; else accuracy -+ z * clustered standard error. Where all
    answers are right, or all wrong, that error is a false 0, and Wilson's interval with each bundle as one answer
    stands in its place. None without a valid answer, and where the clustered error is absent or 0 otherwise.
    Source: `wilson_interval` and `interval.normal_interval`; when which, and bundles as single answers, are decisions
    of ours.
    """
    right, clusters = _valid(bundles)
    if not right:
        return None
    distinct = len(set(clusters))
    mean = sum(right) / len(right)
    if mean in (0, 1) or distinct == len(right):
        return wilson_interval(mean * distinct, distinct, level)
    se = clustered_standard_error(right, clusters)
    return normal_interval(mean, se, level, lower=0, upper=1) if se else None


def wilson_interval(right: float, answers: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of the share `right` / `answers` of independent answers, within 0..1.

    With p the share, n the answers and z = 1.959964 for the level 0.95:
    (p + z^2/2n -+ z sqrt(p (1-p) / n + z^2 / 4n^2)) / (1 + z^2/n). Unlike p -+ z se it never leaves 0..1, and is not
    empty where all answers are right. ValueError unless 0 <= right <= answers and answers > 0.
    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if not (isfinite(right) and 0 <= right <= answers and answers > 0):
        raise ValueError(f"{right!r} of {answers!r} answers cannot be right")
    z = NormalDist().inv_cdf(level_tails(level)[1])
    share, shrink = right / answers, 1 + z**2 / answers
    centre = (share + z**2 / (2 * answers)) / shrink
    margin = z * sqrt(share * (1 - share) / answers + z**2 / (4 * answers**2)) / shrink
    # At the ends the formula is exact and its arithmetic is not.
    low = 0.0 if right == 0 else max(0.0, centre - margin)
    high = 1.0 if right == answers else min(1.0, centre + margin)
    return Interval(low, high)


def linear_accuracy(right: npt.ArrayLike, valid: npt.ArrayLike) -> Floats:
    """(items,) a number for each item, 0..1 or beyond; their mean is the accuracy, right / valid over all items.

    right, valid: (items,) how many answers to each are right, and valid. With a the accuracy and v the mean of valid,
    a + (right - a * valid) / v. Drawn again with replacement their mean moves as right / valid of the drawn items does,
    to first order, and it is there also where no drawn item has a valid answer. Where every answer is valid it is
    `right` for items with one answer. Limited to -10..10, which none reaches where a tenth of the answers is valid.
    ValueError without a valid answer.
    Source: Cochran (1977), Sampling techniques, section 6.4 (the ratio estimate, linearised); the limits are a decision
    of ours.
    """
    n_right, n_valid = finite("right", right, ndim=1), finite("valid", valid, ndim=1)
    if n_right.shape != n_valid.shape or not n_valid.sum() > 0 or not ((n_right >= 0) & (n_right <= n_valid)).all():
        raise ValueError("accuracy needs a valid answer, and no item has more right answers than valid ones")
    mean = n_right.sum() / n_valid.sum()
    linear: Floats = np.clip(mean + (n_right - mean * n_valid) / n_valid.mean(), -_LIMIT, _LIMIT)
    return linear


def contrast_consistency(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """The share of bundles whose variants are all right, 0..1, higher is better.

    Of the bundles with two or more variants, all with a valid answer. Undefined where there is none.
    Source: Gardner et al. (2020), Evaluating models' local decision boundaries via contrast sets, section 2.
    """
    return _share_of_whole(bundles, frozenset({frozenset({True})}))


def outcome_consistency(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """The share of bundles whose variants are all right or all wrong, 0..1.

    Of the same bundles as `contrast_consistency`, which it is never below. High for a contestant that is always wrong,
    too: it tells steadiness, not quality.
    Source: after Elazar et al. (2021), Measuring and improving consistency in pretrained language models, who ask
    whether paraphrases get the same prediction, right or not; they compare pairs of predictions, this whole bundles
    of marks, since variants may have different right answers.
    """
    return _share_of_whole(bundles, frozenset({frozenset({True}), frozenset({False})}))


def _share_of_whole(bundles: Mapping[str, Sequence[bool | None]], wanted: frozenset[frozenset[bool]]) -> Measure:
    """The share of the whole bundles whose marks are one of the sets `wanted`."""
    whole = [frozenset(answers) for answers in bundles.values() if len(answers) > 1 and None not in answers]
    if not whole:
        return Measure.undefined("no bundle of two or more variants, all with valid answers")
    return Measure(sum(marks in wanted for marks in whole) / len(whole))


def _valid(bundles: Mapping[str, Sequence[bool | None]]) -> tuple[list[float], list[int]]:
    """The valid answers as 0 and 1, and the number of the bundle of each."""
    pairs = [
        (float(answer), number)
        for number, answers in enumerate(bundles.values())
        for answer in answers
        if answer is not None
    ]
    return [right for right, _ in pairs], [number for _, number in pairs]
