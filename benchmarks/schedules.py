"""Measure the coverage of intervals of scores from a budget of games, and compare ways to choose the games.

`python -m benchmarks.schedules`. Contestants have strengths, an answer is as much better or worse than its contestant
as a normal number says, and a judge says by the logistic function of the difference which of two answers is better: how
likely, or one of both. The true score is that of all pairs on 20,000 items.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np

from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import interval, means
from nullbench_site.stats.logistic import sigmoid
from nullbench_site.stats.pairings import scheduled_pairs
from nullbench_site.stats.strength import Games, bradley_terry, score_influence, strength_influence

ROUNDS = 6
GAMES = 24_000
"""Of each board in each way: those of few games are played the more often, as chance moves their error the more."""
LOW, HIGH = 0.93, 0.985
MOST_LOST = 1.1
"""By how much the error of the schedule may exceed that of another way to spend the same budget."""


@dataclass(frozen=True)
class Board:
    """k contestants, equally spaced from -apart to apart in log odds, on n items; `budget` games of them.

    sd: of answers. graded: whether a verdict is how likely the one is better, or a win.
    """

    k: int
    n: int
    budget: int
    apart: float = 1.0
    sd: float = 0.7
    graded: bool = True

    @property
    def strengths(self) -> Floats:
        return np.linspace(-self.apart, self.apart, self.k)

    def true_scores(self) -> Floats:
        """(k,) 0-100."""
        answers = self.strengths + self.sd * np.random.default_rng(9).standard_normal((20_000, self.k))
        table = np.array([sigmoid(own[:, np.newaxis] - answers).mean(axis=0) for own in answers.T])
        np.fill_diagonal(table, 0.0)
        return bradley_terry(table).scores


BOARDS = (
    Board(4, 12, 24),
    Board(6, 24, 60),
    Board(10, 40, 120),
    Board(10, 40, 400),
    Board(20, 80, 200),
    Board(6, 24, 120, 1, 0.5, graded=False),
    Board(10, 40, 400, 2.5, 0.5, graded=False),
)
ONE_SIDED, ONE_SIDED_RUNS = Board(8, 30, 100, 2.5, 0.5, graded=False), 2500
"""One in ten of these has a contestant that wins or loses all, so that chances against it are taken for 0 or 1."""
Play = Callable[[Ints], Floats]
"""(games, 3) item and contestants -> (games,) the share of the first."""


def scheduled(board: Board, play: Play, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """As boards do it."""
    games = scheduled_pairs(board.k, board.n, board.budget)
    return games, play(games)


def at_random(board: Board, play: Play, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Every pair on every item with the same chance."""
    games = rng.choice(scheduled_pairs(board.k, board.n, _every(board)), board.budget, replace=False)
    return games, play(games)


def by_outcomes(board: Board, play: Play, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """In rounds, the first as scheduled: each game of the next ones to the pair whose difference has the largest
    variance by the strengths of the rounds before, on the same items."""
    one, other = np.triu_indices(board.k, 1)
    games = scheduled_pairs(board.k, board.n, board.budget // ROUNDS)
    shares = play(games)
    while len(games) < board.budget:
        # Half a game each way between all keeps strengths finite.
        table = Games(board.k, games[:, 1], games[:, 2], shares, np.ones(len(games))).table + 0.5 / board.k
        np.fill_diagonal(table, 0.0)
        strength = bradley_terry(table).log_strength
        chance = sigmoid(strength[one] - strength[other])
        between = np.zeros((board.k, board.k))
        between[one, other] = (table + table.T)[one, other] * chance * (1 - chance)
        between += between.T
        covariance = np.linalg.pinv(np.diag(between.sum(axis=1)) - between, hermitian=True)
        met = {tuple(game) for game in games.tolist()}
        uses = np.zeros((board.n, board.k), np.int64)
        for side in (1, 2):
            np.add.at(uses, (games[:, 0], games[:, side]), 1)
        chosen: list[tuple[int, int, int]] = []
        for number in range(len(games), min(len(games) + -(-board.budget // ROUNDS), board.budget)):
            item = number % board.n
            free = np.array([(item, a, b) not in met for a, b in zip(one.tolist(), other.tolist(), strict=True)])
            in_games = np.where(free, uses[item, one] + uses[item, other], 2 * board.k)
            variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
            pair = int(np.where(in_games == in_games.min(), variance, -1.0).argmax())
            a, b = int(one[pair]), int(other[pair])
            towards, gain = covariance[:, a] - covariance[:, b], chance[pair] * (1 - chance[pair])
            covariance -= np.outer(towards, towards) * (gain / (1 + gain * variance[pair]))
            uses[item, [a, b]] += 1
            met.add((item, a, b))
            chosen.append((item, a, b))
        games = np.concatenate([games, np.array(chosen)])
        shares = np.concatenate([shares, play(np.array(chosen))])
    return games, shares


def measured(
    board: Board, spend: Callable[[Board, Play, np.random.Generator], tuple[Ints, Floats]], runs: int, seed: int = 1
) -> tuple[float, float, float]:
    """The share of 95 % intervals of scores that hold the true ones, and the root of the mean squared error; then that
    share of the contestants whose chance is 0 or 1 against some and not against all, NaN where there is none."""
    rng, true = np.random.default_rng(seed), board.true_scores()
    held, errors, beside = [], [], [np.zeros(0, np.bool_)]
    for _ in range(runs):
        answers = board.strengths + board.sd * rng.standard_normal((board.n, board.k))

        def play(games: Ints, answers: Floats = answers) -> Floats:
            item, one, other = games.T
            chance = sigmoid(answers[item, one] - answers[item, other])
            return chance if board.graded else (rng.random(chance.size) < chance).astype(np.float64)

        rows, shares = spend(board, play, rng)
        games = Games(board.k, rows[:, 1], rows[:, 2], shares, np.ones(len(rows)))
        found = bradley_terry(games.table)
        if np.isnan(found.scores).any():
            continue
        moved = score_influence(games, found, strength_influence(games, rows[:, 0], found, board.n))
        told = ~np.isnan(moved).any(axis=1)
        adds = means(board.n * moved, np.zeros(board.n, np.int64), np.arange(board.n))
        low, high = interval(found.scores, adds.se, adds.wilson_df, adds.clusters, (0, 100))
        holds, between = (low <= true) & (true <= high), found.probability % 1 > 0  # its own 0.5 among them
        held.append(holds[told])
        beside.append(holds[told & ~between.all(axis=1) & (between.sum(axis=1) > 1)])
        errors.append(np.square(found.scores - true))
    of_beside = np.concatenate(beside)
    return (
        float(np.mean(np.concatenate(held))),
        float(np.mean(errors) ** 0.5),
        float(of_beside.mean()) if of_beside.size else nan,
    )


def _every(board: Board) -> int:
    return board.n * board.k * (board.k - 1) // 2


def outcomes(games: int = GAMES) -> list[Outcome]:
    """The least and the greatest coverage, and the error beside those of two other ways to spend the budget."""
    print("scores of games on a budget: coverage of 95 % intervals, and error in points of 100")
    print(f"{'k':>4}{'items':>7}{'games':>7}{'apart':>7} {'':10}{'scheduled':>18}{'at random':>18}{'by outcomes':>18}")
    covered, lost = [], []
    for board in BOARDS:
        found = [measured(board, spend, games // board.budget) for spend in (scheduled, at_random, by_outcomes)]
        cells = "".join(f"{100 * share:11.1f}{error:7.2f}" for share, error, _ in found)
        verdicts = "graded" if board.graded else "won, lost"
        print(f"{board.k:4}{board.n:7}{board.budget:7}{board.apart:7.1f} {verdicts:10}{cells}")
        covered.append(found[0][0])
        lost.append(found[0][1] / min(error for _, error, _ in found[1:]))
    _, _, beside = measured(ONE_SIDED, scheduled, ONE_SIDED_RUNS)
    print(
        f"of {ONE_SIDED.k} in {ONE_SIDED.budget} games, where one wins or loses all: {100 * beside:.1f} for the others"
    )
    detail = f"{len(BOARDS)} boards, {games} games each"
    return [
        Outcome("budget intervals: least coverage", min(covered), LOW, detail, "share", at_least=True),
        Outcome("budget intervals: greatest coverage", max(covered), HIGH, detail, "share"),
        Outcome("budget: error against the best other", max(lost), MOST_LOST, detail),
    ]


if __name__ == "__main__":
    sys.exit(report(outcomes()))
