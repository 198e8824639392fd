"""How often 95 % intervals hold what they are of, how often equal contestants are told apart, and how often one of a
null model's skill is called above it.

`python -m benchmarks.coverage [BOARDS]` prints a line for every cell, from as many made-up boards each.

A cell is a kind of score and a shape of board: items in groups, of sources with one item or several. Within a cell the
populations vary, from one end of the scale to the other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import estimate_of, means
from nullbench_site.stats.measure import LEAST_CLUSTERS
from nullbench_site.stats.ranking import over_best, ranks_of

LOW, HIGH = 0.93, 0.985
"""Between them the coverage of every cell has to lie, at nominal 95 %."""
ERRORS = 0.05
_WITHIN = 0.4
"""How much of the variance is that of the source, where a source has several items."""
_QUANTILE = NormalDist().inv_cdf

Population = Callable[[Floats], Floats]
"""Standard normal numbers -> scores of 0-100."""


@dataclass(frozen=True)
class Shape:
    """groups of `sources` with `items` each."""

    groups: int
    sources: int
    items: int

    @property
    def labels(self) -> tuple[Ints, Ints]:
        """The group and the source of each item."""
        source = np.repeat(np.arange(self.groups * self.sources), self.items)
        return source // self.sources, source

    def drawn(self, rng: np.random.Generator, boards: int) -> Floats:
        """(boards, items) standard normal numbers that items of a source share a part of."""
        own, shared = (1.0, 0.0) if self.items == 1 else (1 - _WITHIN, _WITHIN)
        size = (boards, self.groups * self.sources)
        of_source = rng.standard_normal((*size, 1)) * np.sqrt(shared)
        numbers: Floats = (of_source + rng.standard_normal((*size, self.items)) * np.sqrt(own)).astype(np.float64)
        return numbers.reshape(boards, -1)

    def __str__(self) -> str:
        return f"{self.groups:3} x {self.sources:3} x {self.items}"


SHAPES = tuple(
    Shape(*shape)
    for shape in (
        (1, 4, 1), (2, 2, 1), (1, 5, 2), (1, 6, 1), (2, 3, 1), (3, 2, 1), (1, 8, 1), (5, 2, 1), (6, 2, 1), (1, 12, 1),
        (3, 4, 1), (1, 6, 6), (2, 6, 3), (4, 2, 2), (1, 24, 1), (10, 2, 1), (13, 2, 1), (1, 12, 3), (6, 2, 6),
        (1, 52, 1), (26, 2, 1), (13, 4, 1), (13, 4, 3), (13, 2, 6), (1, 26, 6), (26, 3, 2), (1, 156, 1), (13, 12, 1),
        (26, 6, 1), (4, 39, 1),
    )
)  # fmt: skip
"""n = 4 to 156, 1 to 26 groups, sources of 1 to 6 items."""


NEAR_AN_END = (Shape(1, 12, 1), Shape(1, 52, 1), Shape(1, 80, 1), Shape(13, 4, 1), Shape(1, 156, 1), Shape(26, 6, 1))
"""Those on which populations of almost nothing but 0 are tried."""


def _rate(share: float) -> Population:
    return lambda z: np.where(z < _QUANTILE(share), 100.0, 0.0)


def _ratings(middle: float) -> Population:
    def rated(z: Floats) -> Floats:
        ratings: Floats = np.clip(np.round(middle + 0.9 * z), 1, 5)
        return 25 * (ratings - 1)

    return rated


def _clipped(middle: float, spread: float) -> Population:
    return lambda z: np.minimum(np.maximum(middle + spread * z, 0.0), 100.0)


KINDS: dict[str, Sequence[Population]] = {
    "binary": [_rate(share) for share in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)],
    "1-5": [_ratings(middle) for middle in (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5)],
    "0-100": [_clipped(middle, spread) for middle in (-20, 0, 20, 40, 60, 80, 100, 120) for spread in (30, 60)],
}
"""Those of 0-100 have from none to three quarters of their scores at an end of the scale."""
RARE: dict[str, Sequence[Population]] = {
    "rare": [_rate(share) for share in (0.01, 0.02, 0.03)],
    "most 0": [_clipped(middle, 30) for middle in (-70, -60, -50)],
}
"""Almost every score is 0: printed beside the others and held to nothing. How far these miss is said on the site."""


def _mean(population: Population) -> float:
    """Of the population, on 100,000 quantiles of the normal distribution."""
    z = np.array([_QUANTILE(share) for share in (np.arange(100_000) + 0.5) / 100_000])
    return float(population(z).mean())


@dataclass(frozen=True)
class Cell:
    """The share of intervals that hold the mean; lowest: of the population that has the fewest."""

    kind: str
    shape: Shape
    coverage: float
    lowest: float

    @property
    def few(self) -> bool:
        """Whether an interval says of itself that it rests on too few clusters."""
        return self.shape.groups * self.shape.sources < LEAST_CLUSTERS

    @property
    def verdict(self) -> str:
        return "too few" if self.few else "ok" if LOW <= self.coverage <= HIGH else "MISSED"

    def __str__(self) -> str:
        return f"{self.kind:7}{self.shape}  {self.coverage:6.3f}  lowest {self.lowest:.3f}  {self.verdict}"


def cells(
    boards: int,
    seed: int = 1,
    shapes: Sequence[Shape] = SHAPES,
    kinds: Mapping[str, Sequence[Population]] = KINDS,
) -> Iterator[Cell]:
    """Every kind on every shape. boards: of each cell, spread over its populations."""
    rng = np.random.default_rng(seed)
    for kind, populations in kinds.items():
        truths = [_mean(population) for population in populations]
        each = max(2, boards // len(populations))
        for shape in shapes:
            held = []
            for population, truth in zip(populations, truths, strict=True):
                found = estimate_of(means(population(shape.drawn(rng, each)), *shape.labels), (0, 100))
                held.append(np.mean([_holds(each.low, truth, each.high) for each in found]))
            yield Cell(kind, shape, float(np.mean(held)), float(np.min(held)))


def _holds(low: float | None, truth: float, high: float | None) -> bool:
    return low is not None and high is not None and low - 1e-9 <= truth <= high + 1e-9


def differences(boards: int, seed: int = 2) -> Iterator[Cell]:
    """The same of paired differences, of which one contestant is 0 to 20 points ahead of the other."""
    rng = np.random.default_rng(seed)
    for shape in SHAPES:
        hard = shape.drawn(rng, boards) * 20
        ahead = rng.uniform(0, 20, (boards, 1))
        apart = (50 + hard + ahead + shape.drawn(rng, boards) * 10) - (50 + hard + shape.drawn(rng, boards) * 10)
        found = estimate_of(means(apart, *shape.labels), None)
        held = np.mean([_holds(e.low, a, e.high) for e, a in zip(found, ahead[:, 0].tolist(), strict=True)])
        yield Cell("paired", shape, float(held), float(held))


@dataclass(frozen=True)
class Family:
    """How often any two of some equal contestants are told apart. error: the standard error of 5 % of as many."""

    contestants: int
    shape: Shape
    told_apart: float
    error: float

    @property
    def verdict(self) -> str:
        return "ok" if self.told_apart <= ERRORS + 2.5 * self.error else "MISSED"

    def __str__(self) -> str:
        return f"{self.contestants:3} equal{self.shape}  {self.told_apart:6.3f} +- {self.error:.3f}  {self.verdict}"


FAMILIES = tuple(
    (contestants, Shape(*shape))
    for contestants, shape in (
        (2, (1, 6, 1)), (3, (1, 6, 1)), (8, (1, 6, 1)), (8, (1, 12, 1)), (20, (1, 12, 1)), (8, (3, 2, 1)),
        (8, (1, 52, 1)), (8, (13, 12, 1)), (8, (26, 6, 1)), (13, (13, 12, 1)), (20, (1, 100, 1)), (8, (13, 4, 3)),
    )
)  # fmt: skip


def families(boards: int, seed: int = 3) -> Iterator[Family]:
    """Contestants of one skill on items that are hard for all alike, continuous scores."""
    rng = np.random.default_rng(seed)
    for contestants, shape in FAMILIES:
        told = [told_apart(rng, contestants, shape, number) for number in range(boards)]
        share = float(np.mean(told))
        yield Family(contestants, shape, share, float(np.sqrt(ERRORS * (1 - ERRORS) / boards)))


def told_apart(rng: np.random.Generator, contestants: int, shape: Shape, seed: int) -> bool:
    """Whether on one board any is called better than another."""
    scores = 50 + 15 * shape.drawn(rng, 1) + 10 * shape.drawn(rng, contestants)
    found = ranks_of(means(scores, *shape.labels), seed, resamples=1000)
    return max(found.low) > 1


@dataclass(frozen=True)
class Floored:
    """How often a contestant is called above a null model of the same mean, which rarely scores anything."""

    rate: float
    shape: Shape
    above: float
    error: float

    @property
    def verdict(self) -> str:
        return "ok" if self.above <= ERRORS + 2.5 * self.error else "MISSED"

    def __str__(self) -> str:
        return f"null of {100 * self.rate:4.1f}{self.shape}  {self.above:6.3f} +- {self.error:.3f}  {self.verdict}"


FLOORS = tuple(
    (rate, Shape(*shape))
    for rate in (0.005, 0.02, 0.05, 0.1)
    for shape in ((1, 8, 1), (1, 20, 1), (1, 80, 1), (13, 12, 1))
)


def floors(boards: int, seed: int = 4, cells: Sequence[tuple[float, Shape]] = FLOORS) -> Iterator[Floored]:
    """Three null models, of which the best has 100 on a few items and 0 on most or all, and one contestant that has
    its mean, give or take half of it, on every item: it would be above whenever the null happens to score nothing."""
    rng = np.random.default_rng(seed)
    for rate, shape in cells:
        groups, sources = shape.labels
        above = []
        for number in range(boards):
            scores = np.zeros((4, groups.size))
            scores[0] = 100 * rate * (1 + rng.choice([-0.5, 0.5], groups.size))
            scores[1] = np.where(rng.random(groups.size) < rate, 100.0, 0.0)
            above.append(over_best(scores, (1, 2, 3), groups, sources, number, resamples=200).low[0] > 0)
        yield Floored(rate, shape, float(np.mean(above)), float(np.sqrt(ERRORS * (1 - ERRORS) / boards)))


LineT = TypeVar("LineT", Cell, Family, Floored)


def _shown(lines: Iterable[LineT]) -> Iterator[LineT]:
    for line in lines:
        print(line, flush=True)
        yield line


def outcomes(boards: int = 11_000) -> list[Outcome]:
    """The lowest and the highest coverage of cells with enough clusters, and the worst family-wise error."""
    covered = [*_shown(cells(boards)), *_shown(differences(boards))]
    for cell in cells(boards, shapes=NEAR_AN_END, kinds=RARE):
        print(f"{cell}, for the record")
    told = [*_shown(families(boards // 11))]
    called = max(_shown(floors(boards // 11)), key=lambda each: each.above)
    enough = [cell for cell in covered if not cell.few]
    worst = max(told, key=lambda each: each.told_apart)
    least, most = (choose(enough, key=lambda cell: cell.coverage) for choose in (min, max))
    return [
        Outcome("least coverage of 95 % intervals", least.coverage, LOW, str(least), noun="share", at_least=True),
        Outcome("most coverage of 95 % intervals", most.coverage, HIGH, str(most), noun="share"),
        Outcome("family-wise error of ranks", worst.told_apart, ERRORS + 2.5 * worst.error, str(worst), noun="share"),
        Outcome("called above an equal floor", called.above, ERRORS + 2.5 * called.error, str(called), noun="share"),
    ]


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
