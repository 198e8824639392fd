"""Measure how often the intervals of calibration contain the true value, and how often a shape is named wrongly.

`python -m benchmarks.calibration [BOARDS]` prints a line for every cell, from that many made-up boards. It exits with 1
if a cell misses a limit.

A cell is a contestant (how its accuracy depends on its confidence) on so many answers, single ones or several of one
source, which share a part of their luck.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.measure import Outcome, report
from nullbench_site.stats import calibration, reliability
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.calibration import BINS, logits, tempered
from nullbench_site.stats.measure import Bounded

LOW = 0.93
"""At nominal 95 %, the least coverage."""
MOST_FALSE = 0.05
"""The largest share of calibrated contestants that get the name of another shape."""
PER_SHAPE = 5
"""Shapes take simulations of their own, so they are named on one board of this many."""
_SHARED = 0.3
"""How often two answers of one source are right or wrong by the same luck."""
_POPULATION = 200_000
_SPREAD = np.geomspace(0.05, 50, 4000)
"""Temperatures to choose from."""


@dataclass(frozen=True)
class Contestant:
    """confidence: the Beta distribution of its confidences. accuracy: how often answers of a confidence are right."""

    name: str
    confidence: tuple[float, float]
    accuracy: Callable[[Floats], Floats]
    calibrated: bool = False

    def drawn(self, rng: np.random.Generator, n: int) -> Floats:
        """Return (n,) confidences, to four digits as in records."""
        return np.asarray(np.round(rng.beta(*self.confidence, n), 4), np.float64)

    def truths(self) -> Mapping[str, float]:
        """Return the value of each measure on very many answers, with their accuracies in the place of outcomes."""
        p = self.drawn(np.random.default_rng(0), _POPULATION)
        q = self.accuracy(p)
        x = logits(p)
        best = min(_SPREAD.tolist(), key=lambda t: float((np.logaddexp(0, x[::40] / t) - q[::40] * x[::40] / t).mean()))
        near = np.linspace(0.9 * best, 1.1 * best, 81).tolist()
        return {
            "brier": float((np.square(p - q) + q * (1 - q)).mean()),
            "nll": float((np.logaddexp(0, x) - q * x).mean()),
            "gap": float((p - q).mean()),
            "ece": float(np.abs(np.bincount(calibration.bin_of(p, BINS), p - q)).sum() / p.size),
            "temperature": min(near, key=lambda t: float((np.logaddexp(0, x / t) - q * x / t).mean())),
        }

    def board(self, n: int, each: int, rng: np.random.Generator) -> tuple[Floats, Floats, Ints]:
        """Return the confidences of n answers, whether they are right, and their sources of `each` answers."""
        sources, p, luck = np.arange(n) // each, self.drawn(rng, n), rng.random(n)
        if each > 1:
            luck = np.where(rng.random(n) < _SHARED**0.5, rng.random(n // each)[sources], luck)
        return p, (luck < self.accuracy(p)).astype(np.float64), sources


CONTESTANTS = (
    Contestant("calibrated", (2, 2), lambda p: p, calibrated=True),
    Contestant("calibrated, sure", (8, 2), lambda p: p, calibrated=True),
    Contestant("slightly over", (6, 3), lambda p: tempered(p, 1.3)),
    Contestant("overconfident", (8, 3), lambda p: p * 0.75),
    Contestant("underconfident", (3, 3), lambda p: p + 0.3 * (1 - p)),
    Contestant("half and half", (2, 2), lambda p: np.where(p > 0.5, p - 0.15, p + 0.15)),
)
SIZES = ((60, 1), (250, 1), (250, 5), (1000, 1), (1000, 10))
"""Answers, and how many each source has."""


@dataclass(frozen=True)
class Cell:
    """coverage: the share of intervals that contain the true value, by measure, where there is one. shapes: named."""

    contestant: Contestant
    n: int
    each: int
    coverage: Mapping[str, float]
    shapes: Counter[str]

    @property
    def false(self) -> float:
        """The share of boards that name a shape which a calibrated contestant does not have."""
        right = sum(
            count for name, count in self.shapes.items() if "well calibrated" in name and "not well" not in name
        )
        return 1 - right / self.shapes.total()

    def __str__(self) -> str:
        covered = ", ".join(f"{name} {share:.3f}" for name, share in self.coverage.items())
        named = ", ".join(f"{name} {count}" for name, count in self.shapes.most_common())
        return f"{self.contestant.name}, {self.n} answers, {self.each} of a source: {covered}; {named}"


def measured(contestant: Contestant, n: int, each: int, boards: int) -> Cell:
    """Return a cell from so many boards."""
    truths, rng = contestant.truths(), np.random.default_rng([n, each])
    held: dict[str, list[bool]] = {name: [] for name in truths}
    shapes: Counter[str] = Counter()
    for number in range(boards):
        p, y, sources = contestant.board(n, each, rng)
        gap, error = calibration.gap(p, y, sources), calibration.ece(p, y, BINS, sources, seed=number)
        bounds = {
            "brier": calibration.brier(p, y, sources), "nll": calibration.nll(p, y, sources), "gap": gap, "ece": error,
            "temperature": calibration.temperature(logits(p), y, sources),
        }  # fmt: skip
        for name, found in bounds.items():
            if found.low is not None:
                held[name].append(_contains(found, truths[name]))
        if number % PER_SHAPE == 0:
            shared = reliability.dependence(p, y, BINS, sources)
            chance = reliability.calibrated(p, BINS, sources, dependence=shared, seed=number)
            shapes[reliability.shape(error, gap, reliability.reliability(p, y, BINS, sources), chance)] += 1
    return Cell(contestant, n, each, {name: float(np.mean(each)) for name, each in held.items()}, shapes)


def _contains(bounds: Bounded, truth: float) -> bool:
    return bounds.low is not None and bounds.low <= truth and (bounds.high is None or truth <= bounds.high)


def outcomes(boards: int = 2000) -> list[Outcome]:
    """Return the lowest coverage of each measure, and the largest share of calibrated contestants named otherwise."""
    cells = []
    for (n, each), contestant in product(SIZES, CONTESTANTS):
        cells.append(measured(contestant, n, each, boards))
        print(cells[-1], flush=True)
    found = []
    for name in cells[0].coverage:
        least = min(cells, key=lambda cell: cell.coverage[name])
        found.append(
            Outcome(f"least coverage of {name}", least.coverage[name], LOW, str(least), "share", at_least=True)
        )
    worst = max((cell for cell in cells if cell.contestant.calibrated), key=lambda cell: cell.false)
    return [*found, Outcome("most false shapes", worst.false, MOST_FALSE, str(worst), "share")]


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
