"""Names that look alike: equal but for case, spaces, hyphens and letters that fonts draw alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from nullbench_site.packaged import word_pairs

_MOST = 3


@cache
def _stand_ins() -> dict[int, str | int | None]:
    return str.maketrans(dict[str, str | int | None](word_pairs("lookalikes")))


def skeleton(text: str) -> str:
    """Return a name without spaces, hyphens, joiners, case and differences of look-alike letters.

    Two names with the same skeleton look alike (Unicode Technical Standard 39, section 4, on a small table).
    """
    plain = unicodedata.normalize("NFKC", text).translate(_stand_ins())
    return re.sub(r"[\s\u200c\u200d\ufe00-\ufe0f-]+", "", plain.casefold()).replace("rn", "m")


def odd_letters(name: str) -> str:
    """Return the letters of a name that look like ASCII ones, each as U+041C CYRILLIC CAPITAL LETTER EM; or ""."""
    odd = {}
    for letter in name:
        plain = unicodedata.normalize("NFKC", letter).translate(_stand_ins())
        if not letter.isascii() and letter.isalnum() and plain.isascii():
            odd[letter] = f"{letter!r} is U+{ord(letter):04X} {unicodedata.name(letter, '')}".rstrip()
    shown = list(odd.values())
    return ", ".join([*shown[:_MOST], *(["..."] if len(shown) > _MOST else [])])


def look_alikes(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each name that looks like an earlier one, with that. Names that differ only in case are not meant."""
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(skeleton(name), name)
        if other != name and other.casefold() != name.casefold():
            yield name, other
