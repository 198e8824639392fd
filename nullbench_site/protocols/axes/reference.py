"""The reference answer of an item with a source: its facts as prose, in the form and the room that the task gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from nullbench_site.programs.english import STOP_WORDS, normalise

if TYPE_CHECKING:
    from nullbench_site.protocols.axes.specs import Constraints, Fact


def reference_answer(facts: Sequence[Fact], limits: Constraints) -> str | None:
    """The facts that fit, each in the words of whoever wrote it, in their order; None where none fits.

    Where not all fit, the first of each kind come before the second of any, and context comes last. More facts than
    sentences are joined by semicolons, more than bullets share them.
    """
    texts = [fact.text.strip() for fact in _chosen(facts, limits)]
    if not texts:
        return None
    if limits.format == "bullets":
        lines = _shared(texts, limits.bullets or len(texts))
        return "\n".join("- " + " ".join(_joined(line, limits.max_sentences and 1)) for line in lines)
    return " ".join(_joined(texts, limits.max_sentences))


def _chosen(facts: Sequence[Fact], limits: Constraints) -> list[Fact]:
    forbidden = [normalise(each) for each in limits.forbid]
    allowed = [fact for fact in facts if not any(each in normalise(fact.text) for each in forbidden)]
    seen: Counter[str] = Counter()
    turns = []
    for place, fact in enumerate(allowed):
        turns.append((fact.kind == "context", seen[fact.kind], place))
        seen[fact.kind] += 1
    left = math.inf if limits.max_words is None else limits.max_words
    chosen = []
    for _, _, place in sorted(turns):
        length = len(allowed[place].text.split())
        if length <= left:
            chosen.append(place)
            left -= length
    return [allowed[place] for place in sorted(chosen)]


def _joined(texts: Sequence[str], most: int | None) -> list[str]:
    """The facts as at most so many sentences."""
    return ["; ".join([of[0].rstrip("."), *map(_inner, of[1:])]) + "." for of in _shared(texts, most or len(texts))]


def _inner(sentence: str) -> str:
    """A sentence as a part of another: in lower case where its first word is no name."""
    first = sentence.split(maxsplit=1)[0]
    lowered = first.casefold() in STOP_WORDS
    return (sentence[:1].lower() + sentence[1:] if lowered else sentence).rstrip(".")


def _shared(texts: Sequence[str], parts: int) -> list[Sequence[str]]:
    """The facts in as many parts, or one a fact where there are fewer, each about as long."""
    parts = min(parts, len(texts))
    ends = [len(texts) * part // parts for part in range(parts + 1)]
    return [texts[start:end] for start, end in pairwise(ends)]
