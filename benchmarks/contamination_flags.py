"""Measure how often the mark of contamination flags anyone on clean boards of the shape of LiveCodeBench.

`python -m benchmarks.contamination_flags [BOARDS]` prints a line for each kind of clean board, from that many boards
(2,000): the share that flags anyone by date, by a gap between contaminated and clean items, and by either. The limit is
6 %. Further lines show how often one contestant that saw the older LeetCode items is flagged.

A board has the items, dates, sites, contestants, relations and training cutoffs of LiveCodeBench. Its tests by date are
those of the board: against its date and each cutoff, on all items and on those of each site. For the gap, 4 % of the
items count as contaminated, drawn again for each board. Clean boards are of three kinds:

- dealt: whole items with their real scores, drawn from their site without regard to the date;
- residuals: the scores without the mean of each site and period, drawn within these. A period lies between two dates
  of the tests, so no test has a true difference;
- Rasch: right or wrong answers of contestants of different ability.

Of 2,000 boards of each kind 3.0, 2.8 and 3.1 % are flagged. A contestant with 10 points more on the 78 older LeetCode
items is flagged on 38 % of 200 boards, with 20 points on 96 %. The run takes 5 minutes of one processor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from benchmarks.measure import ROOT, Outcome, report
from nullbench_site.protocols.scores.scoring import ScoresScorer
from nullbench_site.scoring.dates import first_day, last_day, related_contestants
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.specs.load import load_benchmark
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.contamination import LEAST_OF_PART, DatedTable, joint_differences, joint_gaps
from nullbench_site.stats.inflation import WIDE_GAP

BOARDS = 2_000
LIMIT = 0.06
POWER = 0.8
DRAWS = 399
"""Enough for a quantile of 97.5 %, the tenth largest of 399 and the value itself."""
CONTAMINATED = 0.04
PLANTED = (10.0, 20.0, 30.0)
"""Points that the contaminated contestant scores more on the older items of LeetCode."""
_SITE = "LeetCode"


@dataclass(frozen=True)
class Shape:
    """LiveCodeBench: the scores of complete contestants, (k, items), 0-100, and what its tests depend on.

    sites: (items,) names. dates: (items,) days. date: of the board. cutoffs: of the contestants; "9" without one.
    """

    scores: Floats
    sites: Sequence[str]
    dates: Sequence[str]
    date: str
    cutoffs: Sequence[str]
    related: Bools

    @cached_property
    def tables(self) -> list[DatedTable]:
        """The tests by date of the board."""
        days, sites = np.array(self.dates), np.array(self.sites)
        splits = np.tile(days >= self.date, (len(self.scores), 1)), np.array([days > day for day in self.cutoffs])
        every = np.ones(days.size, np.bool_)
        return [
            table
            for after in splits
            for table in (
                DatedTable(after, every),
                *(DatedTable(after, sites == site, LEAST_OF_PART) for site in sorted(set(self.sites))),
            )
        ]

    @cached_property
    def cells(self) -> list[Ints]:
        """The items of each site and period."""
        starts = sorted({self.date, *(f"{day}~" for day in self.cutoffs)})
        keys = [(site, sum(day >= start for start in starts)) for site, day in zip(self.sites, self.dates, strict=True)]
        return [np.flatnonzero([key == each for key in keys]) for each in sorted(set(keys))]

    def dealt(self, rng: np.random.Generator) -> Floats:
        """Return a board whose items are drawn from their site, whatever their date."""
        drawn, sites = np.empty_like(self.scores), np.array(self.sites)
        for site in sorted(set(self.sites)):
            own = np.flatnonzero(sites == site)
            drawn[:, own] = self.scores[:, rng.choice(own, own.size)]
        return drawn

    def residuals(self, rng: np.random.Generator) -> Floats:
        """Return a board of residuals, drawn within each site and period."""
        drawn = np.empty_like(self.scores)
        for own in self.cells:
            centred = self.scores[:, own] - self.scores[:, own].mean(axis=1, keepdims=True)
            factor = sqrt(own.size / max(1, own.size - 1))
            drawn[:, own] = 50 + factor * centred[:, rng.integers(0, own.size, own.size)]
        return drawn

    def rasch(self, rng: np.random.Generator) -> Floats:
        """Return a board of right or wrong answers."""
        chance = np.linspace(0.05, 0.6, len(self.scores))
        logits = np.log(chance / (1 - chance))[:, np.newaxis] - rng.normal(0, 1.5, len(self.dates))
        return np.where(rng.random(logits.shape) < 1 / (1 + np.exp(-logits)), 100.0, 0.0)

    def by_date(self, scores: Floats) -> set[int]:
        """Return the contestants that any test by date flags."""
        clusters = np.arange(scores.shape[1])
        found = joint_differences(scores, self.tables, clusters, self.related, draws=DRAWS)
        return {place for table in found for place, own in enumerate(table) if own.flagged}

    def by_gap(self, scores: Floats, rng: np.random.Generator) -> set[int]:
        """Return the contestants whose gap between contaminated and clean items is wide and not chance."""
        n = scores.shape[1]
        seen = np.isin(np.arange(n), rng.choice(n, round(CONTAMINATED * n), replace=False))
        found = joint_gaps(scores, seen, np.arange(n), draws=DRAWS)
        return {place for place, own in enumerate(found) if (own.low or 0.0) > 0 and (own.value or 0.0) > WIDE_GAP}


def livecodebench() -> Shape:
    """Return the shipped board."""
    benchmark = load_benchmark(ROOT / "specs")
    board = benchmark.boards["livecodebench"]
    scorer = scorer_of(benchmark, board)
    assert isinstance(scorer, ScoresScorer)
    contestants = [scorer.reduce(each) for each in scorer.from_specs()]
    complete = [each for each in contestants if not np.isnan(each.scores).any()]
    models = [benchmark.models[each.model] for each in complete]
    return Shape(
        np.array([each.scores for each in complete]),
        [placed.category.title for placed in scorer.placed],
        [first_day(placed.item.date) for placed in scorer.placed],
        scorer.board.contamination_date or "",
        [last_day(model.training_cutoff) for model in models],
        related_contestants(models),
    )


def clean(shape: Shape, boards: int) -> list[Outcome]:
    """Return the share of clean boards of each kind that flag anyone."""
    kinds: Mapping[str, Callable[[np.random.Generator], Floats]] = {
        "dealt": shape.dealt, "residuals": shape.residuals, "Rasch": shape.rasch,
    }  # fmt: skip
    found = []
    for name, draw in kinds.items():
        rng, counts = np.random.default_rng(20261129), np.zeros(3, np.int64)
        for _ in range(boards):
            scores = draw(rng)
            dated, gap = bool(shape.by_date(scores)), bool(shape.by_gap(scores, rng))
            counts += dated, gap, dated or gap
        dated, gap, either = (counts / boards).tolist()
        line = f"{boards} clean boards, {name}: by date {dated:.4f}, by gap {gap:.4f}, either {either:.4f}"
        print(line, flush=True)
        limit = LIMIT if boards >= BOARDS else LIMIT + 3 * sqrt(LIMIT / boards)
        found.append(Outcome(f"clean boards flagged, {name}", either, limit, line, noun="share"))
    return found


def planted(shape: Shape, boards: int) -> list[Outcome]:
    """Return how often a contestant that saw the older items of LeetCode is flagged by date, for the largest effect."""
    old = (np.array(shape.sites) == _SITE) & (np.array(shape.dates) < shape.date)
    rates = []
    for points in PLANTED:
        rng, found, others = np.random.default_rng(20261130), 0, 0
        for _ in range(boards):
            scores = shape.residuals(rng)
            place = int(rng.integers(len(scores)))
            scores[place, old] += points
            flagged = shape.by_date(scores)
            found += place in flagged
            others += bool(flagged - {place})
        rates.append(found / boards)
        line = f"{boards} boards, {points:g} points planted on {old.sum()} items: flagged {found / boards:.3f}, "
        print(f"{line}another contestant {others / boards:.3f}", flush=True)
    limit = POWER if boards >= 100 else 0.5
    return [Outcome("planted contamination found", rates[-1], limit, f"{PLANTED[-1]:g} points", "share", at_least=True)]


def outcomes(boards: int = BOARDS) -> list[Outcome]:
    """Return the outcomes for clean boards and for planted contamination."""
    shape = livecodebench()
    return [*clean(shape, boards), *planted(shape, max(5, boards // 10))]


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
