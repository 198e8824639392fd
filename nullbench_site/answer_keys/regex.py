"""Whether a response has the form of a regular expression of RE2, which takes time linear in the text.

Python's own engine goes back and tries again: (a+)+$ on forty letters takes it hours.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from msgspec import Meta

from nullbench_site.answer_keys.key import Key, Marked, Visible, about, correct, invalid, wrong
from nullbench_site.answer_keys.statements import statements

# A counted repetition is written out: a limit to what it costs for each character.
_LARGEST = 3000


@lru_cache(maxsize=256)
def expression(pattern: str) -> Any:
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


def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return re2.compile(pattern, options)


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


class Regex(Key, frozen=True, tag="regex"):
    """A regular expression that a right answer matches."""

    title, looks_at, cannot_see = about("regex")

    pattern: Annotated[
        str,
        Meta(min_length=1, max_length=1000, description="In the syntax of RE2: no look-around, no back-references."),
    ]
    full: Annotated[
        bool,
        Meta(description="Whether the whole answer must match; otherwise a match anywhere in the response is enough."),
    ] = False

    def __post_init__(self) -> None:
        expression(self.pattern)

    def mark(self, visible: Visible) -> Marked:
        """Right where the expression matches."""
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
                return invalid("states answers that differ: one matches and one does not")
            return wrong(answers[0], "states an answer that does not match")
        if len(visible.lines) == 1:
            line = visible.lines[0]
            return correct(line, "matches as a whole") if compiled.fullmatch(line) else wrong(line, "does not match")
        if visible.lines and compiled.fullmatch(visible.lines[-1]):
            return correct(visible.lines[-1], "its last line matches")
        return invalid("states no answer, and its last line does not match by itself")


def _matches(compiled: Any, answer: str) -> bool:
    return any(compiled.fullmatch(form) for form in (answer, answer.rstrip(".,;: "), answer.strip("\"' ").rstrip(". ")))
