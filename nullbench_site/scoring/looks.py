"""The looks at which a build may stop asking the items of a board, and the items of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.runs.manifest import Manifest
from nullbench_site.scoring.board_tables import StoppedAt
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.sequential import Looks, looks_of


def looks_of_board(scorer: Scorer[Any, Any, Any]) -> Looks | None:
    """Return the look of each item of a scorer, (items,); None if its board has no looks.

    The order is that of all items of the board, also where some are left out or not asked. The groups that have the
    same share at each look are those of the board's mean, and categories within these.
    """
    if scorer.board.looks is None:
        return None
    names, found = _of_every_item(scorer.benchmark, scorer.board, scorer.board.looks)
    number = {name: place for place, name in enumerate(names)}
    return found.of(np.array([number[placed.id] for placed in scorer.layout.placed], np.int64))


def stopped_at(scorer: Scorer[Any, Any, Any], looks: Looks | None) -> StoppedAt | UnsetType:
    """Return the look at which a build stopped a board; unset if it did not."""
    if looks is None or scorer.board.id not in scorer.benchmark.asked:
        return UNSET
    n_items = sum(1 for _ in scorer.benchmark.with_every_item.items(scorer.board))
    return StoppedAt(look=looks.last + 1, looks=len(looks.shares), n_items=n_items)


def items_until(benchmark: Benchmark, board: BoardFile, look: int) -> tuple[str, ...]:
    """Return the items that are asked up to a look of a board with looks, counted from 1, sorted."""
    assert board.looks is not None  # noqa: S101 - of boards with looks
    names, looks = _of_every_item(benchmark, board, board.looks)
    return tuple(name for name, first in zip(names, looks.of_item.tolist(), strict=True) if first < look)


def stop_problems(benchmark: Benchmark, run_dir: Path, manifest: Manifest) -> Iterator[str]:
    """Yield a line for each board of a run that claims to have stopped early, but not at the items of a look."""
    for name, stop in manifest.stops.items():
        board = benchmark.boards.get(name)
        n_looks = 0 if board is None or board.looks is None else len(board.looks)
        is_look = stop.looks == n_looks and 1 <= stop.look < n_looks
        if board is None or not is_look or tuple(sorted(stop.items)) != items_until(benchmark, board, stop.look):
            where = f"look {stop.look} of {stop.looks}"
            yield f"{run_dir}: board {name!r} stopped at {where}, but with other items than those of that look"


def _of_every_item(benchmark: Benchmark, board: BoardFile, shares: tuple[float, ...]) -> tuple[tuple[str, ...], Looks]:
    whole = (benchmark.whole or benchmark).with_every_item
    scorer = scorer_of(whole, whole.boards.get(board.id, board))
    names = tuple(placed.id for placed in scorer.layout.placed)
    both = np.stack([scorer.strata.groups, scorer.layout.categories.of_item], axis=1)
    groups = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    return names, looks_of(groups, scorer.strata.clusters, names, shares)
