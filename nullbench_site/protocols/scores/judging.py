"""The `scores` protocol: scores that others published or measured. No contestant and no judge is called."""

from __future__ import annotations

from nullbench_site.judging.protocol import JudgingProtocol
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.types import BoardFile


class ScoresJudging(JudgingProtocol[BoardFile, PlacedItem]):
    """See the module."""

    asks = ()
    calls = False


JUDGING = ScoresJudging()
