"""From what the judges said of one response to its scores, worked by hand. The panel is anna, ben and cleo."""

from __future__ import annotations

from typing import Any

import pytest
from support.boards import (
    AXES,
    JUDGES,
    SPECIAL,
    benchmark,
    category,
    domain,
    from_reply,
    item_row,
    judgment,
    model,
    reply,
    response,
    scored,
)

from nullbench_site.protocols.axes.metrics import AxesItemRow, AxesRow
from nullbench_site.runs.records import Judgment, Record
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Gates

NO, YES_A, YES_B, YES_BOTH = (False, False), (True, False), (False, True), (True, True)


def of_replies(*replies: str) -> AxesItemRow:
    """The item whose response the judges answered with these texts, anna first."""
    board = benchmark()
    return item_row(scored(board, [response(), *map(from_reply, [board] * 3, JUDGES, replies)]))


def of(*judgments: Judgment, board: Benchmark | None = None) -> AxesItemRow:
    return item_row(scored(board or benchmark(), [response(), *judgments]))


def row(*judgments: Judgment, board: Benchmark | None = None) -> AxesRow:
    return scored(board or benchmark(), [response(), *judgments]).row("m")


def test_an_axis_is_the_mean_over_the_judges() -> None:
    """(4 + 5 + 3) / 3 = 4 on truth, (1 + 2 + 2) / 3 = 1.666667 on clarity."""
    found = of_replies(
        reply({**dict.fromkeys(AXES, 3), "truth": 4, "clarity": 1}),
        reply({**dict.fromkeys(AXES, 3), "truth": 5, "clarity": 2}),
        reply({**dict.fromkeys(AXES, 3), "truth": 3, "clarity": 2}),
    )
    assert found.axes == {"truth": 4.0, "balance": 3.0, "reason": 3.0, "clarity": 1.666667}


@pytest.mark.parametrize("given", [0, 6, -1, 4.5, True, "much", None, [3, 4], {"score": 3, "other": 4}])
def test_a_rating_that_is_no_integer_from_1_to_5_is_left_out_for_that_judge_and_axis(given: Any) -> None:
    """Truth: 5 and 2 remain of 5, 2 and the invalid one, (5 + 2) / 2 = 3.5. The judge's other ratings count."""
    found = of_replies(
        reply({**dict.fromkeys(AXES, 4), "truth": 5}),
        reply({**dict.fromkeys(AXES, 4), "truth": 2}),
        reply({**dict.fromkeys(AXES, 1), "truth": given}, alignment=20),
    )
    assert found.axes == {"truth": 3.5, "balance": 3.0, "reason": 3.0, "clarity": 3.0}
    assert found.goal_alignment == 40.0  # (50 + 50 + 20) / 3: the judge's goal alignment counts too


@pytest.mark.parametrize("given", [0, 6, 3.0, 4.5, True, False])
@pytest.mark.parametrize("first", [True, False])
def test_the_same_holds_of_a_record_that_another_program_wrote(given: int | float | bool, first: bool) -> None:
    """A boolean is not the rating 1, whichever of the two comes first."""
    judgments = [
        judgment("anna", axes={**dict.fromkeys(AXES, 4), "truth": 1}),
        judgment("ben", axes={**dict.fromkeys(AXES, 4), "truth": given}),
    ]
    others = [judgment("anna", "other", axes=1), judgment("ben", "other", axes=3)]
    board = benchmark(domain("science", category("trials", "q", "other")))
    records = [*judgments, *others] if first else [*others, *judgments]
    results = scored(board, [response(), response("other"), *records])
    assert item_row(results).axes == {"truth": 1.0, "balance": 4.0, "reason": 4.0, "clarity": 4.0}
    assert item_row(results, "other").axes["truth"] == 2.0
    assert {row.judge: row.n_scores for row in results.judges} == {"anna": 8, "ben": 7, "cleo": 0}


def test_an_axis_nobody_rated_validly_is_absent_with_a_reason_and_not_zero() -> None:
    judgments = [judgment(judge, axes={**dict.fromkeys(AXES, 4), "truth": 9}) for judge in JUDGES]
    assert of(*judgments).axes["truth"] is None
    assert row(*judgments).axes["truth"] is None
    assert row(*judgments).absent["truth"] == "no judge gave a valid score"


def test_goal_alignment_and_quality_are_means_over_the_judges_who_gave_an_integer() -> None:
    """Goal alignment (80 + 71) / 2 = 75.5: 90.5 is no integer. Quality (10 + 20 + 30) / 3 = 20."""
    found = of_replies(reply(3, 80, 10), reply(3, 71, 20), reply(3, 90.5, 30))
    assert (found.goal_alignment, found.quality) == (75.5, 20.0)


@pytest.mark.parametrize(
    ("given", "mean"), [((150, 50), 100.0), ((-50, 30), 0.0), ((150, -50), 50.0), ((10**30, 0), 100.0)]
)
def test_goal_alignment_and_quality_are_averaged_first_and_clamped_then(given: tuple[int, int], mean: float) -> None:
    """150 and 50 make (150 + 50) / 2 = 100; clamped first they would make (100 + 50) / 2 = 75."""
    found = of_replies(reply(3, given[0], given[0]), reply(3, given[1], given[1]))
    assert (found.goal_alignment, found.quality) == (mean, mean)
    assert found.state == "scored"


def test_a_judge_whose_reply_is_no_json_is_left_out_and_the_others_averaged() -> None:
    found = of_replies(reply(4, 80, 60), "I cannot judge this.", reply(2, 40, 40))
    assert (found.goal_alignment, found.quality, found.axes["truth"]) == (60.0, 50.0, 3.0)


def test_a_judge_that_did_not_answer_is_left_out_and_the_others_averaged() -> None:
    found = of(judgment("anna", alignment=80), judgment("ben", state="errored"), judgment("cleo", alignment=40))
    assert (found.goal_alignment, found.state) == (60.0, "scored")


def test_without_an_integer_of_any_judge_an_item_is_unparsed_and_its_goal_alignment_counts_as_0() -> None:
    """Two items: 90 and none. The mean is (90 + 0) / 2 = 45, and one of two is scored."""
    board = benchmark(domain("science", category("trials", "q", "other")))
    silent = [judgment(judge, alignment=None, quality=None, axes=4) for judge in JUDGES]
    good = [judgment(judge, "other", alignment=90, quality=80, axes=4) for judge in JUDGES]
    results = scored(board, [response(), response("other"), *silent, *good])
    assert item_row(results).state == "unparsed"
    assert (item_row(results).goal_alignment, item_row(results).quality) == (0.0, 0.0)
    assert item_row(results).axes == dict.fromkeys(AXES, 4.0)
    found = results.row("m")
    assert (found.overall, found.goal_alignment, found.quality) == (45.0, 45.0, 40.0)
    assert (found.n_items, found.n_scored, found.n_unparsed) == (2, 1, 1)


@pytest.mark.parametrize(
    ("votes", "refused"),
    [
        ((YES_A, YES_A, None), True),
        ((YES_B, None, YES_B), True),
        ((YES_A, YES_A, YES_A), True),
        ((YES_BOTH, YES_BOTH, None), True),
        ((YES_A, NO, None), False),
        ((YES_A, None, None), False),
        ((YES_A, YES_B, None), False),
        ((YES_BOTH, NO, None), False),
        ((NO, NO, None), False),
        ((None, None, None), False),
    ],
)
def test_two_thirds_of_the_panel_at_one_gate_make_a_refusal(
    votes: tuple[tuple[bool, bool] | None, ...], refused: bool
) -> None:
    """2 of 3 judges, ceil(2 * 3 / 3), at the same gate: one vote at each gate is no refusal."""
    judgments = [judgment(judge, refused=vote) for judge, vote in zip(JUDGES, votes, strict=True)]
    assert of(*judgments).state == ("refused" if refused else "scored")


def test_a_refusal_scores_1_on_every_axis_and_0_for_goal_alignment_and_quality() -> None:
    found = of(*(judgment(judge, axes=5, alignment=90, quality=80, refused=YES_A) for judge in JUDGES))
    assert (found.goal_alignment, found.quality, found.axes) == (0.0, 0.0, dict.fromkeys(AXES, 1.0))


def test_an_axis_that_no_judge_measures_is_absent_of_a_refusal_too() -> None:
    found = of(*(judgment(judge, axes={"truth": 1}, alignment=0, quality=0, refused=YES_A) for judge in JUDGES))
    assert found.axes == {"truth": 1.0, "balance": None, "reason": None, "clarity": None}


def test_the_row_says_how_many_answers_each_gate_refused() -> None:
    """One item refused at gate answer, one at both, one at none: 2 by the answer, 1 by the prompt, 2 of 3 in all."""
    board = benchmark(domain("science", category("trials", "q", "both", "fine")))
    votes = {"q": YES_A, "both": YES_BOTH, "fine": NO}
    records = [judgment(judge, item, refused=vote) for item, vote in votes.items() for judge in JUDGES]
    found = scored(board, [*map(response, votes), *records]).row("m")
    assert (found.refused_answer, found.refused_prompt, found.n_refused) == (2, 1, 2)
    assert found.refusal_rate == 0.666667


def test_a_spec_may_ask_for_more_votes_than_two_thirds() -> None:
    judgments = [judgment(judge, refused=vote) for judge, vote in zip(JUDGES, (YES_A, YES_A, NO), strict=True)]
    assert of(*judgments).state == "refused"
    assert of(*judgments, board=benchmark(gates=Gates(sample=3, votes=3))).state == "scored"


@pytest.mark.parametrize(("votes", "state"), [(2, "scored"), (3, "refused")])
def test_two_thirds_are_of_the_judges_that_may_score(votes: int, state: str) -> None:
    """Of 5 judges one is of the contestant's family: 3 of the other 4 make a refusal, where 4 of all 5 would."""
    judges = ("anna", "ben", "cleo", "dora", "emil")
    board = benchmark(models=[model("m", family="family-of-anna")], judges=judges)
    given = [judgment(judge, refused=YES_A if place < votes else NO) for place, judge in enumerate(judges[1:])]
    assert of(*given, board=board).state == state


def test_a_refusal_is_found_by_the_one_judge_that_is_of_another_family() -> None:
    board = benchmark(models=[model("m", family="family-of-anna")], judges=("anna", "ben"))
    assert of(judgment("ben", refused=YES_A), board=board).state == "refused"


def test_a_target_that_failed_scores_0_everywhere_and_counts() -> None:
    """Two items: 90 and failed. Goal alignment (90 + 0) / 2 = 45; on truth (4 + 0) / 2 = 2."""
    board = benchmark(domain("science", category("trials", "q", "other")))
    good = [judgment(judge, "other", alignment=90, quality=80, axes=4) for judge in JUDGES]
    results = scored(board, [response(state="errored"), response("other"), *good])
    failed = item_row(results)
    assert (failed.state, failed.goal_alignment, failed.quality) == ("errored", 0.0, 0.0)
    assert failed.axes == dict.fromkeys(AXES, 0.0)
    found = results.row("m")
    assert (found.overall, found.quality, found.axes["truth"]) == (45.0, 40.0, 2.0)
    assert (found.n_errored, found.n_scored, found.error_rate) == (1, 1, 0.5)


def test_what_was_said_of_an_answer_that_failed_later_does_not_save_it() -> None:
    kept = [judgment(judge, axes=5, alignment=90, refused=YES_A) for judge in JUDGES]
    results = scored(benchmark(), [response(state="errored"), *kept])
    found = item_row(results)
    assert (found.state, found.goal_alignment, found.axes["truth"]) == ("errored", 0.0, 0.0)
    assert (results.row("m").n_refused, results.row("m").refused_answer) == (0, 0)


def test_spread_is_what_lies_between_the_judges_and_absent_with_one_judge() -> None:
    assert (
        of(judgment("anna", alignment=80), judgment("ben", alignment=35), judgment("cleo", alignment=50)).spread == 45
    )
    assert of(judgment("anna", alignment=80)).spread is None


def test_an_item_has_the_axes_of_its_category_in_their_order() -> None:
    board = benchmark(
        domain("science", category("trials", "q", axes=(*AXES, "tone", "scope")), category("essays", "other"))
    )
    records = [judgment("anna", axes=dict(zip((*AXES, *SPECIAL), (1, 2, 3, 4, 5, 1), strict=True)))]
    results = scored(board, [response(), response("other"), *records, judgment("anna", "other", axes=2)])
    assert list(item_row(results).axes.items()) == [
        ("truth", 1.0), ("balance", 2.0), ("reason", 3.0), ("clarity", 4.0), ("tone", 1.0), ("scope", 5.0),
    ]  # fmt: skip
    assert list(item_row(results, "other").axes) == list(AXES)


def test_a_rating_on_an_axis_that_the_category_lacks_counts_nowhere() -> None:
    board = benchmark(domain("science", category("trials", "q"), category("tones", "t", axes=(*AXES, "tone"))))
    given = {**dict.fromkeys(AXES, 3), "tone": 5}
    results = scored(board, [response(), judgment("anna", axes=given), judgment("ben", axes=given)])
    assert results.row("m").axes["tone"] is None
    assert next(row for row in results.judges if row.judge == "anna").n_scores == len(AXES)
    assert all(row.axis != "tone" for row in results.agreement)


@pytest.mark.parametrize(
    "stray",
    [
        response(board="elsewhere", state="errored"),
        response("gone"),
        response(sample=1, state="errored"),
        response("other", sample=-1, state="errored"),
        response(sample=10**30, state="errored"),
        judgment("anna", alignment=0, axes=1, board="elsewhere"),
        judgment("anna", "gone", alignment=0, axes=1),
        judgment("anna", alignment=0, axes=1, sample=1),
        judgment("anna", "other", alignment=0, axes=1, sample=-1),
        judgment("zoe", alignment=0, axes=1),
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_a_record_of_another_board_item_sample_or_judge_counts_for_nothing(stray: Record, last: bool) -> None:
    board = benchmark(domain("science", category("trials", "other", "q")))
    own = [response(), response("other"), *(judgment(judge, item) for judge in JUDGES for item in ("q", "other"))]
    assert scored(board, [*own, stray] if last else [stray, *own]) == scored(board, own)


def test_what_is_said_of_a_response_that_is_not_there_counts_for_nothing() -> None:
    board = benchmark(domain("science", category("trials", "q", "unasked")))
    with_words = scored(board, [response(), judgment("anna"), judgment("ben", "unasked", axes=5, alignment=100)])
    assert with_words == scored(board, [response(), judgment("anna")])


def test_of_two_records_of_one_place_the_later_counts() -> None:
    """As in a run that is still open: a call that failed was made again."""
    first = [response(state="errored"), judgment("anna", state="errored"), judgment("ben", alignment=0, axes=1)]
    second = [response(seconds=2.0), judgment("anna", alignment=70), judgment("ben", alignment=70)]
    assert scored(benchmark(), [*first, *second]) == scored(benchmark(), second)
