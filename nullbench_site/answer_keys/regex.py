"""A key for a regular expression of RE2, which takes time linear in the text.

Python's own engine backtracks: (a+)+$ takes it hours on forty letters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import re2
from msgspec import Meta

from nullbench_site.answer_keys.key import Key, Marked, Visible, about, correct, invalid, wrong
from nullbench_site.answer_keys.statements import statements

# In instructions of the program: counted repetitions are unrolled, and each costs time per character.
_LARGEST = 3000


@lru_cache(maxsize=256)
def expression(pattern: str) -> Any:
    """Compile a pattern of RE2. Raises ValueError for one that is invalid or too large."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
        raise ValueError(f"{pattern!r} is not a regular expression of RE2: {reason}") from None
    except UnicodeEncodeError:
        raise ValueError("the regular expression has half a character, which is not text") from None
    if compiled.programsize > _LARGEST:
        raise ValueError(f"{pattern!r} is too large: use fewer or smaller counted repetitions")
    return compiled


class Regex(Key, frozen=True, tag="regex"):
    """A regular expression that a right answer matches."""

    title, looks_at, cannot_see = about("regex")

    pattern: Annotated[
        str,
        Meta(min_length=1, max_length=1000, description="In the syntax of RE2: no look-around, no back-references."),
    ]
    full: Annotated[
        bool,
        Meta(description="True: the whole answer must match. False: a match anywhere in the response is enough."),
    ] = False

    def __post_init__(self) -> None:
        expression(self.pattern)

    def mark(self, visible: Visible) -> Marked:
        """Right if the expression matches."""
        compiled = expression(self.pattern)
        whole = visible.raw.strip()
        if not self.full:
            return correct(whole, "has a match") if compiled.search(whole) else wrong(whole, "has no match")
        if compiled.fullmatch(whole):
            return correct(whole, "matches as a whole")
        for group in statements(visible):
            answers = [text.strip() for text in group]
            matching = [_matches(compiled, answer) for answer in answers]
            if all(matching):
                return correct(answers[0], "states an answer that matches")
            if any(matching):
                return invalid("states answers that differ: one matches and one does not", "several answers")
            return wrong(answers[0], "states an answer that does not match")
        if len(visible.lines) == 1:
            line = visible.lines[0]
            return correct(line, "matches as a whole") if compiled.fullmatch(line) else wrong(line, "does not match")
        if visible.lines and compiled.fullmatch(visible.lines[-1]):
            return correct(visible.lines[-1], "its last line matches")
        return invalid("states no answer, and its last line does not match by itself", "no answer")


def _matches(compiled: Any, answer: str) -> bool:
    return any(compiled.fullmatch(form) for form in (answer, answer.rstrip(".,;: "), answer.strip("\"' ").rstrip(". ")))
