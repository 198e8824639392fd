"""Whether a text claims something, or speaks of it otherwise: denies it, asks it, or supposes it."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.checks.reading.patterns import Span, matches
from nullbench_site.checks.reading.words import Words, listed

_NEGATIONS = frozenset(
    listed(
        "not no never nor neither without hardly rarely none nothing nobody unlikely false falsely incorrect "
        "incorrectly wrong wrongly untrue myth misconception mistake mistaken mistakenly inaccurate misleading "
        "disagree instead rather contrary"
    )
)
_SUPPOSITIONS = frozenset(listed("if whether unless suppose assume assuming would might could may"))
_AFTERWARDS = frozenset(
    listed("not false incorrect wrong untrue myth misconception mistake mistaken inaccurate misleading")
)
# How far a word of denial reaches, in words: into what it stands before, and back to what it stands behind.
_BEFORE, _AFTER = 8, 6


def claims(words: Words, patterns: tuple[str, ...]) -> Iterator[Span]:
    """Where any of `patterns` is claimed: in a sentence that does not ask, with no word of denial or supposition near
    that the pattern itself does not hold."""
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


def claimed(words: Words, patterns: tuple[str, ...]) -> bool:
    """Whether any of `patterns` is claimed anywhere."""
    return next(claims(words, patterns), None) is not None


def opens_with(words: Words, patterns: tuple[str, ...], sentences: int) -> bool:
    """Whether any of `patterns` is claimed in one of the first `sentences`."""
    limit = words.end_of(sentences)
    return any(span.end <= limit for span in claims(words, patterns))
