"""One spelling for answers that say the same, and where an answer ends in a sentence that goes on."""

from __future__ import annotations

import re

from nullbench_site.keys.reading.visible import without_markup

_SPACES = re.compile(r"\s+")
_BEYOND = re.compile(
    r"[.!?]\s|;\s|\s-\s|\s\((?!or\b)|,?\s(?:because|since|as|which|so|due to|not|rather than)\b|</", re.IGNORECASE
)
_AROUND = " \t\n\"'"


def spelled(text: str, *, case_sensitive: bool = False) -> str:
    """`text` without markup, quotation marks and punctuation at its end; in lower case unless its case matters."""
    bare = _SPACES.sub(" ", without_markup(text)).strip(_AROUND).rstrip(".,;:" + _AROUND).lstrip(":" + _AROUND)
    return bare if case_sensitive else bare.casefold()


def cut(text: str) -> str:
    """The beginning of a statement, up to where its sentence ends or gives a reason or a remark."""
    return _BEYOND.split(text, maxsplit=1)[0]
