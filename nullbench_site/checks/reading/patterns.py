"""Patterns of words, and where they occur.

A pattern is words in order: `no such thing`. In it `..` stands for up to five words, `a|b` for one of two words, and a
`*` at a word's end for any ending. There is no more to it, so that no pattern takes more than linear time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from nullbench_site.checks.reading.words import Words, tokens

GAP = 5
_MAX_GAPS = 3


@dataclass(frozen=True)
class Step:
    """One word of a pattern: any of `exact`, or with one of `prefixes`; `gap`: others may come before it."""

    exact: frozenset[str]
    prefixes: tuple[str, ...]
    gap: bool

    def fits(self, word: str) -> bool:
        return word in self.exact or (bool(self.prefixes) and word.startswith(self.prefixes))


Steps: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True)
class Span:
    """The words from `start` to before `end`, which make a match with `steps`."""

    start: int
    end: int
    steps: Steps


@lru_cache(maxsize=4096)
def pattern(text: str) -> Steps:
    """The steps of a pattern. ValueError where it has no words, a gap at an end, or too many gaps."""
    steps: list[Step] = []
    gap = False
    for part in text.split():
        if part == "..":
            gap = True
            continue
        for choices in _words_of(part):
            prefixes = tuple(choice[:-1] for choice in choices if choice.endswith("*"))
            exact = frozenset(choice for choice in choices if not choice.endswith("*"))
            steps.append(Step(exact, prefixes, gap))
            gap = False
    if not steps or gap or steps[0].gap:
        raise ValueError(f"{text!r} is no pattern: it begins and ends with a word")
    if sum(step.gap for step in steps) > _MAX_GAPS:
        raise ValueError(f"{text!r} has more than {_MAX_GAPS} gaps")
    return tuple(steps)


def _words_of(part: str) -> list[list[str]]:
    """The choices of each word of a part between spaces: `don't` and `cutting-edge` are two words, `a|b` is one."""
    if "|" in part:
        return [[_one_word(choice) for choice in part.split("|")]]
    ending = "*" if part.endswith("*") else ""
    found = tokens(part)
    return [[word] for word in [*found[:-1], found[-1] + ending]] if found else []


def _one_word(choice: str) -> str:
    found = tokens(choice)
    if len(found) != 1:
        raise ValueError(f"{choice!r} is not one word, as it must be beside |")
    return found[0] + ("*" if choice.endswith("*") else "")


def shown(*texts: str) -> str:
    """Patterns as people read them: of words to choose from the first, without the marks of the language."""
    return ", ".join(" ".join(_shown(part) for part in text.split()) for text in texts)


def _shown(part: str) -> str:
    return "\u2026" if part == ".." else part.partition("|")[0].removesuffix("*")


@dataclass(frozen=True)
class _Compiled:
    """A pattern; `needed`: of each later step without prefixes, the words of which a text must have one."""

    steps: Steps
    needed: Sequence[frozenset[str]]


@dataclass(frozen=True)
class _Index:
    """Patterns by their first word, and those whose first word has several endings by the beginning of it."""

    first_words: frozenset[str]
    by_word: Mapping[str, Sequence[_Compiled]]
    prefixes: tuple[str, ...]
    by_prefix: Mapping[str, Sequence[_Compiled]]


@lru_cache(maxsize=4096)
def _index(patterns: tuple[str, ...]) -> _Index:
    by_word: defaultdict[str, list[_Compiled]] = defaultdict(list)
    by_prefix: defaultdict[str, list[_Compiled]] = defaultdict(list)
    for steps in map(pattern, patterns):
        compiled = _Compiled(steps, [step.exact for step in steps[1:] if not step.prefixes])
        for word in steps[0].exact:
            by_word[word].append(compiled)
        for prefix in steps[0].prefixes:
            by_prefix[prefix].append(compiled)
    return _Index(frozenset(by_word), by_word, tuple(by_prefix), by_prefix)


def matches(words: Words, patterns: tuple[str, ...]) -> Iterator[Span]:
    """Where any of `patterns` occurs in one sentence, in an order that depends on nothing but them and the words."""
    index = _index(patterns)
    for word in sorted(index.first_words & words.vocabulary):
        yield from _matches_at(words, index.by_word[word], word)
    if not index.prefixes:
        return
    for word in sorted(word for word in words.vocabulary if word.startswith(index.prefixes)):
        for prefix in index.prefixes:
            if word.startswith(prefix):
                yield from _matches_at(words, index.by_prefix[prefix], word)


def occurs(words: Words, patterns: tuple[str, ...]) -> bool:
    """Whether any of `patterns` occurs."""
    return next(matches(words, patterns), None) is not None


def _matches_at(words: Words, patterns: Sequence[_Compiled], first: str) -> Iterator[Span]:
    vocabulary = words.vocabulary
    for compiled in patterns:
        # Few texts have a word for each step, and those that do cost a look at every place.
        if any(map(vocabulary.isdisjoint, compiled.needed)):
            continue
        for start in words.places(first):
            end = _end(words, compiled.steps, start)
            if end is not None:
                yield Span(start, end, compiled.steps)


def _end(words: Words, steps: Steps, start: int) -> int | None:
    """Where a match from `start` ends. The places a step can stand at are kept together: no more than a window."""
    if len(steps) == 1:
        return start + 1
    limit = words.starts[words.sentence_of(start) + 1]
    ends: Sequence[int] = (start + 1,)
    for step in steps[1:]:
        tried = _behind(ends) if step.gap else ends
        exact, prefixes, said = step.exact, step.prefixes, words.words
        ends = [
            at + 1 for at in tried if at < limit and (said[at] in exact or (prefixes and said[at].startswith(prefixes)))
        ]
        if not ends:
            return None
    return ends[0]


def _behind(ends: Sequence[int]) -> Sequence[int]:
    """The places up to GAP words behind any of `ends`, which are in order."""
    if len(ends) == 1:
        return range(ends[0], ends[0] + GAP + 1)
    places: list[int] = []
    for end in ends:
        places += range(max(end, places[-1] + 1 if places else 0), end + GAP + 1)
    return places
