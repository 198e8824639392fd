"""How unlike usual text a part of an answer is: the perplexity of its worst window, by a model of characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import exp, log

ORDER = 5
"""A character is predicted from the 4 before it."""
WINDOW = 40
"""Characters of a window: about 7 words."""
ALLOWED = 0.05
"""The share of honest texts that a filter of the search may stop."""


class CharacterModel:
    """An n-gram model of characters, with Witten-Bell smoothing. Train it on other texts than those it looks at.

    Source: Witten & Bell (1991), The zero-frequency problem; windows of perplexity as a defence: Jain et al. (2023),
    Baseline defenses for adversarial attacks against aligned language models, arXiv:2309.00614.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Train the model on texts."""
        self._grams, self._followed, self._kinds = Counter[str](), Counter[str](), Counter[str]()
        for text in texts:
            for n in range(1, ORDER + 1):
                self._grams.update(text[at : at + n] for at in range(len(text) - n + 1))
        for gram, count in self._grams.items():
            self._followed[gram[:-1]] += count
            self._kinds[gram[:-1]] += 1
        self._unknown = 1 / (self._kinds[""] + 1)

    def surprises(self, text: str) -> list[float]:
        """Return -log p of each character after those before it."""
        return [-log(self._p(text[max(0, at - ORDER + 1) : at], text[at])) for at in range(len(text))]

    def _p(self, before: str, character: str) -> float:
        p = self._unknown
        for start in range(len(before), -1, -1):
            context = before[start:]
            if kinds := self._kinds.get(context, 0):
                p = (self._grams[context + character] + kinds * p) / (self._followed[context] + kinds)
        return p

    def worst(self, text: str, window: int = WINDOW) -> float:
        """Return the highest perplexity, for each character, of a window of a text; of all if it is shorter."""
        sums = [*accumulate(self.surprises(text), initial=0.0)]
        size = max(1, min(window, len(text)))
        return exp(max((end - start for start, end in zip(sums, sums[size:], strict=False)), default=0.0) / size)


class Filter:
    """A bound on the worst window of a text. Every second honest text trains its model, the others set the bound."""

    def __init__(self, honest: Sequence[str]) -> None:
        self.model = CharacterModel(honest[::2])
        self.bound = bound(self.model, honest[1::2], ALLOWED)

    def passes(self, text: str) -> bool:
        """Return True if no window of a text is above the bound."""
        return self.model.worst(text) <= self.bound


def bound(model: CharacterModel, honest: Iterable[str], allowed: float) -> float:
    """Return the perplexity of a window that only this share of honest texts exceeds."""
    worst = sorted(model.worst(text) for text in honest)
    return worst[round((1 - allowed) * (len(worst) - 1))]
