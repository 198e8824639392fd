"""The overlap of texts with a corpus, which is read piece by piece: shared sequences of words, and similarity.

A word is a run of letters, digits and underscores, in lower case. A sequence is 13 words in a row, at any place.
Source: Brown et al. (2020), Language models are few-shot learners, appendix C, where items share 13-grams with training
data.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.trust import SEQUENCE

_WORDS = re.compile(r"\w+")
_BUCKETS = 2**20
"""Words are hashed into as many buckets, so that memory does not grow with the vocabulary of a corpus."""


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


def edit_similarity(text: str, passage: str) -> float:
    """Return 1 - d / len(text), 0-1, for the part of the passage that is closest to the text.

    d: the fewest insertions, deletions and replacements of characters that turn the text into that part; at most the
    length of the text. 1 if the passage contains the text. ValueError for an empty text.
    Source: Sellers (1980), The theory and computation of evolutionary distances: pattern recognition.
    """
    if not text:
        raise ValueError("the text must have a character")
    characters, steps = _characters(passage), np.arange(len(passage) + 1)
    least = np.zeros(len(passage) + 1, dtype=np.int64)  # the part may begin anywhere in the passage
    for number, character in enumerate(_characters(text), start=1):
        replaced = least[:-1] + (characters != character)
        best = np.concatenate([[number], np.minimum(replaced, least[1:] + 1)])
        # Insertions add 1 for each step to the right: min_k<=j best_k + (j - k).
        least = np.minimum.accumulate(best - steps) + steps
    return 1 - int(least.min()) / len(text)


class TfIdf:
    """The cosine similarity of texts and passages, weighted by TF-IDF.

    The weight of a word is its count in the text times ln((1 + n) / (1 + df)) + 1, where df of the n passages counted
    so far have it. Two words in one bucket count as the same word.
    Source: Salton & Buckley (1988), Term-weighting approaches in automatic text retrieval; the smoothed form of
    scikit-learn's TfidfVectorizer, against which this is tested.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """texts: the words of each."""
        self._texts = _counts(texts)
        self._df: Ints = np.zeros(_BUCKETS, dtype=np.int64)
        self._n = 0

    def count(self, passages: Sequence[Sequence[str]]) -> None:
        """Count the words of passages, each given as its words. Count all before the first call of `cosines`."""
        self._df += np.bincount(_counts(passages).indices, minlength=_BUCKETS)
        self._n += len(passages)

    def cosines(self, passages: Sequence[Sequence[str]]) -> Floats:
        """Return (texts, passages) the cosine similarities, 0-1; 0 for a text or passage without a word."""
        return np.asarray((self._weighted(self._texts) @ self._weighted(_counts(passages)).T).toarray())

    def _weighted(self, counts: csr_array) -> csr_array:
        """Return counts as weights, each row of length 1."""
        weights = counts.data * (np.log((1 + self._n) / (1 + self._df[counts.indices])) + 1)
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(rows, np.square(weights), minlength=counts.shape[0]))
        return csr_array((weights / lengths[rows], counts.indices, counts.indptr), shape=counts.shape)


def _counts(texts: Sequence[Sequence[str]]) -> csr_array:
    """Return (texts, buckets) how often each has the words of a bucket."""
    sizes = [len(text) for text in texts]
    hashed = (zlib.crc32(word.encode()) for text in texts for word in text)
    buckets = np.fromiter(hashed, np.int64, sum(sizes)) % _BUCKETS
    rows = np.repeat(np.arange(len(texts)), sizes)
    counts = csr_array((np.ones(rows.size), (rows, buckets)), shape=(len(texts), _BUCKETS))
    counts.sum_duplicates()
    return counts


def _characters(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
