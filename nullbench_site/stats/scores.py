"""Judges' scores -> the score of an item, of a group, of a board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from statistics import fmean
from typing import TypeGuard

AXIS_MIN, AXIS_MAX = 1, 5
PERCENT_MIN, PERCENT_MAX = 0, 100


def is_valid_axis_score(value: object) -> TypeGuard[int]:
    """Whether a judge's `value` for an axis counts: an integer from 1 to 5.

    `True`, 3.0 and "3" do not count: the reply schema asks for an integer, and a judge that answers otherwise
    did not follow it.
    Source: nullbench methodology, Impact of Rating Scale Granularity ("out-of-range or missing axes are
    treated as invalid for that judge").
    """
    return type(value) is int and AXIS_MIN <= value <= AXIS_MAX


def is_valid_percent(value: object) -> TypeGuard[int]:
    """Whether a judge's `value` for goal alignment or quality counts: any integer, also one outside 0..100.

    Out of range is valid because the source averages first and clamps then; `True`, 80.0 and "80" are not
    integers.
    Source: nullbench methodology, Methodology ("each return an integer 0-100, then we average and clamp to
    0-100").
    """
    return type(value) is int


def axis_mean(scores: Iterable[object]) -> float | None:
    """Mean of one axis of one item over its judges, 1..5, higher is better.

    scores: what each judge gave; those that are not integers from 1 to 5 are left out of the sum and of the
    count.
    None if no judge gave a valid score: the caller knows whether that counts as a failure.
    Source: nullbench methodology, Methodology, s_a = (1/N_a) sum over the valid judges V_a of s_ja.
    """
    valid = [score for score in scores if is_valid_axis_score(score)]
    return sum(valid) / len(valid) if valid else None


def clamped_mean(values: Iterable[object]) -> float | None:
    """Goal alignment or quality of one item over its judges, 0..100, higher is better.

    The mean, clamped after averaging.
    values: what each judge gave; those that are not integers are left out. A judge's 150 and another's 50
    make 100, not 75.
    None if no judge gave an integer: the caller counts such an item as 0 (methodology, Failure Handling).
    Source: nullbench methodology, Methodology ("we average and clamp to 0-100").
    """
    valid = [value for value in values if is_valid_percent(value)]
    if not valid:
        return None
    # Clamped before the division: a judge's integer can be too long for a float, its comparison cannot fail.
    total = min(max(sum(valid), PERCENT_MIN * len(valid)), PERCENT_MAX * len(valid))
    return total / len(valid)


def overall(groups: Mapping[str, Sequence[float]], weights: Mapping[str, float] | None = None) -> float | None:
    """Overall score of one contestant on a board, in the unit of the scores (0..100), higher is better.

    groups: group (domain or category) -> the goal alignment of each of its items. The unweighted mean, over
    the groups that have items, of the mean in the group. None if no group has an item. ValueError for a NaN
    or an infinity.
    weights: group -> its weight > 0, where a board weighs its constructs; they are scaled to sum to 1.
    Sums are exactly rounded (fmean), so the order of items and of groups cannot move the last digit.
    Source: nullbench methodology, Interpretation, overall = (1/|G|) sum_g (1/n_g) sum_i GA_gi.
    """
    if not all(isfinite(score) for scores in groups.values() for score in scores):
        raise ValueError("overall: every score must be finite; an item that failed counts as 0, it is not NaN")
    means = {group: fmean(scores) for group, scores in groups.items() if len(scores)}
    if not means:
        return None
    return fmean(means.values(), None if weights is None else [weights[group] for group in means])
