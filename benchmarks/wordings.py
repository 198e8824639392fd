"""Measure how often the 95 % interval of sigma_prompt contains the true value.

`python -m benchmarks.wordings [BOARDS]` prints a line for every cell, from that many made-up boards. It exits with 1 if
a cell misses the limit.

A cell is a shape of board, a rate of right answers, the true standard deviation of the score over wordings, and whether
all wordings but one are nearly alike. Answers are right or wrong; items of a source, and a source in one wording, have
something in common. The wordings are drawn anew for each board.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from statistics import NormalDist, median

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from benchmarks.coverage import AGAIN, LOW, NEAR_LOW, Shape
from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.wording import sigma_prompt

WORDINGS = 5
SHAPES = (Shape(1, 60, 1), Shape(1, 12, 5), Shape(1, 200, 1), Shape(1, 80, 3), Shape(1, 1000, 1))
RATES = (0.5, 0.15, 0.05)
SIGMAS = (0.0, 1.0, 3.0, 8.0)
_ITEM, _SOURCE, _WORDED = 0.3, 0.2, 0.15
"""The shares of the variance due to the item, the source, and the source in one wording. The rest is chance."""
_ALIKE = 0.8
"""The share of that rest that wordings which are nearly alike have in common."""
LOW_IF_ALIKE = 0.92
"""The limit of cells whose wordings are nearly alike: the deviations of such wordings have unequal variances, and less
than k-1 degrees of freedom. Degrees of freedom from these variances (Satterthwaite) would cover 93 % there, but 98-99 %
on boards of 12 sources, with upper ends 40 % higher or more."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def spread(middle: float, effect: float) -> float:
    """Return the standard deviation of a score over wordings, in points.

    A wording adds a normal number with standard deviation `effect` to each answer's standard normal number, and an
    answer is right if the sum and `middle` are above 0.
    """
    rates, weights = ndtr(middle + effect * _POINTS), _WEIGHTS / _WEIGHTS.sum()
    return 100 * sqrt(float(weights @ np.square(rates - weights @ rates)))


def effect_of(middle: float, sigma: float) -> float:
    """Return the effect of wordings for which the score has the standard deviation `sigma`."""
    return float(brentq(lambda effect: spread(middle, effect) - sigma, 0, 5)) if sigma else 0.0


@dataclass(frozen=True)
class Cell:
    """coverage: the share of intervals with the true value. upper: the median of their upper ends, in points."""

    shape: Shape
    rate: float
    sigma: float
    alike: bool
    coverage: float
    upper: float

    @property
    def reaches_an_end(self) -> bool:
        """Whether three standard deviations reach an end of the scale, so that the score is far from normal."""
        return 3 * self.sigma > 100 * min(self.rate, 1 - self.rate)

    @property
    def limit(self) -> float:
        return LOW_IF_ALIKE if self.alike else LOW

    @property
    def verdict(self) -> str:
        if self.reaches_an_end:
            return "three sigma reach an end of the scale"
        return "ok" if self.coverage >= self.limit else "MISSED"

    def __str__(self) -> str:
        alike = "four alike" if self.alike else ""
        line = f"{self.shape}  rate {self.rate:4}  sigma {self.sigma:g}  {alike:10}  {self.coverage:.3f}"
        return f"{line}  upper end {self.upper:5.1f}  {self.verdict}"


def drawn(rng: np.random.Generator, shape: Shape, middle: float, effect: float, *, alike: bool) -> Floats:
    """Return (items, wordings) scores of 0 and 100 of a made-up board."""
    sources, items = shape.sources, shape.items
    worded = 0.0 if items == 1 else _WORDED
    own = rng.standard_normal((sources, items, WORDINGS))
    if alike:
        shared = rng.standard_normal((sources, items, 1))
        own[..., 1:] = sqrt(_ALIKE) * shared + sqrt(1 - _ALIKE) * own[..., 1:]
    parts = (
        (sqrt(_ITEM), (sources, items, 1)),
        (sqrt(_SOURCE), (sources, 1, 1)),
        (sqrt(worded), (sources, 1, WORDINGS)),
        (effect, (WORDINGS,)),
    )
    number = middle + sqrt(1 - _ITEM - _SOURCE - worded) * own + sum(sd * rng.standard_normal(of) for sd, of in parts)
    scores: Floats = np.where(number > 0, 100.0, 0.0).reshape(-1, WORDINGS)
    return scores


def cells(
    boards: int,
    seed: int = 1,
    shapes: Sequence[Shape] = SHAPES,
    rates: Sequence[float] = RATES,
    sigmas: Sequence[float] = SIGMAS,
) -> Iterator[Cell]:
    """Yield every cell, from this many boards each; ten times as many if its coverage is near the limit."""
    rng = np.random.default_rng(seed)

    def cell(shape: Shape, rate: float, sigma: float, alike: bool, boards: int) -> Cell:
        middle = NormalDist().inv_cdf(rate)
        effect, clusters = effect_of(middle, sigma), shape.labels[1]
        tables = (drawn(rng, shape, middle, effect, alike=alike) for _ in range(boards))
        ends = [(found.low, found.high) for each in tables if (found := sigma_prompt(each, clusters)).reason is None]
        held = [low is not None and high is not None and low <= sigma <= high for low, high in ends]
        return Cell(shape, rate, sigma, alike, sum(held) / boards, median(high or 0.0 for _, high in ends))

    for shape, rate, sigma, alike in product(shapes, rates, sigmas, (False, True)):
        if sigma > 100 * rate:
            continue
        found = cell(shape, rate, sigma, alike, boards)
        again = found.coverage < found.limit + NEAR_LOW and not found.reaches_an_end
        yield cell(shape, rate, sigma, alike, AGAIN * boards) if again else found


def outcomes(boards: int = 200) -> list[Outcome]:
    """Return the lowest coverage of cells in which three sigma do not reach an end of the scale, by limit."""
    found = []
    for each in cells(boards):
        print(each, flush=True)
        found.append(each)
    usual = [each for each in found if not each.reaches_an_end]
    outcomes = []
    for alike, name in ((False, "least coverage of sigma_prompt"), (True, "the same, four wordings alike")):
        least = min((each for each in usual if each.alike == alike), key=lambda each: each.coverage)
        outcomes.append(Outcome(name, least.coverage, least.limit, str(least), noun="share", at_least=True))
    return outcomes


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
