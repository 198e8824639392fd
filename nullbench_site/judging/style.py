"""Count the marks of Markdown in an answer, which may please a judge whatever the answer says."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADER = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_LISTED = re.compile(r"^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S", re.MULTILINE)
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
    return Marks(
        len(_HEADER.findall(text)) if "#" in text else 0,
        len(_LISTED.findall(text)),
        len(_BOLD.findall(text)) if "**" in text or "__" in text else 0,
    )
