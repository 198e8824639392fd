"""From the measures of a judge to its scores: the same arithmetic for all judges."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .case import Axis
from .evidence import Evidence
from .measure import Measure

WORST_SHARE = 0.3  # of quality: an answer is not good on the whole that fails in one respect
NOTES = 3


@dataclass(frozen=True)
class Verdict:
    """axes: 1-5; goal_alignment and quality: 0-100; higher is better."""

    axes: Mapping[str, int]
    goal_alignment: int
    quality: int
    rationale: str


def verdict(evidence: Evidence, measures: Mapping[str, Measure], rules: Mapping[str, float | None]) -> Verdict:
    """Scores from a judge's measures by aspect.

    rules: how far each fidelity dimension of the goal is fulfilled, 0..1; None where the judge has nothing
    but its overall mean.

    Every value is first multiplied by topicality. An axis takes the mean over its aspects that the judge
    measures, or over all its measures if it measures none, put on 1-5; topicality if nothing was there to
    measure. Goal alignment is half closeness to
    the alignment target, half fulfilment of the rules by weight. Quality is the mean of all measures and of
    the worst, 70 to 30.
    """
    values = {
        aspect: measure.value * evidence.topicality for aspect, measure in measures.items() if measure.value is not None
    }
    overall = mean(list(values.values()), otherwise=evidence.topicality)
    axes = {axis.id: grade(values, axis.aspects, overall) for axis in evidence.case.axes}
    closeness = mean(
        [near(axis, axes[axis.id]) for axis in evidence.case.axes if axis.target is not None],
        otherwise=overall,
    )
    kept = [(weight, fulfilled(evidence, rules.get(dimension), overall)) for dimension, weight in evidence.case.rules]
    total = sum(weight for weight, _ in kept)
    fulfilment = sum(weight * value for weight, value in kept) / total if total else overall
    worst = min(values.values(), default=overall)
    return Verdict(
        axes={name: 1 + rounded(4 * value) for name, value in axes.items()},
        goal_alignment=rounded(100 * (closeness + fulfilment) / 2),
        quality=rounded(100 * ((1 - WORST_SHARE) * overall + WORST_SHARE * worst)),
        rationale=rationale(evidence, measures),
    )


def fulfilled(evidence: Evidence, value: float | None, overall: float) -> float:
    """How far a rule is fulfilled, in 0..1, topicality included."""
    return overall if value is None else value * evidence.topicality


def grade(values: Mapping[str, float], aspects: Sequence[str], overall: float) -> float:
    """Mean of the values of `aspects`; `overall` if none of them has one."""
    return mean([values[aspect] for aspect in aspects if aspect in values], otherwise=overall)


def near(axis: Axis, value: float) -> float:
    """1 if the axis reaches its target or more, 0 at score 1; `value` is its unrounded grade in 0..1."""
    if axis.target is None or axis.target <= 1:
        return 1.0
    return min(1.0, 4 * value / (axis.target - 1))


def mean(values: Sequence[float], otherwise: float = 0.0) -> float:
    """The mean, or `otherwise` if there are no values."""
    return sum(values) / len(values) if values else otherwise


def rounded(value: float) -> int:
    """To the nearest whole number, halves up; `round` would send 2.5 to 2 and 3.5 to 4."""
    return math.floor(value + 0.5)


def rationale(evidence: Evidence, measures: Mapping[str, Measure]) -> str:
    """The measures' notes in one line, or why none of them counts."""
    if not evidence.response.terms:
        return "no content in the answer"
    if not evidence.topicality:
        words = f"{evidence.shared_terms} of {len(evidence.response.terms)} content words"
        return f"not about the source: {words} come from it"
    notes = [measure.note for measure in measures.values() if measure.note]
    return "; ".join(notes[:NOTES]) or "nothing to object to"
