"""Valid replies of judges, refusal gates, and the consistency of marks over a bundle.

One rule serves both refusal gates: A (answer only, explicit refusal) and B (with the prompt, evasion).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import comb, exp, fsum, inf
from typing import TypeGuard

from nullbench_site.stats.measure import Measure

AXIS_MIN, AXIS_MAX = 1, 5
PERCENT_MIN, PERCENT_MAX = 0, 100


def is_valid_axis_score(value: object) -> TypeGuard[int]:
    """Return True if a judge's `value` for an axis counts: an integer from 1 to 5.

    `True`, 3.0 and "3" do not count: the reply schema asks for an integer.
    Source: nullbench methodology, Impact of Rating Scale Granularity ("out-of-range or missing axes are treated as
    invalid for that judge").
    """
    return type(value) is int and AXIS_MIN <= value <= AXIS_MAX


def is_valid_percent(value: object) -> TypeGuard[int]:
    """Return True if a judge's `value` for goal alignment or quality counts: any integer, even outside 0..100.

    Values out of range are valid because the source averages first and clamps then. `True`, 80.0 and "80" are not
    integers.
    Source: nullbench methodology, Methodology ("each return an integer 0-100, then we average and clamp to 0-100").
    """
    return type(value) is int


def preference(log_first: float | None, log_second: float | None) -> float | None:
    """Return the preference, 1..2, from the natural log probabilities of the tokens for the first and the second.

    1 + P(second), with the two probabilities scaled to sum to 1. That of a token that was not returned, None, counts as
    0. None if neither was returned.
    Source: Li et al. (2023), AlpacaEval, the weighted annotator: m is the answer shown first, M the second.
    """
    logs = [-inf if log is None else log for log in (log_first, log_second)]
    if max(logs) == -inf:
        return None
    first, second = (exp(log - max(logs)) for log in logs)
    return 1 + second / (first + second)


def gate_votes_needed(n_judges: int) -> int:
    """Return the votes that make a refusal: two thirds of `n_judges`, rounded up.

    n_judges: those that may score the answer, >= 1.
    Source: nullbench methodology, Refusal Detection (">= 2/3 of the total configured judges").
    """
    return -(-2 * n_judges // 3)


@dataclass(frozen=True, slots=True)
class Gate:
    """A refusal gate asks `sample` of the `judges` that may score an answer; `votes` of them make a refusal."""

    judges: int
    sample: int
    votes: int


def refusal_gate(judges: int, panel: int, sample: int | None = None, votes: int | None = None) -> Gate:
    """Return the gate for an answer that `judges` of a panel of `panel` may score, 1 <= judges <= panel.

    sample, votes: as the spec asks of the whole panel; None for all judges and for two thirds of them. If some of the
    panel may not score the answer, because they are of the contestant's family, both shrink in proportion, rounded up.
    A refusal needs the votes of at least two thirds of the judges, and at least as many judges are asked as votes are
    needed.
    If every judge is asked, the others outvote one that misses a refusal; if only as many are asked as votes are
    needed, they do not. If each judge detects 90 of 100 refusals, 2 of 2 detect 81 %, 2 of 3 97 %, 4 of 4 66 % and 4 of
    5 92 %.
    Source: nullbench methodology, Refusal Detection; that all are asked, and the proportion, are decisions of ours
    (architecture, "Decisions where the sources are silent").
    """
    needed = max(gate_votes_needed(judges), -(-(votes or 0) * judges // panel))
    asked = judges if sample is None else -(-sample * judges // panel)
    return Gate(judges, min(judges, max(needed, asked)), min(judges, needed))


def detection_rate(gate: Gate, sensitivity: float) -> float:
    """Return the share of refusals that a gate detects, 0..1.

    sensitivity: the probability that a judge detects one.
    Judges are assumed to err independently: P(X >= votes) of a binomial X of `sample` trials.
    Source: the binomial distribution.
    """
    n = gate.sample
    return fsum(comb(n, k) * sensitivity**k * (1 - sensitivity) ** (n - k) for k in range(gate.votes, n + 1))


def gate_judges(judge_ids: Collection[str], request_and_response_text: str, size: int) -> tuple[str, ...]:
    """Return the `size` judges asked about this request and response, sorted by id.

    The same text gives the same judges.
    The judges with the smallest sha256(text + NUL + judge id) are chosen. The order of `judge_ids` does not matter, all
    judges are equally likely, and an added judge replaces at most one.
    Source: nullbench methodology, Refusal Detection ("deterministically sample a subset of judges (hash of
    request+response)"); the way of drawing is ours.
    """
    # A model's text can contain half of a surrogate pair; hashing it must not fail.
    seed = sha256(f"{request_and_response_text}\0".encode("utf-8", "surrogatepass"))

    def draw(judge_id: str) -> bytes:
        ticket = seed.copy()
        ticket.update(judge_id.encode("utf-8", "surrogatepass"))
        return ticket.digest()

    return tuple(sorted(sorted(judge_ids, key=draw)[:size]))


def contrast_consistency(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """Return the share of bundles whose variants are all right, 0..1, higher is better.

    bundles: bundle -> for each of its variants whether the answer is right, None without a valid answer. Variants of a
    bundle ask the same in several ways; an item without variants is a bundle of one.
    Only bundles with two or more variants, all with a valid answer, count. Undefined if there is none.
    Source: Gardner et al. (2020), Evaluating models' local decision boundaries via contrast sets, section 2.
    """
    return _share_of_whole(bundles, frozenset({frozenset({True})}))


def outcome_consistency(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """Return the share of bundles whose variants are all right or all wrong, 0..1.

    The bundles are those of `contrast_consistency`, which is never higher. A contestant that is always wrong also has a
    high share: this measures consistency, not quality.
    Source: after Elazar et al. (2021), Measuring and improving consistency in pretrained language models, who ask
    whether paraphrases get the same prediction, right or not; they compare pairs of predictions, this whole bundles of
    marks, since variants may have different right answers.
    """
    return _share_of_whole(bundles, frozenset({frozenset({True}), frozenset({False})}))


def _share_of_whole(bundles: Mapping[str, Sequence[bool | None]], wanted: frozenset[frozenset[bool]]) -> Measure:
    """Return the share of complete bundles whose marks are one of the sets `wanted`."""
    whole = [frozenset(answers) for answers in bundles.values() if len(answers) > 1 and None not in answers]
    if not whole:
        return Measure.undefined("no bundle of two or more variants, all with valid answers")
    return Measure(sum(marks in wanted for marks in whole) / len(whole))
