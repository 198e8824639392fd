"""Contestants that take sentences of the source as they are, whatever the task: what faithful wording is worth."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nullbench_site.programs.arguments import Params, only, whole_number
from nullbench_site.programs.text import content_words, figures, sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def copy_source(params: Params, task: str, source: str) -> str:
    """The source whole: every fact, and no answer to a task that sets a limit."""
    only(params, [])
    return source


_REFUSAL = "I'm sorry, but I can't help with this request. Please ask someone who is able to look into it for you."


def refuse(params: Params, task: str, source: str) -> str:
    """Declines every task, politely: what the refusal gates must catch."""
    only(params, [])
    return _REFUSAL


def lead(params: Params, task: str, source: str) -> str:
    """The first `k` sentences, as they stand: hard to beat where a text opens with its findings."""
    only(params, ["k"])
    return " ".join(sentences(source)[: whole_number(params, "k", least=1)])


def random_sentences(params: Params, task: str, source: str) -> str:
    """`k` different sentences in source order; the draw is a function of `seed` and the source."""
    only(params, ["k", "seed"])
    wanted = whole_number(params, "k", least=1)
    seed = whole_number(params, "seed")
    candidates = sentences(source)

    def lot(at: int) -> bytes:
        return hashlib.sha256(f"{seed}\n{at}\n{source}".encode("utf-8", "surrogatepass")).digest()

    drawn = sorted(range(len(candidates)), key=lot)[:wanted]
    return " ".join(candidates[at] for at in sorted(drawn))


_SWAPS = {
    "about": "approximately",
    "after": "subsequent to",
    "also": "additionally",
    "because": "owing to the fact that",
    "before": "prior to",
    "but": "although",
    "during": "over the course of",
    "found": "arrived at the finding of",
    "had": "possessed",
    "however": "that being said",
    "most": "the greater part of",
    "only": "merely",
    "people": "individuals",
    "said": "went on record to say",
    "showed": "served to illustrate",
    "some": "a certain number of",
    "used": "made use of",
    "while": "at the same time as",
}
_SWAPPED = re.compile(rf"\b(?:{'|'.join(_SWAPS)})\b")
_OPENING = "In the context of the material under discussion, it is worth setting out some general considerations."
_LINKS = (
    "To begin with, it may be helpful to bear in mind the following:",
    "Turning to a further aspect that readers may well find of interest, one might put it this way:",
    "Last but not least, and without wishing to labour the point, it should be noted as follows:",
)
_CLOSING = (
    "All in all, the matters touched upon above are of course open to discussion, "
    "and a fuller treatment would naturally go into considerably more detail."
)


def paraphrase(params: Params, task: str, source: str) -> str:
    """A padded rewording: first, middle and last source sentence words swapped, between phrases that say nothing."""
    only(params, [])
    candidates = sentences(source)
    chosen = sorted({0, len(candidates) // 2, len(candidates) - 1}) if candidates else []
    body = [f"{link} {_reword(candidates[at])}" for link, at in zip(_LINKS, chosen, strict=False)]
    return " ".join([_OPENING, *body, _CLOSING])


def _reword(sentence: str) -> str:
    return _SWAPPED.sub(lambda match: _SWAPS[match.group()], sentence)


def textrank(params: Params, task: str, source: str) -> str:
    """The `k` sentences of highest centrality, in source order; of equals, the earlier."""
    only(params, ["k"])
    wanted = whole_number(params, "k", least=1)
    candidates = sentences(source)
    ranks = centrality(candidates)
    best = sorted(range(len(candidates)), key=lambda at: (-ranks[at], at))[:wanted]
    return " ".join(candidates[at] for at in sorted(best))


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
