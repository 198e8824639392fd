"""Rank made-up tables of scores, compared with a plain paired bootstrap of the same pairs, and large ones by time.

`python -m benchmarks.ranking` makes the tables, measures and deletes them.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measure import Outcome, python, ratio, report, seconds_of
from nullbench_site.stats.arrays import Floats

ROUNDS = 5
BOOTSTRAP_LIMIT, LINEAR_LIMIT, SMALL_S, LARGE_S, LARGE_GIB = 3.0, 1.5, 3.0, 60.0, 2.0
DRAWS = 10_000
SIZES = {"126 x 23": (126, 23), "37 x 442": (37, 442)}
LARGE = (1000, 10_000)


def made_up(models: int, items: int) -> Floats:
    """Return right and wrong answers of models that are 0.3 to 0.8 good."""
    rng = np.random.default_rng(0)
    return (rng.random((models, items)) < np.linspace(0.3, 0.8, models)[:, np.newaxis]).astype(np.float64)


def write(path: Path, models: int, items: int) -> None:
    """Write a wide table as CSV."""
    with path.open("w") as file:
        file.write(f"model,{','.join(f'item-{item:05}' for item in range(items))}\n")
        for model, row in enumerate(made_up(models, items).astype(int).tolist()):
            file.write(f"model-{model:04},{','.join(map(str, row))}\n")


def bootstrap(values: Floats) -> int:
    """Return how many pairs a plain paired bootstrap tells apart, with 10,000 draws of the items."""
    k, n = values.shape
    rng, means = np.random.default_rng(0), np.empty((DRAWS, k))
    for draw in range(DRAWS):
        means[draw] = values[:, rng.integers(0, n, n)].mean(axis=1)
    apart = 0
    for first in range(k):
        low, high = np.quantile(means[:, first + 1 :] - means[:, first : first + 1], (0.025, 0.975), axis=0)
        apart += int(((low > 0) | (high < 0)).sum())
    return apart


def seconds(what: str, models: int, items: int) -> float:
    """Return the CPU seconds to rank a table, or to bootstrap it, without imports."""
    from nullbench_site.scoring.ranked_table import ScoreTable, rank_table

    values = made_up(models, items)
    table = ScoreTable(
        name="made up",
        models=tuple(f"model-{model:04}" for model in range(models)),
        items=tuple(f"item-{item:05}" for item in range(items)),
        values=values,
    )
    work = {"rank": lambda: rank_table(table), "bootstrap": lambda: bootstrap(values)}[what]
    return seconds_of(work, time.process_time)


def outcomes() -> list[Outcome]:
    """Ranking as a multiple of a bootstrap and of half as many items; the time of commands; memory."""
    k, n = SIZES["37 x 442"]
    ranking, plain = _rounds("rank", k, n), _rounds("bootstrap", k, n)
    found = [ratio("ranking 37 x 442", ranking, plain, BOOTSTRAP_LIMIT)]
    half, whole = (_rounds("rank", 200, items) for items in (5_000, 10_000))
    found.append(ratio("twice the items, per item", [each / 2 for each in whole], half, LINEAR_LIMIT))
    with TemporaryDirectory() as folder:
        for name, size in (*SIZES.items(), ("1,000 x 10,000", LARGE)):
            path = Path(folder) / f"{name}.csv"
            write(path, *size)
            large = size == LARGE
            runs = [python("-m", "nullbench_site", "rank", str(path)) for _ in range(1 if large else ROUNDS)]
            limit = LARGE_S if large else SMALL_S
            detail = "the command with its imports, CPU time"
            found.append(Outcome(f"rank {name}", median(run.cpu for run in runs), limit, detail, noun="seconds"))
            if large:
                found.append(Outcome(f"memory of rank {name}", runs[0].peak_gib, LARGE_GIB, detail, noun="peak GiB"))
    return found


def _rounds(what: str, models: int, items: int) -> list[float]:
    return [float(python("-m", __spec__.name, what, str(models), str(items)).output) for _ in range(ROUNDS)]


if __name__ == "__main__":
    match sys.argv[1:]:
        case [what, models, items]:
            print(seconds(what, int(models), int(items)))
        case _:
            sys.exit(report(outcomes()))
