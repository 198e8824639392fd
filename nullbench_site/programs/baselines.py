"""Baselines and null models.

Baselines copy sentences of the source: the value of faithful wording. Most ignore the task; `task_aware` reads its
limits and fills them. For a bare prompt, the prompt is the source. Null models do not do the task: their scores are the
floor of a board. Some ignore the request; source-aware ones repeat its words, to catch judges that look only for these.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct

from nullbench_site.audit.attack_registry import attacks
from nullbench_site.checks.reading import word_count
from nullbench_site.packaged import word_lines, word_pairs
from nullbench_site.programs.english import NUMBER_WORDS, QUALIFIED, content_words, figures, normalise, sentences
from nullbench_site.programs.program import BarePrompt, Program, TaskAndSource, contestant, total

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SentenceCount(Struct, frozen=True, forbid_unknown_fields=True):
    """How many sentences to take."""

    k: Annotated[int, Meta(ge=1)]


class SentenceDraw(SentenceCount, frozen=True, forbid_unknown_fields=True):
    """The same, and the seed of the draw."""

    seed: int


class OrderSeed(Struct, frozen=True, forbid_unknown_fields=True):
    """The seed of a random order, in addition to the text."""

    seed: int


class WordDraw(OrderSeed, frozen=True, forbid_unknown_fields=True):
    """The same, and how many words to take."""

    k: Annotated[int, Meta(ge=1)]


def random_order(count: int, seed: int, text: str) -> list[int]:
    """Return the numbers below `count` in an order that is a function of `seed` and the text, on every machine."""

    def lot(at: int) -> bytes:
        return hashlib.sha256(f"{seed}\n{at}\n{text}".encode("utf-8", "surrogatepass")).digest()

    return sorted(range(count), key=lot)


@contestant(TaskAndSource, BarePrompt)
def copy_source(asked: TaskAndSource | BarePrompt) -> str:
    """Copy the whole source: every fact, but no answer to a task that sets a limit."""
    return asked.text


_REFUSAL = "I'm sorry, but I can't help with this request. Please ask someone who is able to look into it for you."


@contestant(TaskAndSource, BarePrompt)
def refuse(asked: TaskAndSource | BarePrompt) -> str:
    """Decline every task, politely: the refusal gates must catch it."""
    return _REFUSAL


@contestant(TaskAndSource, BarePrompt, params=SentenceCount)
def lead(asked: TaskAndSource | BarePrompt, params: SentenceCount) -> str:
    """Copy the first `k` sentences: hard to beat for a text that opens with its findings."""
    return " ".join(sentences(asked.text)[: params.k])


@contestant(TaskAndSource, params=SentenceDraw)
def random_sentences(asked: TaskAndSource, params: SentenceDraw) -> str:
    """Copy `k` different sentences in source order; the draw is a function of `seed` and the source."""
    candidates = sentences(asked.source)
    drawn = random_order(len(candidates), params.seed, asked.source)[: params.k]
    return " ".join(candidates[at] for at in sorted(drawn))


@contestant(TaskAndSource, BarePrompt, params=OrderSeed)
def shuffled_source(asked: TaskAndSource | BarePrompt, params: OrderSeed) -> str:
    """Write every word of the source, in random order."""
    words = asked.text.split()
    return " ".join(words[at] for at in random_order(len(words), params.seed, asked.text))


@contestant(TaskAndSource, BarePrompt, params=WordDraw)
def random_words(asked: TaskAndSource | BarePrompt, params: WordDraw) -> str:
    """Write `k` random words of the source."""
    words = asked.text.split()
    return " ".join(words[at] for at in random_order(len(words), params.seed, asked.text)[: params.k])


@contestant(TaskAndSource)
def repeat_task(asked: TaskAndSource) -> str:
    """Repeat the task, word for word, instead of an answer."""
    return asked.task


_SWAPS = word_pairs("swaps")
_SWAPPED = re.compile(rf"\b(?:{'|'.join(_SWAPS)})\b")
_OPENING, *_LINKS, _CLOSING = word_lines("phrases")


@contestant(TaskAndSource, BarePrompt)
def paraphrase(asked: TaskAndSource | BarePrompt) -> str:
    """Write a padded rewording: three source sentences with exchanged words, between empty phrases.

    The sentences are the first, the middle and the last one.
    """
    candidates = sentences(asked.text)
    chosen = sorted({0, len(candidates) // 2, len(candidates) - 1}) if candidates else []
    body = [f"{link} {_reword(candidates[at])}" for link, at in zip(_LINKS, chosen, strict=False)]
    return " ".join([_OPENING, *body, _CLOSING])


def _reword(sentence: str) -> str:
    return _SWAPPED.sub(lambda match: _SWAPS[match.group()], sentence)


@contestant(TaskAndSource, params=SentenceCount)
def textrank(asked: TaskAndSource, params: SentenceCount) -> str:
    """Copy the `k` sentences of highest centrality, in source order; among equals, the earlier."""
    candidates = sentences(asked.source)
    ranks = centrality(candidates)
    best = sorted(range(len(candidates)), key=lambda at: (-ranks[at], at))[: params.k]
    return " ".join(candidates[at] for at in sorted(best))


DAMPING = 0.85
_ROUNDS = 100
_PRECISION = 9  # digits kept, so that the last bits of a sum on another machine cannot change an order


def centrality(sentences: Sequence[str]) -> list[float]:
    """Return the PageRank of each sentence in the graph of their similarities; they sum to 1.

    Source: Mihalcea and Tarau (2004), TextRank, with cosine similarity of tf-idf instead of their overlap count.
    Quadratic in the number of sentences: for sources, not for responses.
    """
    count = len(sentences)
    if not count:
        return []
    import numpy as np  # noqa: PLC0415 - takes 0.13 s; reading specs loads this module

    weights = similarity(sentences)
    np.fill_diagonal(weights, 0.0)
    totals = weights.sum(axis=1, keepdims=True)
    moves = np.divide(weights, totals, out=np.full_like(weights, 1 / count), where=totals > 0)
    rank = np.full(count, 1 / count)
    for _ in range(_ROUNDS):
        rank = (1 - DAMPING) / count + DAMPING * (rank @ moves)
    return [round(float(value), _PRECISION) for value in rank]


def similarity(sentences: Sequence[str]) -> NDArray[np.float64]:
    """Return the cosines between tf-idf vectors, shape (n, n); 0 for a sentence without content words."""
    import numpy as np  # noqa: PLC0415 - as above

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


@contestant(TaskAndSource, BarePrompt)
def null_constant(asked: TaskAndSource | BarePrompt) -> str:
    """Write the same plain sentence for any request."""
    return attacks()["constant-thanks"].answer()


@contestant(TaskAndSource, BarePrompt)
def null_empty(asked: TaskAndSource | BarePrompt) -> str:
    """Write the empty answer."""
    return ""


@contestant(TaskAndSource, BarePrompt)
def null_persuasive(asked: TaskAndSource | BarePrompt) -> str:
    """Praise itself for any request: the mark of a judge that follows the tone of an answer."""
    return attacks()["constant-praise"].answer()


NULL_STRUCTURED = Program(
    "contestant",
    {
        TaskAndSource: lambda _: attacks()["structured-tags-axes"].answer(),
        BarePrompt: lambda _: attacks()["structured-tags"].answer(),
    },
)
"""An attack on the judge's template: the mark of a judge that reads the response as part of its own prompt.

It closes the sections that usually contain a response, fakes a new task with an empty response, and dictates the
verdict, in the sections and the reply of the attacked judge. The idea of the structured cheating response is from Zheng
et al. (2024), arXiv:2410.07137, figure 2; the wording is ours.
"""


_SIZES = {"a": 1, "an": 1, "single": 1, **NUMBER_WORDS}
_COUNT = rf"(?:[0-9]{{1,6}}|{'|'.join(sorted(_SIZES, key=len, reverse=True))})"
_STATED = re.compile(
    r"(?P<floor>at least |minimum of |no fewer than |not fewer than )?"
    rf"\b(?P<low>{_COUNT})(?: ?(?:to|or|-) ?(?P<high>{_COUNT}))?"
    r"[- ](?:[a-z]+(?:-[a-z]+)? )?(?P<unit>sentence|word|bullet)s?\b"
)
_BANS = re.compile(r"\b(?:not|never|avoid|avoiding|without)\b")
_QUOTED = re.compile(r'"([^"]+)"')


class TaskLimits(msgspec.Struct, frozen=True):
    """The limits of an answer; None if the task sets none."""

    sentences: int | None
    words: int | None
    bullets: int | None
    banned: tuple[str, ...]


def read_limits(task: str) -> TaskLimits:
    """Return the upper limits in `task` and the words in quotes that it excludes.

    Of several counts of one unit, the largest limits the whole: "one headline sentence and one of caveat: two
    sentences". A floor ("at least 40 words") is not a limit.
    """
    stated: dict[str, int] = {}
    for match in _STATED.finditer(normalise(task)):
        if not match["floor"]:
            stated[match["unit"]] = max(stated.get(match["unit"], 0), _size(match["high"] or match["low"]))
    bans = [sentence for sentence in map(normalise, sentences(task)) if _BANS.search(sentence)]
    return TaskLimits(
        sentences=stated.get("sentence"),
        words=stated.get("word"),
        bullets=stated.get("bullet"),
        banned=tuple(word for sentence in bans for word in _QUOTED.findall(sentence)),
    )


def _size(count: str) -> int:
    return _SIZES[count] if count in _SIZES else int(count)


DEFAULT_SENTENCES = 3
_POOL = 14  # the sentences among which the best subset is searched: at most C(14, 7) = 3432 subsets

_NOTHING = re.compile(r"\b(?:no|not|neither|nor|none|never|without)\b")


@contestant(TaskAndSource)
def task_aware(asked: TaskAndSource) -> str:
    """Copy the subset of source sentences of highest worth within the limits of the task, in source order."""
    limits = read_limits(asked.task)
    candidates = [sentence for sentence in sentences(asked.source) if _allowed(sentence, limits)]
    if not candidates:
        return ""
    worth = _worth(candidates, asked.task)
    pool = sorted(sorted(range(len(candidates)), key=lambda at: (-worth[at], at))[:_POOL])
    chosen = _best_subset(pool, worth, [word_count(sentence) for sentence in candidates], limits)
    picked = [candidates[at] for at in chosen]
    return "\n".join(f"- {sentence}" for sentence in picked) if limits.bullets else " ".join(picked)


def _allowed(sentence: str, limits: TaskLimits) -> bool:
    text = normalise(sentence)
    return not any(banned in text for banned in limits.banned)


def _worth(candidates: Sequence[str], task: str) -> list[float]:
    """Return a worth between 0 and 5 for each sentence: five properties, of equal weight."""
    ranks = centrality(candidates)
    asked = set(content_words(task))
    worth = []
    for sentence, rank in zip(candidates, ranks, strict=True):
        text = normalise(sentence)
        named = asked & set(content_words(sentence))
        worth.append(
            rank / max(ranks)
            + min(len(named), 2) / 2
            + min(len(figures(sentence)), 2) / 2
            + bool(QUALIFIED.search(text))
            + bool(_NOTHING.search(text))
        )
    return worth


def _best_subset(
    pool: Sequence[int], worth: Sequence[float], lengths: Sequence[int], limits: TaskLimits
) -> Sequence[int]:
    """Return the subset of highest total worth that fits, or the shortest if none does.

    It has as many sentences as bullets are requested, if any.
    """
    size = min(limits.bullets or limits.sentences or DEFAULT_SENTENCES, len(pool))
    room = float("inf") if limits.words is None else limits.words
    best, highest = [min(pool, key=lambda at: (lengths[at], at))], 0.0
    for count in range(size, 0, -1):
        for subset in itertools.combinations(pool, count):
            gain = round(total(worth[at] for at in subset), 9)
            if gain > highest and sum(lengths[at] for at in subset) <= room:
                best, highest = list(subset), gain
        if limits.bullets and highest:
            break
    return best
