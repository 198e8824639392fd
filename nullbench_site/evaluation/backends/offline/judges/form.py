"""The judge of form: is it what was asked for, readable, and worth its length?

Sees: the constraints, sentences, and how much of the source's recurring vocabulary the answer carries in its
room. Cannot see: whether any of it is true. It knows no reference fact; a fluent, well-formed falsehood in
the source's own words passes. It judges salience by concision, the nearest it has, and every other goal rule
by its overall mean.
"""

from collections.abc import Mapping

from .aspects.concision import concision
from .aspects.readability import readability
from .aspects.task import task
from .evidence import ENOUGH_TERMS, Evidence
from .gates import declining
from .judge import Judge, Measures

SHORT = 60  # words; a longer text with one declining phrase is an answer, if a hesitant one


def _rules(evidence: Evidence, measures: Measures) -> Mapping[str, float | None]:
    return {"salience": measures["concision"].value}


def _declined(response: str) -> bool:
    """It declines anywhere and is short."""
    return len(response.split()) <= SHORT and any(declining(response))


def _evaded(evidence: Evidence) -> bool:
    """It is not about the source, or it takes up fewer of the source's terms than any answer needs."""
    return not evidence.topicality or evidence.shared_terms < min(ENOUGH_TERMS, len(evidence.source_terms))


FORM = Judge({"task": task, "readability": readability, "concision": concision}, _rules, _declined, _evaded)
