"""Causality: no cause is claimed that the source does not claim, and its cautions about causes are kept."""

from ...text import normalise, stem
from ..evidence import Evidence
from ..lexicon import CAUSAL_CAUTION, CAUSES, DENIALS
from ..measure import Measure

UNFOUNDED_COST = 0.5
CAUTION_SHARE = 0.25  # the axis asks, at its top, that the answer also say why cause is or is not shown


def causality(evidence: Evidence) -> Measure:
    """Each unfounded causal claim costs half. A quarter is for keeping a caution, if the source has one."""
    unfounded = _unfounded(evidence)
    value = max(0.0, 1 - UNFOUNDED_COST * unfounded)
    if CAUSAL_CAUTION.search(evidence.source.normal) and not CAUSAL_CAUTION.search(evidence.answer.normal):
        value *= 1 - CAUTION_SHARE
    return Measure(value, f"{unfounded} causal claim{'s' * (unfounded != 1)} beyond the source" if unfounded else "")


def _unfounded(evidence: Evidence) -> int:
    """Sentences with a causal word that has no ground in the source.

    It has one if the same word stands anywhere in the source, or any causal word in the closest sentence.
    Denied and undenied claims are different claims: "did not reduce" founds no "reduced". A sentence counts
    as denied if a denial stands anywhere in it, which is crude.
    """
    founded = {
        (_denied(sentence), stem(match.group()))
        for sentence in map(normalise, evidence.source.sentences)
        for match in CAUSES.finditer(sentence)
    }
    count = 0
    for at, sentence in enumerate(map(normalise, evidence.response.sentences)):
        claims = {(_denied(sentence), stem(match.group())) for match in CAUSES.finditer(sentence)}
        count += bool(claims - founded) and not _close_claim(evidence, at, _denied(sentence))
    return count


def _close_claim(evidence: Evidence, at: int, denied: bool) -> bool:
    """Whether the source sentence closest to sentence `at` of the response claims a cause, denied alike."""
    closest = evidence.source.closest(evidence.response.sentence_terms[at])
    if closest is None:
        return False
    sentence = normalise(evidence.source.sentences[closest])
    return bool(CAUSES.search(sentence)) and _denied(sentence) == denied


def _denied(sentence: str) -> bool:
    return bool(DENIALS.search(sentence))
