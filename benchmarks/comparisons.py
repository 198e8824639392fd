"""Measure how often equal contestants are called different, for each joint test of all differences of a board.

`python -m benchmarks.comparisons [BOARDS]` prints a line for every cell, from that many made-up boards, and the number
of pairs that each test separates. With a FILE instead of BOARDS, the residuals of a CSV of scores (one row per model,
one column per task) are one more cell.

A cell is a kind of error and a shape of board. Contestants of one kind may be called different on 5 % of boards. If
contestants of one mean have errors of unlike shapes, no way holds its level, because a sample that lacks a rare high
score does not show it; these cells are printed and held to nothing.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.coverage import KINDS, RARE, REAL, Shape
from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import ERROR, means, two_sided_p
from nullbench_site.stats.ranking import compared

Errors = Callable[[np.random.Generator, int, Shape], Floats]
"""Contestants, shape -> (contestants, items) scores of contestants that are equally good."""


def flips(table: Floats, groups: Ints, clusters: Ints, seed: int) -> int:
    """How many pairs sign flips separate, stepping down: `stats.ranking.compared`; with a scale there are fewer."""
    return int(compared(table, groups, clusters, seed).better.sum())


def holm(table: Floats, groups: Ints, clusters: Ints, seed: int) -> int:
    """The same by Holm's method on t tests with Satterthwaite's degrees of freedom."""
    p = np.sort(_single(table, groups, clusters)[0])
    return int(np.logical_and.accumulate(p < ERROR / np.arange(p.size, 0, -1)).sum())


def max_t(table: Floats, groups: Ints, clusters: Ints, seed: int, draws: int = 1000) -> int:
    """The same by max |t| of a multiplier bootstrap by cluster, stepping down.

    Source: Chernozhukov, Chetverikov & Kato (2013), Gaussian approximations and multiplier bootstrap for maxima.
    """
    _, se, (first, second) = _single(table, groups, clusters)
    averages = means(table, groups, clusters)
    t, influence = np.abs(averages.value[first] - averages.value[second]) / se, averages.influence
    drawn = influence @ np.random.default_rng(seed).standard_normal((influence.shape[1], draws))
    left = np.ones(t.size, np.bool_)
    while left.any():
        critical = np.quantile(
            (np.abs(drawn[first[left]] - drawn[second[left]]) / se[left, None]).max(axis=0), 1 - ERROR
        )
        if not (left & (t > critical)).any():
            break
        left &= t <= critical
    return int((~left).sum())


def _single(table: Floats, groups: Ints, clusters: Ints) -> tuple[Floats, Floats, tuple[Ints, Ints]]:
    """The p-value of each pair by itself, its standard error, and which pairs."""
    first, second = np.triu_indices(len(table), 1)
    apart = means(table[first] - table[second], groups, clusters)
    se = np.where(apart.se > 0, apart.se, np.inf)
    return two_sided_p(apart.value / se, apart.df), se, (first, second)


Way = Callable[[Floats, Ints, Ints, int], int]
WAYS: Mapping[str, Way] = {"flips": flips, "max t": max_t, "Holm": holm}


def _normal(rng: np.random.Generator, k: int, shape: Shape) -> Floats:
    return 50 + 15 * shape.drawn(rng, 1) + 10 * shape.drawn(rng, k)


def _skewed(rng: np.random.Generator, k: int, shape: Shape) -> Floats:
    scores: Floats = 50 + 15 * shape.drawn(rng, 1) + 10 * (np.exp(shape.drawn(rng, k)) - np.exp(0.5))
    return scores


def _uneven(rng: np.random.Generator, k: int, shape: Shape) -> Floats:
    scores: Floats = 50 + 15 * shape.drawn(rng, 1) + np.linspace(1, 30, k)[:, np.newaxis] * shape.drawn(rng, k)
    return scores


def _of(kind: str, name: str) -> Errors:
    """Scores of a population of the coverage study."""
    population = {**KINDS, **RARE, **REAL}[kind][name]

    def drawn(rng: np.random.Generator, k: int, shape: Shape) -> Floats:
        return population(0.6 * shape.drawn(rng, 1) + 0.8 * shape.drawn(rng, k))

    return drawn


def _unlike(rng: np.random.Generator, k: int, shape: Shape) -> Floats:
    scores: Floats = 50 + 10 * (np.exp(shape.drawn(rng, k)) - np.exp(0.5))
    scores[::2] = 50 + 10 * shape.drawn(rng, len(scores[::2]))
    return scores


def _rare(rate: float) -> Errors:
    """A contestant with a little on every item, and a null model that has as much on average: 100 on a few items."""

    def drawn(rng: np.random.Generator, k: int, shape: Shape) -> Floats:
        scores = np.zeros((2, shape.groups * shape.sources * shape.items))
        scores[0] = 100 * rate * (1 + rng.choice([-0.5, 0.5], scores.shape[1]))
        scores[1] = np.where(rng.random(scores.shape[1]) < rate, 100.0, 0.0)
        return scores

    return drawn


@dataclass(frozen=True)
class Cell:
    """Contestants of a kind on a shape of board. sizes: of the clusters, in the place of those of the shape."""

    kind: str
    errors: Errors
    contestants: int
    shape: Shape
    equal: bool = True
    sizes: Sequence[int] = ()

    def boards(self, rng: np.random.Generator, n: int) -> Iterator[tuple[Floats, Ints, Ints]]:
        groups, clusters = self.shape.labels
        if self.sizes:
            clusters = np.repeat(np.arange(len(self.sizes)), self.sizes)
            groups = np.zeros_like(clusters)
        for _ in range(n):
            table = self.errors(rng, self.contestants, self.shape)
            if self.sizes:
                table = table[:, clusters] + 5 * rng.standard_normal((len(table), clusters.size))
            yield table, groups, clusters


_POPULATIONS = (
    ("binary", "rate 0.05"), ("binary", "rate 0.5"), ("1-5", "middle 1.5"), ("0-100", "middle -20, spread 60"),
    ("rare", "rate 0.02"), ("most 0", "middle -60"), ("real", "paraphrase"), ("real", "essay"), ("real", "agree"),
)  # fmt: skip


def _cells() -> Iterator[Cell]:
    shapes = ((8, (1, 6, 1)), (8, (3, 2, 1)), (8, (1, 12, 1)), (20, (1, 12, 1)), (8, (1, 23, 1)), (8, (1, 52, 1)),
              (8, (13, 12, 1)), (8, (13, 4, 3)))  # fmt: skip
    for contestants, shape in shapes:
        for kind, errors in {"normal": _normal, "skewed": _skewed, "uneven spread": _uneven}.items():
            yield Cell(kind, errors, contestants, Shape(*shape))
    for shape in ((1, 12, 1), (1, 42, 1), (1, 80, 1), (13, 12, 1)):
        for kind, name in _POPULATIONS:
            yield Cell(f"{kind}, {name}", _of(kind, name), 8, Shape(*shape))
    sizes = (20, 10, 6, 4, 3, 2, 2, 1, 1, 1, 1, 1)
    for kind, errors in {"normal": _normal, "skewed": _skewed}.items():
        yield Cell(f"{kind}, clusters of 1-20", errors, 8, Shape(1, 12, 1), sizes=sizes)
    for shape in ((1, 12, 1), (1, 23, 1), (1, 52, 1)):
        yield Cell("skewed and normal", _unlike, 8, Shape(*shape), equal=False)
    for rate in (0.005, 0.02, 0.1):
        for shape in ((1, 20, 1), (1, 80, 1), (13, 12, 1)):
            yield Cell(f"null of {100 * rate:g}", _rare(rate), 2, Shape(*shape), equal=False)


CELLS = tuple(_cells())


@dataclass(frozen=True)
class Family:
    """How often any two of some equal contestants are told apart, by way. error: the standard error of 5 %."""

    cell: Cell
    told_apart: dict[str, float]
    error: float

    @property
    def verdict(self) -> str:
        if not self.cell.equal:
            return "no way holds here"
        return "ok" if self.told_apart["flips"] <= ERROR + 2.5 * self.error else "MISSED"

    def __str__(self) -> str:
        ways = "  ".join(f"{way} {share:.3f}" for way, share in self.told_apart.items())
        return (
            f"{self.cell.kind:24}{self.cell.contestants:3}{self.cell.shape}  {ways} +- {self.error:.3f}  {self.verdict}"
        )


def families(
    boards: int, seed: int = 3, cells: Sequence[Cell] = CELLS, ways: Mapping[str, Way] = WAYS
) -> Iterator[Family]:
    """Every cell by every way; cells that no way holds on half as many boards, and those of which flips miss the level,
    among so many some by chance, again on ten times as many."""
    rng = np.random.default_rng(seed)

    def told(cell: Cell, n: int) -> Family:
        counts = dict.fromkeys(ways, 0)
        for number, (table, groups, clusters) in enumerate(cell.boards(rng, n)):
            for way, test in ways.items():
                counts[way] += test(table, groups, clusters, number) > 0
        return Family(cell, {way: count / n for way, count in counts.items()}, float(np.sqrt(ERROR * (1 - ERROR) / n)))

    for cell in cells:
        family = told(cell, boards if cell.equal else boards // 2)
        yield told(cell, 10 * boards) if family.verdict == "MISSED" else family


@dataclass(frozen=True)
class Table:
    """A published table of scores, (models, tasks), without the models that lack one."""

    scores: Floats
    tasks: Ints = field(init=False)

    @classmethod
    def read(cls, path: Path) -> Table:
        with path.open(newline="") as file:
            _, *rows = csv.reader(file)
        width = max(map(len, rows))
        return cls(np.array([row[1:] for row in rows if len(row) == width and all(row)], np.float64))

    def separated(self) -> dict[str, int]:
        """How many pairs each way separates; the tasks are one group."""
        groups, tasks = np.zeros(self.scores.shape[1], np.int64), np.arange(self.scores.shape[1])
        return {way: test(self.scores, groups, tasks, 1) for way, test in WAYS.items()}

    def told_apart(self, boards: int, seed: int = 5) -> float:
        """How often flips tell any two apart if the residuals of each task are dealt to the models anew."""
        residuals = self.scores - self.scores.mean(axis=1, keepdims=True)
        residuals -= residuals.mean(axis=0)
        rng, tasks = np.random.default_rng(seed), np.arange(residuals.shape[1])
        dealt = (rng.permuted(residuals, axis=0) for _ in range(boards))
        return float(np.mean([flips(table, np.zeros_like(tasks), tasks, n) > 0 for n, table in enumerate(dealt)]))


def outcomes(boards: int = 1000) -> list[Outcome]:
    """The worst family-wise error of the way that makes the ranks."""
    told = []
    for family in families(boards):
        print(family, flush=True)
        told.append(family)
    worst = max((each for each in told if each.cell.equal), key=lambda each: each.told_apart["flips"])
    limit = ERROR + 2.5 * worst.error
    return [Outcome("family-wise error of ranks", worst.told_apart["flips"], limit, str(worst), noun="share")]


if __name__ == "__main__":
    match sys.argv[1:]:
        case [path] if not path.isdigit():
            table = Table.read(Path(path))
            print(f"{table.scores.shape} pairs separated: {table.separated()}")
            print(f"residuals dealt anew: flips {table.told_apart(300):.3f}")
        case numbers:
            sys.exit(report(outcomes(*map(int, numbers))))
