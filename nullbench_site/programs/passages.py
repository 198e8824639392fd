"""Texts as passages of sentences, and the room that a task allows.

Text beyond the room earns no credit: a judge reads only as much as the task asks for. So a long answer gains nothing,
and a copy of the source is worth as much as its opening.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from nullbench_site.checks.reading import word_count
from nullbench_site.programs.english import (
    bullets,
    content_words,
    figures,
    lacking,
    normalise,
    sentences,
    spelled_figures,
    words,
)
from nullbench_site.programs.program import total

Count = Annotated[int, Meta(ge=1)]


class TaskConstraints(Struct, frozen=True, forbid_unknown_fields=True):
    """The form that the task asks for; None if it sets no limit."""

    max_sentences: Count | None = None
    min_sentences: Count | None = None
    max_words: Count | None = None
    min_words: Count | None = None
    format: Literal["prose", "bullets"] | None = None
    bullets: Count | None = None
    forbid: tuple[str, ...] = ()


class Passage(msgspec.Struct, frozen=True, dict=True):
    """A sequence of sentences."""

    sentences: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Passage:
        return cls(tuple(sentences(text)))

    @cached_property
    def text(self) -> str:
        return " ".join(self.sentences)

    @cached_property
    def normal(self) -> str:
        return normalise(self.text)

    @cached_property
    def normal_sentences(self) -> tuple[str, ...]:
        return tuple(map(normalise, self.sentences))

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all words, in lower case, unstemmed."""
        return frozenset(words(self.text))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        return tuple(figures(self.text))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Return the stems of content words, and the figures: the subject of the text."""
        return frozenset(content_words(self.text)).union(self.figures)

    @cached_property
    def known_figures(self) -> frozenset[str]:
        """Return the figures in digits or words, which an answer may cite."""
        return frozenset(self.figures).union(spelled_figures(self.text))

    @cached_property
    def subject(self) -> frozenset[str]:
        """Return the terms and the known figures: what an answer may say without adding to the text."""
        return self.terms | self.known_figures

    def added(self, response: str) -> list[tuple[int, int]]:
        """Return where a response has content words and figures that this text lacks: start and end in characters."""
        return lacking(response, self._known_terms)

    @cached_property
    def _known_terms(self) -> frozenset[str]:
        return frozenset(["", *(term.removesuffix("%") for term in self.subject)])

    @cached_property
    def sentence_terms(self) -> tuple[frozenset[str], ...]:
        """Return the terms of each sentence."""
        return tuple(frozenset(content_words(sentence) + figures(sentence)) for sentence in self.sentences)

    @cached_property
    def word_count(self) -> int:
        return sum(self.lengths)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Return the number of words in each sentence."""
        return tuple(word_count(sentence) for sentence in self.sentences)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        places: dict[str, list[int]] = {}
        for at, terms in enumerate(self.sentence_terms):
            for term in terms:
                places.setdefault(term, []).append(at)
        return places

    def closest(self, terms: frozenset[str]) -> int | None:
        """Return the sentence that shares most of `terms`, at least two of them; among equals, the first."""
        shared: dict[int, int] = {}
        for term in terms:
            for at in self._places.get(term, ()):
                shared[at] = shared.get(at, 0) + 1
        best = min(shared, key=lambda at: (-shared[at], at), default=None)
        return best if best is not None and shared[best] >= 2 else None


def within(response: str, limits: TaskConstraints) -> Passage:
    """Return the opening of the response that fits: as many bullets or sentences, then words, as the task allows."""
    if limits.format == "bullets":
        units = (bullets(response) or sentences(response))[: limits.bullets]
        parts = [part for unit in units for part in sentences(unit)]
    else:
        parts = sentences(response)
    kept: list[str] = []
    left = math.inf if limits.max_words is None else limits.max_words
    for part in parts[: limits.max_sentences]:
        n_words = part.count(" ") + 1
        if n_words > left:
            kept.append(" ".join(part.split()[: int(left)]))
            break
        kept.append(part)
        left -= n_words
    return Passage(tuple(part for part in kept if part))


def best_extract(
    source: Passage,
    limits: TaskConstraints,
    offers: Sequence[Collection[Hashable]],
    worth: Callable[[Hashable], int] = lambda offered: 1,
) -> list[int]:
    """Return the positions, in order, of source sentences that together offer most within the limits, chosen greedily.

    offers: the things that each source sentence offers. worth: of one thing, counted once. Greedy choice reaches at
    least 63 % of the best cover by a number of sentences (Nemhauser, Wolsey and Fisher, 1978). If not even one sentence
    fits, the best one is returned, as a bound on rewording.
    """
    tasks = min(
        math.inf if limits.max_sentences is None else limits.max_sentences,
        math.inf if limits.bullets is None else limits.bullets,
    )
    left = math.inf if limits.max_words is None else limits.max_words
    covered: set[Hashable] = set()
    chosen: list[int] = []
    queue = [(-total(map(worth, offer)), source.lengths[at], at) for at, offer in enumerate(offers) if offer]
    heapq.heapify(queue)
    fallback = [queue[0][2]] if queue else []
    while queue and len(chosen) < tasks:
        promised, length, at = heapq.heappop(queue)
        gain = total(worth(offered) for offered in offers[at] if offered not in covered)
        if not gain or length > left:
            continue
        if gain < -promised:  # gains only shrink, so an outdated promise is put back and the best stays on top
            heapq.heappush(queue, (-gain, length, at))
            continue
        chosen.append(at)
        covered.update(offers[at])
        left -= length
    return sorted(chosen) or fallback


def contains(text: str, key: str) -> bool:
    """Return True if `text` contains `key` from the start of a word on; both are normalised.

    The end is free, so that "clinic" finds "clinics", unless the key ends in a figure: "41" is not in "412" or "41.5".
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
