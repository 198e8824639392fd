"""Whether a response has the form of a regular expression."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.keys.key import Key, KeyType, Marked, correct, invalid, wrong
from nullbench_site.keys.linear import expression
from nullbench_site.keys.reading.stated import statements
from nullbench_site.keys.reading.visible import Visible


class Regex(Key, frozen=True, tag="regex"):
    """A regular expression that a right answer matches."""

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


def regex(visible: Visible, key: Regex) -> Marked:
    """Right where the expression matches."""
    compiled = expression(key.pattern)
    whole = visible.raw.strip()
    if not key.full:
        found = compiled.search(whole) is not None
        return correct(whole, "has a match") if found else wrong(whole, "has no match")
    if compiled.fullmatch(whole):
        return correct(whole, "matches as a whole")
    for group in statements(visible):
        answers = [text.strip() for text in group]
        matching = [_matches(key, answer) for answer in answers]
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


def _matches(key: Regex, answer: str) -> bool:
    compiled = expression(key.pattern)
    return any(compiled.fullmatch(form) for form in (answer, answer.rstrip(".,;: "), answer.strip("\"' ").rstrip(". ")))


TYPE = KeyType(
    title="Regular expression",
    looks_at="The response outside its thinking, as it came: whether the expression matches anywhere in it. Where the "
    "whole answer must match: the whole response, else its last explicit statement of an answer, else its last line.",
    cannot_see="Anything that the expression does not say, such as a denial around the match.",
    key=Regex,
    function=regex,
)
