"""Framing: no hype, no loaded words, no shouting that the source does not have."""

import re

from ...text import unquoted
from ..evidence import Evidence
from ..lexicon import LOADED
from ..measure import Measure

ADDED_COST = 0.35
TAKEN_COST = 0.1  # a loaded word of the source's own, outside quotation marks: not invented, but passed on

_SPOKEN = re.compile(r"(?<!\w)'([^']{1,200})'(?!\w)")
_SHOUT = re.compile(r"!|\b[^\W\d_a-z]{5,}\b")


def framing(evidence: Evidence) -> Measure:
    """1 less the cost of each distinct loaded word, dearer if added than if taken over, and of shouting."""
    used = set(LOADED.findall(evidence.response.normal))
    added = sorted(used - set(LOADED.findall(evidence.source.normal)))
    taken = (used - set(added)) & set(LOADED.findall(_unspoken(evidence.response.normal)))
    shouts = set(_SHOUT.findall(evidence.response.text)) - set(_SHOUT.findall(evidence.source.text))
    cost = ADDED_COST * (len(added) + len(shouts)) + TAKEN_COST * len(taken)
    return Measure(max(0.0, 1 - cost), f"loaded: {', '.join(added[:3])}" if added else "")


def _unspoken(text: str) -> str:
    """`text`, normalised, without what stands in double or single quotation marks."""
    return _SPOKEN.sub(" ", unquoted(text))
