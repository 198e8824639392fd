"""Measure how often the test of contamination by date flags a contestant wrongly, and how often its bounds miss.

`python -m benchmarks.contamination [BOARDS]` prints a line for every cell, from that many boards: the share of boards
on which some true difference is below its lower bound, and above its upper bound, each meant to be 5 %. Other ways to
find the critical value are measured on the same boards: a multivariate t distribution, flips of the signs of residuals,
and permutations of the dates.

A cell is a population of items for each side of the date, and a number of items from each. The population of
LiveCodeBench is real: the scores of 15 models on LeetCode items, of both sides together (without an effect of the date)
or each side by itself (with the one that it has). The others are Rasch models with contestants of different ability.

Of the ways tried, only the bootstrap holds its level if one side has few items: 0-6 % with 8 and 40 items, where the t
distribution reaches 12 %, flips 20 % and permutations 9 % (100 boards). With 78 and 91 items, wrong lower bounds are on
3.4-4.8 % of 800 boards.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.contamination import difference_in_differences
from nullbench_site.stats.estimate import ERROR, LEVEL

TABLES = Path(__file__).parents[1] / "specs" / "scores" / "livecodebench"
DRAWS = 999
Ends = tuple[Floats, Floats]
"""The lower and the upper bounds, (contestants,)."""


def bootstrap(scores: Floats, after: Bools, clusters: Ints, rng: np.random.Generator) -> Ends:
    """The bounds of `difference_in_differences`."""
    found = difference_in_differences(scores, after, clusters)
    low, high = (np.array([getattr(own, end) for own in found], np.float64) for end in ("low", "high"))
    return low, high


def correlated(scores: Floats, after: Bools, clusters: Ints, rng: np.random.Generator) -> Ends:
    """The same with the largest of t variables with the correlations of the differences and Welch's fewest df."""
    sides = _sides(scores, after, clusters)
    variances = np.array([side.var(axis=1, ddof=1) / side.shape[1] for side in sides])
    squares = sum(of_side**2 / (side.shape[1] - 1) for of_side, side in zip(variances, sides, strict=True))
    df = float((variances.sum(axis=0) ** 2 / squares).min())
    covariance = sum(np.cov(side) / side.shape[1] for side in sides)
    drawn = rng.multivariate_normal(np.zeros(len(scores)), covariance, DRAWS) / np.sqrt(variances.sum(axis=0))
    critical = np.quantile(drawn.max(axis=1) / np.sqrt(rng.chisquare(df, DRAWS) / df), LEVEL)
    value, half = sides[0].mean(axis=1) - sides[1].mean(axis=1), critical * np.sqrt(variances.sum(axis=0))
    return value - half, value + half


def flips(scores: Floats, after: Bools, clusters: Ints, rng: np.random.Generator) -> Ends:
    """The same with residuals of flipped signs: the wild cluster bootstrap, studentised."""
    sides = _sides(scores, after, clusters)
    signs = [rng.choice([-1.0, 1.0], (side.shape[1], DRAWS)) for side in sides]
    centred = [side - side.mean(axis=1, keepdims=True) for side in sides]
    means = [own @ sign / own.shape[1] for own, sign in zip(centred, signs, strict=True)]
    squares = [np.square(own).mean(axis=1, keepdims=True) for own in centred]
    return _bounds(sides, means, squares)


def permutation(scores: Floats, after: Bools, clusters: Ints, rng: np.random.Generator) -> Ends:
    """The same with clusters dealt to the sides at random, as if the date did not matter."""
    sides = _sides(scores, after, clusters)
    n, both = sides[0].shape[1], np.hstack(sides)
    first = np.zeros((both.shape[1], DRAWS))
    np.put_along_axis(first, np.argsort(rng.random(first.shape), axis=0)[:n], 1.0, axis=0)
    dealt = [(first, n), (1 - first, both.shape[1] - n)]
    means = [both @ own / size for own, size in dealt]
    squares = [np.square(both) @ own / size for own, size in dealt]
    return _bounds(sides, means, squares)


Way = Callable[[Floats, Bools, Ints, np.random.Generator], Ends]
WAYS: Mapping[str, Way] = {"bootstrap": bootstrap, "t": correlated, "flips": flips, "permutation": permutation}


def _sides(scores: Floats, after: Bools, clusters: Ints) -> list[Floats]:
    """Return the mean excess over the others of each cluster, (contestants, clusters), for each side."""
    excess = scores - (scores.sum(axis=0) - scores) / (len(scores) - 1)
    firsts = [np.unique(clusters[side], return_index=True)[1] for side in (~after, after)]
    return [
        np.add.reduceat(excess[:, side], first, axis=1) / (side.sum() / first.size)
        for side, first in zip((~after, after), firsts, strict=True)
    ]


def _bounds(sides: list[Floats], means: list[Floats], squares: list[Floats]) -> Ends:
    """Return bounds from drawn means of each side, (contestants, draws), and the drawn means of squares."""
    value = sides[0].mean(axis=1) - sides[1].mean(axis=1)
    se = np.sqrt(sum(side.var(axis=1, ddof=1) / side.shape[1] for side in sides))
    of_sides = zip(sides, means, squares, strict=True)
    variance = sum(np.maximum(square - mean**2, 0) / (side.shape[1] - 1) for side, mean, square in of_sides)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num((means[0] - means[1]) / np.sqrt(variance))
    low, high = (np.quantile(each.max(axis=0), LEVEL, method="higher") for each in (t, -t))
    return value - low * se, value + high * se


@dataclass(frozen=True)
class Cell:
    """before, after: the items of each side, (contestants, items). sizes: clusters drawn from each, of `each` items."""

    name: str
    before: Floats
    after: Floats
    sizes: tuple[int, int]
    each: int = 1

    def misses(self, boards: int, seed: int) -> dict[str, tuple[float, float]]:
        """Return the shares of boards on which each way has a lower and an upper bound on the wrong side."""
        rng, counts = np.random.default_rng(seed), {way: [0, 0] for way in WAYS}
        late = np.repeat([False, True], [size * self.each for size in self.sizes])
        clusters = np.arange(late.size) // self.each
        sides = self.before, self.after
        gap = self.before.mean(axis=1) - self.after.mean(axis=1)
        true = gap - (gap.sum() - gap) / (gap.size - 1)
        for _ in range(boards):
            drawn = [self._drawn(side, n, rng) for side, n in zip(sides, self.sizes, strict=True)]
            for way, bounds in WAYS.items():
                low, high = bounds(np.hstack(drawn), late, clusters, rng)
                counts[way][0] += bool((low > true + 1e-9).any())
                counts[way][1] += bool((high < true - 1e-9).any())
        return {way: (low / boards, high / boards) for way, (low, high) in counts.items()}

    def _drawn(self, side: Floats, n: int, rng: np.random.Generator) -> Floats:
        """Draw clusters of neighbouring items."""
        starts = rng.integers(0, side.shape[1] - self.each + 1, n)
        return side[:, (starts[:, np.newaxis] + np.arange(self.each)).ravel()]


def cells() -> Iterator[Cell]:
    """Yield the cells of the study."""
    old, new = leetcode()
    for sizes in ((78, 91), (15, 15), (8, 40), (40, 8), (150, 30)):
        yield Cell("LeetCode, no effect", np.hstack([old, new]), np.hstack([old, new]), sizes)
        yield Cell("LeetCode, its effect", old, new, sizes)
        for contestants, low, high in ((15, 0.03, 0.6), (4, 0.02, 0.05), (40, 0.05, 0.9)):
            items = rasch(contestants, low, high)
            yield Cell(f"{contestants} of {100 * low:.0f}-{100 * high:.0f} %", items, items, sizes)
    yield Cell("LeetCode, clusters of 3", np.hstack([old, new]), np.hstack([old, new]), (30, 30), 3)


def leetcode() -> tuple[Floats, Floats]:
    """Return the scores of complete models on LeetCode items before and from 2023-09-01."""
    with (TABLES / "items.csv").open(encoding="utf-8") as file:
        items = {row["id"]: row for row in csv.DictReader(file)}
    with (TABLES / "scores.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    scores = np.array([row[1:] for row in rows if all(row)], np.float64)
    chosen = np.array([items[item]["category"] == "LeetCode" for item in header[1:]])
    late = np.array([items[item]["date"] >= "2023-09-01" for item in header[1:]])
    return scores[:, chosen & ~late], scores[:, chosen & late]


def rasch(contestants: int, low: float, high: float, items: int = 4000) -> Floats:
    """Return 0 or 100 for each contestant and item; abilities give these chances on an item of medium difficulty."""
    rng, chance = np.random.default_rng(1), np.linspace(low, high, contestants)
    logits = np.log(chance / (1 - chance))[:, np.newaxis] - rng.normal(0, 1.5, items)
    return np.where(rng.random(logits.shape) < 1 / (1 + np.exp(-logits)), 100.0, 0.0)


def outcomes(boards: int = 100) -> list[Outcome]:
    """The largest share of boards with a wrong lower bound, which is a false flag if nothing differs."""
    worst, of = 0.0, ""
    for seed, cell in enumerate(cells()):
        misses = cell.misses(boards, seed)
        line = f"{cell.name:24}{cell.sizes[0]:4}{cell.sizes[1]:4}  "
        line += "  ".join(f"{way} {low:.3f} {high:.3f}" for way, (low, high) in misses.items())
        print(line, flush=True)
        if misses["bootstrap"][0] > worst:
            worst, of = misses["bootstrap"][0], line
    limit = ERROR + 4 * float(np.sqrt(ERROR * (1 - ERROR) / boards))
    return [Outcome("false flags by date", worst, limit, of, noun="share")]


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
