"""The results of a `pairwise` board. Rates are 0-100."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, JudgedItemRow, JudgedRow, JudgeRow, ResultsOf

SCORE = "score"
"""The column for the score of verdicts. A row has no field of that name: `Row.score` is what orders rows."""
NO_GAME = "no game of it counts"
BASELINE_ITSELF = "it is the baseline: 50 by definition"
AGAINST = ("against", "against_low", "against_high")


class PairwiseRow(JudgedRow, kw_only=True):
    """A contestant on a slice of the board.

    overall: the mean over items of the contestant's share of the games, where an answer that failed has lost all its
    games; for verdicts with points, its share of the points. With a schedule, the mean probability of winning against
    each other contestant, by Bradley-Terry strengths of the whole board; for a part of the board, what the items of the
    part add. n_scored, n_errored, n_unparsed: how many answers have a verdict, failed, and have no readable verdict.
    win_rate: the mean share of the games, over the answers with a verdict. standard_error: of the win rate, assuming
    independent answers. discrete_win_rate: with every answer won, lost or drawn, as n_wins, n_losses and n_draws count
    them. verdicts: on boards whose verdicts have points, `score`: the weighted points of all weighted games.

    On the whole board: lc_win_rate: controlled for the length of answers; style_win_rate: for length and Markdown.
    elo: the Bradley-Terry strength; 400 points are odds of ten to one, and the baselines, or all contestants, average
    1000. first_win_rate, second_win_rate: of the games that show the contestant's answer first, and second;
    debiased_win_rate: of both, without position bias. n_games: how many verdicts count; n_token_alone: how many of them
    have no log probabilities although the board reads these. n_half: how many valid verdicts do not count because the
    game in the other order has none.
    On boards with several baselines, against: the win rate by baseline; against_low, against_high: the ends of its
    interval; apart_low, apart_high: the ends of the interval of the highest minus the lowest.
    by_judge: the score by each judge alone, on boards with a schedule.
    score_row_bootstrap_low, score_row_bootstrap_high: for imported verdicts, the interval that such leaderboards
    publish.
    """

    win_rate: float | None
    standard_error: float | None
    discrete_win_rate: float | None
    n_wins: int
    n_draws: int
    n_losses: int
    verdicts: dict[str, float] | UnsetType = UNSET
    lc_win_rate: float | None = WHOLE_BOARD
    lc_low: float | None = WHOLE_BOARD
    lc_high: float | None = WHOLE_BOARD
    style_win_rate: float | None = WHOLE_BOARD
    style_low: float | None = WHOLE_BOARD
    style_high: float | None = WHOLE_BOARD
    elo: float | None = WHOLE_BOARD
    elo_low: float | None = WHOLE_BOARD
    elo_high: float | None = WHOLE_BOARD
    first_win_rate: float | None = WHOLE_BOARD
    first_low: float | None = WHOLE_BOARD
    first_high: float | None = WHOLE_BOARD
    second_win_rate: float | None = WHOLE_BOARD
    second_low: float | None = WHOLE_BOARD
    second_high: float | None = WHOLE_BOARD
    debiased_win_rate: float | None = WHOLE_BOARD
    debiased_low: float | None = WHOLE_BOARD
    debiased_high: float | None = WHOLE_BOARD
    n_games: int = WHOLE_BOARD
    n_half: int = WHOLE_BOARD
    n_token_alone: int = WHOLE_BOARD
    against: dict[str, float] = WHOLE_BOARD
    against_low: dict[str, float] = WHOLE_BOARD
    against_high: dict[str, float] = WHOLE_BOARD
    apart_low: float | None = WHOLE_BOARD
    apart_high: float | None = WHOLE_BOARD
    by_judge: dict[str, float] = WHOLE_BOARD
    score_row_bootstrap_low: float | None = WHOLE_BOARD
    score_row_bootstrap_high: float | None = WHOLE_BOARD

    @property
    def verdict_score(self) -> float | None:
        """The score of verdicts with points; None without any."""
        return self.verdicts.get(SCORE) if isinstance(self.verdicts, dict) else None


class PairwiseItemRow(JudgedItemRow):
    """A contestant on one item, over its samples.

    state: scored, errored, unparsed, unopposed or unjudged. spread: the highest minus the lowest share by a judge.
    adds: on boards with a schedule, and with points for verdicts, what the item adds to the score of the board, which
    is the mean of these numbers.
    """

    spread: float | None
    adds: float | UnsetType | None = UNSET

    @property
    def part(self) -> float | None:
        return self.overall if self.adds is UNSET else self.adds


class PairwiseJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board.

    first_share: the share of points, 0-100, that the judge gave to answers shown first; n_placed: how many games have a
    known order. decided: how many games of known order have a verdict other than a tie; decided_first: how many of them
    went to the answer shown first. half: how many valid verdicts do not count because the game in the other order has
    none. pairs: how many games it judged in both orders; flips: how many of these went to the answer shown first both
    times, or to the one shown second both times. missing_mass, missing_mass_most: the mean and the highest probability,
    0-1, of all other tokens than the two letters, over valid verdicts with log probabilities; on boards with such ones.
    """

    n_placed: int
    first_share: float | None
    decided: int = 0
    decided_first: int = 0
    half: int = 0
    pairs: int
    flips: int
    missing_mass: float | UnsetType | None = UNSET
    missing_mass_most: float | UnsetType | None = UNSET
    absent: dict[str, str]


class PairRow(msgspec.Struct, kw_only=True):
    """A contestant against another: n answers with a game, and its win rate on these with its interval."""

    model: str
    opponent: str
    n: int
    win_rate: float | None
    low: float | None
    high: float | None
    absent: dict[str, str]


class PairwiseResults(ResultsOf[PairwiseRow, PairwiseItemRow], kw_only=True):
    """All results of one `pairwise` board of one run.

    baselines: empty if all contestants meet, or the pairs that a schedule of `budget` pairs chooses. rings: contestants
    each of which beats the next, and the last the first; n_triples: how many triples have all their pairs decided.
    tied_games: the share of games without a winner, 0-1; absent without a game, and in runs from before it was
    measured. agree: on boards where both orders must agree.
    """

    TABLES: ClassVar[tuple[str, ...]] = ("judges", "agreement", "pairs")
    FIRST: ClassVar[tuple[str, ...]] = (
        "win_rate", "standard_error", "lc_win_rate", "discrete_win_rate", "n_wins", "n_draws", "n_losses", "verdicts",
        "elo",
    )  # fmt: skip
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "n_scored", "n_errored", "n_unparsed", "overall", "se",
        "df", "ci_low", "ci_high", "win_rate", "standard_error", "discrete_win_rate", "n_wins", "n_draws", "n_losses",
        "verdicts", "tie_group", "lc_low", "lc_high", "style_win_rate", "style_low", "style_high", "elo_low",
        "elo_high", "first_win_rate", "first_low", "first_high", "second_win_rate", "second_low", "second_high",
        "debiased_win_rate", "debiased_low", "debiased_high", "n_games", "n_token_alone", "n_half",
    )  # fmt: skip

    panel: str
    baselines: list[str]
    budget: int | UnsetType = UNSET
    judging: str
    orders: str
    agree: str | UnsetType = UNSET
    judges: list[PairwiseJudgeRow]
    agreement: list[AgreementRow]
    pairs: list[PairRow]
    rings: list[list[str]]
    n_triples: int
    tied_games: float | UnsetType = UNSET

    def has_other_win_rates(self, board: PairwiseBoardFile) -> bool:
        """Return True if the board has a win rate and it is not the overall score of every contestant."""
        return not board.by_points and any(row.win_rate != row.overall for row in self.leaderboard)

    def has_other_verdict_scores(self, board: PairwiseBoardFile) -> bool:
        """Return True if verdicts have points and their score is not the overall score of every contestant."""
        return board.by_points and any(row.verdict_score != row.overall for row in self.leaderboard)

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the columns `against.<baseline>`, with those of its ends, `by_judge.<judge>` and `score`."""
        return {
            **{of: [(name, f"{of}.{name}") for name in self.baselines] for of in AGAINST},
            "by_judge": [(row.judge, f"by_judge.{row.judge}") for row in self.judges],
            "verdicts": [(SCORE, SCORE)],
        }
