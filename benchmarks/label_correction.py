"""Measure how often the intervals of scores corrected by labels contain the true value.

`python -m benchmarks.label_correction [DRAWS]` prints a line for every cell, from that many made-up boards. It exits
with 1 if a method misses its limit.

A cell is a judge (how often it accepts right and wrong answers) and a number of labels, of 800 answers of which 60 %
are right: single ones, or four of one source, which share a part of their luck. Labels are of answers drawn at random
or, "by verdict", half of them from those that the judge rejects.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy.special import betaincinv

from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.labels import corrected_rate, effective_size, ppi_mean, weighted_mean
from nullbench_site.stats.measure import Bounded

LOW = 0.93
"""At nominal 95 %, the least coverage."""
RIGHT = 0.6
NEAR_AN_END = (0.01, 0.02, 0.03, 0.05, 0.1, 0.95, 0.99)
"""Shares of right answers for which intervals are measured with 100 and 200 labels of single answers."""
WIDEST = 1.15
"""The largest mean width of `ppi_mean` near an end, in widths of Clopper & Pearson's interval of the same labels."""
JUDGES = {"good": (0.95, 0.9), "usual": (0.8, 0.7), "lenient": (0.95, 0.3), "at chance": (0.6, 0.4)}
"""The sensitivity and the specificity of each judge."""
LABELS = (100, 200, 400)
ANSWERS = 800
_SHARED = 0.2
"""How often two answers of one source are right or wrong by the same luck."""


def board(
    rng: np.random.Generator, judge: tuple[float, float], each: int, share: float = RIGHT
) -> tuple[Floats, Floats, Ints]:
    """Return whether answers are right, whether a judge accepts them, and their sources of `each` answers."""
    sources, luck = np.arange(ANSWERS) // each, rng.random(ANSWERS)
    if each > 1:
        luck = np.where(rng.random(ANSWERS) < _SHARED**0.5, rng.random(ANSWERS // each)[sources], luck)
    right = luck < share
    accepted = rng.random(ANSWERS) < np.where(right, judge[0], 1 - judge[1])
    return right.astype(np.float64), accepted.astype(np.float64), sources


def intervals(rng: np.random.Generator, judge: tuple[float, float], n: int, each: int) -> dict[str, Bounded]:
    """Return the corrected scores of a board by each method, with n labels drawn at random and by verdict."""
    right, accepted, sources = board(rng, judge, each)
    drawn = np.zeros(ANSWERS, np.bool_)
    drawn[rng.choice(ANSWERS, n, replace=False)] = True
    places = np.concatenate([np.flatnonzero(drawn), np.flatnonzero(~drawn)])
    found = {
        "ppi_mean": ppi_mean(
            right[drawn], accepted[drawn], accepted[~drawn], clusters=sources[places], scale=(0.0, 1.0)
        ),
        "corrected_rate": _by_rates(right, accepted, drawn, sources),
    }
    sides = [np.flatnonzero(accepted == verdict) for verdict in (0, 1)]
    sizes = [min(n // 2, sides[0].size), n - min(n // 2, sides[0].size)]
    chosen = np.concatenate([rng.choice(side, size, replace=False) for side, size in zip(sides, sizes, strict=True)])
    drawn_with = np.repeat([size / max(side.size, 1) for side, size in zip(sides, sizes, strict=True)], sizes)
    weights = np.concatenate([1 / drawn_with, np.ones(ANSWERS)])
    both = np.concatenate([sources[chosen], sources])
    found["ppi_mean by verdict"] = ppi_mean(
        right[chosen], accepted[chosen], accepted, weights=weights, clusters=both, scale=(0.0, 1.0)
    )
    return found


def _by_rates(right: Floats, accepted: Floats, drawn: Bools, sources: Ints) -> Bounded:
    rates = []
    for part, agrees in ((drawn & (right == 0), 1 - accepted), (drawn & (right == 1), accepted)):
        value = weighted_mean(agrees[part], None, sources[part]).value or 0.0
        rates += [value, effective_size(agrees[part], None, sources[part])]
    p = float(accepted.mean())
    return corrected_rate(p, effective_size(accepted, None, sources), rates[0], rates[1], rates[2], rates[3])


def _exact(k: int, n: int) -> float:
    """Return the width of Clopper & Pearson's (1934) interval of k of n."""
    low = float(betaincinv(k, n - k + 1, 0.025)) if k else 0.0
    return (float(betaincinv(k + 1, n - k, 0.975)) if k < n else 1.0) - low


def near_an_end(draws: int) -> list[Outcome]:
    """Return the least coverage near an end of the scale, of intervals that there are, and the largest width."""
    cells: dict[str, list[tuple[float, str]]] = {"ppi_mean": [], "corrected_rate": [], "width": []}
    for share, (name, judge), n in product(NEAR_AN_END, JUDGES.items(), LABELS[:2]):
        rng, held = np.random.default_rng(n), dict[str, list[bool]](ppi_mean=[], corrected_rate=[])
        widths, exact = list[float](), list[float]()
        for _ in range(draws):
            right, accepted, sources = board(rng, judge, 1, share)
            drawn = np.arange(ANSWERS) < n
            of_labels = ppi_mean(right[drawn], accepted[drawn], accepted[~drawn], scale=(0.0, 1.0))
            widths.append((of_labels.high or 0.0) - (of_labels.low or 0.0))
            exact.append(_exact(int(right[drawn].sum()), n))
            found = {"ppi_mean": of_labels}
            if 0 < right[drawn].sum() < n:
                found["corrected_rate"] = _by_rates(right, accepted, drawn, sources)
            for method, each in found.items():
                if each.low is not None and each.high is not None:
                    held[method].append(each.low <= share <= each.high)
        where = f"share {share}, {name} judge, {n} labels"
        for method, covers in held.items():
            if name != "at chance" or method != "corrected_rate":
                cells[method].append((float(np.mean(covers)), where))
        cells["width"].append((float(np.mean(widths) / np.mean(exact)), where))
        print(f"{where}: {', '.join(f'{method} {of[-1][0]:.3f}' for method, of in cells.items())}", flush=True)
    widest, where = max(cells.pop("width"))
    least = [
        Outcome(f"least coverage of {method} near an end", *(min(of)[0], LOW, min(of)[1]), "share", at_least=True)
        for method, of in cells.items()
    ]
    return [*least, Outcome("width of ppi_mean near an end", widest, WIDEST, where)]


def outcomes(draws: int = 2000) -> list[Outcome]:
    """Return the least coverage of each method. A judge at chance has no corrected rate."""
    cells: dict[str, list[tuple[float, str]]] = {}
    for (name, judge), n, each in product(JUDGES.items(), LABELS, (1, 4)):
        rng, held = np.random.default_rng(n + each), dict[str, list[bool]]()
        for _ in range(draws):
            for method, found in intervals(rng, judge, n, each).items():
                covers = found.low is not None and found.high is not None and found.low <= RIGHT <= found.high
                held.setdefault(method, []).append(covers)
        where = f"{name} judge, {n} labels, {each} of a source"
        for method, covered in held.items():
            if name != "at chance" or method != "corrected_rate":
                cells.setdefault(method, []).append((float(np.mean(covered)), where))
        print(
            f"{where}: {', '.join(f'{method} {np.mean(covered):.3f}' for method, covered in held.items())}", flush=True
        )
    least = {method: min(found) for method, found in cells.items()}
    return near_an_end(draws) + [
        Outcome(f"least coverage of {method}", share, LOW, where, "share", at_least=True)
        for method, (share, where) in least.items()
    ]


if __name__ == "__main__":
    sys.exit(report(outcomes(*map(int, sys.argv[1:]))))
