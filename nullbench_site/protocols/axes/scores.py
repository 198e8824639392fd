"""What an item scores on an `axes` board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nullbench_site.protocols.axes.votes import Bools, Floats, Ints, RatingPatterns

STATES = ("scored", "refused", "errored", "unparsed")
"""How a response ended, by number."""
SCORED, REFUSED, ERRORED, UNPARSED = range(len(STATES))


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The scores of responses: arrays whose first dimension is the responses.

    state: numbers of STATES. axes: (responses, axes of its category), NaN where no judge gave a valid score.
    spread: points between the judges' highest and lowest goal alignment, NaN with fewer than two. refused_by: gate,
    "answer" or "prompt" -> where it fired. ratings: how the judges' ratings fell on each axis.
    """

    state: Ints
    goal_alignment: Floats
    quality: Floats
    axes: Floats
    spread: Floats
    refused_by: Mapping[str, Bools]
    ratings: RatingPatterns
