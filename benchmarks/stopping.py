"""Measure what a build that stops early saves, and how often it is wrong, on the residuals of shipped boards.

`python -m benchmarks.stopping [TABLES] [BOARD ...]` prints lines for each board, from that many tables of each kind. It
exits with 1 if one is outside its limit.

Tables of equal contestants are those of `benchmarks.joint`: clusters of residuals are drawn again. The error is the
share of them on which any two are told apart at any look. A build reports one look, so it errs no more often. Tables
with the differences of the board are the same plus the scores of the board. Printed are, for the rule of
`build --stop-when separated`:

- the calls, as a share of all; and the share if a contestant were not asked further once its pairs are decided;
- the pairs that the last look of a build tells apart, as a share of those by the joint test without looks on all items;
- the share of tables on which a pair is told apart in the wrong order.
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
LEAST_POWER, MOST_WRONG = 0.85, ERROR


def _some(board: Board) -> Iterator[Board]:
    order = np.argsort(-board.strata.means(board.scores).value, kind="stable")
    for most in sorted({min(most, len(order)) for most in CONTESTANTS}):
        places = np.linspace(0, len(order) - 1, most).round().astype(int)
        yield Board(f"{board.name}, {places.size} contestants", board.scores[order[places]], board.strata)


def at_looks(board: Board, table: Floats, looks: Looks, seed: int) -> list[Bools]:
    """Return who is better than whom at each look, (k, k) each, by the boundary of the look."""
    found = []
    for look in range(len(looks.shares)):
        items = looks.of_item <= look
        strata = board.strata.of(items)
        at_look = compared(
            table[:, items], strata.groups, strata.clusters, seed, weights=strata.weights, looks=looks.of(items),
            draws=FLIPS,
        )  # fmt: skip
        found.append(at_look.better)
    return found


def stop_of(found: Sequence[Bools]) -> int:
    """Return the first look, from 0, at which every pair is decided; the last if there is none."""
    pairs = len(found[0]) * (len(found[0]) - 1) // 2
    return next((look for look, better in enumerate(found) if better.sum() == pairs), len(found) - 1)


def calls_if_dropped(found: Sequence[Bools], items: Sequence[int]) -> float:
    """Return the share of answers that are asked if contestants are dropped. items: how many are asked by each look."""
    decided, last = np.eye(len(found[0]), dtype=np.bool_), np.full(len(found[0]), len(found) - 1)
    for look, better in enumerate(found):
        decided |= better | better.T
        last = np.minimum(last, np.where(decided.all(axis=1), look, last))
    return float(np.mean(np.array(items)[last]) / items[-1])


def outcomes(tables: int = 40, only: Sequence[str] = ()) -> list[Outcome]:
    """Return error, calls, power and wrong orders of each board."""
    found: list[Outcome] = []
    chosen = (whole for whole in shipped() if whole.name in (only or BOARDS))
    for board in chain.from_iterable(map(_some, chosen)):
        of_board = _outcomes(board, tables)
        for outcome in of_board:
            print(outcome, flush=True)
        found += of_board
    return found


def _outcomes(board: Board, tables: int) -> list[Outcome]:
    n = board.scores.shape[1]
    looks = looks_of(board.strata.groups, board.strata.clusters, [str(place) for place in range(n)], SHARES)
    items = [int((looks.of_item <= look).sum()) for look in range(len(SHARES))]
    means = board.strata.means(board.scores).value
    pairs, order = len(means) * (len(means) - 1) // 2, means[:, np.newaxis] < means
    told = usual = wrong = stopped = apart_at_stop = of_all = 0
    calls = dropped = 0.0
    for number, table in enumerate(board.tables(tables, seed=17)):
        told += any(bool(better.any()) for better in at_looks(board, table, looks, number))
        usual += bool(_of_all_items(board, table, number).any())
        apart = table + (means - means.mean())[:, np.newaxis]
        of_looks = at_looks(board, apart, looks, number)
        stop = stop_of(of_looks)
        stopped += stop < len(SHARES) - 1
        calls += items[stop] / n
        dropped += calls_if_dropped(of_looks, items)
        apart_at_stop += int(of_looks[stop].sum())
        of_all += int(_of_all_items(board, apart, number).sum())
        wrong += bool((of_looks[stop] & order).any())
    allowed = MOST_ERROR + 2.5 * sqrt(ERROR * (1 - ERROR) / tables)
    return [
        Outcome(
            f"{board.name}: error", told / tables, allowed,
            f"{usual / tables:.2f} without looks; {n} items, {pairs} pairs", noun="family-wise error",
        ),
        Outcome(
            f"{board.name}: calls", calls / tables, 1.0,
            f"{stopped} of {tables} builds stop; {dropped / tables:.2f} if decided contestants were dropped",
            noun="share of calls",
        ),
        Outcome(
            f"{board.name}: power", apart_at_stop / max(of_all, 1), LEAST_POWER,
            f"{apart_at_stop / tables / pairs:.2f} of pairs", noun="share of the pairs of all items", at_least=True,
        ),
        Outcome(f"{board.name}: wrong order", wrong / tables, MOST_WRONG, "any pair", noun="share of tables"),
    ]  # fmt: skip


def _of_all_items(board: Board, table: Floats, seed: int) -> Bools:
    strata = board.strata
    return compared(table, strata.groups, strata.clusters, seed, weights=strata.weights, draws=2_000).better


if __name__ == "__main__":
    numbers = [each for each in sys.argv[1:] if each.isdigit()]
    names = [each for each in sys.argv[1:] if not each.isdigit()]
    sys.exit(report(outcomes(int(numbers[0]) if numbers else 40, names)))
