"""The judge of compliance: does it do what was asked, as far as a program sees?

Sees: the flags of the automatic checks, the limits the prompt states, and signs of what the criteria ask for: code,
an example, a question, a table. Cannot see: whether what it finds is right, or a criterion outside its list.
"""

from collections import Counter

from ..contestants.limits import Limits
from ..text import bullets, sentences, word_count
from .case import RubricCase
from .cues import cues
from .lexicon import EMPTY
from .reading import Reading, mean, ramp, terms
from .verdict import reply

NEUTRAL = frozenset({"left_to_judges", "unclear", "needs_modules"})
"""Flags of checks that found nothing either way."""
FORMAL = frozenset(
    """
    too_long too_short in_code_block text_around item_count item_too_long item_sentences missing_keys other_keys ragged
    wrong_kind out_of_range column_count row_count missing_cells more_tables more_than_answer missing_steps not_reduced
    reduced_too_far no_conclusion
    """.split()  # noqa: SIM905
)
"""Flags for a wrong form; every other flag is for a wrong answer."""
FORMAL_COST, GRAVE_COST = 0.25, 0.6
TAKEN_UP = 0.3  # share of the terms of the criteria that is worth 1: answers do what criteria name, in other words


def compliance(case: RubricCase) -> str:
    """The reply: the mean of being an answer, terms of the criteria, limits and signs, times what the flags leave."""
    reading = Reading(case)
    kinds = Counter(_kind(flag) for flag in case.flags)
    left = (1 - FORMAL_COST) ** kinds["formal"] * (1 - GRAVE_COST) ** kinds["grave"]
    limits = _limits(reading.limits, reading.text)
    asked = cues(case, reading.text)
    named = terms(" ".join(case.criteria).replace("_", " ")) - reading.prompt - EMPTY
    taken = [ramp(len(named & reading.response) / len(named), 0, TAKEN_UP)] if named else []
    value = mean([1.0, *taken, *limits, *asked]) * left
    flagged = kinds["formal"] + kinds["grave"]
    notes = [
        f"{flagged} flag{'s' * (flagged != 1)} of the checks",
        f"{sum(fit == 1 for fit in limits)} of {len(limits)} limits kept",
        f"{len(named & reading.response)} of {len(named)} terms of the criteria taken up",
        f"{sum(asked)} of {len(asked)} signs of the criteria found",
    ]
    return reply(reading, value, "; ".join(notes))


def _kind(flag: str) -> str:
    name = flag.partition(":")[0].strip().casefold()
    return "neutral" if name in NEUTRAL else "formal" if name in FORMAL else "grave"


def _limits(limits: Limits, response: str) -> list[float]:
    """For each limit the prompt states 1 up to it, 0 from one and a half times it on, linear between."""
    counts = [
        (limits.words, word_count(response)),
        (limits.sentences, len(sentences(response))),
        (limits.bullets, len(bullets(response))),
    ]
    return [min(1.0, max(0.0, 3 - 2 * count / limit)) for limit, count in counts if limit]
