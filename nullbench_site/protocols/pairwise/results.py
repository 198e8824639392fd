"""The results of a `pairwise` board. Rates are 0-100."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, JudgedItemRow, JudgedRow, JudgeRow, ResultsOf

SCORE = "score"
"""The column that verdicts add, which is no field of a row: there it is what the row is ordered by."""
NO_GAME = "no game of it counts"
BASELINE_ITSELF = "it is the baseline: 50 by definition"
AGAINST = ("against", "against_low", "against_high")


class PairwiseRow(JudgedRow, kw_only=True):
    """A contestant on a slice of the board.

    overall: the mean over items of its share of their games, where an answer that failed has lost all; of verdicts its
    share of their points. Where there is a schedule, the mean probability to win against each other contestant, by
    Bradley-Terry strengths of the whole board; on a part of it, what its items add. n_scored, n_errored, n_unparsed:
    answers with a verdict, that failed, and without a verdict that can be read. win_rate: the mean of its shares over
    the answers with a verdict; standard_error: its own, which takes answers for independent; discrete_win_rate: every
    answer won, lost or drawn, as n_wins, n_losses and n_draws
    count them. verdicts: of boards whose verdicts have points, `score`, their weighted points of all weighted games.

    On the whole board: lc_win_rate: with the length of answers taken out; style_win_rate: with length and Markdown.
    elo: the Bradley-Terry strength, 400 points for odds of ten to one, the baselines at 1000 on average, or everybody.
    first_win_rate, second_win_rate: of games in which its answer is shown first and second; debiased_win_rate: of both
    without what the place adds. n_games: verdicts that count; n_token_alone: those without log probabilities though
    the board reads them. n_half: valid verdicts that do not count, as the game in the other order has none.
    On boards of several baselines, against: win rate by baseline; against_low, against_high: the ends of its interval;
    apart_low, apart_high: of that of the greatest less the least.
    by_judge: the score by each judge alone, where there is a schedule.
    score_row_bootstrap_low, high: of imported verdicts, as leaderboards of the kind publish them.
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

    state: scored, errored, unparsed, unopposed or unjudged. spread: how far judges are apart, highest less lowest
    share. adds: on a board with a schedule, and where verdicts have points, what the item adds to the score of the
    board, which is the mean of these.
    """

    spread: float | None
    adds: float | UnsetType | None = UNSET

    @property
    def part(self) -> float | None:
        return self.overall if self.adds is UNSET else self.adds


class PairwiseJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board.

    first_share: the share of points, 0-100, that it gave to answers shown first; n_placed: of so many games of which
    the order is known. decided: games of known order with a verdict that is no tie; decided_first: those of them that
    went to the answer shown first. half: valid verdicts that do not count, as the game in the other order has none.
    flips: of `pairs`, games that it judged in both orders, how many went to the answer shown first both times, or to
    that shown second.
    """

    n_placed: int
    first_share: float | None
    decided: int = 0
    decided_first: int = 0
    half: int = 0
    pairs: int
    flips: int
    absent: dict[str, str]


class PairRow(msgspec.Struct, kw_only=True):
    """A contestant against another: the answers with a game, and its win rate in these with its interval."""

    model: str
    opponent: str
    n: int
    win_rate: float | None
    low: float | None
    high: float | None
    absent: dict[str, str]


class PairwiseResults(ResultsOf[PairwiseRow, PairwiseItemRow], kw_only=True):
    """All results of one `pairwise` board of one run.

    baselines: none where everybody meets everybody, or whom a schedule of `budget` pairs has. rings: contestants of
    which each beats the next, and the last the first; n_triples: of how many three all pairs are decided. tied_games:
    the share of games, 0-1, that no answer won; not there without a game, and in runs from before it was measured.
    agree: on boards where both orders have to.
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
        """The win rate against a baseline stands under `against.<baseline>`, its ends likewise, the score by a judge
        under `by_judge.<judge>`, that of verdicts under its name."""
        return {
            **{of: [(name, f"{of}.{name}") for name in self.baselines] for of in AGAINST},
            "by_judge": [(row.judge, f"by_judge.{row.judge}") for row in self.judges],
            "verdicts": [(SCORE, SCORE)],
        }
