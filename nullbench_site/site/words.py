"""Put numbers into words. Only this module rounds, so that a number reads the same everywhere."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from nullbench_site.packaged import word_pairs
from nullbench_site.text import ABSENT, MINUS, dollars, listed, number, plural, price, short_line, some_of

__all__ = [
    "ABSENT", "MINUS", "dollars", "entrants", "estimate", "foreign", "hundredths", "interval", "isolated", "listed",
    "milliseconds", "moment", "number", "of", "percent", "plain_title", "plural", "price", "rank_range", "signed",
    "size", "some_of", "yes_or_no",
]  # fmt: skip
_FOREIGN = 80
_MOST_DIGITS = 6
"""As many as results have."""


def signed(value: float | None, digits: int = 2) -> str:
    """Return a difference with its sign; one too small to show has none."""
    text = number(value, digits)
    return f"+{text}" if value is not None and round(value, digits) > 0 else text


def interval(low: float | None, high: float | None, digits: int = 1, *, signs: bool = False) -> str:
    """Return an interval: `[58.1-62.4]`, or `[-0.4 to 1.9]` below 0; empty without one or without width.

    Ends that would read alike get as many more digits as tell them apart, and so do those of a difference, of which
    one that is not 0 would read as 0, where the interval does not hold 0. signs: whether it is one of a difference.
    """
    if low is None or high is None or low >= high:
        return ""
    inner = low if low > 0 else high if high < 0 else None
    end = signed if signs else number
    ends = end(low, digits), end(high, digits)
    while digits < _MOST_DIGITS and (
        ends[0] == ends[1] or (signs and inner is not None and number(inner, digits) == number(0, digits))
    ):
        digits += 1
        ends = end(low, digits), end(high, digits)
    return f"[{(' to ' if signs or low < 0 else '–').join(ends)}]"


def estimate(
    value: float | None, low: float | None, high: float | None, digits: int = 1, *, signs: bool = False
) -> str:
    """Return a number with its interval, if it has one: `60.2 [58.1-62.4]`."""
    return f"{(signed if signs else number)(value, digits)} {interval(low, high, digits, signs=signs)}".rstrip()


def entrants(contestants: int, nulls: int) -> str:
    """Count contestants: `7 contestants and 9 null models`; no null models are not named."""
    counted = plural(contestants, "contestant")
    return f"{counted} and {plural(nulls, 'null model')}" if nulls else counted


def hundredths(share: float | None) -> float | None:
    """Return a share or score of 0-1 on 0-100."""
    return None if share is None else 100 * share


def percent(share: float | None) -> str:
    """Return a share of 0-1 in percent."""
    return ABSENT if share is None else f"{number(100 * share)}\N{NO-BREAK SPACE}%"


def milliseconds(value: float | None) -> str:
    """Return a time in µs, ms or s."""
    if value is None:
        return ABSENT
    # The bounds are where the rounded number would reach the next unit.
    if value < 0.9995:
        return f"{number(1000 * value, 0)}\N{NO-BREAK SPACE}µs"
    if value < 999.5:
        return f"{number(value, 1 if value < 99.95 else 0)}\N{NO-BREAK SPACE}ms"
    return f"{number(value / 1000, 1)}\N{NO-BREAK SPACE}s"


def rank_range(rank: int | None, low: int | None, high: int | None) -> str:
    """Return `1-3` for a range of ranks, `4` for one, `4?` without a range, a dash without a rank."""
    if rank is None:
        return "–"
    if low is None or high is None:
        return f"{rank}?"
    return str(low) if low == high else f"{low}–{high}"


def with_unit(value: float | None, unit: str) -> str:
    """Return a whole number with its unit: `1 204 runes`."""
    return ABSENT if value is None else f"{number(value, 0)} {unit}"


def counts(parts: Iterable[tuple[str, int]]) -> str:
    """Return `2 failed, 1 refused`; a count of 0 is left out."""
    return ", ".join(f"{count} {name}" for name, count in parts if count)


def yes_or_no(holds: bool | None) -> str:
    """Return `yes`, `no` or `not measured`."""
    return ABSENT if holds is None else "yes" if holds else "no"


def of(part: int, whole: int) -> str:
    """Return `156 of 156`."""
    return f"{number(part, 0)} of {number(whole, 0)}"


def moment(iso: str) -> str:
    """Return an ISO time to the minute: `2026-11-21 19:28 UTC`."""
    return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def size(n_bytes: int) -> str:
    """Return the size of a file in B, kB or MB."""
    if n_bytes < 1000:
        return f"{n_bytes}\N{NO-BREAK SPACE}B"
    # The bound is where the rounded number would reach the next unit.
    if n_bytes < 999_950:
        return f"{number(n_bytes / 1000)}\N{NO-BREAK SPACE}kB"
    return f"{number(n_bytes / 1_000_000)}\N{NO-BREAK SPACE}MB"


def isolated(title: str) -> str:
    """Return a title as one unit of a sentence: right-to-left letters get invisible marks, so that no number moves.

    Source: Unicode Standard Annex 9, first strong isolate (U+2068) and pop directional isolate (U+2069).
    """
    if title.isascii() or not any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in title):
        return title
    return f"\u2068{title}\u2069"


def foreign(text: str) -> str:
    """Return a name from an endpoint on one short line, with control characters replaced."""
    return short_line(text, _FOREIGN, "\N{REPLACEMENT CHARACTER}")


def plain_title(text: str) -> str:
    """Return a title without markup: themes put it into the page unescaped."""
    return " ".join(text.translate({ord("<"): "‹", ord(">"): "›", ord("&"): "＆", ord('"'): "”"}).split())


FILTERS: Mapping[str, Callable[..., Any]] = {
    "number": number,
    "signed": signed,
    "interval": interval,
    "hundredths": hundredths,
    "estimate": estimate,
    "entrants": entrants,
    "percent": percent,
    "milliseconds": milliseconds,
    "rank_range": rank_range,
    "of": of,
    "with_unit": with_unit,
    "counts": counts,
    "yes_or_no": yes_or_no,
    "size": size,
    "moment": moment,
    "plural": plural,
    "dollars": dollars,
    "price": price,
    "listed": listed,
    "some_of": some_of,
    "foreign": foreign,
}
"""The filters of page templates, by name: `{{ row.overall|number }}`, `{{ row.ci_low|interval(row.ci_high) }}`."""


# Where the answers of a contestant come from: badges, and what they do and do not say.


ORIGINS = word_pairs("origins")
"""Where the answers of a contestant come from, and what that says, for readers."""
BADGES = {origin: f"{origin} (claim)" if origin in ("reproduced", "signed") else origin for origin in ORIGINS}
"""The badge beside a name. An origin that nobody checked is called a claim."""
PROVES = "the files agree with the manifest, and the results, counts and costs follow from the records"
"""What `verify` shows of a run."""
PROVES_KEYS = "the key of each record of a public item fits its request"
"""What it also shows of a run whose calls this version makes."""
PROVES_NOT = "whether a model said what the records say: anyone can seal invented answers under any vendor's name"
"""What it cannot show."""
NOT_ORIGINAL = "whether this manifest is the original; compare its digest with a copy kept elsewhere"
"""What it cannot show without such a digest."""
