"""The judge of substance: is there something in it, said once and in few words?

Sees: words and figures that neither the prompt has nor any answer to anything, in sentences about the matter; sentences
said twice; lists of words without the small ones that make sentences. Of the ideal it uses only what the matter is.
Cannot see: whether what is said is true; a confident falsehood full of detail passes, and so does a padded answer that
names the matter in every sentence.
"""

import math
from collections.abc import Sequence

from ..text import STOP_WORDS, normalise, sentences, words
from .case import RubricCase
from .reading import Reading, ramp
from .verdict import reply, rounded

AMPLE = 100  # own terms of a full answer where no limit is set
PER_WORD = 0.3  # own terms that a word of a limit leaves room for
DENSE = 0.25  # own terms per word of an answer that wastes none; code, tables and short answers have more
PROSE = 0.1  # share of small words below which text is a list of words
SHORT = 20  # words, up to which a list is an answer
REPEATED, ONCE = 0.25, 0.75  # shares of different sentences that are worth 0 and 1: headings and code lines recur


def substance(case: RubricCase) -> str:
    """The reply: the geometric mean of amount and density of own terms, less for repetition and loose words."""
    reading = Reading(case)
    own, tokens = reading.own, words(reading.text)
    room = 1.0 if reading.brief else min(AMPLE, max(1.0, PER_WORD * (reading.limits.words or math.inf)))
    amount = min(1.0, len(own) / room)
    density = min(1.0, len(own) / max(1, len(tokens)) / DENSE)
    lines = [normalise(line) for line in sentences(reading.text)]
    different = len(set(lines)) / len(lines) if lines else 1.0
    value = math.sqrt(amount * density) * ramp(different, REPEATED, ONCE) * _prose(tokens)
    rationale = f"{len(own)} own terms in {len(tokens)} words; {rounded(100 * different)}% of the sentences different"
    return reply(reading, value, rationale)


def _prose(tokens: Sequence[str]) -> float:
    if len(tokens) <= SHORT:
        return 1.0
    return ramp(sum(token in STOP_WORDS for token in tokens) / len(tokens), 0, PROSE)
