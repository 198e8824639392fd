"""Numbers: none invented, and those that the reference rests on kept."""

from ...text import printable
from ..case import Fact
from ..evidence import Evidence
from ..keys import attained
from ..measure import Measure

INVENTED_COST = 0.5  # one invented figure halves the measure, two end it


def numbers(evidence: Evidence) -> Measure:
    """Half for keeping key figures, half for the rest; then what invented figures leave of it.

    None if the reference has no key figure and the response no figure at all.
    """
    invented = sorted(set(evidence.response.figures) - evidence.source.known_figures)
    keeping = attained(_figure_facts(evidence), evidence.answer, evidence.source, evidence.case.constraints)
    if keeping is None and not evidence.response.figures:
        return Measure(None)
    kept = 1.0 if keeping is None else (1 + keeping) / 2
    shown = ", ".join(printable(figure, 20) for figure in invented[:3])
    note = f"{len(invented)} number{'s' * (len(invented) != 1)} not in the source: {shown}" if invented else ""
    return Measure(kept * max(0.0, 1 - INVENTED_COST * len(invented)), note)


def _figure_facts(evidence: Evidence) -> list[Fact]:
    """The reference facts reduced to their keys with a digit."""
    reduced = [
        Fact(fact.kind, tuple(key for key in fact.keys if any(char.isdigit() for char in key[0])))
        for fact in evidence.facts()
    ]
    return [fact for fact in reduced if fact.keys]
