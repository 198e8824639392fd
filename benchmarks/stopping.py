"""Measure what a build that stops early saves, and how often it is wrong, on the residuals of shipped boards.

`python -m benchmarks.stopping [TABLES] [BOARD ...]` prints four lines for each board, from that many tables of each
kind. It exits with 1 if one is outside its limit.

Tables of equal contestants are those of `benchmarks.joint`: clusters of residuals are drawn again. The error is the
share of them on which any two are told apart at any look. Tables with the differences of the board are the same plus
the published means. There, a build stops asking a contestant once all of its pairs are decided, and stops when all
pairs are. Printed are the calls that it makes, as a share of all; how many pairs it tells apart, as a share of those
that the joint test of all items tells apart; and how often it tells a pair apart in the wrong order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from math import sqrt

import numpy as np

from benchmarks.joint import Board, shipped
from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.estimate import ERROR
from nullbench_site.stats.joint_error import MOST_ERROR
from nullbench_site.stats.ranking import compared
from nullbench_site.stats.sequential import Looks, looks_of

BOARDS = ("livecodebench", "swe-bench", "alpacaeval")
SHARES = (0.25, 0.5, 1.0)
CONTESTANTS = (4, 16)
"""How many contestants of a board are compared, at equal distances in its ranking."""
FLIPS = 24_000
LEAST_POWER, MOST_WRONG = 0.9, ERROR


def _some(board: Board) -> Iterator[Board]:
    order = np.argsort(-board.strata.means(board.scores).value, kind="stable")
    for most in CONTESTANTS:
        places = np.unique(np.linspace(0, len(order) - 1, most).round().astype(int))
        yield Board(f"{board.name}, {places.size} contestants", board.scores[order[places]], board.strata)


def decided(board: Board, table: Floats, looks: Looks, seed: int) -> tuple[list[Bools], float]:
    """Return who is better than whom after each look, (k, k) each, and the share of answers asked.

    A contestant whose pairs are all decided is not asked further; a decision stays.
    """
    k, n = table.shape
    better, asked_of, asked = np.zeros((k, k), np.bool_), np.ones(k, np.bool_), 0
    found = []
    for look in range(len(looks.shares)):
        items = looks.of_item <= look
        asked += int(asked_of.sum()) * int((looks.of_item == look).sum())
        strata = board.strata.of(items)
        at_look = compared(
            table[asked_of][:, items], strata.groups, strata.clusters, seed, weights=strata.weights,
            looks=looks.of(items), draws=FLIPS,
        ).better  # fmt: skip
        those = np.ix_(asked_of, asked_of)
        better[those] |= at_look & ~better[those].T
        found.append(better.copy())
        known = better | better.T
        np.fill_diagonal(known, val=True)
        asked_of = ~known.all(axis=1)
        if not asked_of.any():
            break
    return found, asked / (k * n)


def outcomes(tables: int = 40, only: Sequence[str] = ()) -> list[Outcome]:
    """Return error, calls, power and wrong orders of each board."""
    found: list[Outcome] = []
    allowed = MOST_ERROR + 2.5 * sqrt(ERROR * (1 - ERROR) / tables)
    chosen = (whole for whole in shipped() if whole.name in (only or BOARDS))
    for board in chain.from_iterable(map(_some, chosen)):
        names = [str(place) for place in range(board.scores.shape[1])]
        looks = looks_of(board.strata.groups, board.strata.clusters, names, SHARES)
        means = board.strata.means(board.scores).value
        pairs, order = len(means) * (len(means) - 1) // 2, means[:, np.newaxis] < means
        told = wrong = at_the_end = early = of_all = 0
        calls = 0.0
        for number, table in enumerate(board.tables(tables, seed=17)):
            told += bool(decided(board, table, looks, number)[0][-1].any())
            apart = table + (means - means.mean())[:, np.newaxis]
            of_looks, asked = decided(board, apart, looks, number)
            calls += asked
            early += int(of_looks[min(1, len(of_looks) - 1)].sum())
            at_the_end += int(of_looks[-1].sum())
            of_all += int(_of_all_items(board, apart, number).sum())
            wrong += bool((of_looks[-1] & order).any())
        detail = f"{len(names)} items, {pairs} pairs"
        outcomes_of = [
            Outcome(f"{board.name}: error", told / tables, allowed, detail, noun="family-wise error"),
            Outcome(f"{board.name}: calls", calls / tables, 1.0, "dropping decided contestants", noun="share of calls"),
            Outcome(
                f"{board.name}: power", at_the_end / max(of_all, 1), LEAST_POWER,
                f"{at_the_end / tables / pairs:.2f} of pairs, {early / tables / pairs:.2f} by the second look",
                noun="share of the pairs of all items", at_least=True,
            ),
            Outcome(f"{board.name}: wrong order", wrong / tables, MOST_WRONG, "any pair", noun="share of tables"),
        ]  # fmt: skip
        for outcome in outcomes_of:
            print(outcome, flush=True)
        found += outcomes_of
    return found


def _of_all_items(board: Board, table: Floats, seed: int) -> Bools:
    strata = board.strata
    return compared(table, strata.groups, strata.clusters, seed, weights=strata.weights, draws=2_000).better


if __name__ == "__main__":
    numbers = [each for each in sys.argv[1:] if each.isdigit()]
    names = [each for each in sys.argv[1:] if not each.isdigit()]
    sys.exit(report(outcomes(int(numbers[0]) if numbers else 40, names)))
