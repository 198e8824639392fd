"""The judge of restraint: is it as narrow, as careful and as cool as the source?

Sees: scope and caveat facts by their keys, words that qualify, words that claim a cause, the shares of
favourable and other findings told, loaded words. Cannot see: a qualification or a cause put into words
outside its lists, irony, an emphasis made by order alone, whether a hedge stands at the right claim within
its sentence. Every goal dimension is one of its own measures.
"""

from collections.abc import Mapping

from .aspects.causality import causality
from .aspects.framing import framing
from .aspects.hedging import hedging
from .aspects.salience import salience
from .aspects.scope import scope
from .evidence import Evidence
from .gates import declining
from .judge import Judge, Measures


def _rules(evidence: Evidence, measures: Measures) -> Mapping[str, float | None]:
    return {dimension: measure.value for dimension, measure in measures.items()}


def _declined(response: str) -> bool:
    """A third or more of its sentences decline."""
    lines = declining(response)
    return bool(lines) and 3 * sum(lines) >= len(lines)


def _evaded(evidence: Evidence) -> bool:
    """It is not about the source, or it speaks of declining and takes up little of it."""
    return not evidence.topicality or (evidence.topicality < 0.5 and any(declining(evidence.case.response)))


RESTRAINT = Judge(
    {"scope": scope, "causality": causality, "hedging": hedging, "salience": salience, "framing": framing},
    _rules,
    _declined,
    _evaded,
)
