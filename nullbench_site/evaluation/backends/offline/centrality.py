"""Which sentences of a text say what the others say too."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .text import content_words, figures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DAMPING = 0.85
_ROUNDS = 100
_PRECISION = 9  # digits kept, so that the last bits of a sum on another machine cannot change an order


def centrality(sentences: Sequence[str]) -> list[float]:
    """PageRank of each sentence in the graph of their similarities; sums to 1.

    Source: Mihalcea and Tarau (2004), TextRank, with cosine similarity of tf-idf instead of their overlap
    count. Quadratic in the number of sentences: for sources, not for responses.
    """
    count = len(sentences)
    if not count:
        return []
    import numpy as np  # 0.2 s that a command which only checks names and parameters need not wait for

    weights = similarity(sentences)
    np.fill_diagonal(weights, 0.0)
    totals = weights.sum(axis=1, keepdims=True)
    moves = np.divide(weights, totals, out=np.full_like(weights, 1 / count), where=totals > 0)
    rank = np.full(count, 1 / count)
    for _ in range(_ROUNDS):
        rank = (1 - DAMPING) / count + DAMPING * (rank @ moves)
    return [round(float(value), _PRECISION) for value in rank]


def similarity(sentences: Sequence[str]) -> NDArray[np.float64]:
    """Cosines between tf-idf vectors, shape (n, n); 0 for a sentence without content words."""
    import numpy as np

    bags = [Counter(content_words(sentence) + figures(sentence)) for sentence in sentences]
    spread = Counter(term for bag in bags for term in bag)
    column = {term: at for at, term in enumerate(spread)}
    vectors = np.zeros((len(bags), max(1, len(column))))
    for row, bag in enumerate(bags):
        for term, times in bag.items():
            vectors[row, column[term]] = times * math.log(1 + len(bags) / spread[term])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return np.asarray(units @ units.T)
