"""Measure how often a sub-score that adds nothing is said to add, and how often one that adds is found.

`python -m benchmarks.sub_scores` makes boards of 20 to 126 contestants and prints a line for each kind. On LiveBench it
leaves out each task in turn and predicts it from the other tasks of its domain and from the whole rest of the board:
where a domain is said to add, its own tasks should predict better. It exits with 1 if a limit is missed.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.measure import ROOT, Outcome, report
from nullbench_site.runs.catalog import list_runs, newest_run
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.load import load_benchmark
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.sub_scores import sub_score

_BOARDS = 400
_LIMIT = 0.05
_SEED = 20


def made_up(rng: np.random.Generator, k: int, own: float, noise: float, tasks: int = 4) -> tuple[Floats, Ints]:
    """Return scores, (k, items), and the part of each item, of a board of six parts.

    own: the variance of what contestants have of a part alone, beside 1 for what all parts share. noise: the variance
    of an item.
    """
    parts = np.repeat(np.arange(6), tasks)
    ability = rng.normal(size=(k, 1)) + rng.normal(size=(k, 6))[:, parts] * np.sqrt(own)
    difficulty = rng.normal(size=parts.size) * 2
    return ability + difficulty + rng.normal(size=(k, parts.size)) * np.sqrt(noise), parts


def share_added(k: int, own: float, noise: float, tasks: int = 4) -> float:
    """Return the share of boards on which the first part is said to add to the whole."""
    rng = np.random.default_rng([_SEED, k, int(100 * own), int(100 * noise)])
    added = 0
    for seed in range(_BOARDS):
        scores, parts = made_up(rng, k, own, noise, tasks)
        found = sub_score(scores, parts == 0, parts, np.arange(parts.size), weights=None, seed=seed)
        added += found is not None and found.low > 0
    return added / _BOARDS


def left_out(scores: Floats, part: Ints) -> dict[int, tuple[float, float]]:
    """Return the root mean squared error of each part's tasks, each predicted by others of the part and by the rest.

    Each prediction is a regression on the other contestants, in the unit of the scores. Parts of one task have none.
    """
    found: dict[int, list[tuple[float, float]]] = {}
    for task in range(part.size):
        others = np.flatnonzero((part == part[task]) & (np.arange(part.size) != task))
        if not others.size:
            continue
        rest = np.delete(np.arange(part.size), task)
        whole = np.mean([scores[:, rest[part[rest] == each]].mean(axis=1) for each in np.unique(part[rest])], axis=0)
        y = scores[:, task]
        errors = _error(scores[:, others].mean(axis=1), y), _error(whole, y)
        found.setdefault(int(part[task]), []).append(errors)
    return {each: tuple(np.sqrt(np.mean(np.square(of), axis=0)).tolist()) for each, of in found.items()}


def _error(x: Floats, y: Floats) -> float:
    """Return the error of a line that predicts each contestant from the others."""
    design = np.column_stack([np.ones_like(x), x])
    hat = design @ np.linalg.solve(design.T @ design, design.T)
    return float(np.sqrt(np.mean(np.square((y - hat @ y) / (1 - np.diag(hat))))))


def outcomes() -> list[Outcome]:
    """Print the shares and the errors, and return those with a limit."""
    measured: list[Outcome] = []
    for k, noise in ((20, 1.0), (20, 4.0), (40, 1.0), (126, 1.0), (126, 4.0)):
        share = share_added(k, 0.0, noise)
        name = f"{k} contestants, noise {noise}: added where nothing is"
        measured.append(Outcome(name, share, _LIMIT, f"{_BOARDS} boards", noun="share"))
    for k, own in ((20, 1.0), (40, 1.0), (126, 1.0), (126, 0.3)):
        print(f"{k} contestants, own variance {own}: added in {share_added(k, own, 1.0):.3f} of boards")
    benchmark = load_benchmark(ROOT / "specs")
    board = benchmark.boards["livebench"]
    scorer, run = scorer_of(benchmark, board), newest_run(list_runs(ROOT / "runs"))
    if run is None:
        raise SystemExit("there is no run")
    results = read_results(run.path, board.id)
    ranked = [row.model for row in results.leaderboard if row.rank is not None]
    scores = np.full((len(ranked), len(scorer.layout.placed)), np.nan)
    for row in results.items:
        if row.model in ranked and row.part is not None:
            scores[ranked.index(row.model), scorer.layout.number[row.item]] = row.part
    domains, strata = scorer.layout.domains, scorer.strata
    misses = 0
    for part, (by_part, by_whole) in left_out(scores, domains.of_item).items():
        chosen = domains.of_item == part
        found = sub_score(scores, chosen, strata.groups, strata.clusters, weights=strata.weights, seed=_SEED)
        adds = found is not None and found.low > 0
        misses += adds and by_part > by_whole
        says = "adds" if adds else "is not shown to add"
        print(f"{domains.names[part]} {says}: a task left out is off by {by_part:.1f}, by the board {by_whole:.1f}")
    measured.append(Outcome("domains that add and predict worse", misses, 0, "LiveBench", noun="domains"))
    return measured


if __name__ == "__main__":
    sys.exit(report(outcomes()))
