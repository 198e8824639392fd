"""Reference facts in a text: which keys it contains, and how much of a fact that is worth."""

from collections.abc import Sequence

from ..text import normalise
from .case import Constraints, Fact
from .passage import Passage
from .room import best_extract


def contains(text: str, key: str) -> bool:
    """Whether `key` stands in `text` from the start of a word on; both normalised.

    The end is free, so that "clinic" finds "clinics", unless the key ends in a figure: "41" is not in "412"
    or "41.5".
    """
    at = text.find(key)
    while at >= 0:
        end = at + len(key)
        opens = not at or not (text[at - 1].isalnum() or (key[0].isdigit() and text[at - 1] in ".,"))
        runs_on = text[end : end + 1].isdigit() or (
            text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit()
        )
        if opens and not (key[-1].isdigit() and runs_on):
            return True
        at = text.find(key, at + 1)
    return False


def keys_found(fact: Fact, text: str) -> list[int]:
    """Positions of the keys of `fact` of which one alternative stands in the normalised `text`."""
    return [
        at
        for at, alternatives in enumerate(fact.keys)
        if any(contains(text, key) for key in map(normalise, alternatives) if key)
    ]


def support(fact: Fact, text: str) -> float:
    """1 if all keys are found, else the square of their share: half a fact is worth a quarter."""
    return (len(keys_found(fact, text)) / len(fact.keys)) ** 2


def mean_support(facts: Sequence[Fact], text: str) -> float:
    """Mean support of `facts`, of which there is at least one, in the normalised `text`."""
    return sum(support(fact, text) for fact in facts) / len(facts)


def attained(facts: Sequence[Fact], answer: Passage, source: Passage, limits: Constraints) -> float | None:
    """Support of `facts` by the answer, as a share, at most 1, of that by source sentences in the same room.

    Few rooms hold all facts. None without facts, or if no source sentence supports one.
    """
    if not facts:
        return None
    normal = [normalise(sentence) for sentence in source.sentences]
    offers = [[(n, key) for n, fact in enumerate(facts) for key in keys_found(fact, text)] for text in normal]
    best = mean_support(facts, " ".join(normal[at] for at in best_extract(source, limits, offers)))
    return min(1.0, mean_support(facts, answer.normal) / best) if best else None
