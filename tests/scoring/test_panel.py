"""What a score owes to its judges, and a lead to single items and judges: from records to rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
import pytest
from support import oracle_boards, rubric_boards
from support.boards import (
    JUDGES,
    benchmark,
    category,
    domain,
    judged,
    judged_by_models,
    judgment,
    model,
    response,
    scored,
    write_shards,
)

from nullbench_site.runs.records import Record
from nullbench_site.scoring.board_tables import Difference
from nullbench_site.scoring.observations import ShardReader, observe
from nullbench_site.scoring.panel import ByJudge, PanelStudy
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.scoring.tables import tables
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.robustness import smallest_difference

ITEMS = tuple(f"i{number}" for number in range(8))
WOBBLE = (0, 6, 2, 4, 1, 5, 3, 3)
"""What items add to a score, so that there is an error to be told."""


def board(**changes: Any) -> Benchmark:
    return benchmark(domain("science", category("trials", *ITEMS)), **changes)


def given(contestant: str, by_judge: Mapping[str, int], wobble: Sequence[int] = WOBBLE) -> list[Record]:
    """Each judge gives every item this goal alignment, and what the item adds."""
    records: list[Record] = []
    for item, more in zip(ITEMS, wobble, strict=True):
        records.append(response(item, contestant))
        records += [judgment(judge, item, contestant, alignment=n + more) for judge, n in by_judge.items()]
    return records


def difference(results: Any, a: str, b: str) -> Difference:
    return next(row for row in results.differences if (row.a, row.b) == (a, b))


def test_the_error_on_items_and_judges_adds_the_jackknife_over_judges() -> None:
    """Judges 80, 70, 30 and 3 on average of the items: without each 50, 55, 75, so V = 233.333; the items' variance is
    that of WOBBLE, 4, over 8: 0.5."""
    row = scored(judged_by_models(board()), given("m", {"anna": 80, "ben": 70, "cleo": 30})).row("m")
    assert row.overall == 63.0
    assert row.se == pytest.approx(0.5**0.5, abs=1e-6)
    assert row.panel_se == pytest.approx((0.5 + 700 / 3) ** 0.5, abs=1e-6)
    assert 0 <= row.panel_low < 20 < row.ci_low
    assert 90 < row.panel_high <= 100


def test_judges_that_agree_do_not_say_how_others_would_differ() -> None:
    """A jackknife of three that give the same is 0, which is no interval equal to the first but none."""
    row = scored(judged_by_models(board()), given("m", dict.fromkeys(JUDGES, 60))).row("m")
    assert row.ci_low is not None
    assert row.panel_se is row.panel_low is row.panel_high is None
    assert row.absent["panel_se"] == (
        "the score is the same whichever judge is left out, and how other judges would differ is not measured"
    )


@pytest.mark.parametrize("specs", [board(), judged_by_models(board(), "anna", "ben")])
def test_a_panel_with_a_program_in_it_has_the_range_with_one_judge_left_out(specs: Benchmark) -> None:
    """Judges 80, 70, 30 and 3 on average of the items: without each 53, 58 and 78, whatever the items add."""
    results = scored(specs, given("m", {"anna": 80, "ben": 70, "cleo": 30}))
    row = results.row("m")
    assert results.panel_kind == "mixed"
    assert (row.panel_se, row.panel_low, row.panel_high) == (None, 53.0, 78.0)
    assert row.absent["panel_se"] == "these judges are not a sample of judges like them"


def test_verdicts_that_were_brought_are_not_known_to_be_asked_for_alike() -> None:
    specs = judged_by_models(board())
    brought = msgspec.structs.replace(specs.judges["ben"], backend="recorded")
    specs = replace(specs, judges={**specs.judges, "ben": brought})
    assert scored(specs, given("m", dict.fromkeys(JUDGES, 60))).panel_kind == "mixed"


def test_a_panel_of_one_has_no_second_interval_and_says_so() -> None:
    row = scored(board(judges=["anna"]), given("m", {"anna": 60})).row("m")
    assert row.panel_se is row.panel_low is row.panel_high is None
    assert row.absent["panel_se"] == "a panel of one judge says nothing of other judges"


def test_a_score_of_g_eval_alone_owes_nothing_to_the_panel_and_says_so() -> None:
    kin = ("anna", "ben")
    groups = rubric_boards.domain("d", rubric_boards.category("c", *ITEMS))
    specs = rubric_boards.benchmark(groups, judges=kin, geval="gerd")
    own = {judge: msgspec.structs.replace(specs.judges[judge], family=specs.models["m"].family) for judge in kin}
    specs = replace(specs, judges={**specs.judges, **own})
    answers = [rubric_boards.answer(item, "m") for item in ITEMS]
    row = rubric_boards.scored(
        specs, [*answers, *(r for item in ITEMS for r in rubric_boards.measured(0.5, item))]
    ).row("m")
    assert (row.overall, row.rank, row.panel_se) == (50.0, 1, None)
    assert row.absent["panel_low"] == "no judge of the panel counts in the score"


def test_a_judge_of_the_contestants_family_is_not_left_out() -> None:
    """Of 80, 70, 30 the first may not judge it: without each of the others 30 and 70, V = 1/2 * 2 * 400 = 400."""
    specs = judged_by_models(board(models=[model("m", family="family-of-anna")]))
    row = scored(specs, given("m", {"anna": 80, "ben": 70, "cleo": 30})).row("m")
    assert row.panel_se == pytest.approx((0.5 + 400) ** 0.5, abs=1e-6)


def test_a_contestant_without_a_rank_has_no_second_interval() -> None:
    row = scored(board(), given("m", {"anna": 80, "ben": 70})).row("m")
    assert row.rank is None
    assert (row.panel_se, row.absent["panel_se"]) == (None, "verdicts are missing")


def two(others: tuple[int, int], specs: Benchmark) -> Any:
    """x, to whom Anna gives 90 and the others what is said, on specs of x and y, to whom all give 60."""
    x = {"anna": 90, "ben": others[0], "cleo": others[1]}
    return scored(specs, [*given("x", x), *given("y", dict.fromkeys(JUDGES, 60), sorted(WOBBLE))])


@pytest.mark.parametrize(
    ("others", "alone", "low", "high", "robust"),
    [((66, 67), 3, 6.5, 18.5, "holds"), ((58, 59), 1, -1.5, 14.5, "differs"), ((60, 75), 2, 7.5, 22.5, "differs")],
)
def test_on_a_mixed_panel_a_difference_is_robust_where_each_judge_alone_and_all_but_one_have_its_sign(
    others: tuple[int, int], alone: int, low: float, high: float, robust: str
) -> None:
    """Anna has x 30 points ahead: without her the mean of the others' is left, without another the mean with it."""
    results = two(others, board(models=("x", "y")))
    found = difference(results, "x", "y")
    assert found.significant is True
    assert (results.panel_kind, found.judges_alone, found.judges) == ("mixed", alone, 3)
    assert (found.panel_low, found.panel_high, found.robustness) == (low, high, robust)


@pytest.mark.parametrize(("others", "robust"), [((66, 67), "differs"), ((86, 88), "holds")])
def test_on_a_panel_of_models_a_difference_is_robust_where_its_second_interval_leaves_0_out(
    others: tuple[int, int], robust: str
) -> None:
    """x is ahead under all three, by 30, 6 and 7: an error over judges of sqrt(184.3 / 3) = 7.8 about 14.3, and t of
    two degrees of freedom is 4.3. By 30, 26 and 28 the error is sqrt(4 / 3) about 28."""
    results = two(others, judged_by_models(board(models=("x", "y"))))
    found = difference(results, "x", "y")
    assert (results.panel_kind, found.judges_alone, found.significant) == ("models", 3, True)
    assert found.panel_low < found.low
    assert (found.robustness, found.panel_low > 0) == (robust, robust == "holds")


def test_with_one_judge_or_none_in_common_robustness_is_not_assessed() -> None:
    one = two((0, 0), board(models=("x", "y"), judges=["anna"]))
    found = difference(one, "x", "y")
    assert (one.panel_kind, found.robustness, found.panel_low) == ("one", "one judge", None)
    kin = [model("x", family="family-of-anna"), model("y", family="family-of-ben")]
    found = difference(two((80, 80), judged_by_models(board(models=kin))), "x", "y")
    assert (found.judges, found.robustness) == (1, "unknown")
    assert found.absent["panel_low"] == "fewer than two judges score both"


def test_any_two_contestants_can_be_asked_about_also_a_null_model_that_has_no_rank() -> None:
    specs = board(models=("x", "y"))
    scorer = scorer_of(specs, specs.boards["main"])
    records = [*given("x", {"anna": 90, "ben": 40, "cleo": 80}), *given("y", dict.fromkeys(JUDGES, 60))]
    with TemporaryDirectory() as folder:
        seen = list(observe(ShardReader(scorer), write_shards(Path(folder), records)))
    contestants = {each.model: scorer.reduce(each) for each in seen}
    study = PanelStudy(
        scorer,
        {name: scorer.item_scores(each) for name, each in contestants.items()},
        {each.model: ByJudge.of(scorer, each, contestants[each.model]) for each in seen},  # type: ignore[misc]
        {"y"},
        dict.fromkeys(contestants, 0.0),
    )
    assert study.robustness([("x", "y"), ("y", "x")]) == ["differs", "differs"]


def test_of_equal_scores_nothing_is_robust() -> None:
    results = scored(
        board(models=("x", "y")), [*judged(dict.fromkeys(ITEMS, 50), "x"), *judged(dict.fromkeys(ITEMS, 50), "y")]
    )
    found = difference(results, "x", "y")
    assert (found.value, found.significant, found.robustness) == (0.0, False, "differs")
    assert (found.n_fragile, found.fragile_items) == (0, [])


def test_the_items_that_undo_a_lead_are_named() -> None:
    """x is 9 ahead on i0, 3 on i1 and 1 behind on the six others, 6 in all: without i0 it is 3 behind."""
    lead = dict(zip(ITEMS, (9, 3, -1, -1, -1, -1, -1, -1), strict=True))
    x = judged({item: 50 + more for item, more in lead.items()}, "x")
    results = scored(board(models=("x", "y")), [*x, *judged(dict.fromkeys(ITEMS, 50), "y")])
    found = difference(results, "x", "y")
    assert (found.n_fragile, found.fragile_items) == (1, ["i0"])
    assert (results.lead.leader, results.lead.other, results.lead.items) == ("x", "y", ["i0"])
    assert results.lead.lead == pytest.approx(-3 / 7, abs=1e-6)


def test_the_lead_is_undone_by_whoever_catches_up_first() -> None:
    """y is second by a steady point; z, third, is level with x but for one item."""
    x = judged(dict.fromkeys(ITEMS, 60), "x")
    y = judged(dict.fromkeys(ITEMS, 59), "y")
    z = judged({item: 40 if item == "i5" else 60 for item in ITEMS}, "z")
    results = scored(board(models=("x", "y", "z")), [*x, *y, *z])
    assert [row.model for row in results.leaderboard] == ["x", "y", "z"]
    assert (results.lead.other, results.lead.items, results.lead.lead) == ("z", ["i5"], 0.0)


def test_a_lead_on_every_item_hangs_on_none() -> None:
    results = scored(
        board(models=("x", "y")), [*given("x", dict.fromkeys(JUDGES, 80)), *given("y", dict.fromkeys(JUDGES, 20))]
    )
    assert (results.lead.other, results.lead.items, results.lead.beyond) == (None, [], 8)
    assert difference(results, "x", "y").absent["fragile_items"] == "no choice of items"


def test_the_smallest_difference_that_a_board_detects_comes_from_the_errors_of_neighbours() -> None:
    """Three contestants, the last a null model: of the one pair of the others."""
    specs = board(models=("x", "y", model("z", kind="null")))

    def detectable(lead: int) -> Any:
        by = {"x": (50 + lead, WOBBLE), "y": (50, sorted(WOBBLE)), "z": (0, WOBBLE[::-1])}
        results = scored(
            specs, [r for name, (n, more) in by.items() for r in given(name, dict.fromkeys(JUDGES, n), more)]
        )
        pair = difference(results, "x", "y")
        assert pair.se is not None
        assert pair.df is not None
        return results.detectable, smallest_difference(pair.se, pair.df, level=1 - results.pair_alpha)

    small, large = detectable(3), detectable(30)
    for found, expected in (small, large):
        assert found.n_pairs == 1
        assert found.low == found.median == found.high == pytest.approx(expected, rel=1e-4)


def test_without_two_contestants_that_differ_it_is_not_measured_and_says_why() -> None:
    alone = scored(board(), given("m", dict.fromkeys(JUDGES, 60))).detectable
    assert (alone.median, alone.absent) == (None, "no two contestants that differ on some item")


def test_where_contestants_have_different_judges_severe_ones_are_taken_out() -> None:
    """Ben gives a mark, 25 points, less than Anna. He may not judge o, who would lose half of that."""
    groups = rubric_boards.domain("d", rubric_boards.category("c", *ITEMS))
    specs = rubric_boards.benchmark(
        groups, models=["m", "k", model("o", family="family-of-ben")], judges=("anna", "ben")
    )
    records: list[Record] = []
    for contestant, marks in {"m": (4, 3), "k": (3, 2), "o": (4, 4)}.items():
        records += rubric_boards.marked(dict.fromkeys(ITEMS, marks), contestant, judges=("anna", "ben"))
    results = rubric_boards.scored(specs, records)
    found = {row.model: (row.overall, row.overall_adjusted) for row in results.leaderboard}
    assert found == {"o": (75.0, 62.5), "m": (62.5, 62.5), "k": (37.5, 37.5)}
    assert difference(results, "o", "m").judges == 1


def test_where_all_have_the_same_judges_no_score_is_adjusted() -> None:
    results = scored(board(), given("m", dict.fromkeys(JUDGES, 60)))
    columns = dict(tables(results))["leaderboard"]
    assert "panel_se" in columns
    assert "overall_adjusted" not in columns


def crossed(**changes: Any) -> Any:
    """Two contestants, x ten points above y with each of three judges, on items that add WOBBLE to all alike."""
    specs = board(models=("x", "y"), **changes)
    x, y = {"anna": 80, "ben": 70, "cleo": 30}, {"anna": 70, "ben": 60, "cleo": 20}
    judges = specs.panels["panel"].judges
    named = {name: {judge: by[judge] for judge in judges} for name, by in (("x", x), ("y", y))}
    return specs, [record for name, by in named.items() for record in given(name, by)]


def test_the_study_of_a_board_tells_severity_from_what_stays_in_a_comparison() -> None:
    """Nothing interacts: contestants have the variance 50, items 4, judges 700. A score by itself is off by items, 4/8,
    and by judges, 700/3; a comparison by nothing."""
    specs, records = crossed()
    results = scored(judged_by_models(specs), records)
    found = {row.component: row.variance for row in results.components}
    assert (found["contestant"], found["item"], found["judge"]) == pytest.approx((50, 4, 700), abs=1e-5)
    assert found["contestant x judge"] == pytest.approx(0, abs=1e-6)
    assert {row.component: row.absent for row in results.components if row.variance is None} == {
        "sample": "one sample an item", "sample x judge": "one sample an item or one judge",
        "template": "one wording of the prompt",
    }  # fmt: skip
    errors = {(row.error, row.over): row.error_points for row in results.score_errors}
    assert errors == pytest.approx({
        ("absolute", "items"): 0.5**0.5, ("absolute", "items and judges"): (0.5 + 700 / 3) ** 0.5,
        ("relative", "items"): 0.0, ("relative", "items and judges"): 0.0,
    }, abs=1e-3)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, "these judges are not a sample of judges like them"),
        ({"judges": ["anna"]}, "a panel of one judge says nothing of other judges"),
    ],
)
def test_judges_that_are_not_a_sample_have_no_error_for_others(changes: dict[str, Any], why: str) -> None:
    results = scored(*crossed(**changes))
    assert {row.absent for row in results.score_errors if row.over == "items and judges"} == {why}
    assert all(row.error_points is not None for row in results.score_errors if row.over == "items")


def test_null_models_are_not_in_the_study() -> None:
    specs, records = crossed()
    nulls = {**specs.models, "y": msgspec.structs.replace(specs.models["y"], kind="null")}
    components = scored(replace(specs, models=nulls), records).components
    assert next(row.absent for row in components if row.component == "contestant") == "one contestant"


def test_samples_of_an_answer_are_a_component_where_there_are_several() -> None:
    """The second sample of each item scores 10 more with every judge: within an item 10 apart, a variance of 50."""
    records: list[Record] = []
    for sample in range(2):
        for item, more in zip(ITEMS, WOBBLE, strict=True):
            records.append(response(item, sample=sample))
            records += [judgment(judge, item, alignment=40 + more + 10 * sample, sample=sample) for judge in JUDGES]
    found = {row.component: row.variance for row in scored(board(samples=2), records).components}
    assert found["sample"] == pytest.approx(50, abs=1e-6)
    assert found["judge"] == pytest.approx(0, abs=1e-6)
    assert found["sample x judge"] == pytest.approx(0, abs=1e-6)


def test_parts_of_a_panel_have_gates_of_their_size() -> None:
    """Anna and Ben call it a refusal, Cleo gives 60: with all, 2 of 3 votes; without Cleo 2 of 2; without Anna 1 of 2,
    so it scores the mean of 40 and 60; Anna alone makes it a refusal, Cleo alone does not."""
    specs = benchmark()
    votes = {"anna": (20, True), "ben": (40, True), "cleo": (60, False)}
    records = [response(), *(judgment(j, alignment=n, refused=(said, said)) for j, (n, said) in votes.items())]
    scorer = scorer_of(specs, specs.boards["main"])
    with TemporaryDirectory() as folder:
        (seen,) = observe(ShardReader(scorer), write_shards(Path(folder), records))
    contestant = scorer.reduce(seen)
    assert scorer.item_scores(contestant).tolist() == [0.0]
    for judges, score in (("anna", 0.0), ("cleo", 60.0), ("anna ben", 0.0), ("ben cleo", 50.0)):
        assert scorer.scores_by(seen, contestant, set(judges.split())).tolist() == [[score]]


def test_a_board_without_judges_has_differences_and_says_that_no_judge_scores() -> None:
    specs = oracle_boards.benchmark(models=("x", "y"))
    results = oracle_boards.scored(
        specs,
        [
            *oracle_boards.marked({"a": "correct", "b": "correct"}, "x"),
            *oracle_boards.marked({"a": "wrong", "b": "wrong"}, "y"),
        ],
    )
    found = difference(results, "x", "y")
    assert (results.panel_kind, found.value, found.judges, found.robustness) == ("none", 100.0, None, "no judge")
    assert found.absent["panel_low"] == "no judge scores on this board"
    assert results.components == results.score_errors == []
    assert results.row("x").panel_se is msgspec.UNSET


def test_of_many_contestants_neighbours_alone_stand_beside_each_other() -> None:
    models = [f"m{number:02}" for number in range(33)]
    records = [r for number, name in enumerate(models) for r in given(name, dict.fromkeys(JUDGES, 90 - number))]
    results = scored(board(models=models), records)
    assert [(row.a, row.b) for row in results.differences] == list(pairwise(models))


@pytest.mark.parametrize("protocol", ["axes", "rubric"])
def test_what_a_protocol_says_of_parts_of_its_panel_is_what_its_whole_reduction_says(protocol: str) -> None:
    """`scores_by` of the base class masks the other judges and reduces anew; a protocol may take a shorter way."""
    if protocol == "axes":
        specs, records = board(), given("m", {"anna": 80, "ben": 70, "cleo": 30})
    else:
        specs = rubric_boards.benchmark(geval="gerd")
        records = [*rubric_boards.marked({"a": (5, 4, 3), "b": (3, 2, 1)}), *rubric_boards.measured(0.5)]
        records += rubric_boards.measured(0.9, "b")
    scorer = scorer_of(specs, specs.boards["main"])
    with TemporaryDirectory() as folder:
        (seen,) = observe(ShardReader(scorer), write_shards(Path(folder), records))
    contestant = scorer.reduce(seen)
    for judges in ({"anna"}, {"ben", "cleo"}, set(JUDGES)):
        own = scorer.scores_by(seen, contestant, judges)
        assert own.shape == (len(scorer.layout.placed), 1)
        assert own == pytest.approx(_masked(scorer, seen, judges))


def _masked(scorer: Scorer[Any, Any, Any], seen: Any, judges: set[str]) -> Any:
    tasks = np.array([judge in judges or template is not None for judge, template in scorer.tasks])
    return scorer.item_scores(scorer.reduce(seen.judged_by(tasks)))[:, np.newaxis]
