"""From a run folder to its results, by anyone, without one call: from the records and the specs the run carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.scoring.axes.board import score_board as score_axes_board
from nullbench_site.scoring.axes.shard import Summariser as AxesSummariser
from nullbench_site.scoring.oracle.board import score_board as score_oracle_board
from nullbench_site.scoring.oracle.shard import OracleSummariser
from nullbench_site.scoring.results import AnyResults
from nullbench_site.scoring.rubric.board import score_board as score_rubric_board
from nullbench_site.scoring.rubric.shard import RubricSummariser
from nullbench_site.scoring.summaries import shard_summaries
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import AxesBoardFile, BoardFile, OracleBoardFile, RubricBoardFile


def run_benchmark(run_dir: Path) -> Benchmark:
    """The specs as they were when the run was made."""
    return load_benchmark(run_dir / "specs", profile=read_manifest(run_dir).profile)


def score_run(folder: RunFolder, *, cache: Path | None = None) -> Iterator[AnyResults]:
    """The results of every board of a run.

    cache: where to keep summaries of shards; None works all out from the records.
    """
    benchmark = run_benchmark(folder.path)
    for board in benchmark.boards.values():
        yield score_board(benchmark, board, folder, cache)


def score_board(benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None) -> AnyResults:
    """The results of one board."""
    run = folder.manifest.run
    match board:
        case AxesBoardFile():
            of_axes = shard_summaries(AxesSummariser(benchmark, board), benchmark, board, folder, cache)
            return score_axes_board(benchmark, board, run, list(of_axes))
        case RubricBoardFile():
            of_rubric = shard_summaries(RubricSummariser(benchmark, board), benchmark, board, folder, cache)
            return score_rubric_board(benchmark, board, run, list(of_rubric))
        case OracleBoardFile():
            of_oracle = shard_summaries(OracleSummariser(benchmark, board), benchmark, board, folder, cache)
            return score_oracle_board(benchmark, board, run, list(of_oracle))
        case _:
            raise NotImplementedError(board.protocol)
