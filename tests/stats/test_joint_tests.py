"""Joint tests besides flips of signs, and how often each tells equal contestants apart."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from nullbench_site.scoring.board_tables import JointCheck, Separation
from nullbench_site.scoring.ranking import Ranking, Strata
from nullbench_site.scoring.results import Row
from nullbench_site.site.joint_words import NOT_MEASURED, joint_words
from nullbench_site.site.words import number
from nullbench_site.specs.types import Bootstrap
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.betting import log_capital
from nullbench_site.stats.estimate import means, quantile
from nullbench_site.stats.joint_error import FamilyError, family_error
from nullbench_site.stats.ranking import compared
from nullbench_site.stats.sequential import Looks


def normal(contestants: int, items: int, seed: int = 1) -> Floats:
    """Equal contestants with normal errors."""
    return 50 + 10 * np.random.default_rng(seed).standard_normal((contestants, items))


def unlike(items: int = 40) -> Floats:
    """A steady contestant, and five that score 100 on one item each and nothing on the others."""
    rng = np.random.default_rng(2)
    table = np.zeros((6, items))
    table[0] = 2 + rng.random(items)
    table[range(1, 6), range(0, 25, 5)] = 100
    return table


def ranking(table: Floats) -> tuple[Ranking, dict[str, Row]]:
    """The ranking of a table of one item a cluster, and its rows."""
    items = np.arange(table.shape[1])
    strata = Strata(np.zeros_like(items), items)
    scores = {f"m{place}": row for place, row in enumerate(table)}
    rows = {
        name: Row(model=name, n_items=items.size, overall=float(of.mean()), absent={}) for name, of in scores.items()
    }
    return Ranking(strata, scores, {}, Bootstrap(seed=3), dict.fromkeys(scores, 0.0)), rows


def error_of(table: Floats, test: str, groups: object = None, **more: object) -> FamilyError:
    groups = np.zeros(table.shape[1], np.int64) if groups is None else groups
    every = [np.arange(len(table))]
    found = family_error(table, groups, np.arange(table.shape[1]), every, 1, test=test, scale=(0, 100), **more)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_capital_after_two_right_answers_by_hand() -> None:
    """The bets are as large as allowed, 0.75 / 0.5 = 1.5, and win twice: (1 + 1.5 * 0.5)^2."""
    assert exp(log_capital(np.ones((1, 2)), 0.5, 0.05)[0]) == pytest.approx(1.75**2)
    assert log_capital(np.zeros((1, 2)), 0.5, 0.05)[0] == 0


def test_the_capital_of_a_long_series_by_a_loop() -> None:
    values = np.random.default_rng(3).random(50)
    capital, most, total, squares = 1.0, 1.0, 0.5, 0.25
    variance = 0.25
    for count, value in enumerate(values.tolist(), start=1):
        capital *= 1 + min((2 * log(2 / 0.05) / (50 * variance)) ** 0.5, 0.75 / 0.3) * (value - 0.3)
        most = max(most, capital)
        total += value
        squares += (value - total / (count + 1)) ** 2
        variance = squares / (count + 1)
    assert log_capital(values[np.newaxis], 0.3, 0.05)[0] == pytest.approx(log(most))


def test_betting_separates_what_differs_on_the_whole_scale_and_seldom_anything_else() -> None:
    table = np.vstack([np.full(60, 95.0), np.full(60, 5.0), 50 + 0 * normal(1, 60)])
    table += np.random.default_rng(0).uniform(-5, 5, table.shape)
    apart = compared(table, [0] * 60, range(60), 1, scale=(0, 100), test="betting")
    assert apart.better[0, 1]
    assert apart.critical is None
    assert not compared(normal(4, 60), [0] * 60, range(60), 1, scale=(0, 100), test="betting").better.any()


@pytest.mark.parametrize("groups", [[0] * 60, [0] * 20 + [1] * 40], ids=["one group", "two groups"])
def test_betting_on_groups_bets_on_the_mean_over_groups(groups: list[int]) -> None:
    """Ahead by 90 in one group and behind by 90 in the other is no difference of the means over groups."""
    table = np.full((2, 60), 50.0)
    table[0] += np.where(np.array(groups) == 0, 45, -45)
    table[1] -= np.where(np.array(groups) == 0, 45, -45)
    table += np.random.default_rng(4).uniform(-5, 5, table.shape)
    found = compared(table, groups, range(60), 1, scale=(0, 100), test="betting")
    assert found.better[0, 1] == (max(groups) == 0)


def test_the_bootstrap_of_normal_differences_is_nearly_a_t_test() -> None:
    found = compared(normal(2, 200), [0] * 200, range(200), 1, test="bootstrap")
    assert found.critical == pytest.approx(float(quantile(0.95, 199.0)), abs=0.1)
    assert found.alpha == pytest.approx(0.05, abs=0.012)


def test_the_bootstrap_steps_down_over_all_pairs() -> None:
    table = normal(5, 60)
    table[0] += 20
    found = compared(table, [0] * 60, range(60), 1, test="bootstrap")
    assert found.better[0, 1:].all()
    assert found.critical is not None
    averages = means(table[0] - table[1:], [0] * 60, range(60))
    assert (averages.value / averages.se > found.critical).all()


def test_a_difference_on_a_single_item_has_no_critical_value_in_the_bootstrap() -> None:
    """A draw that lacks the item shows no error at all."""
    table = np.zeros((2, 30))
    table[0, 3] = 100
    found = compared(table, [0] * 30, range(30), 1, test="bootstrap")
    assert (found.critical, found.better.any()) == (None, False)


@pytest.mark.parametrize("test", ["flips", "bootstrap"])
@pytest.mark.parametrize("groups", [1, 5], ids=["one group", "five groups"])
def test_a_test_of_normal_errors_keeps_five_percent(test: str, groups: int) -> None:
    found = error_of(normal(4, 60), test, np.arange(60) // (60 // groups))
    assert found.draws == 1000
    assert not found.dealt
    assert 0.02 <= found.share <= 0.085
    assert found.low < found.share < found.high


def test_flips_tell_unlike_contestants_of_one_mean_apart_and_the_bootstrap_does_not() -> None:
    flips = error_of(unlike(), "flips")
    assert flips.share > 0.3
    assert not flips.holds
    assert flips.draws == 200, "after 200 draws the result is sure"
    assert error_of(unlike(), "bootstrap").share < 0.05
    assert error_of(unlike(), "betting").share < 0.05


def test_the_error_does_not_depend_on_the_means_of_contestants() -> None:
    table = normal(4, 60)
    moved = table + np.array([[0], [5], [-9], [30]])
    assert error_of(table, "flips") == error_of(moved, "flips")


def test_with_groups_of_few_clusters_residuals_are_dealt() -> None:
    found = error_of(normal(4, 20), "flips", np.arange(20) // 4)
    assert found.dealt
    assert 0.02 <= found.share <= 0.085


def test_a_test_holds_at_seven_percent_or_if_five_percent_is_not_excluded() -> None:
    assert FamilyError("flips", 0.07, 0.06, 0.08, 1000).holds
    assert FamilyError("flips", 0.08, 0.05, 0.11, 300).holds
    assert not FamilyError("flips", 0.08, 0.06, 0.10, 1000).holds


def test_nothing_is_measured_with_too_few_clusters_or_one_contestant() -> None:
    for table in (normal(4, 5), normal(1, 40)):
        items = np.arange(table.shape[1])
        assert family_error(table, 0 * items, items, [np.arange(len(table))], 1) is None


def test_a_board_takes_the_first_test_that_holds() -> None:
    ranked, rows = ranking(normal(4, 60))
    kept = ranked.checked(rows)
    assert kept.test == "flips"
    assert [each.test for each in kept.checks] == ["flips"]
    assert kept.joint_checks == ranked.checked(rows).joint_checks


def test_a_board_on_which_no_test_that_holds_separates_a_pair_separates_none() -> None:
    table = unlike()
    table[0] += 12
    ranked, rows = ranking(table)
    assert ranked.of_board(rows).found.better.any(), "flips would separate some"
    checked = ranked.checked(rows)
    assert [each.test for each in checked.checks] == ["flips", "bootstrap", "betting"]
    tested = checked.of_board(rows)
    assert not tested.found.better.any()
    assert sorted(tested.best_set) == sorted(rows)
    detectable = checked.detectable([*rows], tested.alpha)
    assert detectable.absent == "too few items to tell any two apart"


def test_a_board_with_looks_whose_flips_do_not_hold_separates_none_and_tries_no_other_test() -> None:
    table = unlike()
    table[0] += 12
    ranked, rows = ranking(table)
    ranked = replace(ranked, looks=Looks((0.5, 1.0), np.repeat([0, 1], 20)))
    assert ranked.of_board(rows).found.better.any(), "the boundary would separate some"
    checked = ranked.checked(rows)
    assert [each.test for each in checked.checks] == ["flips"]
    tested = checked.of_board(rows)
    assert not tested.found.better.any()
    assert not tested.found.alone.any()
    assert sorted(tested.best_set) == sorted(rows)
    assert tested.critical is None
    assert joint_words(checked.joint_checks, tested.separation([*rows]), n_looks=2).startswith(
        "No two are told apart: sign flips told equal contestants apart in"
    )


def test_a_board_with_looks_whose_flips_hold_keeps_them() -> None:
    table = normal(4, 60)
    table[0] += 9
    ranked, rows = ranking(table)
    checked = replace(ranked, looks=Looks((0.5, 1.0), np.repeat([0, 1], 30))).checked(rows)
    assert [each.test for each in checked.checks] == ["flips"]
    assert checked.of_board(rows).found.better[0].sum() == 3


def check(test: str, error: float, draws: int = 1000, **more: bool) -> JointCheck:
    return JointCheck(test=test, error=error, low=0, high=1, draws=draws, draws_dealt=False, holds=True, **more)  # type: ignore[arg-type]


SOME = Separation(pairs=3, together=1, alone=2, neighbours=2, neighbours_together=0, neighbours_alone=1)
NONE = Separation(pairs=3, together=0, alone=0, neighbours=2, neighbours_together=0, neighbours_alone=0)


def test_one_line_says_which_test_was_used_and_its_error() -> None:
    assert joint_words([], None) == ""
    assert joint_words([], SOME) == NOT_MEASURED
    assert joint_words([check("flips", 0.045)], SOME) == (
        f"Ranks come from sign flips over all pairs at 5 %. On 4.5 % of {number(1000, 0)} tables of equal "
        "contestants (redrawing residuals), that test told some two of them apart."
    )
    assert joint_words([check("flips", 0.08, 500), check("bootstrap", 0.06)], SOME).startswith(
        "Ranks come from a bootstrap of clusters over all pairs at 5 %, because sign flips told equal contestants apart"
    )
    assert joint_words([check("flips", 0.045)], SOME, n_looks=3).startswith(
        "Ranks come from sign flips over all pairs at 5 %, spread over 3 looks. On 4.5 % of"
    )
    nothing = [check("flips", 0.5, 200), check("bootstrap", 0.0), check("betting", 0.0, 200)]
    assert joint_words(nothing, NONE).startswith(
        "Too few items to tell any two apart: sign flips told equal contestants"
    )
