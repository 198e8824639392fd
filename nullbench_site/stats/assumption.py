"""What a plan assumes of a board without an earlier run. Without arrays, so that plans start fast."""

from __future__ import annotations

from dataclasses import dataclass

NO_RUN = "no earlier run; --assume sd=40 states the spread of a difference on an item, in points"


@dataclass(frozen=True)
class Assumption:
    """What is assumed of a board without an earlier run.

    sd: the standard deviation of the difference of two contestants on an item, in points. icc: the part of its variance
    that items of one source have in common, 0-1.
    """

    sd: float
    icc: float = 0.0
