"""Regular expressions by RE2, which takes time linear in the text whatever the expression is.

Python's own engine goes back and tries again: (a+)+$ on forty letters takes it hours.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, cast

# A counted repetition is written out: a limit to what it costs for each character.
_LARGEST = 3000


class Expression(Protocol):
    """What we use of a compiled expression."""

    programsize: int

    def search(self, text: str) -> object | None:
        """The first match anywhere."""

    def fullmatch(self, text: str) -> object | None:
        """The match of the whole text."""


@lru_cache(maxsize=256)
def expression(pattern: str) -> Expression:
    """`pattern` in the syntax of RE2. ValueError with the place of the mistake for another, and for one too large."""
    import re2

    try:
        compiled = _compiled(pattern)
    except re2.error as error:
        raise ValueError(f"{pattern!r} is no regular expression of RE2: {_mistake(pattern, error)}") from None
    except UnicodeEncodeError:
        raise ValueError("the regular expression holds half of a character, which is no text") from None
    if compiled.programsize > _LARGEST:
        raise ValueError(f"{pattern!r} is too large: write it with fewer or smaller counted repetitions")
    return compiled


def _compiled(pattern: str) -> Expression:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return cast(Expression, re2.compile(pattern, options))


def _mistake(pattern: str, error: Exception) -> str:
    """The engine's words for the mistake, and the character where it begins."""
    reason, _, fragment = error.args[0].decode("utf-8", "replace").partition(": ")
    if reason.startswith("trailing"):
        return f"{reason} at character {len(pattern)}"
    if reason.startswith("missing"):
        # What is open stays open to the end.
        return f"{reason.removeprefix('missing ')} is missing at the end of {fragment!r}"
    if reason.startswith("unexpected"):
        return f"{reason} at character {_first_unexpected(pattern)}"
    if pattern.count(fragment) == 1:
        return f"{reason} {fragment!r} at character {pattern.index(fragment) + 1}"
    return f"{reason} {fragment!r}"


def _first_unexpected(pattern: str) -> int:
    """The place of the first bracket that closes nothing. The engine tells none: it is where the shortest beginning of
    the pattern ends that has the mistake already."""
    import re2

    for end in range(1, len(pattern)):
        try:
            _compiled(pattern[:end])
        except re2.error as error:
            if error.args[0].startswith(b"unexpected"):
                return end
    return len(pattern)
