"""The reference answer of an item: its facts as prose, in the form that the task asks for."""

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
    """Return the facts that fit, in the words of the spec and in its order; None if none fits.

    If not all fit, the first of each kind comes before the second of any, and context comes last. If there are more
    facts than sentences, semicolons join them; if there are more than bullets, they share bullets.
    """
    texts = [facts[place].text.strip() for place in chosen_facts(facts, limits)]
    if not texts:
        return None
    if limits.format == "bullets":
        lines = _shared(texts, limits.bullets or len(texts))
        return "\n".join("- " + " ".join(_joined(line, limits.max_sentences and 1)) for line in lines)
    return " ".join(_joined(texts, limits.max_sentences))


def chosen_facts(facts: Sequence[Fact], limits: Constraints) -> list[int]:
    """Return the places of the facts that fit, in order."""
    forbidden = [normalise(each) for each in limits.forbid]
    seen: Counter[str] = Counter()
    turns = []
    for place, fact in enumerate(facts):
        if any(each in normalise(fact.text) for each in forbidden):
            continue
        turns.append((fact.kind == "context", seen[fact.kind], place))
        seen[fact.kind] += 1
    left = math.inf if limits.max_words is None else limits.max_words
    chosen = []
    for _, _, place in sorted(turns):
        length = len(facts[place].text.split())
        if length <= left:
            chosen.append(place)
            left -= length
    return sorted(chosen)


def _joined(texts: Sequence[str], most: int | None) -> list[str]:
    """Return the facts as at most this many sentences."""
    return ["; ".join([of[0].rstrip("."), *map(_inner, of[1:])]) + "." for of in _shared(texts, most or len(texts))]


def _inner(sentence: str) -> str:
    """Return a sentence as a part of another: lower case unless the first word is a name."""
    first = sentence.split(maxsplit=1)[0]
    lowered = first.casefold() in STOP_WORDS
    return (sentence[:1].lower() + sentence[1:] if lowered else sentence).rstrip(".")


def _shared(texts: Sequence[str], parts: int) -> list[Sequence[str]]:
    """Split the facts into this many parts of about equal length; fewer parts if there are fewer facts."""
    parts = min(parts, len(texts))
    ends = [len(texts) * part // parts for part in range(parts + 1)]
    return [texts[start:end] for start, end in pairwise(ends)]
