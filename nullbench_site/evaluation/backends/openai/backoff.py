"""How long a call waits before it is tried again."""

from __future__ import annotations

from random import Random

LONGEST_WAIT = 60.0
"""Seconds. What the waits grow to, where the server asks for nothing longer."""
MAX_RETRY_AFTER = 600.0
"""Seconds. A server that asks for more is not busy: its quota is used up, or it is down."""


def wait_before(attempt: int, first_wait: float, retry_after: float | None, rng: Random) -> float:
    """Seconds to wait after failed attempt number `attempt`, 1 for the first.

    A random part of `first_wait`, doubled with each further attempt up to LONGEST_WAIT, so that calls that
    failed together do not come back together. At least `retry_after`, where the server said so, however long;
    ask `too_long` first.
    Source of the random part: Brooker (2015), Exponential Backoff And Jitter, "full jitter".
    """
    ceiling = min(LONGEST_WAIT, first_wait * 2 ** (attempt - 1))
    wait = rng.uniform(0, ceiling)
    if retry_after is None:
        return wait
    return max(wait, retry_after + rng.uniform(0, min(1.0, ceiling)))


def too_long(retry_after: float | None) -> bool:
    """Whether the server asks for a longer wait than a build should sit through."""
    return retry_after is not None and retry_after > MAX_RETRY_AFTER
