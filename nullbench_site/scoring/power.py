"""What boards detect on the items that are planned: from the last run, or from assumptions before a first one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from math import comb
from pathlib import Path

import msgspec
import numpy as np

from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, JudgedBoardFile
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.assumption import NO_RUN, Assumption
from nullbench_site.stats.estimate import ERROR
from nullbench_site.stats.power import ItemDesign, Power, shared_part

OTHER_JUDGES = "the last run had other judges"
OTHER_ITEMS = "the specs do not have all items of the last run"


def board_power(
    benchmark: Benchmark, board: BoardFile, run: Path | None, planned: Collection[str], assumed: Assumption | None
) -> Power | str:
    """Return what a board detects on planned items, or why that is not known.

    run: the last sealed run. The errors of that run are scaled by its design to the planned items; with
    the items of the run, the difference is the recorded one. A pair is tested at the level of that run; with `assumed`,
    at 5 % divided by the number of pairs (Bonferroni).
    """
    scorer = scorer_of(benchmark, board)
    chosen = np.array([placed.id in planned for placed in scorer.layout.placed], np.bool_)
    if not chosen.any():
        return "no item is planned"
    results = None if run is None else _results(run, board.id)
    if results is None:
        if assumed is None:
            return NO_RUN
        n = sum(1 for _ in benchmark.contestants(board))
        return Power(_design(scorer.strata, chosen), assumed.sd, assumed.icc, ERROR / max(comb(n, 2), 1), assumed=True)
    if results.detectable is None or results.detectable.median is None or not results.pair_alpha:
        why = None if results.detectable is None else results.detectable.absent
        return why or "fewer than two contestants are ranked"
    if isinstance(board, JudgedBoardFile) and {*benchmark.panels[board.panel].judges} != _judges(results):
        return OTHER_JUDGES
    if not scorer.layout.number.keys() >= {row.item for row in results.items}:
        return OTHER_ITEMS
    measured, differences = _differences(results, scorer.layout.number, len(chosen))
    of_run = _design(scorer.strata, measured)
    share = shared_part(differences[:, measured], of_run)
    before = Power(of_run, 1.0, share, results.pair_alpha)
    return Power(_design(scorer.strata, chosen), results.detectable.median / before.detects, share, results.pair_alpha)


def _results(run: Path, board: str) -> Results | None:
    try:
        return read_results(run, board)
    except (FileNotFoundError, msgspec.DecodeError):
        return None  # `verify` reports damaged results


def _judges(results: Results) -> set[str]:
    return {row.judge for row in getattr(results, "judges", ())}


def _differences(results: Results, number: dict[str, int], n_items: int) -> tuple[Bools, Floats]:
    """Return the items with scores, and the differences of neighbours in the order of the board, (pairs, items)."""
    ranked = [row.model for row in results.leaderboard if isinstance(row.rank, int)]
    scores = {model: np.full(n_items, np.nan) for model in ranked}
    for row in results.items:
        if row.model in scores and row.part is not None and row.item in number:
            scores[row.model][number[row.item]] = row.part
    table = np.array([scores[a] - scores[b] for a, b in pairwise(ranked)])
    return ~np.isnan(table).all(axis=0), table


def _design(strata: Strata, chosen: Bools) -> ItemDesign:
    of = strata.of(chosen)
    return ItemDesign(of.groups, np.unique(of.clusters, return_inverse=True)[1].astype(np.int64), of.weights)


def powers(
    benchmark: Benchmark, planned: Mapping[str, Collection[str]], run: Path | None, assumed: Assumption | None
) -> dict[str, Power | str]:
    """Return `board_power` of boards. planned: board -> its planned items."""
    return {
        board: board_power(benchmark, benchmark.boards[board], run, items, assumed) for board, items in planned.items()
    }
