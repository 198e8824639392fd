"""The words of a text, in lower case, and where its sentences end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase

from nullbench_site.checks.reading.folding import fold, fold_plain
from nullbench_site.checks.reading.markdown import list_mark


def listed(text: str) -> tuple[str, ...]:
    """The words of a list written as text."""
    return tuple(text.split())


_NUMBER = r"[0-9]+(?:[.,][0-9]+)*(?:e-?[0-9]+)?(?![^\W_])"
_WORD = r"[^\W_]+(?:'[^\W_]+)*"
_MARKS = ".!?\u2026\u3002\u061f\uff01\uff1f"
# Of a row of marks the first alone is tried: where the row is no end, no rest of it is.
_END = rf"(?<![{_MARKS}])[{_MARKS}]+(?=[\"')\]*_]*(?:[\s\0]|$))"
_BREAK = "\0"
# Most words are plain letters, and the first choice finds these faster than the others would.
_TOKEN = re.compile(rf"[a-z]+(?![^\W_]|')|{_NUMBER}|{_WORD}|{_END}|{_BREAK}")
_COUNTED = re.compile(r"[^\W_]")
# A search for a digit is fast, so what must not stand before it is looked at behind it.
_THOUSANDS = re.compile(
    r"[0-9](?<![^\W_][0-9])(?<![0-9][.,][0-9])[0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![^\W_]|[.,][0-9])"
)
# Parts of a number, and the letter that says it is none: 1.2.3x.
_PARTED = re.compile(r"[0-9](?<![0-9]{2})[0-9]*(?:[.,][0-9]+)+(?:e-?[0-9]+)?([^\W_])?")
_STOPS = f"{_MARKS}{_BREAK}"
_STOP = re.compile(f"[{_STOPS}]")
_LETTERS = frozenset(ascii_lowercase)
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
    def vocabulary(self) -> frozenset[str]:
        """The different words."""
        return frozenset(self.words)

    @cached_property
    def encoded(self) -> bytes:
        """The words as a text for RE2, each behind a space and each sentence with a line end."""
        return "".join(f" {' '.join(self.sentence(number))}\n" for number in range(self.sentences)).encode()

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
    text = _THOUSANDS.sub(lambda number: number.group().replace(",", ""), text)
    # Taken apart here, for a search that began again behind each part would take the square of their number.
    text = _PARTED.sub(lambda parted: _apart(parted.group()) if parted.group(1) else parted.group(), text)
    found = _TOKEN.findall("".join(_blocks(text.split("\n"))))
    words: list[str] = []
    starts: list[int] = [0]
    questions: set[int] = set()
    begin = 0
    for at in [at for at, word in enumerate(found) if word[0] in _STOPS]:
        words += found[begin:at]
        begin = at + 1
        if len(words) > starts[-1] and (found[at] != "." or words[-1] not in _ABBREVIATIONS):
            if not _QUESTIONS.isdisjoint(found[at]):
                questions.add(len(starts) - 1)
            starts.append(len(words))
    words += found[begin:]
    if len(words) > starts[-1]:
        starts.append(len(words))
    return Words(words, starts, frozenset(questions))


def _apart(number: str) -> str:
    return number.replace(".", " ").replace(",", " ")


def sentence_count(text: str) -> int:
    """How many sentences `read_words` finds in plain text."""
    # Most items of lists are one; then there is no need to read them.
    if "\n" in text or _STOP.search(text.rstrip(".!? ")):
        return read_folded(fold_plain(text)).sentences
    return min(1, word_count(text))


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """The lines without their marks, with a break where a block ends."""
    for line in lines:
        bare = line.lstrip(" \t>")
        if not bare:
            yield _BREAK
        elif bare[0] in _LETTERS:
            yield f" {bare}"
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
    runs = text.split()
    doubtful = [run for run in runs if not run[0].isalnum()]
    return len(runs) - sum(not _COUNTED.search(run) for run in doubtful)
