"""How steady marks are over the variants of a bundle.

bundles: bundle -> for each of its variants whether the answer is right, None where there is no valid answer. Variants
of a bundle ask the same in several ways; an item without variants is a bundle of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nullbench_site.stats.measure import Measure


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
