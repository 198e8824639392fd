"""Measure how often a board tells equal contestants apart by the whole procedure: check, choice of a test, and test.

`python -m benchmarks.joint [TABLES] [BOARD ...]` prints a line for each shipped board and for made-up ones, from that
many tables. It exits with 1 if a board misses its limit.

The tables of a board are redrawn from its own residuals, as in `stats.joint_error`; each is then checked as a board is,
with fewer draws, and ranked by the test that its own check chooses. The last lines show what the check itself finds on
tables of normal errors, for which flips of signs are exact: with more than 10 pairs a cluster it finds too much, and
residuals are dealt instead.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from benchmarks.measure import ROOT, Outcome, report
from nullbench_site.scoring.ranking import SCALE, Ranking, Strata
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import Bootstrap
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import ERROR
from nullbench_site.stats.joint_error import MOST_ERROR, family_error

LIMIT = MOST_ERROR
_DRAWS = 200
CHECK_LIMIT = 0.1
NORMAL = ((9, 80), (9, 42), (9, 23), (15, 349), (15, 60), (37, 100))
"""Contestants and items of tables of normal errors, all with at most 10 pairs an item."""


@dataclass(frozen=True)
class Board:
    """Scores of the ranked contestants of a board, (k, items), and its strata."""

    name: str
    scores: Floats
    strata: Strata

    def tables(self, n: int, seed: int) -> Iterator[Floats]:
        """Yield tables of equal contestants: clusters drawn again from those of the same groups, without the means."""
        rng, groups = np.random.default_rng(seed), np.unique(self.strata.groups, return_inverse=True)[1]
        clusters = np.unique(self.strata.clusters, return_inverse=True)[1]
        sizes = np.bincount(groups)
        means = np.stack([np.bincount(groups, row) for row in self.scores]) / sizes
        residuals = self.scores - means[:, groups] + self.scores.mean()
        if any(np.unique(clusters[groups == group]).size < 6 for group in range(sizes.size)):
            for _ in range(n):
                yield rng.permuted(residuals, axis=0)
            return
        members: dict[tuple[int, ...], list[np.ndarray[tuple[int], np.dtype[np.int64]]]] = {}
        for cluster in range(int(clusters.max()) + 1):
            own = np.flatnonzero(clusters == cluster)
            members.setdefault(tuple(groups[own].tolist()), []).append(own)  # those of one shape change places
        for _ in range(n):
            table = np.empty_like(residuals)
            for alike in members.values():
                for own, other in zip(alike, rng.integers(len(alike), size=len(alike)), strict=True):
                    table[:, own] = residuals[:, alike[other]]
            yield table

    def told_apart(self, table: Floats, seed: int) -> tuple[bool, str]:
        """Return whether the procedure tells any two apart, and the test that it took."""
        names = [f"m{place}" for place in range(len(table))]
        values = np.clip(self.strata.means(table).value, *SCALE).tolist()  # an interval of a score is within the scale
        rows = {
            name: Row(model=name, n_items=table.shape[1], overall=value, absent={})
            for name, value in zip(names, values, strict=True)
        }
        scores = dict(zip(names, table, strict=True))
        ranking = Ranking(self.strata, scores, {}, Bootstrap(seed=seed), dict.fromkeys(names, 0.0))
        ranking = ranking.checked(rows, most_draws=_DRAWS)
        return bool(ranking.of_board(rows).found.better.any()), ranking.test


def shipped() -> Iterator[Board]:
    """Yield the boards of the newest shipped run with two or more ranked contestants."""
    benchmark = load_benchmark(ROOT / "specs")
    run = max(
        (ROOT / "runs").iterdir(), key=lambda folder: [int(part) for part in folder.name.split("-")[0].split(".")]
    )
    for name, board in benchmark.boards.items():
        if not (run / "results" / name).is_dir():
            continue
        results, scorer = read_results(run, name), scorer_of(benchmark, board)
        number = {placed.id: place for place, placed in enumerate(scorer.layout.placed)}
        of_models = {row.model: np.full(len(number), np.nan) for row in results.leaderboard if row.rank is not None}
        for item in results.items:
            if item.model in of_models and item.part is not None:
                of_models[item.model][number[item.item]] = item.part
        scores = np.array([of for of in of_models.values() if not np.isnan(of).any()])
        if len(scores) > 1:
            yield Board(name, scores, scorer.strata)


def _made_up() -> Iterator[Board]:
    rng = np.random.default_rng(6)
    for k, n in ((4, 24), (8, 60), (8, 200)):
        items = np.arange(n)
        strata = Strata(np.zeros_like(items), items)
        skill = rng.random((k, 1))
        yield Board(f"0 or 100, {k} x {n}", np.where(rng.random((k, n)) < 0.2 + 0.6 * skill, 100.0, 0.0), strata)
        yield Board(f"marks of 1-5, {k} x {n}", 25.0 * rng.integers(0, 5, (k, n)).astype(np.float64), strata)
        rare = np.vstack([3 + rng.random((k // 2, n)), np.where(rng.random((k - k // 2, n)) < 0.04, 100.0, 0.0)])
        yield Board(f"steady and rare, {k} x {n}", rare, strata)


def outcomes(tables: int = 100, only: tuple[str, ...] = ()) -> list[Outcome]:
    """Return the family-wise error of each board, and what the check finds on tables of normal errors."""
    return [*_measured(tables, only)]


def _measured(tables: int, only: tuple[str, ...]) -> Iterator[Outcome]:
    allowed = LIMIT + 2.5 * sqrt(ERROR * (1 - ERROR) / tables)
    for board in (*shipped(), *_made_up()):
        if only and board.name not in only:
            continue
        told, tests = 0, dict[str, int]()
        for number, table in enumerate(board.tables(tables, seed=11)):
            apart, test = board.told_apart(table, number)
            told, tests[test] = told + apart, tests.get(test, 0) + 1
        detail = f"tests taken: {_counts(tests)}"
        yield Outcome(board.name, told / tables, allowed, detail, noun="family-wise error")
    for k, n in () if only else NORMAL:
        items = np.arange(n)
        shares = [
            error.share
            for seed in range(5)
            if (error := family_error(
                np.random.default_rng(seed).standard_normal((k, n)), 0 * items, items, [np.arange(k)], seed
            ))
        ]  # fmt: skip
        yield Outcome(f"check of normal errors, {k} x {n}", float(np.mean(shares)), CHECK_LIMIT, "exact: 0.05")


def _counts(tests: Mapping[str, int]) -> str:
    return ", ".join(f"{test} {n}" for test, n in sorted(tests.items()))


if __name__ == "__main__":
    numbers, names = (
        [each for each in sys.argv[1:] if each.isdigit()],
        [each for each in sys.argv[1:] if not each.isdigit()],
    )
    each = _measured(int(numbers[0]) if numbers else 100, tuple(names))
    sys.exit(max([report([outcome]) for outcome in each], default=0))
