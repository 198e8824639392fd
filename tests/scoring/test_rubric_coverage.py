"""Who counts on a `rubric` board: complete judges, G-Eval, families, and what an open run still lacks."""

from __future__ import annotations

import pytest
from support.boards import model
from support.rubric_boards import (
    GEVAL,
    JUDGES,
    METRICS,
    answer,
    benchmark,
    category,
    domain,
    geval,
    group_row,
    item_row,
    mark,
    marked,
    measured,
    scored,
)

from nullbench_site.protocols.rubric.metrics import RubricResults
from nullbench_site.runs.records import Judgment, Record

ONE = (domain("coding", category("bugs", "a")),)


def without(records: list[Record], judge: str, item: str) -> list[Record]:
    return [r for r in records if not (isinstance(r, Judgment) and (r.judge, r.item) == (judge, item))]


@pytest.mark.parametrize("state", ["unparsed", "errored"])
def test_a_judge_that_gave_no_mark_on_an_answer_leaves_all_means_and_the_contestant_is_ranked(state: str) -> None:
    """cleo marked one of two. anna and ben: 4 and 2 each, mean 3; with cleo's 5 on a it would be another."""
    records = without(marked({"a": (4, 4, 5), "b": 2}), "cleo", "b")
    results = scored(benchmark(), [*records, mark("cleo", None, "b", state=state)])  # type: ignore[arg-type]
    row = results.row("m")
    assert (row.judge_mean, row.judges, row.incomplete_judges) == (3.0, {"anna": 3.0, "ben": 3.0}, {"cleo": 1})
    assert (row.rank, row.judge_missing, row.judge_unparsed + row.judge_errored) == (1, 0, 1)
    found = item_row(results, "a")
    assert (found.judge_mean, found.marks["cleo"], found.spread) == (4.0, 5.0, 1.0)
    assert (group_row(results, "bugs").judges, results.complete) == ({"anna": 3.0, "ben": 3.0}, True)


def test_coverage_is_decided_on_the_whole_board_and_not_in_a_group() -> None:
    domains = (domain("coding", category("bugs", "a")), domain("maths", category("sums", "b")))
    records = without(marked({"a": (4, 4, 5), "b": 2}), "cleo", "b")
    results = scored(benchmark(*domains), [*records, mark("cleo", None, "b", state="unparsed")])
    assert group_row(results, "coding").judges == {"anna": 4.0, "ben": 4.0}


def test_a_contestant_that_a_judge_was_not_asked_about_yet_has_scores_but_no_rank() -> None:
    results = scored(benchmark(), without(marked({"a": 4, "b": 2}), "cleo", "b"))
    row = results.row("m")
    assert (row.judge_calls, row.judge_missing, row.rank, row.overall) == (6, 1, None, 50.0)
    assert row.absent["above_null_floor"] == "no null model is on the board"
    assert not results.complete


def test_where_no_judge_marked_every_answer_there_is_no_judge_mean_and_no_rank() -> None:
    """Each judge missed one of three answers."""
    board = benchmark(domain("coding", category("bugs", "a", "b", "c")))
    records = marked({"a": 4, "b": 4, "c": 4})
    for judge, item in zip(JUDGES, "abc", strict=True):
        records = [*without(records, judge, item), mark(judge, None, item, state="unparsed")]
    row = scored(board, records).row("m")
    assert (row.judge_mean, row.overall, row.rank, row.judges) == (None, None, None, {})
    assert row.absent["judge_mean"] == row.absent["overall"] == "no judge marked every answer"
    assert row.incomplete_judges == dict.fromkeys(JUDGES, 2)


def test_geval_alone_makes_a_score_but_no_rank_where_no_judge_is_complete() -> None:
    records = [answer(), *(mark(judge, None, state="unparsed") for judge in JUDGES), *measured(0.5)]
    row = scored(benchmark(*ONE, geval=GEVAL), records).row("m")
    assert (row.composite, row.composite_of, row.overall, row.rank) == (0.5, "geval", 50.0, None)
    assert (row.n_unparsed, row.n_scored) == (1, 0)


def test_an_answer_that_nobody_was_asked_about_is_in_no_score() -> None:
    results = scored(benchmark(), [*marked({"a": 5}), answer("b")])
    row = results.row("m")
    assert (row.overall, row.judge_mean, row.n_items, row.n_unjudged, row.rank) == (100.0, 5.0, 1, 1, None)
    assert (item_row(results, "b").state, item_row(results, "b").overall) == ("unjudged", None)


def test_an_answer_about_which_every_call_failed_is_in_no_score_and_keeps_from_a_rank() -> None:
    failed = [mark(judge, None, "b", state="errored") for judge in JUDGES]
    row = scored(benchmark(), [*marked({"a": 5}), answer("b"), *failed]).row("m")
    assert (row.overall, row.n_unjudged, row.judge_errored, row.judge_missing, row.rank) == (100.0, 1, 3, 0, None)


def test_a_contestant_without_a_judged_answer_is_not_on_the_board() -> None:
    results = scored(benchmark(models=("m", "n")), [*marked({"a": 5, "b": 5}), answer("a", "n")])
    assert [row.model for row in results.leaderboard] == ["m"]
    assert {row.judge: row.missing for row in results.judges} == dict.fromkeys(JUDGES, 1)
    assert not results.complete


def test_a_board_without_any_record_is_empty_and_not_complete() -> None:
    results = scored(benchmark(geval=GEVAL), [])
    assert (results.leaderboard, results.items, results.floor, results.complete) == ([], [], None, False)
    assert [group.rows for group in results.domains] == [[]]
    assert [row.absent["leniency"] for row in results.judges] == ["no answer was marked by another judge"] * 3
    assert results.agreement[0].absent == "fewer than 2 raters on every unit"


def of_family(judge: str, **board: object) -> RubricResults:
    contestant = model("m", family=f"family-of-{judge}")
    others = [name for name in JUDGES if name != judge]
    records = [*marked({"a": 4, "b": 2}, judges=others), *measured(0.5, "a"), *measured(0.5, "b")]
    return scored(benchmark(models=[contestant], geval=GEVAL, **board), records)  # type: ignore[arg-type]


def test_a_judge_of_the_contestants_own_family_is_not_missed() -> None:
    results = of_family("anna")
    row = results.row("m")
    assert (row.judges, row.incomplete_judges, row.judge_missing, row.rank) == ({"ben": 3.0, "cleo": 3.0}, {}, 0, 1)
    assert [found.judge for found in results.judge_models] == ["ben", "cleo"]


def test_what_a_judge_says_of_its_own_family_counts_for_nothing() -> None:
    contestant = model("m", family="family-of-anna")
    row = scored(benchmark(*ONE, models=[contestant]), marked({"a": (5, 1, 1)})).row("m")
    assert (row.judge_mean, row.judge_calls) == (1.0, 2)


def test_a_judge_of_the_contestants_own_family_is_missed_where_the_panel_lets_it_judge() -> None:
    row = of_family("anna", same_family=True).row("m")
    assert (row.judge_missing, row.incomplete_judges, row.rank) == (2, {"anna": 0}, None)


def test_the_judge_of_geval_is_not_asked_about_its_own_family() -> None:
    row = of_family(GEVAL).row("m")
    assert (row.geval_mean, row.absent["geval_mean"]) == (None, "the judge of G-Eval is of the contestant's own family")


def test_where_the_whole_panel_is_of_the_contestants_family_geval_stands_alone() -> None:
    contestant = model("m", family="family-of-anna")
    board = benchmark(*ONE, models=[contestant], judges=("anna",), geval=GEVAL)
    row = scored(board, [answer(), *measured(0.5)]).row("m")
    assert (row.composite_of, row.overall, row.rank, row.n_scored) == ("geval", 50.0, 1, 1)
    assert row.absent["judge_mean"] == "every judge is of the contestant's own family"


def test_a_judge_in_the_panel_that_is_the_judge_of_geval_too_is_kept_apart() -> None:
    """anna marks 4 and 2 in the panel, and scores 0.9 as G-Eval's judge."""
    records: list[Record] = marked({"a": (4, 3, 3)})
    records += [geval({metric: 0.9}, judge="anna", template=f"geval.{metric}") for metric in METRICS]
    row = scored(benchmark(*ONE, geval="anna"), records).row("m")
    assert (row.judges["anna"], row.geval_mean, row.judge_calls) == (4.0, 0.9, 6)


def test_scores_of_geval_by_another_judge_are_left_out() -> None:
    row = scored(
        benchmark(*ONE, geval=GEVAL), [*marked({"a": 4}), geval(dict.fromkeys(METRICS, 0.9), judge="anna")]
    ).row("m")
    assert row.absent["geval_mean"] == "G-Eval scored 0 of 1 answers, and the board asks for 90 %"


@pytest.mark.parametrize("template", ["geval", "geval.imported"])
def test_geval_may_stand_in_one_record_of_all_metrics(template: str) -> None:
    row = scored(
        benchmark(*ONE, geval=GEVAL), [*marked({"a": 4}), geval(dict.fromkeys(METRICS, 0.5), template=template)]
    ).row("m")
    assert (row.geval_mean, row.judge_calls, row.judge_missing) == (0.5, 6, 0)


def test_geval_that_was_not_asked_about_an_answer_is_absent_and_keeps_nobody_from_a_rank() -> None:
    records = [*marked({"a": 4, "b": 4}), *measured(0.5, "a"), *measured(0.5, "b")[:2]]
    row = scored(benchmark(geval=GEVAL), records).row("m")
    assert (row.geval_mean, row.geval, row.composite_of) == (None, {}, "judge")
    assert row.absent["geval_mean"] == "G-Eval scored 1 of 2 answers, and the board asks for 90 %"
    assert (row.judge_missing, row.rank) == (1, 1)


def test_geval_that_failed_on_an_answer_is_absent() -> None:
    failed = geval({}, template="geval.coherence", state="errored")
    row = scored(benchmark(*ONE, geval=GEVAL), [*marked({"a": 4}), *measured(0.5)[:1], *measured(0.5)[2:], failed]).row(
        "m"
    )
    assert row.absent["geval_mean"] == "G-Eval scored 0 of 1 answers, and the board asks for 90 %"


def test_an_answer_counts_by_the_metrics_that_gave_a_score_as_in_the_seed() -> None:
    """The published evaluation holds answers with one or two of three metrics; their mean is over those there are."""
    records = [*marked({"a": 4, "b": 4}), geval({"correctness": 0.6, "coherence": 0.2}), *measured(1.0, "b")]
    row = scored(benchmark(geval=GEVAL), records).row("m")
    assert (row.geval_mean, row.judge_unparsed) == (0.7, 1)
    assert row.geval == {"correctness": 0.8, "coherence": 0.6, "instruction-following": 1.0}


def test_an_answer_without_a_score_on_any_metric_makes_geval_incomplete() -> None:
    row = scored(benchmark(geval=GEVAL), [*marked({"a": 4, "b": 4}), geval({}), *measured(1.0, "b")]).row("m")
    assert row.absent["geval_mean"] == "G-Eval scored 1 of 2 answers, and the board asks for 90 %"


def test_a_metric_that_the_board_does_not_have_is_left_out() -> None:
    board = benchmark(*ONE, geval=GEVAL, metrics=("coherence",))
    row = scored(board, [*marked({"a": 4}), *measured(0.5), geval({"coherence": 0.1, "correctness": 0.1})]).row("m")
    assert (row.geval, row.judge_calls) == ({"coherence": 0.5}, 4)


def test_a_verdict_on_an_answer_that_failed_counts_for_nothing() -> None:
    row = scored(benchmark(), [*marked({"a": 5}), answer("b", state="errored"), mark("anna", 5, "b")]).row("m")
    assert (row.judge_calls, row.judges["anna"], row.overall) == (3, 5.0, 50.0)


def test_a_null_model_with_missing_verdicts_sets_no_floor() -> None:
    board = benchmark(models=["m", model("null-x", "null")])
    records = [*marked({"a": 5, "b": 5}), *without(marked({"a": 1, "b": 1}, "null-x"), "anna", "a")]
    assert scored(board, records).floor is None


def test_a_second_asking_about_nothing_that_counts_is_not_counted() -> None:
    """anna was asked twice about an answer that failed, ben twice about his own family."""
    contestant = model("m", family="family-of-ben")
    twice = [mark("anna", 5, "b", repaired="score: missing"), mark("ben", 5, "a", repaired="score: missing")]
    records = [*marked({"a": 5}, judges=("anna", "cleo")), answer("b", state="errored"), *twice]
    results = scored(benchmark(models=[contestant]), records)
    assert {row.judge: row.repaired for row in results.judges} == dict.fromkeys(JUDGES, 0)
