"""Preferences, win rates and the effect of position: by hand, by their laws, and as published."""

from __future__ import annotations

from math import log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.published import annotations, expected_alpaca, needs_alpaca

from nullbench_site.stats.preferences import (
    WinRate,
    agreed_share,
    debiased_rate,
    position_effect,
    position_items,
    win_rate,
    win_share,
)
from nullbench_site.stats.scores import preference

QUARTERS = st.sampled_from([0, 0.25, 0.5, 0.75, 1, nan])
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_a_preference_is_one_and_the_probability_of_the_second_answer_among_the_two_tokens() -> None:
    assert preference(log(0.6), log(0.2)) == pytest.approx(1.25), "0.75 and 0.25 of the two"


def test_a_token_that_is_not_there_counts_0_and_with_neither_there_is_no_preference() -> None:
    cases = [(None, -0.1), (-0.1, None), (-800.0, -0.1), (None, None)]
    assert [preference(*logs) for logs in cases] == [2, 1, 2, None]


def test_shares_are_preferences_less_one_and_a_stored_0_is_a_draw() -> None:
    assert win_share([1, 2, 0, 1.25, nan]) == pytest.approx([0, 1, 0.5, 0.25, nan], nan_ok=True)


def test_a_win_rate_has_its_error_counts_and_the_rate_of_whole_games() -> None:
    found = win_rate([1.0, 0.75, 0.5, 0.25, nan])
    # Mean 0.625; squares of the residuals 9, 1, 1, 9 64ths: 20/64 / 3, over 4.
    assert (found.value, found.discrete) == (62.5, 62.5)
    assert found.se == pytest.approx(100 * sqrt(20 / 64 / 3 / 4))
    assert (found.wins, found.losses, found.draws, found.n) == (2, 1, 1, 4)


def test_of_one_game_there_is_no_error_and_of_none_no_rate() -> None:
    assert (win_rate([1.0]).value, win_rate([1.0]).se) == (100, None)
    assert win_rate([nan]) == WinRate(None, None, None, wins=0, losses=0, draws=0, n=0)
    assert win_rate([1.0, 0.0]).se == 50  # squares of 1/4 each: the root of 1/2 over that of 2


@given(SHARES)
def test_win_rates_of_both_sides_sum_to_100(shares: list[float]) -> None:
    ours, theirs = win_rate(shares), win_rate([1 - share for share in shares])
    assert ours.value + theirs.value == pytest.approx(100)
    assert 0 <= ours.value <= 100


def test_a_win_in_both_orders_is_a_win_and_all_that_the_orders_differ_in_is_a_tie() -> None:
    """Won twice, lost twice, one of each, a win and a tie, a tie and a loss, two ties; without a game none."""
    found = agreed_share([1, 0, 1, 1, 0.5, 0.5, 1, nan], [0.6, 0.4, 0, 0.5, 0, 0.5, nan, 0])
    assert found == pytest.approx([1, 0, 0.5, 0.5, 0.5, 0.5, nan, nan], nan_ok=True)


@given(st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=30))
def test_of_what_both_orders_agree_on_the_loser_has_the_rest_and_the_place_has_nothing(
    games: list[tuple[float, float]],
) -> None:
    first, second = np.array(games).T
    found = agreed_share(first, second)
    assert agreed_share(1 - second, 1 - first) == pytest.approx(1 - found, nan_ok=True)
    assert agreed_share(second, first) == pytest.approx(found, nan_ok=True)
    by_place = agreed_share(first, 1 - first)
    assert {*by_place[~np.isnan(first)].tolist()} <= {0.5}
    assert {*found[~np.isnan(found)].tolist()} <= {0.0, 0.5, 1.0}
    assert win_rate(found).draws >= ((first - 0.5) * (second - 0.5) < 0).sum()


def test_position_counts_what_the_first_place_adds_and_the_games_that_it_turns() -> None:
    found = position_effect([1.0, 0.9, 0.8, nan, 0.5], [0.0, 0.6, 0.2, 0.1, 0.9])
    assert found.first.value == pytest.approx(80)
    assert found.second.value == pytest.approx(36)
    assert (found.flips, found.pairs) == (2, 4)  # the first and the third
    assert found.debiased.value == pytest.approx(60)  # odds 4 and 9/16: their root is 1.5


def test_position_of_games_in_one_order_has_no_rate_of_the_other() -> None:
    found = position_effect([1.0, 0.0], [nan, nan])
    assert found.first.value == 50
    assert found.second.reason == "no game has a preference"
    assert found.debiased.reason == "only one order was played"
    assert (found.flips, found.pairs) == (0, 0)
    mirrored = position_effect([nan, nan], [1.0, 0.0])
    assert (mirrored.first.reason, mirrored.second.value) == ("no game has a preference", 50)
    assert mirrored.debiased.reason == "only one order was played"


def test_a_place_turns_the_games_that_are_won_in_one_order_and_lost_in_the_other_alone() -> None:
    """A loss and a tie, lost twice, turned, turned, won twice."""
    found = position_effect([0.2, 0.1, 0.3, 0.4, 0.9], [0.5, 0.2, 0.9, 0.8, 0.7])
    assert (found.flips, found.pairs) == (2, 5)


@given(st.floats(0.01, 0.99), st.floats(0.1, 10))
def test_a_factor_on_the_odds_of_the_first_place_is_taken_out(rate: float, bias: float) -> None:
    odds = rate / (1 - rate)
    first, second = odds * bias / (1 + odds * bias), odds / bias / (1 + odds / bias)
    assert debiased_rate(100 * first, 100 * second).value == pytest.approx(100 * rate)


def test_a_judge_that_always_takes_the_first_says_nothing_of_the_answers() -> None:
    assert debiased_rate(100, 0).value is None
    assert debiased_rate(100, 20).value == 100
    assert debiased_rate(50, 50).value == 50


@needs_alpaca
def test_published_win_rates_errors_and_counts_are_those_of_the_annotations() -> None:
    for model, published in expected_alpaca().items():
        found = win_rate(win_share(annotations(model)["preference"]))
        assert found.value == pytest.approx(published["win_rate"], abs=0.01), model
        assert found.se == pytest.approx(published["standard_error"], abs=0.01), model
        assert found.discrete == pytest.approx(published["discrete_win_rate"], abs=0.01), model
        counts = tuple(published[name] for name in ("n_wins", "n_wins_base", "n_draws", "n_total"))
        assert (found.wins, found.losses, found.draws, found.n) == counts, model


@needs_alpaca
def test_published_preferences_are_those_of_the_log_probabilities() -> None:
    rows = annotations("NullModel")
    known = ~np.isnan(rows["switched"])
    logs = (np.where(np.isnan(rows[name]), None, rows[name]) for name in ("logprob_m", "logprob_M"))
    found = np.array([preference(*each) or nan for each in zip(*logs, strict=True)])
    assert known.sum() > 700
    assert np.where(rows["switched"] == 1, 3 - found, found)[known] == pytest.approx(
        rows["preference"][known], abs=1e-6
    )


def test_the_errors_of_rates_by_place_are_those_of_leaving_out_one_item_at_a_time() -> None:
    """Some games were played in one order alone, and item 0 has none."""
    rng = np.random.default_rng(3)
    n = 40
    first, second = np.clip(rng.normal(0.7, 0.25, (n, 2)), 0, 1), np.clip(rng.normal(0.4, 0.25, (n, 2)), 0, 1)
    first[5:9, 1], second[20:30, 0], first[0], second[0] = nan, nan, nan, nan

    def rates(kept: np.ndarray) -> list[float]:
        effect = position_effect(first[kept].ravel(), second[kept].ravel())
        return [getattr(effect, name).value for name in ("first", "second", "debiased")]

    left_out = np.array([rates(np.delete(np.arange(n), item)) for item in range(1, n)])
    jackknife = (n - 2) ** 0.5 * left_out.std(axis=0)
    items = np.stack(position_items(first, second))
    assert np.isnan(items[:, 0]).all()
    assert np.nanmean(items, axis=1) == pytest.approx(rates(np.arange(n)))
    assert np.nanstd(items, axis=1, ddof=1) / (n - 1) ** 0.5 == pytest.approx(jackknife, rel=0.03)


def test_no_item_tells_how_sure_a_debiased_rate_is_where_one_order_is_all_won() -> None:
    first, second, debiased = position_items([[1.0], [1.0]], [[0.4], [0.8]])
    assert (first.tolist(), second.tolist()) == ([100, 100], [pytest.approx(40), pytest.approx(80)])
    assert np.isnan(debiased).all()
