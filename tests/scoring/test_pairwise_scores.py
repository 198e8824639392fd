"""Boards of games, worked by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import permutations
from math import log, log10, sqrt
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from support.pairwise_boards import answer, answers, benchmark, game, rows, scheduled_games, scored

from nullbench_site.protocols.pairwise.judging import JUDGING
from nullbench_site.protocols.pairwise.results import PairwiseItemRow, PairwiseResults, PairwiseRow
from nullbench_site.protocols.pairwise.scoring import PairwiseScorer
from nullbench_site.protocols.pairwise.specs import LengthControl, PairwiseItem, Schedule
from nullbench_site.runs.records import Hidden, Judgment, Record, Response
from nullbench_site.scoring.board import same_end
from nullbench_site.scoring.observations import ShardReader
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.agreement import krippendorff_alpha
from nullbench_site.stats.estimate import group_mean, quantile
from nullbench_site.stats.strength import Games, bradley_terry, strength_influence
from nullbench_site.stats.style_control import GamedRows, length_controlled, length_feature, style_controlled

ITEMS = "abcdefgh"


def both(item: str, first: float, second: float) -> list[Record]:
    """The game in both orders: what the judge said as shown where "m" stands first, and where it stands second."""
    return [game(item, first, position=0), game(item, second, position=1)]


def test_the_win_rate_is_the_mean_share_in_both_orders_and_the_baseline_has_50() -> None:
    """a: shown first 1.2, which is 0.8 for it, shown second 1.6: (0.8 + 0.6) / 2 = 0.7. b: 0.1 and 0.3: 0.2."""
    board = benchmark()
    found = rows(scored(board, [*answers("ab", "base", "m"), *both("a", 1.2, 1.6), *both("b", 1.9, 1.3)]))
    row = found["m"]
    assert (row.overall, row.win_rate) == (45.0, 45.0)
    assert (row.n_wins, row.n_draws, row.n_losses, row.discrete_win_rate) == (1, 0, 1, 50.0)
    assert row.standard_error == pytest.approx(100 * sqrt(((0.25**2) * 2) / 1) / sqrt(2), abs=1e-6)
    assert (row.first_win_rate, row.second_win_rate) == (45.0, 45.0)
    base = found["base"]
    assert (base.overall, base.n_draws, base.lc_win_rate, base.judge_calls) == (50.0, 2, 50.0, 0)
    assert base.absent["lc_low"] == "it is the baseline: 50 by definition"


def test_tied_games_are_the_share_of_all_games_that_no_answer_won() -> None:
    """Two of the four games in both orders are ties; the baseline's 50 against itself is no game."""
    records = [*answers("ab", "base", "m"), *both("a", 1.5, 1.5), *both("b", 1.9, 1.3)]
    assert scored(benchmark(), records).tied_games == 0.5
    silent = scored(benchmark(), answers("ab", "base", "m"))
    assert silent.tied_games is UNSET


def test_items_at_one_end_are_those_on_which_all_score_0_or_all_score_100() -> None:
    """a: both 0; b: both 100; c: 0 and 100; d: both 40. Two of four."""
    scores = {"a": (0.0, 0.0), "b": (100.0, 100.0), "c": (0.0, 100.0), "d": (40.0, 40.0)}
    rows = [
        PairwiseItemRow(model, item, "", "", "", "scored", score, None)
        for item, both_scores in scores.items()
        for model, score in zip("xy", both_scores, strict=True)
    ]
    assert same_end(rows) == 0.5
    assert same_end([]) is UNSET


def test_a_contestant_without_a_whole_pair_in_a_part_has_no_rank_there() -> None:
    """As with a small model for a judge, which often answers in one order only."""
    items = [PairwiseItem(id=each, difficulty="hard" if each == "h" else "easy", prompt=each) for each in "abh"]
    half = game("h", 1.2, position=0), game("h", None, position=1)
    results = scored(benchmark(items), [*answers("abh", "base", "m"), *both("a", 1.2, 1.6), *both("b", 1, 2), *half])
    assert rows(results)["m"].rank is not None
    (hard,) = (part for part in results.difficulties if part.id == "hard")
    (row,) = (row for row in hard.rows if row.model == "m")
    assert (row.overall, row.rank, row.rank_low) == (None, None, None)
    assert row.absent["rank"]


def test_a_judge_that_always_takes_the_first_flips_every_game_and_says_nothing() -> None:
    results = scored(benchmark(), [*answers("ab", "base", "m"), *both("a", 1, 1), *both("b", 1, 1)])
    row, (judge,) = rows(results)["m"], results.judges
    assert (row.win_rate, row.first_win_rate, row.second_win_rate) == (50.0, 100.0, 0.0)
    assert row.absent["debiased_win_rate"] == "who is shown first wins every game, or loses every game"
    assert (row.first_low, row.debiased_low, row.debiased_high) == (None, None, None)
    assert row.absent["first_low"] == "too few: 2 clusters of items, and an interval needs 6"
    assert (judge.first_share, judge.n_placed, judge.flips, judge.pairs) == (100.0, 4, 2, 2)


@pytest.mark.parametrize("keys", [{}, {"judging": "verdicts"}, {"judging": "verdicts", "agree": "both-orders"}])
def test_a_game_counts_with_both_orders_or_with_neither(keys: dict[str, Any]) -> None:
    """A valid verdict whose mirror is invalid moves no figure: all is as if both were invalid."""
    first, second, name = (1, 2, "preference") if not keys else (-2, 1, "verdict")
    board = benchmark(ITEMS, judges=("anna", "ben"), models=("base", "m", "n"), **keys)

    def told(lone: int | None) -> PairwiseResults:
        games = [
            game(item, value, each, judge=judge, position=at, name=name)
            for each in "mn"
            for judge in ("anna", "ben")
            for item in ITEMS
            for at, value in enumerate((first, second) if (item in "abcd") == (each == "m") else (second, first))
        ]
        half = [game("a", value, "m", judge="anna", position=at, name=name) for at, value in enumerate((lone, None))]
        lengths = [answer(item, each, length=10 + place) for place, item in enumerate(ITEMS) for each in "mn"]
        return scored(board, [*answers(ITEMS, "base", base=14), *lengths, *games, *half])

    without, with_half = told(None), told(second)
    for before, after in zip(without.leaderboard, with_half.leaderboard, strict=True):
        counted = dict.fromkeys(("n_half", "judge_unparsed"), 0)
        assert replace(after, **counted) == replace(before, **counted)
    assert with_half.items == without.items
    assert with_half.pairs == without.pairs
    assert with_half.differences == without.differences
    assert with_half.agreement == without.agreement
    anna = with_half.judges[0]
    assert (rows(with_half)["m"].n_half, rows(with_half)["n"].n_half, anna.half) == (1, 0, 1)
    assert (anna.first_share, anna.n_placed) == (without.judges[0].first_share, without.judges[0].n_placed)


def test_answers_of_which_only_half_pairs_have_verdicts_have_no_score() -> None:
    """The only judge chooses the second answer, or gives no valid verdict: no game is left."""
    lone = [game(item, 2, position=1) for item in "ab"] + [game(item, None, position=0) for item in "ab"]
    results = scored(benchmark(), [*answers("ab", "base", "m"), *lone])
    row = rows(results)["m"]
    assert (row.overall, row.win_rate, row.elo, row.n_unparsed, row.n_half) == (None, None, None, 2, 2)
    assert row.rank is None
    assert [item.state for item in results.items if item.model == "m"] == ["unparsed", "unparsed"]


def test_an_answer_whose_mirrored_call_failed_is_not_judged_yet() -> None:
    failed = replace(game("a", None, position=0), state="errored", invalid={}, error="no reply")
    results = scored(benchmark(), [*answers("ab", "base", "m"), game("a", 2, position=1), failed, *both("b", 1, 2)])
    assert [item.state for item in results.items if item.model == "m"] == ["unjudged", "scored"]
    assert (rows(results)["m"].overall, rows(results)["m"].n_unjudged) == (100.0, 1)


def always_second(items: str, **of_game: Any) -> list[Record]:
    """Both orders of each item, of which the judge chose the answer shown second."""
    return [game(item, 2, position=at, **of_game) for item in items for at in (0, 1)]


def test_a_judge_that_chooses_one_position_in_more_than_three_quarters_of_decided_games_silences_the_board() -> None:
    """Ties decide nothing. 12 of 16 are no more than three quarters; of fewer than 10 games nothing is said."""
    told = scored(benchmark(ITEMS), [*answers(ITEMS, "base", "m"), *always_second(ITEMS)])
    assert told.silenced == ["the judge 'anna' chose the answer shown second in 16 of 16 decided games (limit 75 %)"]
    assert (told.judges[0].decided, told.judges[0].decided_first) == (16, 0)
    ties = [game(item, 1.5, position=at) for item in "fgh" for at in (0, 1)]
    assert scored(benchmark(ITEMS), [*answers(ITEMS, "base", "m"), *always_second("abcde"), *ties]).silenced
    at_limit = [*always_second("abcd"), *(record for item in "efgh" for record in both(item, 1, 2))]
    assert scored(benchmark(ITEMS), [*answers(ITEMS, "base", "m"), *at_limit]).silenced == []
    assert scored(benchmark(ITEMS, position_limit=0.7), [*answers(ITEMS, "base", "m"), *at_limit]).silenced
    assert scored(benchmark("abcd"), [*answers("abcd", "base", "m"), *always_second("abcd")]).silenced == []


def test_a_judge_with_more_than_a_fifth_of_its_verdicts_invalid_silences_the_board() -> None:
    valid = [record for item in "abcd" for record in both(item, 1, 2)]
    spoilt = [game("e", None, position=at) for at in (0, 1)]
    board = [*answers("abcde", "base", "m"), *valid]
    assert scored(benchmark("abcde"), [*board, *spoilt]).silenced == []
    told = scored(benchmark("abcde", invalid_limit=0.1), [*board, *spoilt]).silenced
    assert told == ["the judge 'anna' gave 2 invalid verdicts of 10 (limit 10 %)"]
    lone = game("d", None, position=1)
    told = scored(benchmark("abcde"), [*board[:-1], lone, *spoilt]).silenced
    assert told == ["the judge 'anna' gave 3 invalid verdicts of 10 (limit 20 %)"]


def test_what_the_first_place_adds_is_told_of_each_judge_alone() -> None:
    """anna gives the first 0.8 and, in the mirror, 0.4: no game turned. ben gives the second 0.9 both times."""
    ben = [game("b", 1.9, judge="ben", position=at) for at in (0, 1)]
    board = benchmark(judges=("anna", "ben"))
    told = scored(board, [*answers("ab", "base", "m"), *both("a", 1.2, 1.6), *ben]).judges
    assert [(row.judge, row.first_share, row.n_placed, row.flips, row.pairs) for row in told] == [
        ("anna", pytest.approx(60), 2, 0, 1), ("ben", pytest.approx(10), 2, 1, 1),
    ]  # fmt: skip
    unread = scored(board, [*answers("ab", "base", "m"), *both("a", 1.2, 1.6)]).judges[1]
    assert (unread.first_share, unread.absent["first_share"]) == (None, "no game of which the order is known")


def test_a_failed_answer_loses_and_a_verdict_that_cannot_be_read_is_no_game() -> None:
    """Of four items one is won, one failed, one unreadable, one lost: overall (100 + 0 + 0) / 3, win rate 50."""
    board = benchmark("abcd", orders="drawn")
    records = [
        *answers("abcd", "base"), answer("a"), answer("b", state="errored"), answer("c"), answer("d"),
        game("a", 2, drawn=True), game("c", None, drawn=True), game("d", 1, drawn=True),
    ]  # fmt: skip
    row = rows(scored(board, records))["m"]
    assert (row.overall, row.win_rate) == (pytest.approx(100 / 3, abs=1e-6), 50.0)
    assert (row.n_scored, row.n_errored, row.n_unparsed, row.error_rate) == (2, 1, 1, 0.25)


def test_where_the_opponent_failed_there_is_no_game_and_nothing_is_missing() -> None:
    board = benchmark("abc", orders="drawn")
    records = [
        answer("a", "base"), answer("b", "base"), answer("c", "base", state="errored"), *answers("abc", "m"),
        game("a", 2, drawn=True), game("b", 1.5, drawn=True),
    ]  # fmt: skip
    results = scored(board, records)
    row = rows(results)["m"]
    assert (row.overall, row.n_items, row.judge_missing, row.rank) == (75.0, 2, 0, 1)
    assert [item.state for item in results.items if item.model == "m"] == ["scored", "scored", "unopposed"]
    assert row.judge_calls == 2


def test_a_stored_preference_of_0_is_a_draw_and_one_between_0_and_1_is_none() -> None:
    board = benchmark("abc", orders="drawn")
    row = rows(
        scored(
            board,
            [*answers("abc", "base", "m"), *(game(i, v, drawn=True) for i, v in zip("abc", (0, 2, 0.4), strict=True))],
        )
    )["m"]
    assert (row.win_rate, row.n_wins, row.n_draws, row.n_losses) == (75.0, 1, 1, 0)


def test_preferences_of_unknown_order_are_those_of_the_contestant_and_no_place_is_made_up() -> None:
    board = benchmark("ab", orders="drawn")
    results = scored(board, [*answers("ab", "base", "m"), game("a", 1.9, position=None), game("b", 1.7, position=None)])
    row, (judge,) = rows(results)["m"], results.judges
    assert row.win_rate == 80.0
    assert (row.first_win_rate, row.absent["first_win_rate"]) == (None, "no game has a preference")
    assert (judge.first_share, judge.absent["first_share"]) == (None, "no game of which the order is known")


def test_verdicts_by_far_count_three_times_in_both_orders() -> None:
    """Oriented to the contestant: a 2, 2; b -1, 0: points 3 + 3 + 0 + 0.5 of weights 3 + 3 + 1 + 1."""
    board = benchmark(judging="verdicts")
    verdicts = [("a", -2, 0), ("a", 2, 1), ("b", 1, 0), ("b", 0, 1)]
    given = [game(item, value, position=at, name="verdict") for item, value, at in verdicts]
    results = scored(board, [*answers("ab", "base", "m"), *given])
    row = rows(results)["m"]
    assert row.verdicts == {"score": 81.25}
    assert row.overall == 81.25
    assert row.win_rate == 100 * (1 + 0.25) / 2
    assert row.elo == pytest.approx(1000 + 400 * log10(81.25 / 18.75), abs=1e-4)
    header, *lines = result_files(results)["leaderboard.csv"].decode().splitlines()
    columns = header.split(",")
    assert lines[0].split(",")[columns.index("score")] == "81.25"
    assert "score_row_bootstrap_low" not in columns


def verdicts_of(said: dict[str, tuple[int, int | None]], judge: str = "anna") -> list[Record]:
    """What a judge said as shown where "m" stands first, and where it stands second."""
    return [
        game(item, value, position=at, name="verdict", judge=judge)
        for item, orders in said.items()
        for at, value in enumerate(orders)
    ]


def test_where_both_orders_have_to_agree_a_game_is_won_lost_or_a_tie_as_in_mt_bench() -> None:
    """a and f are won in both orders, d is lost in both, b goes to who is shown first, c is a tie and a win; of e a
    verdict cannot be read, and g failed. Win rate (1 + 0.5 + 0.5 + 0 + 1) / 5, squares of residuals 0.7; g loses."""
    said = {"a": (-2, 1), "b": (-1, -1), "c": (0, 1), "d": (2, -1), "e": (-1, None), "f": (-1, 1)}
    records = [*answers("abcdefg", "base"), *answers("abcdef", "m"), answer("g", state="errored"), *verdicts_of(said)]
    results = scored(benchmark("abcdefg", judging="verdicts", agree="both-orders"), records)
    row, (judge,) = rows(results)["m"], results.judges
    assert (row.win_rate, row.overall) == (60.0, 50.0)
    assert (row.n_wins, row.n_draws, row.n_losses) == (2, 2, 1)
    assert (row.n_errored, row.n_unparsed, row.n_games) == (1, 1, 10)
    assert row.standard_error == pytest.approx(100 * sqrt(0.7 / 4 / 5), abs=1e-6)
    assert row.ci_low < 50 < row.ci_high
    assert row.elo == pytest.approx(1000 + 400 * log10(60 / 40), abs=1e-4)
    assert (judge.flips, judge.pairs) == (1, 5)
    assert "score" not in result_files(results)["leaderboard.csv"].decode().splitlines()[0].split(",")
    assert [item.overall for item in results.items if item.model == "m"] == [100, 50, 50, 0, None, 100, 0]
    # Each verdict for itself: points 4 + 1 + 1.5 + 0 + 2 of weights 4 + 2 + 2 + 4 + 2; e has one order.
    plain = rows(scored(benchmark("abcdefg", judging="verdicts"), records))["m"]
    assert plain.verdicts == {"score": pytest.approx(100 * 8.5 / 14, abs=1e-6)}


def test_each_judge_has_to_agree_with_itself_and_how_sure_it_is_counts_nothing() -> None:
    """anna: a won, b lost; ben: a tie on both, as he takes the first each time."""
    board = benchmark("ab", judges=("anna", "ben"), judging="verdicts", agree="both-orders")
    found = []
    for much in (1, 2):
        anna = verdicts_of({"a": (-much, much), "b": (much, -1)})
        ben = verdicts_of({"a": (-1, -much), "b": (-much, -1)}, "ben")
        found.append(rows(scored(board, [*answers("ab", "base", "m"), *anna, *ben]))["m"])
    assert [(row.overall, row.n_wins, row.n_losses, row.standard_error) for row in found] == [(50.0, 1, 1, 25.0)] * 2
    assert {row.elo for row in found} == {1000.0}


def test_several_baselines_count_alike_and_the_spread_is_told() -> None:
    """Against base 0.9 and 0.9, against other 0.3 and 0.3: 60; a baseline has 50 against itself.

    Both baselines have a record of the games between them, which count once all the same: 2 points of 0.2 and of 0.8.
    """
    board = benchmark("ab", ("base", "m", "other"), baseline=("base", "other"), orders="drawn")
    records = [
        *answers("ab", "base", "m", "other"),
        *(game(item, 1.9, "m", "base", drawn=True) for item in "ab"),
        *(game(item, 1.3, "m", "other", drawn=True) for item in "ab"),
        *(game(item, 1.2, "base", "other", drawn=True) for item in "ab"),
        *(game(item, 1.2, "other", "base", position=0, drawn=True) for item in "ab"),
    ]  # fmt: skip
    found = rows(scored(board, records))
    assert (found["m"].overall, found["m"].against) == (60.0, {"base": 90.0, "other": 30.0})
    assert found["base"].overall == 35.0
    assert found["other"].overall == 65.0
    assert found["base"].against == {"base": 50.0, "other": 20.0}
    lengths_alike = {name: found[name].lc_win_rate for name in ("base", "m", "other")}
    assert lengths_alike == pytest.approx({"base": 35, "m": 60, "other": 65}, abs=0.01)
    strength = bradley_terry(np.array([[0, 0.2, 0.4], [1.8, 0, 0.6], [1.6, 1.4, 0]])).log_strength
    elo = 1000 + 400 / log(10) * (strength - (strength[0] + strength[2]) / 2)
    assert [found[name].elo for name in ("base", "m", "other")] == pytest.approx(elo, abs=1e-5)


def test_one_whose_answers_failed_has_no_strength_where_nobody_else_gave_one() -> None:
    board = benchmark(orders="drawn")
    (row,) = scored(board, [answer(item, state="errored") for item in "ab"]).leaderboard
    assert (row.overall, row.elo, row.lc_win_rate, row.style_win_rate) == (0.0, None, None, None)
    assert {row.absent[name] for name in ("elo", "lc_win_rate", "style_win_rate")} == {"no game of it counts"}


@pytest.mark.parametrize("third", [False, True])
def test_win_rates_by_baseline_have_intervals_and_so_has_what_two_are_apart(third: bool) -> None:
    """Against base 0.9 and 0.7 by turns, against other 0.2 throughout, on 12 prompts: 60 apart, errors of
    10 / sqrt(11), both of the rate and of the difference; t of 11 degrees is 2.201. A third baseline is as other."""
    baselines = ("base", "other", "third")[: 3 if third else 2]
    board = benchmark(MANY, ("m", *baselines), baseline=baselines, orders="drawn")
    records = answers(MANY, "m", *baselines)
    for number, item in enumerate(MANY):
        records += [game(item, 1.7 + number % 2 / 5, "m", "base", drawn=True)]
        records += [game(item, 1.2, "m", name, drawn=True) for name in baselines[1:]]
        records += [game(item, 1.5, one, name, drawn=True) for one in baselines for name in baselines if one != name]
    results = scored(board, records)
    found = rows(results)
    m, base = found["m"], found["base"]
    of_pairs = {
        pair.opponent: (pair.n, pair.win_rate, pair.low, pair.high) for pair in results.pairs if pair.model == "m"
    }
    assert of_pairs == {name: (12, m.against[name], m.against_low[name], m.against_high[name]) for name in baselines}
    assert m.against == {"base": pytest.approx(80), **dict.fromkeys(baselines[1:], pytest.approx(20))}
    # The interval of a mean is Wilson's, 72.60 to 85.76, made wider for few prompts, and allows for a share of 0.0417
    # that no prompt showed. A rate that is the same on every prompt has one of a share of less than
    # q = 1.96^2 / (12 + 1.96^2) that was not seen.
    q = 1.959964**2 / (12 + 1.959964**2)
    assert (m.against_low["other"], m.against_high["other"]) == pytest.approx((20 * (1 - q), 20 + 80 * q), abs=1e-3)
    assert (m.against_low["base"], m.against_high["base"]) == pytest.approx((70.22, 86.01), abs=0.01)
    assert set(base.against_low) == set(base.against_high) == set(baselines[1:])
    if third:
        assert (m.apart_low, m.apart_high) == (None, None)
        assert m.absent["apart_low"].startswith("of more than two it is the greatest of several differences")
    else:
        # t SE = 6.636219; what no prompt showed may lie 12 ln(1/0.6) times 10 / sqrt(132) below, and no more than
        # 1 - 0.6^(1/12) of 40 above.
        assert (m.apart_low, m.apart_high) == pytest.approx((51.48496, 66.842395), abs=1e-4)
        assert base.absent["apart_low"] == "the same on every item"


def test_a_rate_against_another_on_few_prompts_says_why_it_has_no_interval() -> None:
    results = scored(benchmark(), [*answers("ab", "base", "m"), *both("a", 1.2, 1.6), *both("b", 1.9, 1.3)])
    (pair,) = results.pairs
    assert (pair.n, pair.win_rate, pair.low, pair.high) == (2, 45.0, None, None)
    assert pair.absent["low"] == "too few: 2 clusters of items, and an interval needs 6"


def test_the_win_rate_with_style_taken_out_has_an_interval_but_where_nothing_tells_how_sure_it_is() -> None:
    """m wins where it is longer, and draws now and then; all wins every game, of which the ridge says a number."""
    board = benchmark(MANY, ("all", "base", "m"), orders="drawn")
    plain = {"headers": 0, "lists": 0, "bold": 0}
    records: list[Record] = []
    for number, item in enumerate(MANY):
        for name, length in (("base", 100), ("all", 90), ("m", 150 if number % 2 else 50)):
            records.append(answer(item, name, length=length, **plain))
        records.append(game(item, 2, "all", drawn=True))
        records += [game(item, 1.5 if number % 3 == 0 else 1.8 if number % 2 else 1.2, drawn=True)]
    found = rows(scored(board, records))
    m = found["m"]
    assert None not in (m.style_low, m.style_win_rate, m.style_high)
    assert m.style_low + 5 < m.style_win_rate < m.style_high - 5  # type: ignore[operator]
    for model, why in (("all", "it wins every game, or loses"), ("base", "it is the baseline: 50 by definition")):
        assert (found[model].style_low, found[model].style_high) == (None, None)
        assert found[model].style_win_rate is not None
        assert found[model].absent["style_low"].startswith(why)


def test_which_of_two_baselines_comes_first_moves_no_rate_without_style() -> None:
    def rates(strong: str, weak: str) -> list[float | None]:
        board = benchmark(MANY, (strong, "m", weak), baseline=(strong, weak), orders="drawn")
        records: list[Record] = []
        for number, item in enumerate(MANY):
            for name, length in ((strong, 90 + number), ("m", 100 - 3 * number), (weak, 80 + number**2 % 17)):
                records.append(answer(item, name, length=length, headers=0, lists=0, bold=0))
            for name, other, share in (("m", strong, 0.3), ("m", weak, 0.6), (strong, weak, 0.8), (weak, strong, 0.2)):
                records.append(game(item, 1 + share + number % 3 / 20, name, other, drawn=True))
            records[-1] = game(item, 1.2 - number % 3 / 20, weak, strong, drawn=True)
        found = rows(scored(board, records))
        return [found[name].style_win_rate for name in (strong, "m", weak)]

    first, last = rates("a", "z"), rates("z", "a")
    assert None not in first
    assert first == pytest.approx(last, abs=1e-4)
    assert first == sorted(first, key=lambda rate: -(rate or 0))


def all_pairs(wins: dict[tuple[str, str], float], models: str) -> list[Record]:
    """Each wins so much of its games with each other on every item; both hold their record of them."""
    records: list[Record] = answers(ITEMS, *models)
    for one, other in permutations(models, 2):
        share = wins[one, other] if (one, other) in wins else 1 - wins[other, one]
        records += [game(item, 1 + share, one, other, drawn=True) for item in ITEMS]
    return records


def test_without_a_baseline_all_meet_all_and_strengths_stand_at_1000_on_average() -> None:
    """x beats y 2 to 1, y beats z 2 to 1, x beats z 4 to 1: odds multiply, so log strengths are log 2, 0 and -log 2."""
    board = benchmark(ITEMS, "xyz", baseline=None, orders="drawn")
    results = scored(board, all_pairs({("x", "y"): 2 / 3, ("y", "z"): 2 / 3, ("x", "z"): 4 / 5}, "xyz"))
    found = rows(results)
    step = 400 * log10(2)
    assert [found[name].elo for name in "xyz"] == [pytest.approx(1000 + at * step, abs=1e-3) for at in (1, 0, -1)]
    assert found["x"].overall == pytest.approx(100 * (2 / 3 + 4 / 5) / 2, abs=1e-5)
    assert (results.rings, results.n_triples) == ([], 1)
    assert found["x"].absent["lc_win_rate"].startswith("the board has no baseline")
    assert len(results.pairs) == 6
    (judge,) = results.judges
    assert judge.n_placed == 3 * len(ITEMS)  # each game stands in two records


def test_a_ring_of_three_is_named_in_the_order_of_who_beats_whom() -> None:
    board = benchmark(ITEMS, "xyz", baseline=None, orders="drawn")
    results = scored(board, all_pairs({("x", "y"): 0.7, ("y", "z"): 0.7, ("x", "z"): 0.3}, "xyz"))
    assert (results.rings, results.n_triples) == ([["x", "y", "z"]], 1)


def test_one_that_wins_or_loses_everything_has_a_win_rate_and_no_strength() -> None:
    board = benchmark(ITEMS, "xyz", baseline=None, orders="drawn")
    found = rows(scored(board, all_pairs({("x", "y"): 1, ("x", "z"): 1, ("y", "z"): 0.6}, "xyz")))
    assert (found["x"].overall, found["x"].elo) == (100.0, None)
    assert found["x"].absent["elo"] == "wins every game: its strength has no upper bound"
    assert "go only one way" in found["y"].absent["elo"]


def test_contestants_that_no_game_joins_have_no_strength_and_it_is_said() -> None:
    board = benchmark(ITEMS, "wxyz", baseline=None, orders="drawn")
    games = [game(item, 1.6, *pair, drawn=True) for item in ITEMS for pair in ("wx", "yz")]
    games += [game(item, 1.4, *pair, drawn=True) for item in ITEMS for pair in ("xw", "zy")]
    found = rows(scored(board, [*answers(ITEMS, *"wxyz"), *games]))
    assert {row.elo for row in found.values()} == {None}
    assert {row.absent["elo"] for row in found.values()} == {
        "no chain of games joins all contestants, and between the parts nothing is defined"
    }
    assert {row.rank for row in found.values()} == {None}


def test_where_no_verdict_between_two_parts_can_be_read_nobody_has_a_rank_or_a_rate_in_equal_style() -> None:
    """Each wins a share of games with another of its part; the shares of the two parts do not compare."""
    board = benchmark(ITEMS, "wxyz", baseline=None, orders="drawn")
    share = {"wx": 1.6, "yz": 1.9, "xw": 1.4, "zy": 1.1}
    games = [
        game(item, share.get(one + other), one, other, drawn=True)
        for item in ITEMS
        for one, other in permutations("wxyz", 2)
    ]
    style = {"headers": 0, "lists": 0, "bold": 0}
    mine = [answer(item, each, length=50 + 9 * n, **style) for n, item in enumerate(ITEMS) for each in "wxyz"]
    found = rows(scored(board, [*mine, *games]))
    why = "no chain of games joins all contestants, and between the parts nothing is defined"
    for row in found.values():
        assert (row.rank, row.elo, row.style_win_rate) == (None, None, None)
        assert {row.absent[name] for name in ("rank", "elo", "style_win_rate")} == {why}


def test_what_an_item_adds_to_a_score_of_points_has_the_score_as_its_mean() -> None:
    """a: 3 of 3 and 1 of 1; b: half of 1, twice; c: 0 of 3 and half of 1. So 5.5 of 10; the mean share is 58.3."""
    said = {"a": (-2, 1), "b": (0, 0), "c": (2, 0)}
    results = scored(benchmark("abc", judging="verdicts"), [*answers("abc", "base", "m"), *verdicts_of(said)])
    items = [item for item in results.items if item.model == "m"]
    assert rows(results)["m"].overall == pytest.approx(55)
    assert np.mean([item.part for item in items]) == pytest.approx(55, abs=1e-6)
    assert np.mean([item.overall for item in items]) == pytest.approx((100 + 50 + 25) / 3, abs=1e-6)
    plain = scored(benchmark("a"), [*answers("a", "base", "m"), *both("a", 1.2, 1.6)])
    assert [item.part for item in plain.items] == [item.overall for item in plain.items]


def test_one_that_wins_every_game_takes_no_strength_from_those_it_never_met() -> None:
    """m has 3 of 4 points against the baseline: log10(3) * 400 = 190.8 above it, beside a contestant that wins all."""
    games = [game(item, 2 if item != "a" else 1, drawn=True) for item in "abcd"]
    best = [game(item, 2, model="best", drawn=True) for item in "abcd"]
    board = benchmark("abcd", ("base", "best", "m"), orders="drawn")
    found = rows(scored(board, [*answers("abcd", "base", "best", "m"), *games, *best]))
    assert found["m"].elo == pytest.approx(1000 + 400 * log10(3), abs=1e-4)
    assert found["base"].elo == 1000
    assert found["best"].absent["elo"] == "wins every game: its strength has no upper bound"


ODDS = {"w": 4.0, "x": 2.0, "y": 1.0, "z": 0.5}
MANY = [f"i{number:02}" for number in range(12)]


def on_schedule(board: Benchmark, share: Callable[[str, str, str], float], **keys: Any) -> list[Judgment]:
    """What a judge says of every game of the schedule, in the records of both; share: of the first of two ids."""
    return [
        record
        for item, one, other in scheduled_games(board)
        for record in (
            game(item, 1 + share(item, one, other), one, other, drawn=True, **keys),
            game(item, 2 - share(item, one, other), other, one, drawn=True, **keys),
        )
    ]


def by_odds(_: str, one: str, other: str) -> float:
    return ODDS[one] / (ODDS[one] + ODDS[other])


def budget(pairs: int, models: str = "wxyz", **keys: Any) -> Benchmark:
    return benchmark(MANY, models, baseline=None, orders="drawn", schedule=Schedule(budget=pairs), **keys)


def test_on_a_schedule_the_score_is_the_chance_to_win_against_each_of_the_others_whomever_it_met() -> None:
    """Odds of 4, 2, 1 and 1/2: w wins (2/3 + 4/5 + 8/9) / 3 of games with the others, whatever its share of those it
    played."""
    board = budget(17)
    found = rows(scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, by_odds)]))
    for name, own in ODDS.items():
        chance = sum(own / (own + other) for rival, other in ODDS.items() if rival != name) / 3
        assert found[name].overall == pytest.approx(100 * chance, abs=1e-4)
    assert max(abs((row.win_rate or 0) - (row.overall or 0)) for row in found.values()) > 0.8
    assert [row.model for row in sorted(found.values(), key=lambda row: row.rank or 0)] == [*"wxyz"]
    assert found["w"].elo == pytest.approx(1000 + 400 * log10(4 / sqrt(2)), abs=1e-3)
    assert sum(row.n_games for row in found.values()) == 2 * 17
    assert {row.judge_missing for row in found.values()} == {0}


def test_a_verdict_of_the_schedule_that_is_not_there_is_missing_and_others_are_not() -> None:
    board = budget(17)
    games = on_schedule(board, by_odds)
    found = rows(scored(board, [*answers(MANY, *"wxyz"), *games[2:]]))
    lost = [record.model for record in games[:2]]
    assert {name: row.judge_missing for name, row in found.items()} == {name: int(name in lost) for name in "wxyz"}
    assert {name for name, row in found.items() if row.rank is None} == {*lost}
    assert found[lost[0]].absent["rank"] == "verdicts are missing"


def test_an_answer_that_failed_has_lost_the_games_of_the_schedule_and_whom_it_met_has_won_them() -> None:
    board = budget(36)
    failed = {item for item in MANY if any(item == game[0] and "w" in game[1:] for game in scheduled_games(board))}
    gone = sorted(failed)[:3]
    records = [
        answer(item, name, state="errored" if name == "w" and item in gone else "answered")
        for item in MANY for name in "wxyz"
    ]  # fmt: skip
    whole = on_schedule(board, lambda *_: 0.5)
    left = [each for each in whole if each.item not in gone or "w" not in (each.model, each.judge_template)]
    found = rows(scored(board, [*records, *left]))
    lost = sum(item in gone and "w" in pair for item, *pair in scheduled_games(board))
    as_lost = [
        replace(each, scores={"preference": 1.0 if each.model == "w" else 2.0})
        if each.item in gone and "w" in (each.model, each.judge_template) else each
        for each in whole
    ]  # fmt: skip
    judged = rows(scored(board, [*answers(MANY, *"wxyz"), *as_lost]))
    assert lost > 1
    assert {name: row.overall for name, row in found.items()} == {name: row.overall for name, row in judged.items()}
    assert found["w"].overall < 45
    assert {row.judge_missing for row in found.values()} == {0}


def test_a_part_of_a_board_has_what_its_items_add_to_the_score_so_that_parts_make_the_whole() -> None:
    items = [PairwiseItem(id=name, difficulty="easy" if name < "i06" else "hard", prompt=name) for name in MANY]
    board = benchmark(items, "wxyz", baseline=None, orders="drawn", schedule=Schedule(budget=48))
    results = scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, shaken)])
    found, (easy, hard) = rows(results), results.difficulties
    for name in "wxyz":
        one, other = (next(row for row in part.rows if row.model == name) for part in (easy, hard))
        assert found[name].overall == pytest.approx(((one.overall or 0) + (other.overall or 0)) / 2, abs=1e-5)
        assert one.overall != other.overall
        assert one.ci_low < (one.overall or 0) < one.ci_high


def shaken(item: str, one: str, other: str) -> float:
    """The share by odds, moved by the item."""
    noise = int(hashlib.sha256(f"{item} {one} {other}".encode()).hexdigest(), 16) % 100 / 250 - 0.2
    return min(max(by_odds(item, one, other) + noise, 0.0), 1.0)


def test_each_judge_alone_has_strengths_of_its_own_on_a_schedule() -> None:
    """Anna goes by the odds, Ben by their inverse: together they cannot tell, alone they contradict each other."""
    board = budget(48, judges=("anna", "ben"))
    anna = on_schedule(board, shaken, judge="anna")
    ben = on_schedule(board, lambda *of: 1 - shaken(*of), judge="ben")
    results = scored(board, [*answers(MANY, *"wxyz"), *anna, *ben])
    assert {row.overall for row in results.leaderboard} == {50.0}
    scorer = PairwiseScorer(board, board.boards["main"])  # type: ignore[arg-type]
    reader, by_model = ShardReader(scorer), {}
    for name in "wxyz":
        of_model = [each for each in [*anna, *ben] if each.model == name]
        by_model[name] = reader.observe_records(name, [answer(item, name) for item in MANY], of_model)  # type: ignore[arg-type]
    contestants = {name: scorer.reduce(seen) for name, seen in by_model.items()}
    scorer.prepare([*contestants.values()])
    alone = rows(scored(budget(48), [*answers(MANY, *"wxyz"), *on_schedule(board, shaken)]))
    for name, seen in by_model.items():
        items = scorer.scores_by(seen, contestants[name], ["anna"])
        assert items.mean() == pytest.approx(alone[name].overall, abs=1e-5)
        assert items.mean() + scorer.scores_by(seen, contestants[name], ["ben"]).mean() == pytest.approx(100)


def test_other_judges_would_move_a_score_on_a_schedule_as_leaving_one_out_does() -> None:
    """Without one of two judges the score is that of the other; recorded judges are no sample of any."""
    board, every = budget(48, judges=("anna", "ben")), answers(MANY, *"wxyz")
    anna = on_schedule(board, shaken, judge="anna")
    ben = on_schedule(board, lambda *of: 0.9 - shaken(*of) / 2, judge="ben")
    for name, row in rows(scored(board, [*every, *anna, *ben])).items():
        of_anna, of_ben = row.by_judge["anna"], row.by_judge["ben"]
        assert of_anna != of_ben
        assert row.se is not None
        assert (row.panel_low, row.panel_high) == pytest.approx(sorted((of_anna, of_ben)), abs=1e-5), name
    unread = [
        each if {each.model, str(each.judge_template)} in ({*"wx"}, {*"yz"})
        else replace(each, state="unparsed", scores={}, invalid={"preference": "no"}) for each in ben
    ]  # fmt: skip
    found = rows(scored(board, [*every, *anna, *unread]))
    assert {row.panel_low for row in found.values()} == {None}
    assert {tuple(row.by_judge) for row in found.values()} == {("anna",)}


def test_a_judge_alone_is_a_panel_of_one_to_which_a_failed_answer_lost_its_own_games_alone() -> None:
    """Anna: 3 + 3 points of 3 + 3 on a, 0 + 0.5 of 1 + 1 on c, and b has no answer: 6.5 of 6 + 2 + 2."""
    told = [*answers("abc", "base"), answer("a"), answer("b", state="errored"), answer("c")]
    anna, ben = verdicts_of({"a": (-2, 2), "c": (1, 0)}), verdicts_of({"a": (1, 0), "c": (-2, 2)}, "ben")
    board = benchmark("abc", judging="verdicts", judges=("anna", "ben"))
    scorer = PairwiseScorer(board, board.boards["main"])  # type: ignore[arg-type]
    of_m = [[each for each in records if each.model == "m"] for records in (told, [*anna, *ben])]
    seen = ShardReader(scorer).observe_records("m", *of_m)  # type: ignore[arg-type]
    alone = scorer.scores_by(seen, scorer.reduce(seen), ["anna"])
    assert alone.mean() == pytest.approx(65)
    of_one = rows(scored(benchmark("abc", judging="verdicts"), [*told, *anna]))["m"]
    assert of_one.overall == pytest.approx(65)


def all_won_by_w(_: str, one: str, other: str) -> float:
    return 1 if one == "w" else 0.6


@pytest.mark.parametrize("turned", [False, True])
def test_one_that_wins_or_loses_all_it_plays_on_a_schedule_has_the_interval_of_a_rate(turned: bool) -> None:
    """w is in games on all 12 prompts: Wilson's interval of 12 of 12 begins at 12 / (12 + 1.96^2) = 75.75."""
    board, every = budget(24), answers(MANY, *"wxyz")

    def share(item: str, one: str, other: str) -> float:
        won = all_won_by_w(item, one, other)
        return 1 - won if turned else won

    results = scored(board, [*every, *on_schedule(board, share)])
    w = rows(results)["w"]
    assert (w.overall, w.se) == (0.0 if turned else 100.0, None)
    ends = (0.0, pytest.approx(24.2494, abs=1e-3)) if turned else (pytest.approx(75.7506, abs=1e-3), 100.0)
    assert (w.ci_low, w.ci_high) == ends
    assert w.absent["se"].startswith("loses every game" if turned else "wins every game")
    # Its differences are as unsure as its interval is wide, though no item shows that.
    apart = {each.a + each.b: each for each in results.differences}
    of_w = [each for names, each in apart.items() if "w" in names]
    others = [each for names, each in apart.items() if "w" not in names]
    assert min(each.high - each.low for each in of_w if each.high and each.low) > 2 * 24.2
    assert max(each.high - each.low for each in others if each.high and each.low) < 12


def test_two_of_whom_one_wins_all_stand_above_each_other_by_the_intervals_of_their_rates() -> None:
    board = budget(12, "wx")
    first, last = scored(board, [*answers(MANY, *"wx"), *on_schedule(board, all_won_by_w)]).leaderboard
    assert (first.model, first.rank, last.model, last.rank) == ("w", 1, "x", 2)
    assert (first.ci_low, last.ci_high) == pytest.approx((75.7506, 24.2494), abs=1e-3)


def test_one_that_wins_all_has_no_rank_among_others_whom_single_games_join() -> None:
    """w meets x on 8 prompts, and x meets y once: nobody has an error by which w would stand above them."""
    board = budget(24, "wxy")
    games = on_schedule(board, all_won_by_w)
    of_w = [each for each in games if {each.model, str(each.judge_template)} == {*"wx"}]
    of_y = [each for each in games if {each.model, str(each.judge_template)} == {*"xy"}]
    once = [each for each in of_y if each.item == of_y[0].item]
    unread = [replace(each, state="unparsed", scores={}, invalid={"preference": "no"}) for each in games]
    found = rows(scored(board, [*answers(MANY, *"wxy"), *unread, *of_w, *once]))
    assert {row.rank for row in found.values()} == {None}
    assert found["w"].absent["rank"] == "wins every game: its strength has no upper bound"
    assert found["y"].absent["rank"].startswith("each of its games alone joins two parts")


@pytest.mark.parametrize("pairs", [3, 9])
def test_one_that_wins_all_on_fewer_than_six_prompts_has_no_rank_where_there_are_more(pairs: int) -> None:
    board = budget(pairs)
    w = rows(scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, all_won_by_w)]))["w"]
    assert (w.overall, w.rank, w.ci_low) == (100.0, None, None)
    assert w.absent["rank"].startswith("wins every game: its strength has no upper bound, on ")
    assert w.absent["rank"].endswith(" prompts, which is too few to place it")


def test_the_interval_of_a_strength_on_a_schedule_is_enlarged_where_games_are_few() -> None:
    """17 games of 4 contestants: errors are 17 / (17 - 3) times what the sandwich of residuals has."""
    board = budget(17)

    def share(item: str, one: str, other: str) -> float:
        return by_odds(item, one, other) * (0.8 if item in MANY[::2] else 1.1)

    found = rows(scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, share)]))
    met = scheduled_games(board)
    first, second = np.array([["wxyz".index(one), "wxyz".index(other)] for _, one, other in met]).T
    games = Games(4, first, second, np.array([share(*each) for each in met]), np.ones(len(met)))
    items = np.array([MANY.index(item) for item, _, _ in met])
    adds = strength_influence(games, items, bradley_terry(games.table), len(MANY))
    adds -= adds.mean(axis=1, keepdims=True)
    half = quantile(0.95, np.array([11.0])) * np.sqrt(12 / 11 * np.square(adds).sum(axis=1)) * 400 / log(10) * 17 / 14
    ends = [(row.elo_high or 0) - (row.elo_low or 0) for row in (found[name] for name in "wxyz")]
    assert ends == pytest.approx(2 * half, rel=1e-5)


def test_the_interval_of_a_rate_without_style_on_a_schedule_is_enlarged_as_that_of_a_strength_is() -> None:
    """17 games of 4 contestants, whose lengths differ by item; then z, whose style is not known, has none."""
    board, wide = budget(17), {"headers": 0, "lists": 0, "bold": 0}

    def share(item: str, one: str, other: str) -> float:
        return by_odds(item, one, other) * (0.8 if item in MANY[::2] else 1.1)

    style = np.zeros((4, len(MANY), 4))
    style[:, :, 0] = 20 + np.arange(4 * len(MANY)).reshape(4, -1) ** 2 % 37
    told = [
        answer(item, name, length=int(style[place, number, 0]), **wide)
        for place, name in enumerate("wxyz")
        for number, item in enumerate(MANY)
    ]
    found = rows(scored(board, [*told, *on_schedule(board, share)]))
    met = scheduled_games(board)
    # The second of two in order is the first of a game, as the baseline is elsewhere.
    second, first = np.array([["wxyz".index(one), "wxyz".index(other)] for _, one, other in met]).T
    items = np.array([MANY.index(item) for item, _, _ in met])
    games = Games(4, first, second, np.array([1 - share(*each) for each in met]), np.ones(len(met)))
    expected = style_controlled(games, (style[first, items], style[second, items]), None, items, len(MANY)).items
    for name, of_items in zip("wxyz", expected, strict=True):
        score = of_items.mean()
        own = group_mean(score + (of_items - score) * 17 / 14, np.zeros(12, int), np.arange(12), scale=(0, 100))
        row = found[name]
        assert (row.style_win_rate, row.style_low, row.style_high) == pytest.approx(
            (own.value, own.low, own.high), abs=1e-5
        )
    some = rows(
        scored(board, [*map(_without_style, told[-len(MANY) :]), *told[: -len(MANY)], *on_schedule(board, share)])
    )
    assert some["w"].style_win_rate is not None
    assert some["z"].absent["style_win_rate"] == "the style of its answers or of others' is not known"


def test_parts_that_no_game_joins_have_no_score_on_a_schedule() -> None:
    board, every = budget(24), answers(MANY, *"wxyz")
    games = on_schedule(board, by_odds)
    within = [each for each in games if {each.model, str(each.judge_template)} in ({*"wx"}, {*"yz"})]
    unread = [replace(each, state="unparsed", scores={}, invalid={"preference": "no"}) for each in games]
    results = scored(board, [*every, *unread, *within])
    assert {(row.overall, row.rank) for row in results.leaderboard} == {(None, None)}
    assert results.complete  # nothing is to come that would join them
    assert {row.absent["overall"] for row in results.leaderboard} == {
        "no chain of games joins all contestants, and between the parts nothing is defined"
    }


def test_games_that_only_join_all_give_scores_without_an_error() -> None:
    board = budget(3)
    found = rows(scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, by_odds)]))
    assert found["w"].overall == pytest.approx(100 * (2 / 3 + 4 / 5 + 8 / 9) / 3, abs=1e-4)
    assert {row.se for row in found.values()} == {None}
    assert found["w"].absent["se"].startswith("each of its games alone joins two parts")
    # One game says nothing of who is the better one: no rank, no best, no difference that would be beyond chance.
    results = scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, by_odds)])
    assert {row.rank for row in results.leaderboard} == {None}
    assert (results.best_set, results.differences, results.floor) == ([], [], None)
    assert found["w"].absent["rank"] == found["w"].absent["elo_low"] == found["w"].absent["se"]


def test_one_that_wins_all_against_some_and_loses_all_against_others_has_no_error_of_0() -> None:
    """w beats all and y and z share their games: x loses each to w and wins each other one, and no item shows how sure
    that is. On 12 prompts a share of up to q = 1.96^2 / (12 + 1.96^2) may go otherwise, from either."""
    board = budget(40)

    def share(_: str, one: str, other: str) -> float:
        return 0.6 if one + other == "yz" else 1

    x = rows(scored(board, [*answers(MANY, *"wxyz"), *on_schedule(board, share)]))["x"]
    q = 1.959964**2 / (12 + 1.959964**2)
    assert (x.overall, x.se) == (pytest.approx(200 / 3, abs=1e-4), None)
    assert (x.ci_low, x.ci_high) == pytest.approx((200 / 3 * (1 - q), 200 / 3 + q * 100 / 3), abs=1e-3)
    assert x.absent["se"] == "points with some of the others go only one way: that difference has no bound"


def test_items_that_are_taken_out_leave_the_others_their_games() -> None:
    board = budget(24)
    rest, of_rest = board.without_items(board.boards["main"], {"i03", "i07"})
    again, of_again = rest.without_items(of_rest, {"i05"})
    left = [game for game in scheduled_games(board) if game[0] not in {"i03", "i07", "i05"}]
    of_them = {
        (item, *sorted((name, other)))
        for name in "wxyz"
        for (_, other), items in JUDGING.judged_items(again, of_again, again.models[name]).items()  # type: ignore[arg-type]
        for item in items
        if item in {placed.id for placed in again.items(of_again)}
    }
    assert sorted(of_them) == left


def test_the_length_is_taken_out_where_lengths_are_known_and_absent_where_not() -> None:
    """Shorter by 50 where it loses, longer by 50 where it wins: with the length out nothing of either is left."""
    board = benchmark(ITEMS, orders="drawn", length_control=LengthControl())
    lengths = {item: 150 if number % 2 else 50 for number, item in enumerate(ITEMS)}
    games = [game(item, 1.9 if lengths[item] > 100 else 1.1, drawn=True) for item in ITEMS]
    mine = [answer(item, length=lengths[item]) for item in ITEMS]
    row = rows(scored(board, [*answers(ITEMS, "base", base=100), *mine, *games]))["m"]
    assert row.win_rate == 50.0
    assert row.lc_win_rate == pytest.approx(50, abs=0.5)
    bare = [*answers(ITEMS, "base"), *(answer(item, length=0) for item in ITEMS), *games]
    unknown = rows(scored(board, [_without_style(each) for each in bare]))["m"]
    assert unknown.lc_win_rate is None
    assert unknown.absent["lc_win_rate"].startswith("the lengths of its answers")


def test_empty_answers_keep_the_length_controlled_win_rate_and_count_as_length_0() -> None:
    """22 of 805 answers are empty: a rate of its own, nearly the one with answers of one character."""
    items = [f"i{number:03}" for number in range(805)]
    rng = np.random.default_rng(4)
    lengths = rng.integers(200, 3000, 805)
    games = [
        game(item, 1 + float(rng.random() < (0.55 if own > 1500 else 0.35)), drawn=True)
        for item, own in zip(items, lengths.tolist(), strict=True)
    ]
    base = [
        answer(item, "base", length=int(length))
        for item, length in zip(items, rng.integers(500, 2500, 805), strict=True)
    ]

    def rate(empty: int) -> PairwiseRow:
        own = np.where(np.arange(805) % 37 == 5, empty, lengths).tolist()
        assert own.count(empty) == 22
        mine = [answer(item, length=length) for item, length in zip(items, own, strict=True)]
        return rows(scored(board, [_with_length_only(each) for each in (*base, *mine)] + games))["m"]

    board = benchmark(items, orders="drawn", length_control=LengthControl())
    nothing, short = rate(0), rate(1)
    assert nothing.lc_win_rate is not None
    assert nothing.lc_low is not None
    assert short.lc_win_rate is not None
    assert abs(nothing.lc_win_rate - short.lc_win_rate) < 0.05
    assert nothing.lc_win_rate != pytest.approx(nothing.win_rate, abs=0.5)


def test_where_the_lasso_leaves_no_coefficient_50_is_said_to_be_that_and_has_no_interval() -> None:
    board = benchmark(ITEMS, orders="drawn")
    games = [game(item, 1.5 + (-1) ** number / 10, drawn=True) for number, item in enumerate(ITEMS)]
    mine = [answer(item, length=60 + 10 * number) for number, item in enumerate(ITEMS)]
    row = rows(scored(board, [*answers(ITEMS, "base", base=100), *mine, *games]))["m"]
    assert (row.lc_win_rate, row.lc_low, row.lc_high) == (50.0, None, None)
    assert row.absent["lc_low"].startswith("cross-validation leaves no coefficient")


@pytest.mark.parametrize("length", [lambda place: 10 + place, lambda place: 200 - place], ids=["shorter", "longer"])
def test_nothing_is_said_of_equal_length_where_no_answer_is_near_it(length: Callable[[int], int]) -> None:
    """The regression would extrapolate: to 99.999 of 100 for a contestant of the shipped board whose win rate is 43."""
    board = benchmark(ITEMS, orders="drawn", length_control=LengthControl())
    games = [game(item, 1.4 + place / 100, drawn=True) for place, item in enumerate(ITEMS)]
    mine = [answer(item, length=length(place)) for place, item in enumerate(ITEMS)]
    records = [*answers(ITEMS, "base", base=100), *mine, *games]
    row = rows(scored(board, records))["m"]
    assert (row.lc_win_rate, row.lc_low, row.lc_high) == (None, None, None)
    assert row.absent["lc_win_rate"].startswith("its answers are all shorter")
    gamed = LengthControl(gamed_rows=((1.0, 0.0, 0.2), (-1.0, 0.0, 0.4)))
    items = [
        PairwiseItem(id=item, difficulty="easy", prompt=item, lc_difficulty=place) for place, item in enumerate(ITEMS)
    ]
    row = rows(scored(benchmark(items, orders="drawn", length_control=gamed), records))["m"]
    difficulty, own = np.arange(8.0), np.array([float(length(place)) for place in range(8)])
    published = GamedRows(shares=np.array([0.2, 0.4]), lengths=np.tanh([1.0, -1.0]), difficulty=np.zeros(2))
    found = length_controlled(
        0.4 + difficulty / 100, length_feature(np.full(8, 100.0), own), difficulty, groups=np.arange(8), gamed=published
    )
    assert row.lc_win_rate == pytest.approx(found.items.mean(), abs=1e-6)


@pytest.mark.parametrize("preference", [1, 2])
def test_who_wins_or_loses_all_has_a_length_controlled_win_rate_without_an_interval(preference: int) -> None:
    """Where all is won the regression expects 100 of every item, and an interval of it would have no width."""
    mine = [answer(item, length=60 + 20 * place) for place, item in enumerate(ITEMS)]
    games = [game(item, preference, drawn=True) for item in ITEMS]
    found = scored(benchmark(ITEMS, orders="drawn"), [*answers(ITEMS, "base", base=100), *mine, *games])
    row = rows(found)["m"]
    assert row.lc_win_rate == pytest.approx(100 * (preference - 1), abs=3)
    assert (row.lc_low, row.lc_high) == (None, None)
    assert row.absent["lc_low"].startswith("it wins every game, or loses every game")


def test_the_length_controlled_win_rate_has_an_interval_of_its_own() -> None:
    many = [f"i{number:02}" for number in range(40)]
    games = [game(item, 1.95 if number % 4 else 1.05, drawn=True) for number, item in enumerate(many)]
    mine = [answer(item, length=60 + 7 * (number % 9)) for number, item in enumerate(many)]
    row = rows(scored(benchmark(many, orders="drawn"), [*answers(many, "base", base=100), *mine, *games]))["m"]
    assert 50 < row.lc_low < row.lc_win_rate < row.lc_high < 100
    assert 1000 < row.elo_low < row.elo < row.elo_high


def _with_length_only(record: Record) -> Record:
    """As published games have it: the text is elsewhere, its length is in the data."""
    assert isinstance(record, Response)
    length = int(record.checks[0].flags[0].removeprefix("length "))
    return replace(record, text="", checks=(), hidden=Hidden("", length))


def _without_style(record: Record) -> Record:
    return replace(record, checks=()) if isinstance(record, Response) else record


def test_judges_agree_on_games_and_not_on_contestants() -> None:
    board = benchmark(ITEMS, judges=("anna", "ben"), orders="drawn")
    games = [
        game(item, value, judge=judge, drawn=True)
        for number, item in enumerate(ITEMS)
        for judge, value in (("anna", 1.8 if number % 2 else 1.2), ("ben", 1.6 if number % 2 else 1.4))
    ]
    (row,) = scored(board, [*answers(ITEMS, "base", "m"), *games]).agreement
    assert (row.alpha, row.units) == (1.0, len(ITEMS))


def test_agreement_on_verdicts_is_ordinal_from_lost_by_far_to_won_by_far() -> None:
    """a: won by far and won, in both orders; b: a tie twice, then lost and won."""
    board = benchmark("ab", judging="verdicts", judges=("anna", "ben"))
    anna, ben = verdicts_of({"a": (-2, 2), "b": (0, -1)}), verdicts_of({"a": (-1, 1), "b": (0, 1)}, "ben")
    (row,) = scored(board, [*answers("ab", "base", "m"), *anna, *ben]).agreement
    expected = krippendorff_alpha([[5, 5, 3, 2], [4, 4, 3, 4]], "ordinal")
    assert (row.alpha, row.units) == (pytest.approx(expected.value, abs=1e-6), 4)


def test_the_length_of_a_conversation_is_that_of_all_its_answers() -> None:
    item = PairwiseItem(id="a", difficulty="easy", turns=("First.", "Second."))
    scorer = PairwiseScorer(benchmark([item], orders="drawn"), benchmark([item], orders="drawn").boards["main"])  # type: ignore[arg-type]
    turns = [replace(answer("a", length=30), checks=()), replace(answer("a", length=12, bold=3), turn=2)]
    seen = ShardReader(scorer).observe_records("m", turns, [])
    assert scorer.reduce(seen).style.tolist()[0][0] == 42
    assert scorer.reduce(seen).style.tolist()[0][3] == 3
