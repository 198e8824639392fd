"""Names: none invented, and the speakers and places of the source kept."""

from ...text import names as names_in
from ...text import printable
from ..evidence import Evidence
from ..measure import Measure

INVENTED_COST = 0.4  # a capitalised word that is new may be mere emphasis, so it costs less than a figure


def names(evidence: Evidence) -> Measure:
    """Half, and as much again for the share of names kept; then what invented names leave of it.

    One name per sentence of the room is as much as is expected. None if neither side has a name.
    """
    known = {name.casefold() for name in names_in(evidence.source.text)}
    used = {name.casefold() for name in names_in(evidence.response.text)}
    invented = sorted(used - evidence.source.words)
    if not known and not invented:
        return Measure(None)
    expected = min(len(known), max(1, len(evidence.answer.sentences)))
    kept = min(1.0, len(known & evidence.answer.words) / expected) if expected else 1.0
    shown = ", ".join(printable(name, 20) for name in invented[:3])
    note = f"{len(invented)} name{'s' * (len(invented) != 1)} not in the source: {shown}" if invented else ""
    return Measure((1 + kept) / 2 * max(0.0, 1 - INVENTED_COST * len(invented)), note)
