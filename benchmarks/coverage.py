"""Measure how often 95 % intervals contain the true value.

`python -m benchmarks.coverage [BOARDS]` prints a line for every cell, from that many made-up boards per population.
It exits with 1 if a cell misses a limit.

A cell is a kind of score and a shape of board: items in groups, of sources with one item or several. Within a cell the
populations vary, from one end of the scale to the other, and each has to be covered.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist

import numpy as np
from scipy.special import betaincinv, betaln, gammaln, ndtr

from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import Means, difference_ends, interval, means
from nullbench_site.stats.measure import LEAST_CLUSTERS

LOW, HIGH = 0.93, 0.985
"""At nominal 95 %: the least coverage of each population, and the most of a cell's populations on average."""
NEAR_LOW, NEAR_HIGH, AGAIN = 0.02, 0.005, 10
"""A coverage this near to its limit is measured again on ten times the boards."""
_WITHIN = 0.4
"""The share of the variance due to the source, if a source has several items."""
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


NEAR_AN_END = tuple(
    Shape(*shape)
    for shape in (
        (1, 12, 1), (1, 24, 1), (1, 52, 1), (1, 80, 1), (8, 10, 1), (13, 4, 1), (1, 156, 1), (26, 6, 1), (13, 12, 1),
    )
)  # fmt: skip
"""Those on which populations of almost nothing but 0 are tried; the practical board has 8 x 10."""


def _rate(share: float) -> Population:
    return lambda z: np.where(z < _QUANTILE(share), 100.0, 0.0)


def _ratings(middle: float) -> Population:
    def rated(z: Floats) -> Floats:
        ratings: Floats = np.clip(np.round(middle + 0.9 * z), 1, 5)
        return 25 * (ratings - 1)

    return rated


def _clipped(middle: float, spread: float) -> Population:
    return lambda z: np.minimum(np.maximum(middle + spread * z, 0.0), 100.0)


def _resampled(scores: Iterable[float]) -> Population:
    """Items drawn with replacement from those that were seen."""
    counts = sorted(Counter(scores).items())
    total = sum(count for _, count in counts)
    borders = np.array([_QUANTILE(below / total) for below in accumulate(count for _, count in counts[:-1])])
    values = np.array([value for value, _ in counts])
    return lambda z: values[np.searchsorted(borders, z)]


def _clipped_apart(middle: float, spread: float) -> Population:
    return lambda z: np.clip(middle + spread * z, -100, 100)


def _two_rates(down: int, up: int) -> Population:
    """Differences of two binary scores; shares in thousandths."""
    return _resampled([-100] * down + [0] * (1000 - down - up) + [100] * up)


PRACTICAL = {
    "paraphrase": "00002000000000000003300000010002012000000000000030000000000000000000101402010141",
    "essay": "00001010000000002000200000000000001000000000100020000000000200200010001001012100",
    "agree": "00000000000000000003100000000000000000000000000000000000000000000000000300000000",
    "ask-back": "00000000000000000000000000010010000000001000000000000000000000000000000000010000",
    "glossary": "00001000000000000000000000000001001000000000000030000000000000000000000000000000",
    "refuse": 48 * "0" + "3" + 31 * "0",
    "null-words": 19 * "0" + "1" + 60 * "0",
    "null-empty": 80 * "0",
}
"""The composites of the practical board's 80 items, in twelfths of the scale: run 2.1.0-208ed5e6, items.csv."""


def _practical(name: str) -> Floats:
    return np.array([int(digit) * 100 / 12 for digit in PRACTICAL[name]])


def _beta(mean: float, size: float) -> Population:
    """Return a beta distribution of this mean, as spread as shares of `size` and one trials."""
    return lambda z: 100 * betaincinv(mean * size, (1 - mean) * size, ndtr(z))


def _checks(mean: float) -> Population:
    """Return shares of ten checks passed, with rates that differ by item as a beta distribution of size 3."""
    passed = np.arange(11)
    a, b = 3 * mean, 3 * (1 - mean)
    shares = np.exp(
        gammaln(11) - gammaln(passed + 1) - gammaln(11 - passed) + betaln(passed + a, 10 - passed + b) - betaln(a, b)
    )
    borders = np.cumsum(shares)[:-1]
    return lambda z: 10.0 * np.searchsorted(borders, ndtr(z))


KINDS: dict[str, Mapping[str, Population]] = {
    "binary": {f"rate {r}": _rate(r) for r in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)},
    "1-5": {f"middle {middle}": _ratings(middle) for middle in (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5)},
    "0-100": {
        f"middle {middle}, spread {spread}": _clipped(middle, spread)
        for middle in (-20, 0, 20, 40, 60, 80, 100, 120)
        for spread in (30, 60)
    },
}
"""Those of 0-100 have from none to three quarters of their scores at an end of the scale."""
REAL: dict[str, Mapping[str, Population]] = {
    "real": {
        **{name: _resampled(_practical(name)) for name in PRACTICAL if name != "null-empty"},
        "100 - paraphrase": _resampled(100 - _practical("paraphrase")),
        "100 - agree": _resampled(100 - _practical("agree")),
    }
}
"""Four of five items score 0, or all but one."""
_SELDOM_LARGE = "2 % of 100, 20 % of 8.3"
RARE: dict[str, Mapping[str, Population]] = {
    "rare": {
        **{f"rate {share}": _rate(share) for share in (0.001, 0.005, 0.01, 0.02, 0.03)},
        _SELDOM_LARGE: _resampled([100] * 2 + [100 / 12] * 20 + [0] * 78),
    },
    "most 0": {f"middle {middle}": _clipped(middle, 30) for middle in (-70, -60, -50)},
}
"""Almost every score is 0. They count for the least coverage, not for the mean of a cell."""
MARKS: dict[str, Mapping[str, Population]] = {
    "marks": {
        **{f"beta {mean:g}, of {size}": _beta(mean, size) for mean in (0.02, 0.05, 0.95, 0.98) for size in (4, 20)},
        **{f"10 checks, {mean:g}": _checks(mean) for mean in (0.02, 0.05, 0.95, 0.98)},
    }
}
"""Marks between the ends of the scale, with a mean near one of them."""
MARKED = tuple(Shape(1, n, 1) for n in (12, 24, 40, 60))
UNCOVERED = {
    _SELDOM_LARGE: "of 80 items, one board of five shows none of the large scores; "
    "an interval that allows for them covers 99 of 100 elsewhere"
}
"""Populations that no interval covers within the limits, with the reason."""
APART: dict[str, Mapping[str, Population]] = {
    "apart": {
        **{
            f"{down / 10:g} % down, {up / 10:g} % up": _two_rates(down, up)
            for down, up in ((90, 90), (35, 285), (100, 400))
        },
        **{f"normal, spread {spread}": _clipped_apart(5, spread) for spread in (5, 15)},
        "skewed": lambda z: np.clip(10 * np.exp(0.8 * z) - 10, -100, 100),
        "half equal": lambda z: np.clip(30 * z, 0, 100),
    }
}
"""Differences of two contestants."""
RARELY_APART: dict[str, Mapping[str, Population]] = {
    "apart": {
        **{
            f"{ours} - {theirs}": _resampled(_practical(ours) - _practical(theirs))
            for ours, theirs in (
                ("paraphrase", "essay"), ("paraphrase", "agree"), ("paraphrase", "null-empty"), ("essay", "agree"),
                ("essay", "null-empty"), ("agree", "ask-back"), ("agree", "null-empty"), ("ask-back", "glossary"),
                ("glossary", "null-empty"), ("refuse", "null-words"), ("refuse", "null-empty"),
            )
        },
        "2 % down, 2 % up": _two_rates(20, 20),
        "5 % up": _two_rates(0, 50),
    }
}  # fmt: skip
"""Two that score the same on most items. Like the rare ones."""


def _mean(population: Population) -> float:
    """Of the population, on 100,000 quantiles of the normal distribution."""
    z = np.array([_QUANTILE(share) for share in (np.arange(100_000) + 0.5) / 100_000])
    return float(population(z).mean())


@dataclass(frozen=True)
class Cell:
    """coverage: the share of intervals that contain the mean, by population. rare: no limit for their mean."""

    kind: str
    shape: Shape
    coverage: Mapping[str, float]
    rare: bool = False

    @property
    def few(self) -> bool:
        """Whether an interval says of itself that it rests on too few clusters."""
        return self.shape.groups * self.shape.sources < LEAST_CLUSTERS

    @property
    def mean(self) -> float:
        return float(np.mean([*self.coverage.values()]))

    @property
    def worst(self) -> str:
        """The population that is covered least, of those that some interval can cover."""
        return min(self.coverage.keys() - UNCOVERED.keys(), key=lambda name: (self.coverage[name], name))

    @property
    def lowest(self) -> float:
        return self.coverage[self.worst]

    @property
    def verdict(self) -> str:
        if self.few:
            return "too few"
        return "ok" if self.lowest >= LOW and (self.rare or self.mean <= HIGH) else "MISSED"

    def __str__(self) -> str:
        line = f"{self.kind:7}{self.shape}  {self.mean:6.3f}  lowest {self.lowest:.3f} {self.worst}  {self.verdict}"
        marked = [name for name in self.coverage if name in UNCOVERED]
        return "\n".join([line, *(f"  {self.coverage[name]:.3f} {name}: {UNCOVERED[name]}" for name in marked)])


Ends = Callable[[Means], tuple[Floats, Floats]]


def of_scores(averages: Means) -> tuple[Floats, Floats]:
    return interval(averages.value, averages.se, averages.wilson_df, averages.clusters, (0, 100))


def of_differences(averages: Means) -> tuple[Floats, Floats]:
    return difference_ends(averages, averages.t * averages.se, 100)


def cells(
    boards: int,
    seed: int = 1,
    shapes: Sequence[Shape] = SHAPES,
    kinds: Mapping[str, Mapping[str, Population]] = KINDS,
    ends: Ends = of_scores,
    *,
    rare: bool = False,
) -> Iterator[Cell]:
    """Every kind on every shape. boards: of each population."""
    rng = np.random.default_rng(seed)

    def share(population: Population, truth: float, shape: Shape, boards: int) -> float:
        low, high = ends(means(population(shape.drawn(rng, boards)), *shape.labels))
        return float(np.mean((low - 1e-9 <= truth) & (truth <= high + 1e-9)))

    for kind, populations in kinds.items():
        truths = {name: _mean(population) for name, population in populations.items()}
        for shape in shapes:
            held = {name: share(of, truths[name], shape, boards) for name, of in populations.items()}
            wide = not rare and Cell(kind, shape, held).mean > HIGH - NEAR_HIGH
            for name, of in populations.items():
                if wide or held[name] < LOW + NEAR_LOW:
                    held[name] = share(of, truths[name], shape, AGAIN * boards)
            yield Cell(kind, shape, held, rare)


def _shown(lines: Iterable[Cell]) -> Iterator[Cell]:
    for line in lines:
        print(line, flush=True)
        yield line


def outcomes(boards: int = 1000) -> list[Outcome]:
    """The lowest coverage of a population and the highest of a cell."""
    usual = [
        *_shown(cells(boards)),
        *_shown(cells(boards, shapes=NEAR_AN_END, kinds=REAL)),
        *_shown(cells(boards, kinds=APART, ends=of_differences)),
    ]
    near = [
        *_shown(cells(boards, shapes=NEAR_AN_END, kinds=RARE, rare=True)),
        *_shown(cells(boards, shapes=MARKED, kinds=MARKS, rare=True)),
        *_shown(cells(boards, shapes=NEAR_AN_END, kinds=RARELY_APART, ends=of_differences, rare=True)),
    ]
    enough = [cell for cell in usual if not cell.few]
    least, most = min([*enough, *near], key=lambda cell: cell.lowest), max(enough, key=lambda cell: cell.mean)
    return [
        Outcome("least coverage of a population", least.lowest, LOW, str(least), noun="share", at_least=True),
        Outcome("most coverage of a cell", most.mean, HIGH, str(most), noun="share"),
    ]


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
