"""Sentences as statements: their words and figures in order, their denials, and their marks.

A mark is a part that could be exchanged: a figure, a name, a unit, a month, a step of a scale, a side of a pair of
opposites (`data/words/opposites.txt`). It is identified by the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from nullbench_site.checks.reading import listed
from nullbench_site.packaged import word_lines, word_pairs
from nullbench_site.programs.english import NUMBER_WORDS, STOP_WORDS, stem

LONGEST = 90
"""The most tokens of a sentence that are read."""

_TOKEN = re.compile(r"[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)*%?|[^\W\d_]+(?:['\u2019][^\W\d_]+)?|[,;:.!?()\"]")
_MONTHS = frozenset(listed("january february march april may june july august september october november december"))
_DENIALS = frozenset(
    listed(
        "no not never neither nor none nobody nothing without cannot hardly lack lacks lacked lacking fail fails failed"
    )
)
_WHOLE = frozenset(listed("none neither nobody nothing nor"))
"""Denials whose position does not show what they deny."""
_LIMITED = frozenset(listed("more fewer less later longer only least"))
"""After a denial these make it a limit: "no more than"."""
_BREAKS = frozenset([*',;:.!?()"', *listed("but although though because while whereas and or")])
_REACH = 6
"""The tokens after a denial that it denies."""
_BEFORE = 3
"""The tokens before a denial that it may deny: "scores did not"."""

_ORDINALS = listed("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")

Kind: TypeAlias = Literal["figure", "name", "word", "function", "mark"]
Polarity: TypeAlias = Literal["affirmed", "denied", "either"]


class Token(NamedTuple):
    """A token. stem: of a word, or the compared form of a figure. kind: "word" for content, "mark" for punctuation."""

    word: str
    stem: str
    kind: Kind


class StatementMark(NamedTuple):
    """A mark. scale: "figure", "name", or a line of the opposites. around: content stems near it -> nearness, 0-1."""

    scale: str | int
    side: str | int
    around: Mapping[str, float]
    at: int


NEARNESS = (1.0, 0.8, 0.6, 0.4)
"""The nearness of the content tokens on each side of a mark, from the nearest on."""


@lru_cache(maxsize=1)
def _scales() -> Mapping[str, tuple[tuple[int, int], ...]]:
    by_word: dict[str, dict[tuple[int, int], None]] = {}
    for scale, line in enumerate(word_lines("opposites")):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                for form in {word, stem(word)}:
                    by_word.setdefault(form, {})[scale, side] = None
    return {word: tuple(places) for word, places in by_word.items()}


def scales(word: str) -> tuple[tuple[int, int], ...]:
    """Return the lines of the opposites that have a word or its stem, each with its side."""
    return _scales().get(word) or (_scales().get(stem(word), ()) if len(word) > SHORT else ())


SHORT = 4
"""The most letters of a word that is not looked up by its stem."""


def opposed(one: str, other: str) -> bool:
    """Return True if two words are on different sides of a scale, and nowhere on the same side."""
    own, theirs = scales(one), scales(other)
    return not {scale for scale, _ in own}.isdisjoint(scale for scale, _ in theirs) and {*own}.isdisjoint(theirs)


def opposites_in_common() -> tuple[int, int, int]:
    """Return three counts of the pairs of words that make controls false.

    They are: opposites word for word, opposites by stems, and all pairs.
    """
    pairs = {frozenset(pair) for pair in word_pairs("antonyms").items() if pair[0] != pair[1]}
    lines = [[side.split() for side in line.split("|")] for line in word_lines("opposites")]
    written = {
        frozenset(pair) for sides in lines for one, other in combinations(sides, 2) for pair in product(one, other)
    }
    return len(pairs & written), sum(opposed(*pair) for pair in pairs), len(pairs)


def tokens(sentence: str, names: frozenset[str] = frozenset()) -> list[Token]:
    """Return the words, figures and marks of a sentence. names: words that are names even at its start."""
    parts: list[Token] = []
    for match in _TOKEN.finditer(sentence):
        raw = match.group()
        word = raw.casefold().replace("\u2019", "'").removesuffix("'s")
        if raw[0].isdigit():
            parts.append(Token(word, _figure(word), "figure"))
        elif not raw[0].isalpha():
            parts.append(Token(raw, raw, "mark"))
        elif word == "percent" or (word == "cent" and parts and parts[-1].word == "per"):
            if parts and parts[-1].word == "per":
                parts.pop()
            if parts and parts[-1].kind == "figure":
                parts[-1] = Token(parts[-1].word, parts[-1].stem.rstrip("%") + "%", "figure")
        elif word in NUMBER_WORDS and word != "one":
            parts.append(Token(word, str(NUMBER_WORDS[word]), "figure"))
        elif word.endswith("n't"):
            parts += [Token(word[:-3], stem(word[:-3]), "function"), Token("not", "not", "function")]
        elif len(word) < 2 or word in STOP_WORDS:
            parts.append(Token(word, stem(word), "function"))
        else:
            named = raw[0].isupper() and (bool(parts) or word in names)
            parts.append(Token(word, stem(word), "name" if named else "word"))
        if len(parts) >= LONGEST:
            break
    return parts


def known_as(tokens: Sequence[Token]) -> set[str]:
    """Return the stems of tokens, and their other forms: a figure without its sign, an ordinal as a figure."""
    stems = {token.stem for token in tokens}
    stems |= {token.stem.rstrip("%") for token in tokens if token.kind == "figure"}
    return stems | {str(_ORDINALS.index(token.word) + 1) for token in tokens if token.word in _ORDINALS}


def _figure(word: str) -> str:
    number = word.rstrip("%").replace(",", "")
    if number.count(".") == 1:
        number = number.rstrip("0").rstrip(".")
    return number + "%" * word.endswith("%")


def denies(tokens: Sequence[Token], at: int) -> bool:
    """Return True if the token at a place is a denial, and not part of a limit such as "no more than"."""
    return tokens[at].word in _DENIALS and not (at + 1 < len(tokens) and tokens[at + 1].word in _LIMITED)


class Statement(msgspec.Struct, frozen=True, dict=True):
    """A sentence as its tokens."""

    tokens: Sequence[Token]

    @cached_property
    def content(self) -> Sequence[int]:
        """Return the positions of words of content, names and figures."""
        return [at for at, token in enumerate(self.tokens) if token.kind not in ("function", "mark")]

    @cached_property
    def stems(self) -> frozenset[str]:
        """Return the stems of its content."""
        return frozenset(self.tokens[at].stem for at in self.content)

    @cached_property
    def polarity(self) -> Mapping[int, Polarity]:
        """Return position -> polarity of each content token.

        The first one after a denial is denied, others near it may be either.
        """
        polarity: dict[int, Polarity] = dict.fromkeys(self.content, "affirmed")
        for at, token in enumerate(self.tokens):
            if not denies(self.tokens, at):
                continue
            sure = token.word not in _WHOLE
            for place in range(at + 1, min(len(self.tokens), at + 1 + _REACH)):
                if self.tokens[place].word in _BREAKS:
                    break
                if place in polarity:
                    polarity[place] = "denied" if sure else "either"
                    sure = False
            for place in range(at - 1, max(-1, at - 1 - _BEFORE), -1):
                if place in polarity:
                    if polarity[place] == "affirmed":
                        polarity[place] = "either"
                    break
        return polarity

    @cached_property
    def marks(self) -> Sequence[StatementMark]:
        """Return the marks in order; a word on several scales is a mark on each."""
        marks: list[StatementMark] = []
        for at, token in enumerate(self.tokens):
            month = token.word in _MONTHS
            places: list[tuple[str | int, str | int]] = []
            if token.kind == "figure" or (token.kind == "name" and not month):
                places.append((token.kind, token.stem))
            if token.kind != "figure" and (not month or token.kind == "name" or token.word == "may"):
                places += scales(token.word)
            if places:
                around = self._around(at)
                marks += [StatementMark(scale, side, around, at) for scale, side in places]
        return marks

    def _around(self, at: int) -> Mapping[str, float]:
        left = [each for each in self.content if each < at][: -len(NEARNESS) - 1 : -1]
        right = [each for each in self.content if each > at]
        nearest: dict[str, float] = {}
        for side in (left, right):
            for nearness, each in zip(NEARNESS, side, strict=False):
                nearest[self.tokens[each].stem] = max(nearest.get(self.tokens[each].stem, 0.0), nearness)
        return nearest
