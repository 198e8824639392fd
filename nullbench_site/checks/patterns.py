"""Patterns of words: where they occur, and whether a response makes their claim.

A pattern is words in order: `no such thing`. `..` matches up to five words, `a|b` one of two words, and a `*` at a
word's end any ending. RE2 finds a pattern in time linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
import re2

from nullbench_site.checks.reading import Words, listed, tokens
from nullbench_site.packaged import word_list

GAP = 5
_MAX_GAPS = 3
_ENDING = "[^ \n]*"
_BETWEEN = f"(?: [^ \n]+){{0,{GAP}}}?"


class Step(msgspec.Struct, frozen=True):
    """One word of a pattern: any of `choices`. gap: other words may come before it."""

    choices: tuple[str, ...]
    gap: bool

    def fits(self, word: str) -> bool:
        return any(word.startswith(choice[:-1]) if choice.endswith("*") else word == choice for choice in self.choices)


Steps: TypeAlias = tuple[Step, ...]


class Span(msgspec.Struct, frozen=True):
    """A match with `steps`: the words from `start` up to but not including `end`."""

    start: int
    end: int
    steps: Steps


@lru_cache(maxsize=4096)
def pattern(text: str) -> Steps:
    """Return the steps of a pattern. ValueError if it has no words, a gap at an end, or too many gaps."""
    steps: list[Step] = []
    gap = False
    for part in text.split():
        if part == "..":
            gap = True
            continue
        for choices in _words_of(part):
            steps.append(Step(tuple(choices), gap))
            gap = False
    if not steps or gap or steps[0].gap:
        raise ValueError(f"{text!r} is not a pattern; begin and end it with a word")
    if sum(step.gap for step in steps) > _MAX_GAPS:
        raise ValueError(f"{text!r} has more than {_MAX_GAPS} gaps")
    return tuple(steps)


def _words_of(part: str) -> list[list[str]]:
    """Return the choices of each word of a part between spaces.

    `don't` and `cutting-edge` are two words, `a|b` is one.
    """
    if "|" in part:
        return [[_one_word(choice) for choice in part.split("|")]]
    ending = "*" if part.endswith("*") else ""
    words = tokens(part)
    return [[word] for word in [*words[:-1], words[-1] + ending]] if words else []


def _one_word(choice: str) -> str:
    words = tokens(choice)
    if len(words) != 1:
        raise ValueError(f"{choice!r} is not one word; write one word on each side of |")
    return words[0] + ("*" if choice.endswith("*") else "")


def shown(*texts: str) -> str:
    """Return patterns for people: the first of alternative words, without `..`, `|` and `*`."""
    return ", ".join(" ".join(_shown(part) for part in text.split()) for text in texts)


def _shown(part: str) -> str:
    return "\u2026" if part == ".." else part.partition("|")[0].removesuffix("*")


@lru_cache(maxsize=4096)
def _expression(*patterns: str) -> Any:
    """Return any of `patterns` as a regular expression over `Words.encoded`."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    any_of = "|".join("".join(map(_step_expression, pattern(text))) for text in patterns)
    return re2.compile(f"(?:{any_of})[ \n]".encode(), options)


def _step_expression(step: Step) -> str:
    choices = (re2.escape(choice.removesuffix("*")) + _ENDING * choice.endswith("*") for choice in step.choices)
    return f"{_BETWEEN * step.gap} (?:{'|'.join(choices)})"


def matches(words: Words, patterns: tuple[str, ...]) -> Iterator[Span]:
    """Yield the matches of any of `patterns` within one sentence: each start, with the nearest end."""
    if not occurs(words, patterns):
        return
    text = words.encoded
    for one in patterns:
        expression, at, searched = _expression(one), 0, 0
        while match := expression.search(text, searched):
            start, end = match.span()
            at += text.count(b" ", searched, start)
            yield Span(at, at + text.count(b" ", start, end - 1), pattern(one))
            at, searched = at + 1, start + 1


def occurs(words: Words, patterns: tuple[str, ...]) -> bool:
    """Return True if any of `patterns` occurs."""
    return bool(patterns) and _expression(*patterns).search(words.encoded) is not None


_NEGATIONS = word_list("negations")
_SUPPOSITIONS = frozenset(listed("if whether unless suppose assume assuming would might could may"))
_AFTERWARDS = frozenset(
    listed("not false incorrect wrong untrue myth misconception mistake mistaken inaccurate misleading")
)
# The reach of a word of denial in words: forward over the words that it denies, and back over those before it.
_BEFORE, _AFTER = 8, 6


def claims(words: Words, patterns: tuple[str, ...]) -> Iterator[Span]:
    """Yield the claims of any of `patterns`, in sentences that are not questions.

    A match near a word of denial or supposition is no claim, unless the pattern itself has that word.
    """
    for span in matches(words, patterns):
        sentence = words.sentence_of(span.start)
        if sentence in words.questions:
            continue
        first = max(words.starts[sentence], span.start - _BEFORE)
        last = min(words.starts[sentence + 1], span.end + _AFTER)
        before = words.words[first : span.start]
        inside = words.words[span.start : span.end]
        after = words.words[span.end : last]
        if any(word in _NEGATIONS or word in _SUPPOSITIONS for word in before):
            continue
        if any(word in _NEGATIONS and not any(step.fits(word) for step in span.steps) for word in inside):
            continue
        if not any(word in _AFTERWARDS for word in after):
            yield span


def claimed(words: Words, patterns: tuple[str, ...], *, sentences: int | None = None) -> bool:
    """Return True if any of `patterns` is claimed anywhere, or in one of the first `sentences`."""
    return _early(words, claims(words, patterns), words.sentences if sentences is None else sentences)


def claimed_or_denied(words: Words, patterns: tuple[str, ...]) -> bool:
    """Return True if any of `patterns` occurs in a sentence that is not a question."""
    return any(words.sentence_of(span.start) not in words.questions for span in matches(words, patterns))


def occurs_early(words: Words, patterns: tuple[str, ...], sentences: int) -> bool:
    """Return True if any of `patterns` occurs in one of the first `sentences`."""
    return _early(words, matches(words, patterns), sentences)


def _early(words: Words, spans: Iterator[Span], sentences: int) -> bool:
    limit = words.end_of(sentences)
    return any(span.end <= limit for span in spans)
