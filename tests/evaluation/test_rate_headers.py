from __future__ import annotations

import time
from random import Random

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nullbench_site.evaluation.endpoints.limiter import (
    LONGEST_WAIT,
    MAX_RETRY_AFTER,
    exhausted_for,
    retry_after,
    too_long,
    wait_before,
)

NOW = 1_760_000_000.0
"""2025-10-09T08:53:20Z."""
NONSENSE = (
    "", " ", "soon", "s", ",", "\x00", "🦥",
    "-1", "-0.5", "+5", "nan", "inf", "-inf", "1e3", "1_000", "0x10", "١٢", "1,5",
    "2764801", "999999999", "1759999999", "1759999999999", "99999999999999999999", "9" * 5000,
    "6m0", "5 s", "-5s", "1h-2m", "99999d", "99 apples",
    "2025-10-09T08:53:19Z", "2025-13-45T99:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z",
    "Thu, 09 Oct 2025 08:53:19 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Thu, 99 Oct 2025 08:53:50 GMT", "Thu, 09 Oct",
)  # fmt: skip
"""The dates and the numbers among it lie before NOW, or too far after it."""
WAITS = (
    ("0.25", 0.25), ("1", 1.0), (" 7 ", 7.0), (" 7s ", 7.0), ("30.", 30.0), ("86400", 86400.0),
    ("1s", 1.0), ("20ms", 0.02), ("6m0s", 360.0), ("1h2m", 3720.0), ("2m59.56s", 179.56), ("7.66s", 7.66),
    ("1d", 86400.0), ("1h0m0.5s", 3600.5), ("250us", 0.00025), ("250µs", 0.00025),
    ("1760000042", 42.0), ("1760000042.5", 42.5), ("1760000042500", 42.5),
    ("2025-10-09T08:54:20Z", 60.0), ("2025-10-09T08:54:20.250Z", 60.25), ("2025-10-09T10:54:20+02:00", 60.0),
    ("2025-10-09T08:54:20", 60.0),
    ("Thu, 09 Oct 2025 08:54:20 GMT", 60.0), ("Thursday, 09-Oct-25 08:54:20 GMT", 60.0),
    ("Thu Oct  9 08:54:20 2025", 60.0),
)  # fmt: skip
ALLOWANCES = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)


@pytest.mark.parametrize(("value", "seconds"), WAITS)
def test_a_wait_is_read_in_every_form_that_servers_give(value: str, seconds: float) -> None:
    assert retry_after({"retry-after": value}, NOW) == pytest.approx(seconds)
    assert exhausted_for({"ratelimit-remaining": "0", "ratelimit-reset": value}, NOW) == pytest.approx(seconds)


@pytest.mark.parametrize("value", NONSENSE)
def test_what_makes_no_sense_says_nothing(value: str) -> None:
    assert retry_after({"retry-after": value}, NOW) is None
    assert exhausted_for({"ratelimit-remaining": "0", "ratelimit-reset": value}, NOW) is None
    assert exhausted_for({"ratelimit-remaining": value, "ratelimit-reset": "3"}, NOW) is None


def test_a_date_without_an_offset_is_utc_wherever_the_build_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("TZ", "XXX-5")
            time.tzset()
            assert retry_after({"retry-after": "2025-10-09T08:54:20"}, NOW) == 60.0
            assert retry_after({"retry-after": "Thu Oct  9 08:54:20 2025"}, NOW) == 60.0
    finally:
        time.tzset()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "4"}, 4.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "1250", "retry-after": "2"}, 1.25),
        *(({"retry-after-ms": ms, "retry-after": "2"}, 2.0) for ms in ("", "-1", "nan", "1s", "2764800001")),
    ],
)
def test_valid_milliseconds_go_before_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
    assert retry_after(httpx2.Headers(headers), NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        *(({remaining: left, reset: "20s"}, 20.0) for remaining, reset in ALLOWANCES for left in ("0", " 0 ")),
        # Some gateways send -1 for an unknown number.
        *(({remaining: left, reset: "20s"}, None)
          for remaining, reset in ALLOWANCES for left in ("1", "149984", "0.5", "-1")),
        ({}, None),
        ({"content-type": "application/json", "x-request-id": "0"}, None),
        ({"x-ratelimit-reset-requests": "20s"}, None),
        ({"x-ratelimit-remaining-requests": "0"}, None),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "0"}, None),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1760000009000"}, 9.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s",
          "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6s",
          "x-ratelimit-remaining": "12", "x-ratelimit-reset": "6m0s"}, 6.0),
    ],
)  # fmt: skip
def test_the_longest_reset_of_a_limit_that_is_used_up_counts(headers: dict[str, str], seconds: float | None) -> None:
    assert exhausted_for(headers, NOW) == seconds
    assert exhausted_for(httpx2.Headers(headers), NOW) == seconds


names = st.sampled_from(["retry-after", "retry-after-ms", *(name for pair in ALLOWANCES for name in pair)])
values = st.text("0123456789 .,:;+-()/eEdhmsuµTZGWFriOctJan\x00é٣", max_size=40) | st.floats().map(str)


@given(st.dictionaries(names, values))
@example({"retry-after": "Mon, 01 Jan 2024 00:00:00 -9999999999999"})
@example({"retry-after": "(" * 2000})
def test_no_header_breaks_a_build(headers: dict[str, str]) -> None:
    for seconds in (retry_after(headers, NOW), exhausted_for(headers, NOW)):
        assert seconds is None or 0 <= seconds <= 32 * 86400


# Waits that grow


attempts = st.integers(1, 20)
first_waits = st.floats(0.001, 60)
rngs = st.integers(0, 2**32).map(Random)


def waits(attempt: int, first_wait: float, retry_after: float | None = None, count: int = 2000) -> list[float]:
    rng = Random(3)  # noqa: S311
    return [wait_before(attempt, first_wait, retry_after, rng) for _ in range(count)]


@pytest.mark.parametrize(("attempt", "ceiling"), [(1, 0.5), (2, 1.0), (3, 2.0), (7, 32.0), (8, 60.0), (20, 60.0)])
def test_waits_are_spread_over_the_whole_range_that_doubles_up_to_a_minute(attempt: int, ceiling: float) -> None:
    drawn = waits(attempt, first_wait=0.5)
    assert 0 <= min(drawn) < 0.01 * ceiling
    assert 0.99 * ceiling < max(drawn) <= ceiling
    assert sum(drawn) / len(drawn) == pytest.approx(ceiling / 2, rel=0.05)


@given(attempts, first_waits, rngs)
def test_no_wait_is_longer_than_the_longest(attempt: int, first_wait: float, rng: Random) -> None:
    assert 0 <= wait_before(attempt, first_wait, None, rng) <= LONGEST_WAIT


@given(attempts, first_waits, st.floats(0, 1e6), rngs)
def test_nobody_comes_back_before_the_server_said(
    attempt: int, first_wait: float, retry_after: float, rng: Random
) -> None:
    wait = wait_before(attempt, first_wait, retry_after, rng)
    assert retry_after <= wait <= max(LONGEST_WAIT, retry_after + 1)


def test_those_who_were_told_the_same_time_do_not_come_back_together() -> None:
    drawn = waits(3, first_wait=0.5, retry_after=90.0)
    assert len(set(drawn)) == len(drawn)
    assert 90.0 <= min(drawn) < 90.01
    assert 90.99 < max(drawn) <= 91.0


def test_a_server_that_always_says_at_once_is_still_left_in_peace() -> None:
    drawn = waits(8, first_wait=0.5, retry_after=0.0)
    assert sum(drawn) / len(drawn) == pytest.approx(30.0, rel=0.05)


def test_the_same_seed_gives_the_same_waits() -> None:
    assert waits(4, 0.5, count=5) == waits(4, 0.5, count=5)


@pytest.mark.parametrize(
    ("retry_after", "expected"), [(None, False), (0.0, False), (MAX_RETRY_AFTER, False), (600.1, True), (86400.0, True)]
)
def test_ten_minutes_is_the_longest_a_build_sits_through(retry_after: float | None, expected: bool) -> None:
    assert too_long(retry_after) is expected
