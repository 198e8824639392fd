"""One spelling for texts that look alike, so that a pattern finds what a reader sees."""

from __future__ import annotations

import re
import unicodedata

_STRAIGHT = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201f"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
}
_KEPT_CONTROLS = "\t\n\r"
_REMEMBERED = 20_000
_FEW = 20
_SPACED_THOUSANDS = re.compile(r"(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_UNUSUAL = re.compile(r"[^\t\n\r -~]+")
_LATEX_COMMA = "{,}"
_SHORT_FORMS = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'re ", " are "),
    ("'ve ", " have "),
    ("i'm ", "i am "),
    ("it's ", "it is "),
    ("that's ", "that is "),
    ("there's ", "there is "),
)


class _Folding(dict[int, str | None]):
    """What each character becomes: None for nothing. Remembers a limited number, whatever it is given."""

    def __missing__(self, code: int) -> str | None:
        folded = self._folded(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = folded
        return folded

    @staticmethod
    def _folded(char: str) -> str | None:
        category = unicodedata.category(char)
        if category == "Cf":  # zero-width and direction marks
            return None
        if category in ("Cc", "Cs"):
            return char if char in _KEPT_CONTROLS else " "
        # Letters only: superscript digits made plain would turn ten to the sixth into 106.
        return unicodedata.normalize("NFKC", char) if category.startswith("L") else char


_FOLDING = _Folding(_STRAIGHT)


def plain(text: str) -> str:
    """Straight quotes, plain hyphens, no invisible characters, letters of fonts as letters; thousands in one piece."""
    unusual = sorted(set("".join(_UNUSUAL.findall(text))))
    if unusual:
        text = _SPACED_THOUSANDS.sub("", text)
        changed = {ord(char): folded for char in unusual if (folded := _FOLDING[ord(char)]) != char}
        # A table is slow over the many characters that stay as they are, and replacing many is slower still.
        if len(changed) > _FEW:
            return text.translate(changed).replace(_LATEX_COMMA, ",")
        for code, folded in changed.items():
            text = text.replace(chr(code), folded or "")
    return text.replace(_LATEX_COMMA, ",")


def fold(text: str) -> str:
    """`plain`, in lower case, with short forms written out: "Don't" is "do not"."""
    return fold_plain(plain(text))


def fold_plain(text: str) -> str:
    """`fold` of what is plain already."""
    folded = text.casefold()
    if "'" in folded or "cannot" in folded:
        for short, long in _SHORT_FORMS:
            folded = folded.replace(short, long)
    return folded
