"""How far JSON goes that begins somewhere in a text, and whether it is nested too deeply to be read."""

from __future__ import annotations

import re

STRING = r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)'
"""A string, to the end of the text if need be: what stands in it opens and closes nothing."""
_BRACKET = re.compile(rf"{STRING}|[{{}}\[\]]", re.DOTALL)
# How deep Python and msgspec read differs from one version of Python to the next.
_DEEPEST = 600


def end_of_json(text: str, start: int) -> int | None:
    """Where what opens at `start` has closed; None where it does not. Raises RecursionError."""
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
