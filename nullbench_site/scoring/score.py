"""From a run folder to its results, by anyone, without one call: from the records and the specs the run carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.scoring.board import score_board
from nullbench_site.scoring.bridges import bridge_tables
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.rounding import rounded
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark


def run_benchmark(run_dir: Path) -> Benchmark:
    """The specs as they were when the run was made."""
    return load_benchmark(run_dir / "specs", profile=read_manifest(run_dir).profile)


def score_run(folder: RunFolder, *, cache: Path | None = None) -> Iterator[Results]:
    """The results of every board of a run.

    cache: where to keep observations of shards; None works all out from the records.
    """
    benchmark = run_benchmark(folder.path)
    for board in benchmark.boards.values():
        results = score_board(benchmark, board, folder, cache)
        rows, ranks = bridge_tables(benchmark, board, folder, cache)
        yield msgspec.structs.replace(results, bridges=rounded(rows), bridge_ranks=rounded(ranks)) if rows else results
