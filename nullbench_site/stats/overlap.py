"""The sequences of words that texts share with a corpus, which is read piece by piece.

A word is a run of letters, digits and underscores, in lower case. A sequence is 13 words in a row, at any place.
Source: Brown et al. (2020), Language models are few-shot learners, appendix C, where items share 13-grams with training
data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools
from nullbench_site.stats.trust import SEQUENCE

_WORDS = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORDS.findall(text.lower())


@dataclass(frozen=True, slots=True)
class Shared:
    """How many of the sequences of a text are in the corpus. n: all of its sequences; 0 if it has too few words."""

    words: int
    n: int
    shared: int


class Overlap:
    """The sequences of some texts, and which of them were read in a corpus.

    A sequence is kept as a hash of 64 bits. With 10^9 sequences in the corpus and 10^5 in the texts, the chance that
    any two of them have the same hash by accident is 10^14 / 2^64, below 1 in 100,000.
    Memory depends on the texts and the longest piece, not on the size of the corpus.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """texts: those whose sequences are looked for."""
        spoken = [words(text) for text in texts]
        known = sorted({word for each in spoken for word in each})
        self._place = {word: place for place, word in enumerate(known, start=1)}
        draws = np.random.default_rng(13)
        self._codes = draws.integers(2**64, size=len(known) + 1, dtype=np.uint64)
        self._factors = draws.integers(2**63, size=SEQUENCE, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        places = [self._places(each) for each in spoken]
        self._n_words = [len(each) for each in spoken]
        self._of_texts = [self._hashes(each, np.arange(len(each) - SEQUENCE + 1)) for each in places]
        self._wanted = np.unique(np.concatenate([np.empty(0, np.uint64), *self._of_texts]))
        self._found: Bools = np.zeros(self._wanted.size, dtype=np.bool_)
        self._before = self._places([])

    def read(self, piece: Sequence[str], *, starts: bool) -> None:
        """Read the next words of the corpus. starts: True for the first piece of a document.

        A sequence may go from one piece of a document to the next, but not from one document to another.
        """
        before = self._before[:0] if starts else self._before
        places = np.concatenate([before, self._places(piece)])
        self._before = places[-(SEQUENCE - 1) :]
        # A sequence with a word that no text has is not in any text, and most have one.
        unknown = np.concatenate([[0], np.cumsum(places == 0)])
        hashes = self._hashes(places, np.flatnonzero(unknown[SEQUENCE:] == unknown[:-SEQUENCE]))
        if hashes.size and self._wanted.size:
            at = np.minimum(np.searchsorted(self._wanted, hashes), self._wanted.size - 1)
            self._found[at[self._wanted[at] == hashes]] = True

    def shared(self) -> list[Shared]:
        """Return, for each text, how many of its sequences the pieces read so far have."""
        in_corpus = (self._found[np.searchsorted(self._wanted, own)] for own in self._of_texts)
        counts = [(own.size, int(own.sum())) for own in in_corpus]
        return [Shared(size, *count) for size, count in zip(self._n_words, counts, strict=True)]

    def _places(self, piece: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the number of each word among those of the texts, from 1; 0 for another word."""
        return np.fromiter(map(self._place.get, piece, repeat(0)), np.int32, len(piece))

    def _hashes(self, places: npt.NDArray[np.int32], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Return the hashes of the sequences that begin at `starts`: sum_k factor_k code(word_k) modulo 2^64."""
        hashes = np.zeros(max(starts.size, 0), dtype=np.uint64)
        for offset, factor in enumerate(self._factors):
            hashes += factor * self._codes[places[starts + offset]]
        return hashes
