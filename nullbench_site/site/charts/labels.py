"""Words in a picture: how wide they are, and how they are broken or cut so that they stay in their place."""

from __future__ import annotations

import re
import unicodedata

_WIDE = frozenset("ABCDEFGHKMNOPQRSTUVWXYZmw@%&")
_NARROW = frozenset("fijlrtI.,:;'|!()[] ")

# XML has no way to write these, and vl-convert ends the whole process at one of them.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def drawable(text: str) -> str:
    """`text` with the characters that no SVG can hold written out, as <U+001B>."""
    return _NOT_XML.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def width(text: str) -> float:
    """About how wide `text` is in a sans-serif font, in em; readers' fonts differ, so it is on the wide side."""
    return sum(_of(character) for character in text)


def _of(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.05
    return 0.74 if character in _WIDE else 0.36 if character in _NARROW else 0.58


def cut(text: str, room: float) -> str:
    """`text` on one line of at most `room` em; what does not fit ends in an ellipsis."""
    line = " ".join(drawable(text).split())
    if width(line) <= room:
        return line
    room -= width("…")
    kept = 0
    for character in line:
        room -= _of(character)
        if room < 0:
            break
        kept += 1
    return f"{line[:kept].rstrip()}…"


def wrapped(text: str, room: float, lines: int) -> list[str]:
    """`text` on at most `lines` lines of at most `room` em, broken between words; at least one line, maybe empty."""
    words = drawable(text).split()
    broken: list[str] = []
    while words and len(broken) < lines - 1:
        taken = 1
        while taken < len(words) and width(" ".join(words[: taken + 1])) <= room:
            taken += 1
        broken.append(cut(" ".join(words[:taken]), room))
        words = words[taken:]
    return [*broken, cut(" ".join(words), room)] if words or not broken else broken
