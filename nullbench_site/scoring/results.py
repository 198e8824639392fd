"""The results of a board, of whichever protocol."""

from __future__ import annotations

from typing import TypeAlias

from nullbench_site.scoring.axes.results import AxesResults
from nullbench_site.scoring.oracle.results import OracleResults
from nullbench_site.scoring.rubric.results import RubricResults

AnyResults: TypeAlias = AxesResults | RubricResults | OracleResults
RESULTS: dict[str, type[AnyResults]] = {"axes": AxesResults, "rubric": RubricResults, "oracle": OracleResults}
"""The type of results.json by the protocol it names."""
