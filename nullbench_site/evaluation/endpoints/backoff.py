"""How long a call waits before it is tried again, by our own measure and by what response headers say.

Headers are any mapping, whatever the case of its keys. `now` is seconds since 1970, for headers that give a
date. A value that makes no sense says nothing; it is never an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

LONGEST_WAIT = 60.0
"""Seconds. What the waits grow to, where the server asks for nothing longer."""
MAX_RETRY_AFTER = 600.0
"""Seconds. A server that asks for more is not busy: its quota is used up, or it is down."""

_LATEST = 32 * 86_400.0
"""Seconds. Quotas are renewed each month at the latest; what is further away is a mistake."""
_UNITS = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_NUMBER = r"[0-9]+(?:\.[0-9]*)?"
_UNIT = "(?:d|h|ms|m|s|us|µs|ns)"
_PLAIN = re.compile(_NUMBER)
_DURATION = re.compile(f"(?:{_NUMBER}{_UNIT})+")
_PART = re.compile(f"({_NUMBER})({_UNIT})")
# What is left of an allowance, and when it is whole again. OpenAI and those who follow it, Anthropic, OpenRouter, and
# the IETF draft, in this order.
_ALLOWANCES = (
    *((f"x-ratelimit-remaining-{what}", f"x-ratelimit-reset-{what}") for what in ("requests", "tokens")),
    *(
        (f"anthropic-ratelimit-{what}-remaining", f"anthropic-ratelimit-{what}-reset")
        for what in ("requests", "tokens", "input-tokens", "output-tokens")
    ),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)


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


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds a refusal asks to wait: retry-after-ms, else Retry-After as seconds or as a date."""
    named = _named(headers, "retry-after")
    milliseconds = _number(named.get("retry-after-ms", ""))
    if milliseconds is not None and milliseconds <= _LATEST * 1000:
        return milliseconds / 1000
    return _seconds_until(named.get("retry-after", ""), now)


def exhausted_for(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until the allowances that are used up are whole again; None where none is.

    A reason to pause, not to stop: most servers refill little by little, and let requests through long before.
    """
    named = _named(headers, "ratelimit-")
    if not named:
        return None
    waits = [
        _seconds_until(named.get(reset, ""), now)
        for remaining, reset in _ALLOWANCES
        if _number(named.get(remaining, "")) == 0
    ]
    return max((wait for wait in waits if wait), default=None)


def _named(headers: Mapping[str, str], part: str) -> dict[str, str]:
    """Those with `part` in their name, in lower case. One pass: looking names up one by one is slow in httpx."""
    return {name.lower(): value for name, value in headers.items() if part in name.lower()}


def _seconds_until(value: str, now: float) -> float | None:
    """Seconds from `now` to what a header gives: a wait, seconds or milliseconds since 1970, or a date."""
    text = value.strip()
    number = _number(text)
    if number is not None:
        # Between a month and 1e9 lies nothing that a server could mean: 1e9 seconds after 1970 is 2001.
        wait = number if number < 1e9 else number - now if number < 1e11 else number / 1000 - now
    elif _DURATION.fullmatch(text):
        wait = sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(text))
    else:
        date = _date(text)
        if date is None:
            return None
        wait = date - now
    return wait if 0 <= wait <= _LATEST else None


def _number(text: str) -> float | None:
    """Digits with or without decimals; float() would take inf, nan, 1e400 and underscores as well."""
    return float(text) if _PLAIN.fullmatch(text.strip()) else None


def _date(text: str) -> float | None:
    """An ISO or HTTP date as seconds since 1970. Without an offset it is UTC, as RFC 9110 has it."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = read(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        # email.utils promises ValueError, but some torn dates overflow.
        except (ValueError, OverflowError):
            continue
    return None
