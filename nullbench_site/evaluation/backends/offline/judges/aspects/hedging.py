"""Hedging: what the source qualifies stays qualified, and its caveats are told."""

from ...text import normalise
from ..evidence import Evidence
from ..keys import attained
from ..lexicon import BOOSTERS, CONDITIONS, HEDGES
from ..measure import Measure

BOOSTER_COST = 0.25


def hedging(evidence: Evidence) -> Measure:
    """Mean of two: the caveat facts told, and the share of qualified source sentences used that stay so.

    Each word of certainty that the source does not use takes a quarter off. None without caveats and
    qualified sentences.
    """
    caveats = attained(evidence.facts("caveat"), evidence.answer, evidence.source, evidence.case.constraints)
    parts = [part for part in (caveats, _still_qualified(evidence)) if part is not None]
    if not parts:
        return Measure(None)
    boosters = set(BOOSTERS.findall(evidence.response.normal)) - set(BOOSTERS.findall(evidence.source.normal))
    value = sum(parts) / len(parts) * max(0.0, 1 - BOOSTER_COST * len(boosters))
    return Measure(value, "no caveat told" if caveats == 0 else "")


def _still_qualified(evidence: Evidence) -> float | None:
    """Of the answer's sentences whose closest source sentence is qualified, the share that are too."""
    kept = []
    for sentence, terms in zip(evidence.answer.sentences, evidence.answer.sentence_terms, strict=True):
        closest = evidence.source.closest(terms)
        if closest is not None and _qualified(evidence.source.sentences[closest]):
            kept.append(_qualified(sentence))
    return sum(kept) / len(kept) if kept else None


def _qualified(sentence: str) -> bool:
    text = normalise(sentence)
    return bool(HEDGES.search(text) or CONDITIONS.search(text))
