"""The view that belongs to a board's protocol."""

from __future__ import annotations

from typing import TypeAlias

from nullbench_site.protocols.axes.results import AxesResults
from nullbench_site.protocols.axes.specs import AxesBoardFile
from nullbench_site.protocols.oracle.results import OracleResults
from nullbench_site.protocols.oracle.specs import OracleBoardFile
from nullbench_site.protocols.rubric.results import RubricResults
from nullbench_site.protocols.rubric.specs import RubricBoardFile
from nullbench_site.scoring.results import Results
from nullbench_site.site.views.axes import AxesView
from nullbench_site.site.views.oracle import OracleView
from nullbench_site.site.views.rubric import RubricView
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile

AnyView: TypeAlias = AxesView | RubricView | OracleView
"""A board of one of the protocols there are."""


def view_of(benchmark: Benchmark, board: BoardFile, results: Results, *, is_first: bool) -> AnyView:
    """The board with its results, which `gather` has seen to be of its protocol."""
    match board, results:
        case AxesBoardFile(), AxesResults():
            return AxesView(benchmark, board, results, is_first)
        case RubricBoardFile(), RubricResults():
            return RubricView(benchmark, board, results, is_first)
        case OracleBoardFile(), OracleResults():
            return OracleView(benchmark, board, results, is_first)
    raise NotImplementedError(board.protocol)
