"""Count the marks of Markdown in an answer, which may please a judge whatever the answer says."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADER = re.compile(r"\n#{1,6}[ \t]+\S")
_LISTED = re.compile(r"\n[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S")
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")


class Marks(NamedTuple):
    """The numbers of headers, list items and bold passages of a text."""

    headers: int
    lists: int
    bold: int


def marks(text: str) -> Marks:
    """Return the numbers of headers, list items and bold passages of Markdown.

    Source: what Arena-Hard-Auto controls for.
    """
    lines = f"\n{text}"  # each starts with "\n", which is found much faster than "^"
    return Marks(
        len(_HEADER.findall(lines)) if "#" in text else 0,
        len(_LISTED.findall(lines)),
        len(_BOLD.findall(text)) if "**" in text or "__" in text else 0,
    )
