"""Boards of games, worked by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import log10, sqrt

import pytest
from msgspec.structs import replace
from support.pairwise_boards import answer, answers, benchmark, game, rows, scored

from nullbench_site.protocols.pairwise.scoring import PairwiseScorer
from nullbench_site.protocols.pairwise.specs import LengthControl, PairwiseItem
from nullbench_site.runs.records import Record, Response
from nullbench_site.scoring.shards import ShardReader
from nullbench_site.scoring.tables import result_files

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


def test_a_judge_that_always_takes_the_first_flips_every_game_and_says_nothing() -> None:
    results = scored(benchmark(), [*answers("ab", "base", "m"), *both("a", 1, 1), *both("b", 1, 1)])
    row, (judge,) = rows(results)["m"], results.judges
    assert (row.win_rate, row.first_win_rate, row.second_win_rate) == (50.0, 100.0, 0.0)
    assert row.absent["debiased_win_rate"] == "who is shown first wins every game, or loses every game"
    assert (judge.first_share, judge.n_placed, judge.flips, judge.pairs) == (100.0, 4, 2, 2)


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
    assert row.ci_low is not None
    assert row.ci_high is not None
    assert row.ci_low < 50 < row.ci_high
    assert row.elo == pytest.approx(1000 + 400 * log10(60 / 40), abs=1e-4)
    assert (judge.flips, judge.pairs) == (1, 5)
    assert "score" not in result_files(results)["leaderboard.csv"].decode().splitlines()[0].split(",")
    assert [item.overall for item in results.items if item.model == "m"] == [100, 50, 50, 0, None, 100, 0]
    # Each verdict for itself: points 4 + 1 + 1.5 + 0 + 1 + 2 of weights 4 + 2 + 2 + 4 + 1 + 2.
    plain = rows(scored(benchmark("abcdefg", judging="verdicts"), records))["m"]
    assert plain.verdicts == {"score": pytest.approx(100 * 9.5 / 15, abs=1e-6)}


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
    """Against base 0.9 and 0.9, against other 0.3 and 0.3: 60; a baseline has 50 against itself."""
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


def test_one_that_wins_every_game_takes_no_strength_from_those_it_never_met() -> None:
    """m has 3 of 4 points against the baseline: log10(3) * 400 = 190.8 above it, beside a contestant that wins all."""
    games = [game(item, 2 if item != "a" else 1, drawn=True) for item in "abcd"]
    best = [game(item, 2, model="best", drawn=True) for item in "abcd"]
    board = benchmark("abcd", ("base", "best", "m"), orders="drawn")
    found = rows(scored(board, [*answers("abcd", "base", "best", "m"), *games, *best]))
    assert found["m"].elo == pytest.approx(1000 + 400 * log10(3), abs=1e-4)
    assert found["base"].elo == 1000
    assert found["best"].absent["elo"] == "wins every game: its strength has no upper bound"


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
    row = rows(scored(benchmark(ITEMS, orders="drawn", length_control=gamed), records))["m"]
    assert row.lc_win_rate is not None


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
    assert row.lc_win_rate is not None
    assert row.lc_low is not None
    assert row.lc_high is not None
    assert 50 < row.lc_low < row.lc_win_rate < row.lc_high < 100
    assert row.elo is not None
    assert row.elo_low is not None
    assert row.elo_high is not None
    assert 1000 < row.elo_low < row.elo < row.elo_high


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


def test_the_length_of_a_conversation_is_that_of_all_its_answers() -> None:
    item = PairwiseItem(id="a", difficulty="easy", turns=("First.", "Second."))
    scorer = PairwiseScorer(benchmark([item], orders="drawn"), benchmark([item], orders="drawn").boards["main"])  # type: ignore[arg-type]
    turns = [replace(answer("a", length=30), checks=()), replace(answer("a", length=12, bold=3), turn=2)]
    seen = ShardReader(scorer).observe_records("m", turns, [])
    assert scorer.reduce(seen).style.tolist()[0][0] == 42
    assert scorer.reduce(seen).style.tolist()[0][3] == 3
