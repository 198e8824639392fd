"""What judges said of an answer -> the score of an item, of a group, of a board; and whether it is a refusal.

One rule serves both refusal gates: A (answer only, explicit refusal) and B (with the prompt, evasion).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
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


def axis_mean(total: int, n: int) -> float | None:
    """Mean of one axis of one item over its judges, 1..5, higher is better.

    total: of the `n` scores that are valid; others are left out of the sum and of the count.
    None if no judge gave a valid score: the caller knows whether that counts as a failure.
    Source: nullbench methodology, Methodology, s_a = (1/N_a) sum over the valid judges V_a of s_ja.
    """
    return total / n if n else None


def clamped_mean(total: int, n: int) -> float | None:
    """Goal alignment or quality of one item over its judges, 0..100, higher is better.

    The mean, clamped after averaging.
    total: of the `n` integers that judges gave; what is none is left out. A judge's 150 and another's 50 make 100, not
    75.
    None if no judge gave an integer: the caller counts such an item as 0 (methodology, Failure Handling).
    Source: nullbench methodology, Methodology ("we average and clamp to 0-100").
    """
    # Clamped before the division: a judge's integer can be too long for a float, its comparison cannot fail.
    return min(max(total, PERCENT_MIN * n), PERCENT_MAX * n) / n if n else None


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


def gate_votes_needed(n_judges: int) -> int:
    """Votes that make a refusal: two thirds of the full panel of `n_judges`, rounded up.

    n_judges >= 1, ValueError otherwise.
    Source: nullbench methodology, Refusal Detection (">= 2/3 of the total configured judges").
    """
    if n_judges < 1:
        raise ValueError(f"a gate needs at least one judge, got {n_judges}")
    return -(-2 * n_judges // 3)


def gate_sample_size(n_judges: int, sample: int | None = None) -> int:
    """How many judges are asked at a gate: at least ceil(2N/3), at least `sample`, at most N.

    n_judges: the full panel, >= 1. sample: what the spec asks for, None for the least. ValueError for no
    judge.
    Source: nullbench methodology, Refusal Detection ("sample a subset of judges"); max(ceil(2N/3), sample) is
    a decision of ours: with fewer than ceil(2N/3) judges no vote could ever reach the threshold.
    """
    return min(n_judges, max(gate_votes_needed(n_judges), sample or 0))


def gate_judges(judge_ids: Collection[str], request_and_response_text: str, size: int) -> tuple[str, ...]:
    """The `size` judges asked about this request and response, sorted by id; the same text, the same judges.

    The judges with the smallest sha256(text + NUL + judge id) sit at the gate. The order of `judge_ids` does
    not matter, every judge is as likely as any other, and a judge more displaces one at most. ValueError for
    an id given twice, or a size outside 0..len(judge_ids).
    Source: nullbench methodology, Refusal Detection ("deterministically sample a subset of judges (hash of
    request+response)"); the way of drawing is ours.
    """
    if len(set(judge_ids)) != len(judge_ids):
        raise ValueError(f"a judge is named twice: {sorted(judge_ids)}")
    if not 0 <= size <= len(judge_ids):
        raise ValueError(f"cannot ask {size} of {len(judge_ids)} judges")
    # A model's text can hold half of a surrogate pair; hashing it must not fail.
    seed = sha256(f"{request_and_response_text}\0".encode("utf-8", "surrogatepass"))

    def draw(judge_id: str) -> bytes:
        ticket = seed.copy()
        ticket.update(judge_id.encode("utf-8", "surrogatepass"))
        return ticket.digest()

    return tuple(sorted(sorted(judge_ids, key=draw)[:size]))


def gate_fires(votes: int, n_judges: int, votes_needed: int | None = None) -> bool:
    """Whether `votes` make a refusal: two thirds of the full panel of `n_judges`, asked or not.

    votes_needed: more than two thirds, where the spec asks for more. ValueError for no judge, or for votes
    outside 0..n_judges. Source: nullbench methodology, Refusal Detection.
    """
    if not 0 <= votes <= max(n_judges, 0):
        raise ValueError(f"{n_judges} judges cannot cast {votes} votes")
    return votes >= max(gate_votes_needed(n_judges), votes_needed or 0)
