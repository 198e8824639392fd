"""The share of answers that are marked as right; columns as those of `echo`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from nullbench_site.scoring.observations import Observations
from nullbench_site.stats.arrays import Floats
from small_protocol.scoring import EchoResults, EchoScorer


class MarkedResults(EchoResults, kw_only=True):
    """The results of a board."""

    TABLES: ClassVar[tuple[str, ...]] = ()


class MarkedScorer(EchoScorer):
    """See the module."""

    results = MarkedResults

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        return []

    def heard(self, observations: Observations) -> Floats:
        marks = (observations.checks.get(unit, ()) for unit in range(observations.present.size))
        return np.array([[mark.outcome for mark in of_unit] == ["correct"] for of_unit in marks], dtype=np.float64)


SCORING = MarkedScorer
