"""A text as the judges read it: its sentences and, computed once when asked for, its words and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..text import content_words, figures, normalise, sentences, spelled_figures, word_count, words


@dataclass(frozen=True)
class Passage:
    """A sequence of sentences."""

    sentences: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Passage":
        return cls(tuple(sentences(text)))

    @cached_property
    def text(self) -> str:
        return " ".join(self.sentences)

    @cached_property
    def normal(self) -> str:
        return normalise(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, lower case, unstemmed."""
        return frozenset(words(self.text))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        return tuple(figures(self.text))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Stems of content words, and figures: what the text is about."""
        return frozenset(content_words(self.text)).union(self.figures)

    @cached_property
    def known_figures(self) -> frozenset[str]:
        """Figures in digits or words: what an answer may cite."""
        return frozenset(self.figures).union(spelled_figures(self.text))

    @cached_property
    def sentence_terms(self) -> tuple[frozenset[str], ...]:
        """Terms of each sentence."""
        return tuple(frozenset(content_words(sentence) + figures(sentence)) for sentence in self.sentences)

    @cached_property
    def word_count(self) -> int:
        return sum(self.lengths)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Words in each sentence."""
        return tuple(word_count(sentence) for sentence in self.sentences)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        places: dict[str, list[int]] = {}
        for at, terms in enumerate(self.sentence_terms):
            for term in terms:
                places.setdefault(term, []).append(at)
        return places

    def closest(self, terms: frozenset[str]) -> int | None:
        """The sentence that shares most of `terms`, at least two of them; of equals, the first."""
        shared: dict[int, int] = {}
        for term in terms:
            for at in self._places.get(term, ()):
                shared[at] = shared.get(at, 0) + 1
        best = min(shared, key=lambda at: (-shared[at], at), default=None)
        return best if best is not None and shared[best] >= 2 else None
