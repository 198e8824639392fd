"""Who is above the null floor: significantly better than every null model, and robust to the panel against each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.boards import JUDGES, benchmark, category, domain, judgment, model, response, scored

from nullbench_site.runs.records import Record
from nullbench_site.scoring.ranking import Ranking, Strata
from nullbench_site.scoring.results import NULL_MODEL
from nullbench_site.specs.types import Bootstrap

ITEMS = tuple(f"i{number}" for number in range(12))
WOBBLE = (0, 6, 2, 4, 1, 5, 3, 3, 2, 4, 1, 5)
"""What items add to a score of the contestant: 3 on average."""


def board(scores: Mapping[str, Mapping[str, Sequence[int]]], judges: Sequence[str] = JUDGES) -> Any:
    """scores: contestant -> judge -> goal alignment of each item. Those whose name begins with null do nothing."""
    size = len(next(iter(next(iter(scores.values())).values())))
    items = [f"i{number}" for number in range(size)]
    records: list[Record] = []
    for name, of_judges in scores.items():
        for number, item in enumerate(items):
            records.append(response(item, name))
            records += [judgment(judge, item, name, alignment=of_judges[judge][number]) for judge in judges]
    models = [model(name, "null" if name.startswith("null") else "model") for name in scores]
    return scored(benchmark(domain("science", category("trials", *items)), models=models, judges=judges), records)


def alike(*scores: int) -> dict[str, Sequence[int]]:
    return dict.fromkeys(JUDGES, scores)


def test_a_contestant_that_two_of_three_judges_put_below_the_copy_is_not_above_the_floor() -> None:
    """Judge by judge it is 7 and 3 below the copy and 47 above: 12 above on average, on every item, and significant."""
    lead = {judge: [50 + by + more - 3 for more in WOBBLE] for judge, by in zip(JUDGES, (-7, -3, 47), strict=True)}
    results = board({"lead": lead, "null-copy": alike(*[50] * 12), "null-empty": alike(*[0] * 12)})
    row = results.row("lead")
    to_copy = next(each for each in results.differences if (each.a, each.b) == ("lead", "null-copy"))
    assert (to_copy.significant, to_copy.robustness) == (True, "differs")
    assert row.above_null_floor is False
    assert (row.below_floor_alone, row.above_floor_alone, row.floor_judges) == (["anna", "ben"], 1, 3)
    assert (results.floor.model, results.floor.overall) == ("null-copy", 50.0)


def test_one_that_beats_every_null_model_is_above_the_floor_though_one_null_scored_nothing_at_all() -> None:
    """3 on average against 0 everywhere, whose own interval reaches to 24, and against 1 on one item."""
    results = board({"m": alike(*WOBBLE), "null-zero": alike(*[0] * 12), "null-one": alike(1, *[0] * 11)})
    row, zero = results.row("m"), results.row("null-zero")
    assert zero.ci_high > row.overall
    assert row.above_null_floor is True
    assert (row.below_floor_alone, row.above_floor_alone, row.floor_judges) == ([], 3, 3)
    assert results.floor.model == "null-one"
    assert (results.floor.low, results.floor.high) == (results.row("null-one").ci_low, results.row("null-one").ci_high)


def test_it_has_to_beat_every_null_model_and_not_only_the_best() -> None:
    """The best null is 3 below on every item; a worse one swings so much that it is not told from the contestant."""
    swings = [0, 96] * 6
    results = board({"m": alike(*[60] * 12), "null-steady": alike(*[57] * 12), "null-swing": alike(*swings)})
    assert results.floor.model == "null-steady"
    found = {(each.a, each.b): each.significant for each in results.differences}
    assert (found["m", "null-steady"], found["m", "null-swing"]) == (True, False)
    assert results.row("m").above_null_floor is False


def test_with_one_judge_it_is_not_known_unless_the_difference_is_too_small() -> None:
    results = board(
        {"m": {"anna": WOBBLE}, "same": {"anna": [0] * 12}, "null-zero": {"anna": [0] * 12}}, judges=("anna",)
    )
    assert results.row("m").above_null_floor is None
    assert results.row("m").absent["above_null_floor"] == "one judge: robustness to the panel is not assessed"
    assert results.row("same").above_null_floor is False


def test_ranks_run_over_contestants_that_are_ranked_and_null_models_stand_among_them_by_score() -> None:
    results = board({
        "high": alike(*[more + 60 for more in WOBBLE]), "null-mid": alike(*[40] * 12),
        "low": alike(*[more + 10 for more in WOBBLE]), "null-zero": alike(*[0] * 12),
    })  # fmt: skip
    for rows in (results.leaderboard, results.domains[0].rows, results.difficulties[0].rows):
        assert [(row.model, row.rank, row.rank_low, row.rank_high) for row in rows] == [
            ("high", 1, 1, 1), ("null-mid", None, None, None), ("low", 2, 2, 2), ("null-zero", None, None, None),
        ]  # fmt: skip
        assert rows[1].absent["rank"] == NULL_MODEL
    assert results.best_set == ["high"]
    assert results.separation.pairs == 1
    assert ("null-mid", "low") in {(each.a, each.b) for each in results.differences}


scores = st.lists(st.integers(0, 9).map(lambda n: 10 * n), min_size=6, max_size=6)
of_judges = st.fixed_dictionaries(dict.fromkeys(JUDGES, scores))


@settings(max_examples=60, deadline=None)
@given(of_judges, of_judges, of_judges, st.sampled_from([0, 10]))
def test_above_the_floor_is_significantly_and_robustly_better_than_every_null_model_and_nothing_else(
    one: dict[str, list[int]], null: dict[str, list[int]], other: dict[str, list[int]], raised: int
) -> None:
    m = {judge: [given + raised for given in each] for judge, each in one.items()}
    nulls = {"null-a": {judge: [given // 5 for given in each] for judge, each in null.items()}, "null-b": other}
    if raised:
        nulls["null-b"] = alike(*[0] * 6)
    results = board({"m": m, **nulls})
    holds = []
    for name in nulls:
        pair = next(each for each in results.differences if {each.a, each.b} == {"m", name})
        better = (pair.value > 0) == (pair.a == "m") and pair.value != 0
        holds.append(better and pair.significant and pair.robustness == "holds")
    assert results.row("m").above_null_floor is all(holds)


def test_a_control_is_compared_on_slices_of_which_it_has_every_item_and_has_no_rank() -> None:
    rng = np.random.default_rng(1)
    scores = {"a": 50 + rng.normal(size=12), "b": 40 + rng.normal(size=12), "null": np.zeros(12)}
    half = np.where(np.arange(12) < 6, 90.0, np.nan)
    controls = {"whole": 90 + rng.normal(size=12), "half": half}
    ranking = Ranking(
        Strata(np.zeros(12, np.int64), np.arange(12)), scores, {}, Bootstrap(), dict.fromkeys(scores, 0.0), {"null"},
        controls,
    )  # fmt: skip
    rows = {
        row.model: row
        for row in board({"a": alike(*[50] * 12), "b": alike(*[40] * 12), "null": alike(*[0] * 12)}).leaderboard
    }
    tested = ranking.of_board(rows)
    assert list(tested.models) == ["a", "b", "null", "whole"]
    assert tested.better("whole", "a")
    assert not tested.better("whole", "null"), "no page says anything of a control and a null model"
    assert [rows[name].rank for name in ("a", "b", "null")] == [1, 2, None]
    assert list(ranking.of_part(rows, np.arange(12) < 6).models) == ["a", "b", "null", "whole", "half"]


@pytest.mark.parametrize("judges", [JUDGES, ("anna",)])
def test_without_a_null_model_nothing_is_said_of_judges_and_the_floor(judges: Sequence[str]) -> None:
    row = board({"m": alike(*WOBBLE)}, judges=judges).row("m")
    assert (row.above_null_floor, row.below_floor_alone, row.floor_judges) == (None, [], None)
