"""Statements of an answer beside those of a reference: which are told, which are told altered.

A sentence that has most of the words of a reference sentence tells that statement. Where it also has other words,
denies what is not denied, or has the words in another order, it tells something else, whatever kind of falsehood that
is. Of a statement put in words of its own nothing is seen here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import msgspec

from nullbench_site.checks.words import listed
from nullbench_site.packaged import word_list
from nullbench_site.programs.english import STOP_WORDS, normalise, stem
from nullbench_site.programs.lexicon import DENIALS

ALIKE = 0.75  # share of the words of both sentences; below it they may be two statements
SMALLEST = 6  # words of a statement that can be told altered
ORDERED = 0.5  # share of neighbours kept below which the words are in another order
REACH = 3  # words behind a denial within which the word that it denies is looked for
ADDED = 2  # content words that may stand beside a whole statement: "so", "in short"

_CLAIMS = frozenset(
    listed("because due owing thanks since according says said")
)  # a cause or a speaker is a claim more
# Small words in whose place another says something else.
_TELLING = _CLAIMS | word_list("telling")
_TOKEN = re.compile(r"[0-9]+(?:[.,:][0-9]+)*%?|[^\W\d_]+")


class Statement(msgspec.Struct, frozen=True, dict=True):
    """A sentence as a list of words and figures, in lower case."""

    tokens: tuple[str, ...]

    @classmethod
    def of(cls, sentence: str) -> Statement:
        return cls(tuple(_TOKEN.findall(normalise(sentence))))

    @cached_property
    def counted(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.tokens))

    @cached_property
    def denied(self) -> frozenset[str]:
        """The stem of the first content word behind each denial, within reach."""
        stems = set()
        for at, word in enumerate(self.tokens):
            if DENIALS.fullmatch(word):
                behind = self.tokens[at + 1 : at + 1 + REACH]
                stems.update([stem(word) for word in behind if word not in STOP_WORDS][:1])
        return frozenset(stems)

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        return frozenset(zip(self.tokens, self.tokens[1:], strict=False))


def altered(answer: Statement, reference: Statement) -> bool:
    """Whether `answer` has the words of `reference` and says something else.

    A denial more or less, a word in the place of another, words added to the whole of it, or another order. Less than
    all of it is no alteration.
    """
    new, gone = answer.counted - reference.counted, reference.counted - answer.counted
    if answer.denied & reference.stems != reference.denied & answer.stems:
        return True
    other = [word for word in new if stem(word) not in reference.stems and (word in _TELLING or word not in STOP_WORDS)]
    if other and gone and len(answer.tokens) + ADDED >= len(reference.tokens):
        return True
    if len(other) > ADDED or not _CLAIMS.isdisjoint(other):
        return True
    shared = [pair for pair in answer.neighbours if pair[0] in reference.counted and pair[1] in reference.counted]
    return bool(shared) and sum(pair in reference.neighbours for pair in shared) < ORDERED * len(shared)


def compared(answer: Sequence[str], reference: Sequence[str]) -> list[bool | None]:
    """For each sentence of `reference` whether `answer` tells it as it is (True) or altered (False); None for neither.

    A sentence of the answer tells the one it is most alike, by the Dice coefficient of their words. What is told both
    ways is told.
    """
    known = [Statement.of(sentence) for sentence in reference]
    where: dict[str, list[int]] = {}
    for at, statement in enumerate(known):
        for word in statement.counted:
            if word not in STOP_WORDS:
                where.setdefault(word, []).append(at)
    kept: list[bool | None] = [None] * len(known)
    for sentence in dict.fromkeys(answer):
        own = Statement.of(sentence)
        candidates = {at for word in own.counted for at in where.get(word, ())}
        best = max(((_dice(own, known[at]), -at) for at in candidates), default=(0.0, 0))
        at = -best[1]
        if best[0] >= ALIKE and len(known[at].tokens) >= SMALLEST:
            kept[at] = kept[at] or not altered(own, known[at])
    return kept


def _dice(one: Statement, other: Statement) -> float:
    if not one.tokens or not other.tokens:
        return 0.0
    if not 1 / 3 <= len(one.tokens) / len(other.tokens) <= 3:  # it cannot reach ALIKE
        return 0.0
    shared = sum(min(count, other.counted[word]) for word, count in one.counted.items())
    return 2 * shared / (len(one.tokens) + len(other.tokens))
