"""The probability of yes, of yes and no only, in the first token of a reply."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

LEAST_MASS = 0.5
"""The least probability of yes and no together in a valid reply."""
MISSING_MASS = "missing_mass"
"""The name of the probability of tokens other than yes and no in a judgment's scores."""
_DIGITS = 6
_AROUND = " \t\r\n\N{LOWER ONE EIGHTH BLOCK}\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
"""White space around a token, and how tokenizers write it."""


class ShareOfYes(NamedTuple):
    """share: P(yes) / (P(yes) + P(no)), six digits. missing: the probability of all other tokens."""

    share: float
    missing: float


def share_of_yes(logprobs: Mapping[str, float]) -> ShareOfYes | str:
    """Return the share of yes, over all tokens that are yes or no without case and spaces; or why there is none.

    There is none if yes and no together have less than 0.5.
    Source: RocketEval (Wei et al., ICLR 2025): P(yes) / (P(yes) + P(no)).
    """
    mass = {True: 0.0, False: 0.0}
    for token, value in logprobs.items():
        if (word := word_of(token)) is not None and not math.isnan(value):
            mass[word] += math.exp(min(value, 0.0))
    yes, both = mass[True], mass[True] + mass[False]
    if both < LEAST_MASS:
        return f"yes and no have a probability of {round(both, 3):g} together, less than {LEAST_MASS}"
    return ShareOfYes(round(yes / both, _DIGITS), round(max(0.0, 1 - both), _DIGITS))


def word_of(token: str) -> bool | None:
    """Return True for yes and False for no, without case and spaces; None for any other token."""
    return {"yes": True, "no": False}.get(token.strip(_AROUND).lower())
