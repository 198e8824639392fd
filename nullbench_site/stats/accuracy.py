"""Answers that are marked right or wrong -> accuracy, its interval, and the consistency of bundles.

Nearly all here takes bundles: bundle -> for each of its variants whether the answer is right, None where there is no
valid answer. Variants of a bundle ask the same in several ways; an item without variants is a bundle of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite, sqrt
from statistics import NormalDist

from nullbench_site.stats._arrays import level_tails
from nullbench_site.stats.interval import Interval, clustered_standard_error, normal_interval
from nullbench_site.stats.measure import Measure


def accuracy(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """Right answers / valid answers, 0..1, higher is better; every variant counts alike.

    What is not valid is in neither number, so a contestant may look better by answering less: show the share of valid
    answers beside it. With False in the place of None it is right answers / all answers, which cannot be raised so.
    Undefined where no answer is valid.
    Source: a decision of ours (issue 4, oracle protocol).
    """
    right = [answer for answers in bundles.values() for answer in answers if answer is not None]
    return Measure(sum(right) / len(right)) if right else Measure.undefined("no valid answer")


def accuracy_standard_error(bundles: Mapping[str, Sequence[bool | None]]) -> float | None:
    """Standard error of `accuracy`, in its unit, with variants clustered by bundle; None for fewer than 2 bundles.

    Exactly 0 where all bundles have the same share of right answers.
    Source: as `interval.clustered_standard_error`, over the valid answers.
    """
    se = clustered_standard_error(*_valid(bundles))
    # Residuals that cancel may leave a last bit, and an error of 1e-17 would look like certainty.
    return 0.0 if se is not None and len(_shares(bundles)) == 1 else se


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
    se = accuracy_standard_error(bundles)
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


def _shares(bundles: Mapping[str, Sequence[bool | None]]) -> set[Fraction]:
    """The different shares of right answers among the valid ones that bundles have."""
    valid = ([answer for answer in answers if answer is not None] for answers in bundles.values())
    return {Fraction(sum(answers), len(answers)) for answers in valid if answers}


def _valid(bundles: Mapping[str, Sequence[bool | None]]) -> tuple[list[float], list[int]]:
    """The valid answers as 0 and 1, and the number of the bundle of each."""
    pairs = [
        (float(answer), number)
        for number, answers in enumerate(bundles.values())
        for answer in answers
        if answer is not None
    ]
    return [right for right, _ in pairs], [number for _, number in pairs]
