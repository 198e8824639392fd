"""The judge of support: is it in the source, and are the reference facts in it?

Sees: the keys of the reference facts, figures, and capitalised words. Cannot see: whether the words between
right figures say what the source says ("rose" for "fell"), a fact told without any of its keys, a name that
opens a sentence, a wrong relation between right names. It judges goal rules by the nearest it has: scope
facts for scope, all facts for causality, caveat facts for hedging, findings for salience, invented names and
numbers for framing.
"""

from collections.abc import Mapping

from .aspects.facts import facts
from .aspects.names import names
from .aspects.numbers import numbers
from .evidence import Evidence
from .gates import declining
from .judge import Judge, Measures
from .keys import attained, keys_found


def _rules(evidence: Evidence, measures: Measures) -> Mapping[str, float | None]:
    def told(*kinds: str) -> float | None:
        return attained(evidence.facts(*kinds), evidence.answer, evidence.source, evidence.case.constraints)

    invention = [value for aspect in ("names", "numbers") if (value := measures[aspect].value) is not None]
    return {
        "scope": told("scope"),
        "causality": measures["facts"].value,
        "hedging": told("caveat"),
        "salience": told("positive", "null", "negative"),
        "framing": min(invention, default=None),
    }


def _declined(response: str) -> bool:
    """One of its first two sentences declines."""
    return any(declining(response)[:2])


def _evaded(evidence: Evidence) -> bool:
    """It is not about the source, or it takes up little of it and tells no part of any fact."""
    untold = not any(keys_found(fact, evidence.response.normal) for fact in evidence.facts())
    return not evidence.topicality or (evidence.topicality < 0.5 and untold)


SUPPORT = Judge({"facts": facts, "numbers": numbers, "names": names}, _rules, _declined, _evaded)
