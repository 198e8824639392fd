"""Facts: the reference told, as far as the room could hold it, and no sentence turned around."""

from ..evidence import Evidence
from ..keys import attained, keys_found
from ..measure import Measure
from ..reversal import reversals

REVERSAL_COST = 0.3


def facts(evidence: Evidence) -> Measure:
    """Facts told, as a share of what source sentences in the same room tell; each reversal takes 0.3 off."""
    known = evidence.facts()
    told = attained(known, evidence.answer, evidence.source, evidence.case.constraints)
    turned = reversals(evidence)
    whole = sum(len(keys_found(fact, evidence.answer.normal)) == len(fact.keys) for fact in known)
    note = f"{whole} of {len(known)} facts found" + (f", {turned} turned around" if turned else "")
    return Measure(None if told is None else max(0.0, told - REVERSAL_COST * turned), note)
