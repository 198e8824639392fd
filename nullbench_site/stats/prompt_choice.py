"""Choose a judging prompt by how often it puts the right answer above the wrong one, and show what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import fsum
from typing import Literal

import msgspec

from nullbench_site.stats.measure import Bounded, wilson
from nullbench_site.stats.multiple_tests import holm

ALPHA = 0.05
_GRID = 360
"""Scores of items are rounded to multiples of 1/360, so that an exact test can count their sums."""


def put_above(right: float | None, wrong: float | None) -> float:
    """Return 1 if the right answer has the higher value, 1/2 if both are equal, 0 otherwise.

    A missing value counts 0: a judge that cannot be read puts nothing above anything. Averaged over the wrong answers
    to an item and then over items, this is the area under the curve of right against wrong within items.

    Source: Hanley and McNeil (1982), The meaning and use of the area under a ROC curve: the probability that a right
    case has the higher value, ties counting one half.
    """
    if right is None or wrong is None:
        return 0.0
    return 1.0 if right > wrong else 0.5 if right == wrong else 0.0


def mean_with_interval(items: Sequence[float]) -> Bounded:
    """Return the mean of values 0-1, one an item, with its 95 % interval.

    The interval is that of a share of as many independent cases. It is rather too wide: the variance of values within
    0-1 is at most that of a share with the same mean.

    Source: Wilson (1927), as in `wilson`; the bound of the variance is Bhatia and Davis (2000), A better bound on the
    variance.
    """
    if not items:
        return Bounded.undefined("no item has a case")
    mean = fsum(items) / len(items)
    z = 1.959964
    spread = z * z / len(items)
    centre, half = mean + spread / 2, (spread * (mean * (1 - mean) + spread / 4)) ** 0.5
    return Bounded(mean, max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread)))


def paired_p(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the two-sided p of no difference between two prompts on the items that both have.

    one, other: item -> a value 0-1. If the prompts are equal, the sign of each item's difference is by chance, so all
    patterns of signs are equally likely; their sums are counted, not drawn. 1 if no item differs.

    Source: Fisher (1935), The design of experiments, section 21; for 0/1 values this is McNemar's exact test.
    """
    steps = [round((one[item] - other[item]) * _GRID) for item in one.keys() & other.keys()]
    sizes = [abs(step) for step in steps if step]
    seen = abs(sum(steps))
    if not sizes:
        return 1.0
    sums: dict[int, int] = {0: 1}
    for size in sizes:
        after: dict[int, int] = {}
        for total, ways in sums.items():
            for changed in (total - size, total + size):
                after[changed] = after.get(changed, 0) + ways
        sums = after
    extreme = sum(ways for total, ways in sums.items() if abs(total) >= seen)
    return float(Fraction(extreme, 2 ** len(sizes)))


class Candidate(msgspec.Struct, frozen=True):
    """A prompt with a form of reply. items: item -> its value. tokens: beyond the texts. defences: how many it has."""

    name: str
    items: Mapping[str, float]
    tokens: float
    defences: int

    @property
    def mean(self) -> float:
        return fsum(self.items.values()) / len(self.items) if self.items else 0.0


Reason = Literal[
    "most lines of defence among those that tie", "significantly better than every prompt within the length"
]


class Choice(msgspec.Struct, frozen=True):
    """The chosen prompt and why. leader: the one with the highest mean. adjusted: p of each other against the leader,
    after correction. tied: those that are not shown to be worse than the leader, itself included."""

    name: str
    reason: Reason
    leader: str
    adjusted: Mapping[str, float]
    tied: Sequence[str]


def choose(candidates: Sequence[Candidate], most_tokens: float) -> Choice:
    """Return the choice among prompts that were measured on the same items.

    The leader has the highest mean. Each other one is tested against it, with a correction for all. Of those that are
    not shown to be worse and are within `most_tokens`, the one with most lines of defence is chosen; among equals the
    higher mean, then fewer tokens. A longer one is chosen only if all within the length are shown to be worse.
    Raises ValueError without candidates.
    """
    if not candidates:
        raise ValueError("no prompt was measured")
    leader = min(candidates, key=lambda each: (-each.mean, -each.defences, each.tokens, each.name))
    ps = {each.name: paired_p(each.items, leader.items) for each in candidates if each is not leader}
    adjusted = holm(ps)
    tied = [each for each in candidates if each is leader or adjusted[each.name] > ALPHA]
    within = [each for each in tied if each.tokens <= most_tokens]
    chosen = min(within or tied, key=lambda each: (-each.defences, -each.mean, each.tokens, each.name))
    reason: Reason = (
        "most lines of defence among those that tie"
        if within
        else "significantly better than every prompt within the length"
    )
    return Choice(chosen.name, reason, leader.name, adjusted, [each.name for each in tied])


class MethodChoice(msgspec.Struct, frozen=True):
    """Whether short questions or one verdict are asked. difference: mean of questions less mean of verdicts, -1 to 1.

    shown: whether the difference is significant. Without a shown difference, `method` is the one fixed before the test.
    """

    method: Literal["questions", "verdict"]
    difference: float
    p: float
    shown: bool


def choose_method(
    questions: Mapping[str, float], verdict: Mapping[str, float], *, unless_shown: Literal["questions", "verdict"]
) -> MethodChoice:
    """Return the method, by one test on the items that both have. Each value is that of `put_above`.

    unless_shown: the method if no difference is shown: questions for marks and axes, the verdict for pairs. Raises
    ValueError without a common item.
    """
    both = questions.keys() & verdict.keys()
    if not both:
        raise ValueError("no item was judged by both methods")
    difference = fsum(questions[item] - verdict[item] for item in sorted(both)) / len(both)
    p = paired_p(questions, verdict)
    shown = p <= ALPHA
    better: Literal["questions", "verdict"] = "questions" if difference > 0 else "verdict"
    return MethodChoice(better if shown else unless_shown, difference, p, shown)


class Rates(msgspec.Struct, frozen=True):
    """Counts of a prompt over all its replies. first: decided pairs with the first answer as the better one."""

    n_replies: int
    n_invalid: int
    n_cut: int
    n_decided: int = 0
    n_first: int = 0

    @property
    def position(self) -> Bounded:
        """Return the share of decided pairs in which the more frequent place wins, 1/2 to 1."""
        if not self.n_decided:
            return Bounded.undefined("no pair was decided")
        most = max(self.n_first, self.n_decided - self.n_first)
        return Bounded(most / self.n_decided, *wilson(most, self.n_decided))
