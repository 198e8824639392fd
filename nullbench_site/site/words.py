"""Numbers as readers see them. No page rounds by itself, so that one number reads the same everywhere."""

from __future__ import annotations

import unicodedata

_FOREIGN = 80
ABSENT = "not measured"
MINUS = "\N{MINUS SIGN}"


def number(value: float | None, digits: int = 1, absent: str = ABSENT) -> str:
    """`value` with a fixed number of digits and thin thousands; a negative zero has no sign."""
    if value is None:
        return absent
    text = f"{value:,.{digits}f}"
    if text[0] == "-":
        text = f"{MINUS}{text[1:]}" if text.strip("-0.") else text[1:]
    return text.replace(",", "\N{NARROW NO-BREAK SPACE}")


def signed(value: float | None, digits: int = 2) -> str:
    """A difference with its sign; one too small to show has none."""
    text = number(value, digits)
    return f"+{text}" if value is not None and round(value, digits) > 0 else text


def plus_minus(half_width: float | None, digits: int = 1) -> str:
    """`± 1.9`; a width too small to show is `< 0.1`, never a false `± 0.0`; empty where there is none."""
    if half_width is None:
        return ""
    shown = f"{half_width:.{digits}f}"
    return f"± < {10.0**-digits:.{digits}f}" if half_width > 0 and float(shown) == 0 else f"± {shown}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share of 0..1 in percent."""
    return ABSENT if share is None else f"{number(100 * share, digits)}\N{NO-BREAK SPACE}%"


def milliseconds(value: float | None) -> str:
    """A time in the unit that reads best: µs, ms or s."""
    if value is None:
        return ABSENT
    # The bounds are where the rounded number would reach the next unit.
    if value < 0.9995:
        return f"{number(1000 * value, 0)}\N{NO-BREAK SPACE}µs"
    if value < 999.5:
        return f"{number(value, 1 if value < 99.95 else 0)}\N{NO-BREAK SPACE}ms"
    return f"{number(value / 1000, 1)}\N{NO-BREAK SPACE}s"


def rank_range(rank: int | None, low: int | None, high: int | None) -> str:
    """`1-3` for a range of ranks, `4` for one, `4?` where how sure it is cannot be said, a dash without a rank."""
    if rank is None:
        return "–"
    if low is None or high is None:
        return f"{rank}?"
    return str(low) if low == high else f"{low}–{high}"


def of(part: int, whole: int) -> str:
    """`156 of 156`."""
    return f"{number(part, 0)} of {number(whole, 0)}"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 item`, `2 items`."""
    return f"{count} {noun}" if count == 1 else f"{number(count, 0)} {nouns or noun + 's'}"


def listed(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def dollars(value: float) -> str:
    """`$1.23`; below a dollar in as many digits as say something; a sum too small to show is `< $0.0001`."""
    if 0 < value < 0.00005:
        return "< $0.0001"
    return f"${number(value, 2 if value == 0 or value >= 0.995 else 4)}"


def price(dollars_per_million: float) -> str:
    """A price as the specs have it, with cents at least: `$0.15`, `$0.075`."""
    whole, _, cents = f"{dollars_per_million:.6f}".partition(".")
    return f"${number(float(whole), 0)}.{cents[:2]}{cents[2:].rstrip('0')}"


def size(n_bytes: int) -> str:
    """The size of a file: B, kB or MB, of a thousand each."""
    if n_bytes < 1000:
        return f"{n_bytes}\N{NO-BREAK SPACE}B"
    # The bound is where the rounded number would reach the next unit.
    if n_bytes < 999_950:
        return f"{number(n_bytes / 1000)}\N{NO-BREAK SPACE}kB"
    return f"{number(n_bytes / 1_000_000)}\N{NO-BREAK SPACE}MB"


def foreign(text: str) -> str:
    """A name that an endpoint gave, on one line: what steers a terminal, a page or a reading direction stands out."""
    shown = "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c)[0] == "C" else c for c in text[:_FOREIGN])
    return " ".join(shown.split()) + ("…" if len(text) > _FOREIGN else "")


def plain_title(text: str) -> str:
    """A title for a browser tab: themes put it into the page and its attributes unescaped, so it holds no markup."""
    return " ".join(text.translate({ord("<"): "‹", ord(">"): "›", ord("&"): "＆", ord('"'): "”"}).split())
