"""Concision: the most said in the words used."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace

from ..evidence import Evidence
from ..measure import Measure
from ..room import best_extract

WITHOUT_LIMIT = 0.5  # of the source's length: the room where the task states none
BRIEF = 0.6  # of the room: an answer this brief or briefer is held to what so many words could carry
UNEARNED = 0.5  # of the best yield: any sentences of a source share its words, so that much is no merit
TOO_THIN = 0.3  # of the room: an answer that fills less loses in proportion


def concision(evidence: Evidence) -> Measure:
    """Fit times yield.

    Fit is 1 for a length within the room, 0 from one and a half times the room on. Yield is the weight of
    source terms in the answer, as a share of what source sentences could carry in as many words (at least
    BRIEF of the room), counted from what is no merit; a term weighs as many source sentences as it stands
    in. None for a source without terms.
    """
    source, limits = evidence.source, evidence.case.constraints
    room = WITHOUT_LIMIT * source.word_count if limits.max_words is None else limits.max_words
    used = evidence.response.word_count
    weight = Counter[Hashable](term for terms in source.sentence_terms for term in terms)
    yardstick = replace(limits, max_words=int(min(room, max(BRIEF * room, used))))
    best = best_extract(source, yardstick, source.sentence_terms, weight.__getitem__)
    most = sum(weight[term] for term in frozenset[str]().union(*(source.sentence_terms[at] for at in best)))
    if not most or not room:
        return Measure(None)
    carried = sum(weight[term] for term in evidence.answer.terms & weight.keys()) / most
    fit = min(1.0, used / room / TOO_THIN, max(0.0, 3 - 2 * used / room))
    merit = min(1.0, max(0.0, (carried - UNEARNED) / (1 - UNEARNED)))
    return Measure(fit * merit, "too long or too short" if fit < 1 else "")
