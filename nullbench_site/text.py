"""Texts for readers: numbers, plurals, money, safe lines, shortened texts, suggestions, JSON brackets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise

ABSENT = "not measured"
MINUS = "\N{MINUS SIGN}"
ELLIPSIS = "…"
THIN = "\N{NARROW NO-BREAK SPACE}"

# Code points instead of Unicode categories, which differ between versions of Python. The joiners U+200C and U+200D
# stay: scripts and emoji need them.
_STEER = (
    "\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f"
)
_STEERING = re.compile(f"[\x00-\x1f{_STEER}]")
# Also fillers and blanks that are invisible, supplementary variation selectors, and characters of private use.
_UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\ue000-\uf8ff\uffa0\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0100-\U000e01ef\U000f0000-\U0010ffff"
)
_JOINED = "\u0590-\u1dff\u203c-\u2bff\u3030-\u303d\u3297\u3299\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U0001f000-\U0001faff"
"""Scripts from Hebrew to Indic ones, and emoji: a joiner between two of these, or a selector after one, has a use."""
_HIDDEN = re.compile(f"[{_STEER}{_UNSEEN}]|(?<![{_JOINED}])[\u200c\u200d\ufe00-\ufe0f]|[\u200c\u200d](?![{_JOINED}])")


def number(value: float | None, digits: int = 1, absent: str = ABSENT) -> str:
    """Return a number with fixed digits and thin spaces between thousands; a negative zero has no sign."""
    if value is None:
        return absent
    text = f"{value:,.{digits}f}"
    if text[0] == "-":
        text = f"{MINUS}{text[1:]}" if text.strip("-0.") else text[1:]
    return text.replace(",", THIN)


def plural(count: int, noun: str, nouns: str = "", thousands: str = THIN) -> str:
    """Return `1 item`, `2 items`."""
    return f"{number(count, 0).replace(THIN, thousands)} {noun if count == 1 else nouns or noun + 's'}"


def listed(words: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def usd(amount: float) -> str:
    """Return US dollars without their sign, for a terminal: with four digits below a dollar, else two.

    A sum too small to show is never 0.
    """
    if 0 < amount < 0.00005:
        return "< 0.0001"
    return "0" if amount == 0 else f"{amount:,.4f}" if amount < 1 else f"{amount:,.2f}"


def dollars(value: float) -> str:
    """Return `$1.23`, or four digits below a dollar; a sum too small to show is `< $0.0001`."""
    if 0 < value < 0.00005:
        return "< $0.0001"
    return f"${number(value, 2 if value == 0 or value >= 0.995 else 4)}"


def price(dollars_per_million: float) -> str:
    """Return a price with all its digits, at least two: `$0.15`, `$0.075`."""
    whole, _, cents = f"{dollars_per_million:.6f}".partition(".")
    return f"${number(float(whole), 0)}.{cents[:2]}{cents[2:].rstrip('0')}"


def one_line(text: str, stand_in: str = " ") -> str:
    """Return `text` on one line, with `stand_in` for each control, hidden or bidirectional character."""
    # Nearly every text is printable, and that check is much faster.
    return " ".join((text if text.isprintable() else _STEERING.sub(stand_in, text)).split())


def hidden_character(text: str) -> str | None:
    """Return the first invisible or reordering character of a title, as `U+202E RIGHT-TO-LEFT OVERRIDE`, or None."""
    if text.isascii() and text.isprintable():
        return None
    found = _HIDDEN.search(text)
    return None if found is None else f"U+{ord(found[0]):04X} {unicodedata.name(found[0], '')}".rstrip()


def title_of(text: str) -> str:
    """Return a text of any origin as a title: on one line, without hidden characters; empty if nothing else is left."""
    text = one_line(text)
    while hidden_character(text) is not None:
        text = one_line(_HIDDEN.sub(" ", text))
    return text


def escaped(text: str) -> str:
    """Return `text` with unprintable characters escaped, so that it cannot move the cursor of a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def in_markdown(line: str) -> str:
    """Return an untrusted line escaped for Markdown, so that it makes no link, image, element or cell of a table."""
    return re.sub(r"[\\`*_\[\]<>&!|]", r"\\\g<0>", line)


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return the message for bytes that are not UTF-8."""
    return f"byte 0x{error.object[error.start]:02x} is not UTF-8; save the file with the encoding UTF-8"


@lru_cache(maxsize=4096)
def slug(text: str, kept: str = "._") -> str:
    """Return an id from `text`: lower case, no accents, hyphens for other characters; empty if nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(rf"[^a-z0-9{kept}]+", "-", plain)[:80].strip("-._")


def shortened(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, with an ellipsis if it is cut."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}{ELLIPSIS}"


def short_line(text: str, limit: int, stand_in: str = " ") -> str:
    """Return a foreign text as one line of at most `limit` characters, as `one_line` and `shortened` do."""
    return shortened(one_line(text, stand_in), limit)


def some_of(names: Sequence[str], most: int, thousands: str = THIN) -> list[str]:
    """Return the first few names, followed by the number of others."""
    more = len(names) - most
    return [*names[:most], *([plural(more, "more", "more", thousands)] if more > 0 else [])]


def fitted(text: str, room: float, step: Callable[[str, str], float]) -> str:
    """Return as much of `text` as fits, with an ellipsis if it is cut; empty if nothing fits.

    step: the advance of a character before the next one, which is "" at the end.
    """
    room -= step(ELLIPSIS, "")
    kept = 0
    for character, following in pairwise([*text, ""]):
        room -= step(character, following)
        if room < 0:
            break
        kept += 1
    return f"{text[:kept].rstrip()}{ELLIPSIS}" if kept else ""


_AS_WRITTEN = {True: "true", False: "false", None: "null"}
"""The constants as YAML and JSON write them."""


def quoted(value: object, limit: int = 60) -> str:
    """Return `value` for a message: quoted, on one line, shortened, with control characters escaped."""
    text = _AS_WRITTEN.get(value) if value is None or isinstance(value, bool) else None
    text = text or (repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that is closest to `word`, if any is close."""
    return next(iter(get_close_matches(word.casefold(), known, n=1)), None)


def key_path(*steps: str | int) -> str:
    """Return a path such as `runs.C01[2]`; a name that is not plain is quoted."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{shown_name(step)}" for step in steps).removeprefix(".")


def shown_name(text: str) -> str:
    """Return a name or key for a message, quoted unless it is plain."""
    return text if re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", text) else quoted(text)


def did_you_mean(word: str, known: Iterable[str], limit: int = 12) -> str:
    """Return `did you mean 'x'? known: ...` for an unknown name."""
    names = sorted(known)
    close = nearest(word, names)
    some = ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")
    hint = f"did you mean {close!r}? " if close else ""
    return f"{hint}known: {some}" if names else "none is defined"


JSON_STRING = r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)'
"""A string, perhaps without its end: brackets inside it do not count."""
_BRACKET = re.compile(rf"{JSON_STRING}|[{{}}\[\]]", re.DOTALL)
# The depth that Python and msgspec accept depends on the version of Python.
_DEEPEST = 600


def end_of_json(text: str, start: int) -> int | None:
    """Return the end of the JSON value that opens at `start`; None if it does not close. Raises RecursionError."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        if bracket[0] in ("{", "["):
            depth += 1
            if depth > _DEEPEST:
                raise RecursionError
        elif bracket[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return bracket.end()
    return None
