"""Whether a response's answer is one of the texts accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from nullbench_site.keys.key import Key, KeyType, Line, Marked, correct, invalid, wrong
from nullbench_site.keys.reading.spelling import cut, spelled
from nullbench_site.keys.reading.stated import declines, ends, statements
from nullbench_site.keys.reading.visible import Visible

_LEAD = re.compile(r"^(?:so|thus|therefore|it is|it's|that is|that's|this is)\b[ ,:]*", re.IGNORECASE)
# So many words more than the longest accepted answer may a response have that is nothing but one line.
_SLACK = 5


class Exact(Key, frozen=True, tag="exact"):
    """The answers that are right, as short texts."""

    accepted: Annotated[
        tuple[Line, ...],
        Meta(min_length=1, max_length=100, description="Every wording that is right, each on one line."),
    ]
    case_sensitive: Annotated[bool, Meta(description="Whether capital letters matter.")] = False

    def __post_init__(self) -> None:
        if any("\n" in text for text in self.accepted):
            raise ValueError("an accepted answer has several lines; only answers of one line are read")
        if not all(spelled(text) for text in self.accepted):
            raise ValueError("an accepted answer holds nothing but punctuation")


def exact(visible: Visible, key: Exact) -> Marked:
    """Right where the answer is spelled as one of those accepted."""
    accepted = {spelled(text, case_sensitive=key.case_sensitive) for text in key.accepted}
    found = next(_found(visible, key, accepted), None)
    if found is None:
        return invalid("states no answer, and its last line is none by itself")
    if len({answer if key.case_sensitive else answer.casefold() for answer in found}) > 1:
        return invalid("gives answers that differ, where one is asked for")
    if _among(found[0], accepted, key):
        return correct(found[0], "is an accepted answer")
    return wrong(found[0], f"is not among the accepted answers ({len(accepted)})")


def _among(answer: str, accepted: set[str], key: Exact) -> bool:
    return (answer if key.case_sensitive else answer.casefold()) in accepted


def _found(visible: Visible, key: Exact, accepted: set[str]) -> Iterator[Sequence[str]]:
    """The answers given, by what counts most first."""

    def read(text: str) -> str:
        whole = spelled(text, case_sensitive=True)
        return whole if _among(whole, accepted, key) else spelled(cut(text), case_sensitive=True)

    for group in statements(visible):
        yield from _some(map(read, group))
    lines = visible.lines
    if not lines or declines(lines[0]):
        return
    words = max(len(text.split()) for text in accepted) + (_SLACK if len(lines) == 1 else 0)
    edges = [(len(line.split()), _LEAD.sub("", line)) for line in ends(lines)]
    # A short sentence may stand around a shorter answer.
    fewest = min((count for count, _ in edges), default=0)
    yield from _some(read(line) for count, line in edges if count == fewest and count <= words)


def _some(found: Iterable[str]) -> Iterator[Sequence[str]]:
    different = [answer for answer in dict.fromkeys(found) if answer]
    if different:
        yield different


TYPE = KeyType(
    title="Exact answer",
    looks_at="The last explicit statement of an answer, else the shorter of the last and the first line if it is about "
    "as short as an accepted answer. Markup, quotation marks, spaces, the full stop at the end and (unless asked for) "
    "capital letters do not matter; a reason or remark behind the answer is left out.",
    cannot_see="The same answer in words that are not listed, such as one with an article before it.",
    key=Exact,
    function=exact,
)
