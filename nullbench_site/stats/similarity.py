"""How similar texts are to the passages of a corpus: by TF-IDF, and by edit distance."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from nullbench_site.stats.arrays import Floats, Ints

_BUCKETS = 2**20
"""Words are hashed into as many buckets, so that memory does not grow with the vocabulary of a corpus."""


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
