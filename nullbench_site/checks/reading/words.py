"""The words of a text, in lower case, and where its sentences end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.checks.reading.folding import fold
from nullbench_site.checks.reading.markdown import list_mark


def listed(text: str) -> tuple[str, ...]:
    """The words of a list written as text."""
    return tuple(text.split())


# Possessive throughout: nothing is ever tried twice.
_NUMBER = r"[0-9]++(?:[.,][0-9]++)*+(?:e-?[0-9]++)?+(?![^\W_])"
_WORD = r"[^\W_]++(?:'[^\W_]++)*+"
_END = r"[.!?\u2026\u3002\u061f\uff01\uff1f]++(?=[\"')\]*_]*+(?:[\s\0]|$))"
_BREAK = "\0"
_TOKEN = re.compile(rf"{_NUMBER}|{_WORD}|{_END}|{_BREAK}")
_COUNTED = re.compile(r"[^\W_]\S*+")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]++)?+")
_STOPS = frozenset(f".!?\u2026\u3002\u061f\uff01\uff1f{_BREAK}")
_QUESTIONS = frozenset("?\u061f\uff1f")
_ABBREVIATIONS = frozenset(listed("al approx ca cf dr fig g jr mr mrs ms prof sr st vs"))


@dataclass(frozen=True)
class Words:
    """The words in order.

    starts: where each sentence begins in them, and their number at the end; questions: the sentences that ask.
    """

    words: Sequence[str]
    starts: Sequence[int]
    questions: frozenset[int]

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Where each word stands."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(self.words):
            found[word].append(at)
        return found

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The different words."""
        return frozenset(self.places)

    @property
    def sentences(self) -> int:
        return len(self.starts) - 1

    def sentence_of(self, at: int) -> int:
        """The sentence of the word at `at`."""
        return bisect_right(self.starts, at) - 1

    def sentence(self, number: int) -> Sequence[str]:
        return self.words[self.starts[number] : self.starts[number + 1]]

    def end_of(self, sentences: int) -> int:
        """Where the first `sentences` end."""
        return self.starts[min(sentences, self.sentences)]


def read_words(lines: Sequence[str]) -> Words:
    """The words of Markdown lines. An empty line, a bullet, a heading and a table row end a sentence, a line end does
    not. Numbers with commas are written without: 1,374 is 1374.
    """
    return read_folded(fold("\n".join(lines)))


def read_folded(text: str) -> Words:
    """`read_words` of lines that are one text and folded."""
    words: list[str] = []
    starts: list[int] = [0]
    questions: set[int] = set()
    for found in _TOKEN.findall("".join(_blocks(text.split("\n")))):
        if found[0] not in _STOPS:
            words.append(found.replace(",", "") if "," in found and _THOUSANDS.fullmatch(found) else found)
        elif len(words) > starts[-1] and (found != "." or words[-1] not in _ABBREVIATIONS):
            if not _QUESTIONS.isdisjoint(found):
                questions.add(len(starts) - 1)
            starts.append(len(words))
    if len(words) > starts[-1]:
        starts.append(len(words))
    return Words(words, starts, frozenset(questions))


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """The lines without their marks, with a break where a block ends."""
    for line in lines:
        bare = line.lstrip(" \t>")
        if not bare:
            yield _BREAK
        elif bare[0] in "#|":
            yield f"{_BREAK}{bare}{_BREAK}"
        else:
            mark = list_mark(line)
            yield f"{_BREAK}{line[mark.end() :]}" if mark else f" {bare}"


def tokens(text: str) -> list[str]:
    """The words of one line, as `read_words` writes them."""
    return list(read_words([text]).words)


def word_count(text: str) -> int:
    """Words as an editor counts them: runs between white space that hold a letter or a digit."""
    return len(_COUNTED.findall(text))
