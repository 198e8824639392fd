"""What the measures of one case share: texts as passages, the room a task gives, reference facts, topicality.

What stands beyond the room earns no credit: a judge reads as much as was asked for. So no answer gains by
being long, and a copy of the source is worth what its opening is worth.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.programs.source_judges.case import Case, Constraints, Fact
from nullbench_site.programs.text import (
    bullets,
    content_words,
    figures,
    normalise,
    sentences,
    spelled_figures,
    word_count,
    words,
)


@dataclass(frozen=True)
class Passage:
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


def within(response: str, limits: Constraints) -> Passage:
    """The opening of the response that fits: as many bullets or sentences, then words, as the task allows."""
    if limits.format == "bullets":
        units = (bullets(response) or sentences(response))[: limits.bullets]
        parts = [part for unit in units for part in sentences(unit)]
    else:
        parts = sentences(response)
    kept: list[str] = []
    left = math.inf if limits.max_words is None else limits.max_words
    for part in parts[: limits.max_sentences]:
        tokens = part.split()
        if len(tokens) > left:
            kept.append(" ".join(tokens[: int(left)]))
            break
        kept.append(part)
        left -= len(tokens)
    return Passage(tuple(part for part in kept if part))


def best_extract(
    source: Passage,
    limits: Constraints,
    offers: Sequence[Collection[Hashable]],
    worth: Callable[[Hashable], int] = lambda offered: 1,
) -> list[int]:
    """Source sentences that together offer most within the limits, chosen greedily; their positions in order.

    offers: what each source sentence offers; worth: of one thing offered, counted once. Greedy choice reaches at
    least 63 % of the best cover by a number of sentences (Nemhauser, Wolsey and Fisher, 1978). If not even one
    sentence fits, the best one stands for what rewording could do.
    """
    seats = min(
        math.inf if limits.max_sentences is None else limits.max_sentences,
        math.inf if limits.bullets is None else limits.bullets,
    )
    left = math.inf if limits.max_words is None else limits.max_words
    covered: set[Hashable] = set()
    chosen: list[int] = []
    queue = [(-sum(map(worth, offer)), source.lengths[at], at) for at, offer in enumerate(offers) if offer]
    heapq.heapify(queue)
    fallback = [queue[0][2]] if queue else []
    while queue and len(chosen) < seats:
        promised, length, at = heapq.heappop(queue)
        gain = sum(worth(offered) for offered in offers[at] if offered not in covered)
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


@dataclass(frozen=True)
class Measure:
    """`value`: 0 (worst) to 1 (best), None if there is nothing to measure; `note`: evidence in a few words."""

    value: float | None
    note: str = ""


OFF_TOPIC = 0.25  # share of terms from the source at and below which a response is not about it
ON_TOPIC = 0.50  # share from which it counts in full: an honest rewording keeps half of the words that matter
ENOUGH_TERMS = 5  # a response that takes up fewer says little, and half as many nothing, about the source


@dataclass(frozen=True)
class Evidence:
    """A case and its readings."""

    case: Case

    @cached_property
    def source(self) -> Passage:
        return Passage.of(self.case.source)

    @cached_property
    def response(self) -> Passage:
        """All of the response: where inventions and loaded words count wherever they stand."""
        return Passage.of(self.case.response)

    @cached_property
    def answer(self) -> Passage:
        """The response as far as it fits the room: where facts and caveats are credited."""
        return within(self.case.response, self.case.constraints)

    @cached_property
    def shared_terms(self) -> int:
        """Distinct content words and figures of the response that come from the source."""
        return len(self.response.terms & self.source_terms)

    @cached_property
    def source_terms(self) -> frozenset[str]:
        return self.source.terms | self.source.known_figures

    @cached_property
    def topicality(self) -> float:
        """0 for a response that is not about the source, 1 for one that is, linear between.

        Fidelity to a text means nothing for words about something else: they invent no figure and overstate
        no finding, and a judge who looks only for faults would reward them. So every measure is multiplied
        by this one, and nothing a response says about itself or to its judge can raise it.
        """
        if not self.shared_terms:
            return 0.0
        share = self.shared_terms / len(self.response.terms)
        enough = min(ENOUGH_TERMS, len(self.source_terms))
        return _ramp(share, OFF_TOPIC, ON_TOPIC) * _ramp(self.shared_terms, enough // 2, enough)

    def facts(self, *kinds: str) -> tuple[Fact, ...]:
        """The reference facts of `kinds`, or all."""
        return tuple(fact for fact in self.case.facts if fact.keys and (not kinds or fact.kind in kinds))


def _ramp(value: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high` on, linear between."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
