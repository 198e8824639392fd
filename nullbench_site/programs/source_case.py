"""Evidence for judges by a source: the case, its facts, and whether the response is prose about the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from nullbench_site.programs.aspects import Aspect, Dimension
from nullbench_site.programs.contradictions import Contradiction, ReferenceText, parts, soundness
from nullbench_site.programs.english import STOP_WORDS, disorder, normalise, sentences, words
from nullbench_site.programs.marks import Statement
from nullbench_site.programs.passages import Passage, TaskConstraints, best_extract, contains, within
from nullbench_site.programs.program import mean, ramp, total

Whole = Annotated[int, Meta(ge=0)]


class CaseAxis(Struct, frozen=True):
    """An axis with its aspects."""

    id: str
    aspects: tuple[Aspect, ...]


class CaseRule(Struct, frozen=True):
    """A rule of the goal, by the fidelity dimension it is under."""

    dimension: Dimension
    weight: Whole


class CaseGoal(Struct, frozen=True):
    """The definition of a good answer. alignment_target: 1-5 by axis; None for an axis that is not in it."""

    alignment_target: dict[str, Whole]
    rules: tuple[CaseRule, ...]


FactKind = Literal["scope", "positive", "null", "negative", "caveat", "context"]


class CaseFact(Struct, frozen=True):
    """A reference fact. An answer states it if it has one of the alternatives, separated by |, of each of `keys`."""

    kind: FactKind
    keys: tuple[str, ...]
    text: str = ""


class SourceCase(Struct, frozen=True):
    """One response to judge, with everything the judge may see."""

    axes: tuple[CaseAxis, ...]
    goal: CaseGoal
    task: str
    source: str
    constraints: TaskConstraints
    facts: tuple[CaseFact, ...]
    response: str
    gates: bool


def keys_found(fact: CaseFact, text: str) -> list[int]:
    """Return the positions of the keys of `fact` of which the normalised `text` contains an alternative."""
    return [at for at, key in enumerate(fact.keys) if _has(text, key)]


def _has(text: str, key: str) -> bool:
    return any(each in text and contains(text, each) for each in _alternatives(key))


@lru_cache(maxsize=1 << 14)
def _known(fact: CaseFact, sentence: str) -> list[int]:
    """Return `keys_found` in a sentence of a source, cached because it is needed for every response."""
    return keys_found(fact, sentence)


@lru_cache(maxsize=1 << 13)
def _alternatives(key: str) -> Sequence[str]:
    return [each for each in map(normalise, key.split("|")) if each]


def support(fact: CaseFact, text: str) -> float:
    """Return 1 if all keys are found, else the square of their share: half a fact is worth a quarter."""
    return (len(keys_found(fact, text)) / len(fact.keys)) ** 2


def mean_support(facts: Sequence[CaseFact], text: str) -> float:
    """Return the mean support of `facts`, at least one, in the normalised `text`."""
    return mean([support(fact, text) for fact in facts])


def stated(facts: Sequence[CaseFact], text: str) -> list[bool]:
    """Return for each fact whether the normalised `text` has an alternative of each of its keys."""
    return [all(_has(text, key) for key in fact.keys) for fact in facts]


class AspectMeasure(msgspec.Struct, frozen=True):
    """`value`: 0 (worst) to 1 (best), None if there is nothing to measure; `note`: evidence in a few words."""

    value: float | None
    note: str = ""


OFF_TOPIC = 0.25  # at or below this share of terms from the source, a response is not about it
ON_TOPIC = 0.50  # from this share on it counts in full: an honest rewording keeps half of the important words
ENOUGH_TERMS = 5  # a response with fewer of its terms says little about the source, and with half as many nothing


MOST_READ = 100  # sentences of a response that are compared with the reference


@lru_cache(maxsize=1024)
def _passage(source: str) -> Passage:
    return Passage.of(source)


@lru_cache(maxsize=1024)
def _reference(source: str, facts: tuple[str, ...]) -> ReferenceText:
    return ReferenceText.of(parts([*_passage(source).sentences, *(line for fact in facts for line in sentences(fact))]))


# The judges of a panel read the same response one after the other.
@lru_cache(maxsize=4)
def _response(text: str) -> Passage:
    return Passage.of(text)


@lru_cache(maxsize=4)
def _statements(
    source: str, facts: tuple[str, ...], response: str
) -> tuple[Sequence[Statement], Sequence[Sequence[Contradiction]]]:
    reference = _reference(source, facts)
    read = [reference.read(part) for part in parts(_response(response).sentences[:MOST_READ])]
    return read, [reference.findings(statement) for statement in read]


class Evidence(msgspec.Struct, frozen=True, dict=True):
    """A case and the evidence in it, computed once."""

    case: SourceCase

    @cached_property
    def source(self) -> Passage:
        return _passage(self.case.source)

    @cached_property
    def reference(self) -> ReferenceText:
        """Return the known truth: the source and the reference facts."""
        return _reference(self.case.source, tuple(fact.text for fact in self.case.facts))

    @property
    def statements(self) -> Sequence[Statement]:
        """Return the opening of the response as statements: one per sentence, or more if semicolons separate them."""
        return self._read[0]

    @property
    def findings(self) -> Sequence[Sequence[Contradiction]]:
        """Return the contradictions of each statement."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Sequence[Statement], Sequence[Sequence[Contradiction]]]:
        return _statements(self.case.source, tuple(fact.text for fact in self.case.facts), self.case.response)

    @cached_property
    def soundness(self) -> float:
        """Return the mean soundness of statements, weighted by content words; 1 for a response without any."""
        sizes = [len(statement.content) for statement in self.statements]
        kept = total(size * soundness(own) for size, own in zip(sizes, self.findings, strict=True))
        return kept / sum(sizes) if any(sizes) else 1.0

    @cached_property
    def standing(self) -> float:
        """Return the factor of every measure: topicality, and whether the words form sentences."""
        if not self.topicality:
            return 0.0
        in_order = order(self.case.response, self.statements, self.reference)
        return self.topicality * in_order * sentencehood(self.case.response)

    @cached_property
    def response(self) -> Passage:
        """Return the whole response, in which inventions and loaded words count everywhere."""
        return _response(self.case.response)

    @cached_property
    def answer(self) -> Passage:
        """Return the part of the response that fits the room, in which facts and caveats are credited."""
        return within(self.case.response, self.case.constraints)

    @cached_property
    def shared_terms(self) -> int:
        """Return the number of different content words and figures of the response that come from the source."""
        return len(self.response.terms & self.source_terms)

    @cached_property
    def source_terms(self) -> frozenset[str]:
        return self.source.subject

    @cached_property
    def topicality(self) -> float:
        """Return 0 for a response that is not about the source, 1 for one that is, linear between.

        Fidelity to a text means nothing for words about something else: they invent no figure and overstate no finding,
        and a judge that looks only for faults would reward them. So every measure is multiplied by this one. Nothing
        that a response says about itself or to its judge can raise it.
        """
        if not self.shared_terms:
            return 0.0
        share = self.shared_terms / len(self.response.terms)
        enough = min(ENOUGH_TERMS, len(self.source_terms))
        return ramp(share, OFF_TOPIC, ON_TOPIC) * ramp(self.shared_terms, enough // 2, enough)

    def facts(self, *kinds: str) -> tuple[CaseFact, ...]:
        """Return the reference facts of `kinds`, or all."""
        return tuple(fact for fact in self.case.facts if fact.keys and (not kinds or fact.kind in kinds))

    def attained(self, facts: Sequence[CaseFact]) -> float | None:
        """Return the support of `facts` by the answer over that by source sentences in the same room, at most 1.

        Few rooms have space for all facts. None without facts, or if no source sentence supports one.
        """
        if not facts:
            return None
        normal = self.source.normal_sentences
        offers = [[(n, key) for n, fact in enumerate(facts) for key in _known(fact, text)] for text in normal]
        chosen = best_extract(self.source, self.case.constraints, offers)
        best = mean_support(facts, " ".join(normal[at] for at in chosen))
        return min(1.0, mean_support(facts, self.answer.normal) / best) if best else None


PRIOR = 2.0, 4.0
"""Familiar pairs, and pairs, that are added for every text, because a short text is weak evidence."""
SCRAMBLED, ORDERED = 0.18, 0.32


def order(text: str, statements: Sequence[Statement], reference: ReferenceText) -> float:
    """Return 0 for words in disorder, 1 for sentences, linear between. No grammar is parsed.

    It is the share of pairs of neighbours known to the reference, among those whose words it has, less the share of
    misplaced function words. For reworded facts of the shipped items the first share is 0.51 or more; for answers with
    shuffled words it is 0.30 at most. It does not detect a wrong order of content words if the function words keep
    their places. Takes time linear in the text.
    """
    counts = [reference.familiar(statement) for statement in statements]
    familiar, possible = (
        prior + sum(column) for prior, column in zip(PRIOR, zip((0, 0), *counts, strict=True), strict=True)
    )
    return ramp(familiar / possible - disorder(text), SCRAMBLED, ORDERED)


_PARTS = re.compile(r"[,;:.!?()\n|/\u2022]+")
CLAUSE = 4  # words from which a part between marks can make a statement
LISTED, TOLD = (0.35, 0.65), (0.15, 0.28)


def sentencehood(text: str) -> float:
    """Return 0 for a list of words and phrases, 1 for clauses; 0 for an empty text.

    It uses the share of words in parts that are as long as a clause and have a function word, and the share of function
    words.
    """
    total = clauses = functions = 0
    for part in _PARTS.split(text):
        own = words(part)
        held = sum(word in STOP_WORDS for word in own)
        total, functions = total + len(own), functions + held
        clauses += len(own) * (len(own) >= CLAUSE and held > 0)
    return ramp(clauses / total, *LISTED) * ramp(functions / total, *TOLD) if total else 0.0
