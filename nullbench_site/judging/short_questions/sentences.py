"""The sentences of a response that a judge is asked about, one a question.

The questions of a benchmark follow from every detail here: raise REVISION of the package if a response would be split
or drawn in another way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil

import msgspec

from nullbench_site.packaged import word_lines
from nullbench_site.programs.english import figures, names, normalise, sentences, spelled_figures

MOST_SENTENCES = 12
"""The most sentences of a response that a judge is asked about."""
MOST_WORDS = 60
"""A longer sentence is asked about in parts."""
MOST_WEIGHT = 30
"""The most words of a sentence that count in its weight."""
_MOST_CHARACTERS = 900
"""The most characters of a part, for text without white space."""
_CHARACTERS_A_WORD = 15
"""A run of more characters without white space counts as several words."""
_HEADING_WORDS = 8
"""A line with more words is no heading."""
_GREETING_WORDS = 14

_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_BOLD = re.compile(r"[ \t]*(\*\*|__)([^*_]+)\1[ \t]*:?[ \t]*")
_RULE = re.compile(r"[ \t]*(?:[-=*_~`|:][ \t]*){3,}")
_LISTED = re.compile(r"[ \t]*(?:[-*+\u2022\u2023\u25aa\u00b7]|[0-9]{1,3}[.)])[ \t]+(?=\S)")
_ENDS = ".!?\u2026\u3002\uff01\uff1f"
_CLOSERS = "\"'\u2019\u201d)]}*_"
_WIDE_END = re.compile(r"(?<=[\u3002\uff01\uff1f])(?=\S)")
_GREETING = re.compile("|".join(f"(?:{each})" for each in word_lines("greetings")))


class AskedSentence(msgspec.Struct, frozen=True):
    """A sentence, or a part of a long one. before: the sentence before it. words: its weight, 1-30."""

    text: str
    before: str
    words: int


class LeftOut(msgspec.Struct, frozen=True):
    """A sentence that no judge is asked about, and why: `heading`, `greeting` or `question`."""

    text: str
    why: str


class SplitResponse(msgspec.Struct, frozen=True):
    """The sentences of a response. asked: in its order, at most 12. not_drawn: how many others could be asked."""

    asked: tuple[AskedSentence, ...]
    left_out: tuple[LeftOut, ...]
    not_drawn: int


@lru_cache(maxsize=4096)  # a judge has a question for each sentence
def split(response: str, source: str) -> SplitResponse:
    """Return the sentences of a response to a task about a source.

    Headings, greetings, and questions without a number or a name are left out. Of more than 12 sentences, those with
    the lowest sha256 of source, response and place are drawn.
    """
    asked: list[AskedSentence] = []
    left: list[LeftOut] = []
    before = ""
    for text, is_heading in _units(response):
        why = _left_out(text, is_heading=is_heading)
        if why:
            left.append(LeftOut(text, why))
            before = text
            continue
        for part in _parts(text):
            asked.append(AskedSentence(part, before, min(MOST_WEIGHT, _words(part))))
            before = part
    drawn = asked if len(asked) <= MOST_SENTENCES else [asked[place] for place in _drawn(len(asked), response, source)]
    return SplitResponse(tuple(drawn), tuple(left), len(asked) - len(drawn))


def within_words(response: str, most: int | None) -> str:
    """Return a response without the sentences that begin after a limit of words; whole without a limit."""
    if most is None or len(response.split()) <= most:
        return response
    kept, words = [], 0
    for text, _ in _units(response):
        if words >= most:
            break
        kept.append(text)
        words += len(text.split())
    return "\n".join(kept)


def _units(response: str) -> Iterator[tuple[str, bool]]:
    """Yield each sentence and each line that looks like a heading, with whether it does."""
    block: list[str] = []
    for line in response.splitlines():
        heading = _heading(line)
        if heading is None and not _RULE.fullmatch(line) and not line.lstrip().startswith("|"):
            block.append(line)
            continue
        yield from _sentences("\n".join(block))
        block = []
        if heading is not None:
            yield heading, True
        elif not _RULE.fullmatch(line):  # a row of a table
            yield from _sentences(" ".join(line.replace("|", " ").split()))
    yield from _sentences("\n".join(block))


def _sentences(block: str) -> Iterator[tuple[str, bool]]:
    for sentence in sentences(block):
        for text in _WIDE_END.split(sentence):
            if any(char.isalnum() for char in text):
                yield text, False


def _heading(line: str) -> str | None:
    """Return the text of a line that is marked as a heading, is bold as a whole, or ends with a colon."""
    if mark := _HEADING.match(line):
        text = line[mark.end() :].strip().rstrip("#").strip()
    elif bold := _BOLD.fullmatch(line):
        text = bold[2].strip()
    elif line.rstrip().endswith((":", "\uff1a")) and not _LISTED.match(line):
        text = line.strip()
    else:
        return None
    return text if any(char.isalnum() for char in text) else None


def _left_out(text: str, *, is_heading: bool) -> str:
    """Return why a sentence is not asked about; empty if it is."""
    n, end = len(text.split()), text.rstrip(_CLOSERS)[-1:]
    if is_heading and n <= _HEADING_WORDS and end not in _ENDS and not _has_number(text) and not _has_name(text):
        return "heading"
    if n <= _GREETING_WORDS and not _has_number(text):
        plain = normalise(text).rstrip(_ENDS + ":;,*_ " + _CLOSERS).lstrip("*_ ")
        if _GREETING.fullmatch(plain):
            return "greeting"
    if end in ("?", "\uff1f") and not _has_number(text) and not _has_name(text):
        return "question"
    return ""


def _has_number(text: str) -> bool:
    """Return True for a number in digits or words; `one` is rarely a number."""
    return bool(figures(text)) or any(each != "1" for each in spelled_figures(text))


def _has_name(text: str) -> bool:
    """Return True for a capitalised word inside a text that is not capitalised as a title."""
    long = re.findall(r"[^\W\d_]{3,}", text)
    is_title = len(long) > 1 and all(word[0].isupper() for word in long) and len(text.split()) <= _HEADING_WORDS
    return not (is_title and text.rstrip(_CLOSERS)[-1:] not in _ENDS) and bool(names(text))


def _words(text: str) -> int:
    return max(1, len(text.split()), ceil(len(text) / _CHARACTERS_A_WORD))


def _parts(sentence: str) -> Iterator[str]:
    """Yield a sentence in parts of about equal length, of at most 60 words each."""
    tokens = [token[at : at + _MOST_CHARACTERS] for token in sentence.split() for at in _cuts(token)]
    n = max(ceil(len(tokens) / MOST_WORDS), 1)
    size = ceil(len(tokens) / n)
    part: list[str] = []
    length = 0
    for token in tokens:
        if part and (len(part) >= size or length + len(token) > _MOST_CHARACTERS):
            yield " ".join(part)
            part, length = [], 0
        part.append(token)
        length += len(token) + 1
    yield " ".join(part)


def _cuts(token: str) -> Sequence[int]:
    return range(0, len(token), _MOST_CHARACTERS)


def _drawn(n: int, response: str, source: str) -> list[int]:
    seed = hashlib.sha256(f"{source}\0{response}\0".encode("utf-8", "surrogatepass"))

    def ticket(place: int) -> bytes:
        own = seed.copy()
        own.update(str(place).encode())
        return own.digest()

    return sorted(sorted(range(n), key=ticket)[:MOST_SENTENCES])
