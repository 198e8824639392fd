"""From marks and G-Eval scores to a `rubric` board: means, composite, overall score, ranks, worked by hand."""

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
    prompt,
    scored,
)

from nullbench_site.protocols.rubric.metrics import RubricResults
from nullbench_site.protocols.rubric.specs import Composite
from nullbench_site.runs.records import CheckResult, Hidden, Judgment, Record
from nullbench_site.stats.estimate import ONE_CLUSTER

ONE = (domain("coding", category("bugs", "a")),)


EIGHT = domain("coding", category("bugs", *"abcdefgh"))
"""As many prompts as an interval needs, and two more."""


def test_the_judge_mean_and_the_overall_score_of_judges_alone() -> None:
    """anna (5 + 3) / 2 = 4, ben (4 + 2) / 2 = 3, cleo (3 + 1) / 2 = 2: mean 3, composite (3 - 1) / 4 = 0.5.
    By item 100 * (4 - 1) / 4 = 75 and 100 * (2 - 1) / 4 = 25. SE = s / sqrt(2) = 25."""
    row = scored(benchmark(), marked({"a": (5, 4, 3), "b": (3, 2, 1)})).row("m")
    assert row.judges == {"anna": 4.0, "ben": 3.0, "cleo": 2.0}
    assert (row.judge_mean, row.composite, row.composite_of, row.overall) == (3.0, 0.5, "judge", 50.0)
    assert (row.se, row.df, row.ci_low, row.ci_high) == (25.0, 1.0, None, None)
    assert (row.geval_mean, row.absent["geval_mean"]) == (None, "the board has no G-Eval")
    assert (row.rank, row.n_scored, row.n_items) == (1, 2, 2)


def test_the_composite_of_both_parts() -> None:
    """Judges 3 on both items, so 0.5. G-Eval: 0.9, 0.6, 0.3 on a, mean 0.6, and 1.0 on b, mean 0.8. Composite
    (0.5 + 0.8) / 2 = 0.65; items 100 * (0.5 + 0.6) / 2 = 55 and 75."""
    of_a = dict(zip(METRICS, (0.9, 0.6, 0.3), strict=True))
    results = scored(benchmark(geval=GEVAL), [*marked({"a": 3, "b": 3}), geval(of_a), *measured(1.0, "b")])
    row = results.row("m")
    assert (row.judge_mean, row.geval_mean, row.composite, row.composite_of) == (3.0, 0.8, 0.65, "judge+geval")
    assert row.geval == {"correctness": 0.95, "coherence": 0.8, "instruction-following": 0.65}
    assert (row.overall, item_row(results, "a").overall, item_row(results, "b").overall) == (65.0, 55.0, 75.0)
    # |0.5 - 0.6| and |0.5 - 1.0|.
    assert row.divergence == 0.3


def test_the_weights_of_the_board_are_scaled_over_the_parts_that_are_there() -> None:
    """(4 - 1) / 4 = 0.75 at weight 3, and 0.25 at weight 1: (2.25 + 0.25) / 4 = 0.625; without G-Eval 0.75."""
    weights = Composite(judge=3.0, geval=1.0)
    board = benchmark(*ONE, geval=GEVAL, composite=weights)
    assert scored(board, [*marked({"a": 4}), *measured(0.25)]).row("m").composite == 0.625
    alone = scored(board, marked({"a": 4})).row("m")
    assert (alone.composite, alone.composite_of) == (0.75, "judge")


def test_a_part_that_weighs_nothing_is_not_in_the_composite_and_cannot_stand_for_the_other() -> None:
    board = benchmark(*ONE, geval=GEVAL, composite=Composite(judge=0.0, geval=1.0))
    both = scored(board, [*marked({"a": 5}), *measured(0.25)]).row("m")
    assert (both.composite, both.composite_of, both.judge_mean) == (0.25, "geval", 5.0)
    alone = scored(board, marked({"a": 5})).row("m")
    reason = "the only part there is, the judges, weighs 0"
    assert (alone.composite, alone.composite_of, alone.overall, alone.rank) == (None, None, None, None)
    assert (alone.absent["composite"], alone.absent["overall"]) == (reason, reason)


def test_an_answer_that_failed_counts_0_in_the_overall_score_and_in_no_mean() -> None:
    """5 and a failure: judge mean 5, composite 1, overall (100 + 0) / 2."""
    results = scored(benchmark(), [*marked({"a": 5}), answer("b", state="errored")])
    row = results.row("m")
    assert (row.judge_mean, row.composite, row.overall, row.error_rate) == (5.0, 1.0, 50.0, 0.5)
    assert (row.n_scored, row.n_errored, row.rank) == (1, 1, 1)
    assert (item_row(results, "b").state, item_row(results, "b").overall) == ("errored", 0.0)


def test_a_contestant_whose_answers_all_failed_scores_0_without_a_mean() -> None:
    row = scored(benchmark(), [answer(item, state="errored") for item in ("a", "b")]).row("m")
    assert (row.overall, row.rank, row.error_rate) == (0.0, 1, 1.0)
    assert (row.judge_mean, row.composite, row.composite_of) == (None, None, None)
    absent = {row.absent[name] for name in ("judge_mean", "composite", "efficiency", "mean_output_tokens")}
    assert absent == {"no answer to score"}
    assert row.incomplete_judges == {}


def test_a_domain_whose_answers_all_failed_is_0_beside_one_that_is_not() -> None:
    domains = (domain("coding", category("bugs", "a")), domain("maths", category("sums", "b")))
    results = scored(benchmark(*domains), [*marked({"a": 5}), answer("b", state="errored")])
    failed = group_row(results, "maths")
    assert (failed.overall, failed.judge_mean, failed.absent["judge_mean"]) == (0.0, None, "no answer to score")
    assert group_row(results, "coding").overall == 100.0


def test_judges_means_are_rounded_first_where_the_board_says_so_and_the_overall_score_follows() -> None:
    """anna (5 + 4 + 4) / 3 = 4.333..., rounded 4.3; ben 4 and cleo 3: 11.3 / 3 = 3.7667, less 1 over 4 is 0.691667."""
    board = benchmark(domain("coding", category("bugs", "a", "b", "c")), composite=Composite(judge_decimals=1))
    row = scored(board, marked({"a": (5, 4, 3), "b": (4, 4, 3), "c": (4, 4, 3)})).row("m")
    assert (row.judge_mean, row.composite, row.overall) == (3.766667, 0.691667, 69.166667)
    assert row.judges["anna"] == 4.333333


def test_with_rounded_means_a_failed_answer_takes_its_share_off() -> None:
    """Composite 0.75 over three of four answers: 56.25."""
    board = benchmark(domain("coding", category("bugs", "a", "b", "c", "d")), composite=Composite(judge_decimals=2))
    row = scored(board, [*marked({"a": 4, "b": 4, "c": 4}), answer("d", state="errored")]).row("m")
    assert (row.composite, row.overall) == (0.75, 56.25)


def test_samples_are_averaged_item_by_item() -> None:
    """Item a: 5 and 3, so 100 and 50, mean 75. Item b: 1 and a failure, so 0 and 0. Overall 37.5."""
    records: list[Record] = [answer("a"), answer("a", sample=1), answer("b"), answer("b", sample=1, state="errored")]
    for judge in JUDGES:
        records += [mark(judge, 5, "a"), mark(judge, 3, "a", sample=1), mark(judge, 1, "b")]
    results = scored(benchmark(samples=2), records)
    row = results.row("m")
    assert (row.overall, row.judge_mean, row.n_items, row.n_scored, row.n_errored) == (37.5, 3.0, 2, 3, 1)
    found = item_row(results, "a")
    assert (found.overall, found.judge_mean, found.marks["anna"]) == (75.0, 4.0, 4.0)
    assert item_row(results, "b").state == "errored"


def test_the_overall_score_is_the_mean_over_prompts_and_not_over_domains() -> None:
    """coding 100; maths 0, 0, 50: (100 + 50) / 4 = 37.5, over domains it would be (100 + 16.7) / 2."""
    domains = (domain("coding", category("bugs", "a")), domain("maths", category("sums", "b", "c", "d")))
    results = scored(benchmark(*domains), marked({"a": 5, "b": 1, "c": 1, "d": 3}))
    assert results.row("m").overall == 37.5
    assert group_row(results, "maths").overall == 16.666667


def test_domains_categories_and_difficulties_have_the_same_scores() -> None:
    domains = (
        domain("maths", category("sums", prompt("b", "hard")), category("proofs", prompt("c", "easy"))),
        domain("coding", category("bugs", prompt("a", "hard"))),
    )
    results = scored(benchmark(*domains), marked({"a": 5, "b": 3, "c": 1}))
    assert [group.id for group in results.domains] == ["maths", "coding"]
    assert [group.id for group in results.categories] == ["sums", "proofs", "bugs"]
    assert [(group.id, group.n_items) for group in results.difficulties] == [("easy", 1), ("hard", 2)]
    assert (group_row(results, "maths").judge_mean, group_row(results, "hard").overall) == (2.0, 75.0)
    assert group_row(results, "sums").absent["se"] == ONE_CLUSTER
    assert item_row(results, "b").difficulty == "hard"


def test_the_rows_of_a_group_stand_best_first() -> None:
    results = scored(
        benchmark(models=("low", "high")), [*marked({"a": 2, "b": 2}, "low"), *marked({"a": 4, "b": 4}, "high")]
    )
    assert [row.model for row in results.domains[0].rows] == ["high", "low"]
    assert [(row.model, row.rank) for row in results.leaderboard] == [("high", 1), ("low", 2)]
    assert results.complete


def test_a_contestant_without_a_score_stands_last_in_a_group() -> None:
    nothing = [answer("a", "bad"), *(mark(judge, None, "a", "bad", state="unparsed") for judge in JUDGES)]
    results = scored(benchmark(*ONE, models=("bad", "zero")), [*nothing, *marked({"a": 1}, "zero")])
    assert [(row.model, row.overall) for row in results.domains[0].rows] == [("zero", 0.0), ("bad", None)]


def test_equal_scores_share_rank_and_tie_group() -> None:
    marks = dict.fromkeys("abcdefg", 2) | {"h": 4}
    both = [*marked(marks, "one"), *marked(marks, "two")]
    results = scored(benchmark(EIGHT, models=("one", "two")), both)
    assert [(row.rank, row.rank_low, row.rank_high, row.tie_group) for row in results.leaderboard] == [(1, 1, 2, 1)] * 2


def test_one_prompt_gives_a_rank_without_an_interval() -> None:
    row = scored(benchmark(*ONE), marked({"a": 5})).row("m")
    assert (row.rank, row.rank_low, row.tie_group, row.se) == (1, None, None, None)
    assert row.absent["rank_low"] == row.absent["se"] == ONE_CLUSTER


def test_the_null_floor_is_the_best_null_model() -> None:
    board = benchmark(EIGHT, models=["m", model("null-x", "null")])
    of_null = dict(zip("abcdefgh", (1, 2) * 4, strict=True))
    results = scored(board, [*marked(dict.fromkeys(of_null, 5)), *marked(of_null, "null-x")])
    assert (results.floor.model, results.floor.overall) == ("null-x", 12.5)
    assert [(row.model, row.above_null_floor) for row in results.leaderboard] == [("m", True), ("null-x", False)]


def test_efficiency_is_by_counted_tokens_or_by_an_estimate_that_is_marked() -> None:
    """4 / log2((100 + 412) / 2) = 4 / 8 = 0.5; at 4 runes a token 64 runes are 16 tokens, and 4 / log2(16) = 1."""
    records = [r for r in marked({"a": 4, "b": 4}) if getattr(r, "judge", None)]
    counted = scored(benchmark(), [*records, answer("a", tokens=100), answer("b", tokens=412)]).row("m")
    assert (counted.efficiency, counted.mean_output_tokens, counted.tokens_exact) == (0.5, 256.0, True)
    uncounted = [answer("a", tokens=100, text="x" * 64), answer("b", tokens=None, text="\u00e4" * 64)]
    part = scored(benchmark(), [*records, *uncounted]).row("m")
    assert (part.efficiency, part.mean_output_tokens, part.tokens_exact) == (1.0, 16.0, False)
    short = scored(benchmark(), [*records, answer("a", tokens=1), answer("b", tokens=1)]).row("m")
    assert short.absent["efficiency"] == "answers of one token or fewer on average"


def test_no_judge_is_asked_about_refusals() -> None:
    row = scored(benchmark(), marked({"a": 4, "b": 4})).row("m")
    assert (row.refusal_rate, row.absent["refusal_rate"]) == (None, "this protocol asks no judge about refusals")


def test_checks_are_counted_by_type_and_private_ones_are_not_spoken_of() -> None:
    def found(kind: str, outcome: str) -> CheckResult:
        return CheckResult(kind, "", outcome)  # type: ignore[arg-type]

    board = benchmark(domain("coding", category("bugs", "a", "b", prompt("c", visibility="private", checks=()))))
    records = [r for r in marked({"a": 4, "b": 4, "c": 4}) if getattr(r, "judge", None)]
    answers = [
        answer(
            "a", checks=[found("reasoning", "passed"), found("word-count", "failed"), found("word-count", "failed")]
        ),
        answer("b", checks=[found("reasoning", "not-applicable")]),
        answer("c", text="", hidden=Hidden("sha256:0", 700), checks=[found("secret", "failed")]),
    ]
    results = scored(board, [*records, *answers])
    assert [(c.type, c.n_items, c.passed, c.failed, c.not_applicable) for c in results.checks] == [
        ("reasoning", 2, 1, 0, 1), ("word-count", 0, 0, 2, 0),
    ]  # fmt: skip
    assert [item_row(results, item).failed for item in "abc"] == [["word-count"], [], []]
    row = results.row("m")
    assert (row.n_flagged, row.n_checked) == (1, 1), "b has no check but those left to judges"


def test_the_length_of_a_private_answer_is_the_one_that_was_recorded() -> None:
    answers = [answer("a", text="", hidden=Hidden("sha256:0", 700)), answer("b", text="é" * 100)]
    marks = [r for r in marked({"a": 4, "b": 4}) if getattr(r, "judge", None)]
    assert scored(benchmark(), [*marks, *answers]).row("m").median_response_length == 400.0


@pytest.mark.parametrize("value", [0, 6, 3.0, True, -1])
def test_a_mark_that_is_no_integer_of_1_to_5_is_no_mark(value: float) -> None:
    records = [r for r in marked({"a": 4, "b": 4}) if (getattr(r, "judge", ""), r.item) != ("anna", "a")]
    row = scored(benchmark(), [*records, mark("anna", value)]).row("m")
    assert (row.judge_unparsed, row.incomplete_judges, row.judges) == (1, {"anna": 1}, {"ben": 4.0, "cleo": 4.0})


@pytest.mark.parametrize("value", [-0.1, 1.1, 7, True])
def test_a_geval_score_outside_0_to_1_is_none(value: float) -> None:
    scores = [
        geval({metric: value if metric == "coherence" else 0.5}, template=f"geval.{metric}") for metric in METRICS
    ]
    row = scored(benchmark(*ONE, geval=GEVAL), [*marked({"a": 4}), *scores]).row("m")
    assert row.judge_unparsed == 1
    assert row.geval == {"correctness": 0.5, "instruction-following": 0.5}


# Who counts: complete judges, G-Eval, families, and what an open run still lacks


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


@pytest.mark.parametrize("template", ["geval", "geval.imported"])
def test_geval_may_stand_in_one_record_of_all_metrics(template: str) -> None:
    row = scored(
        benchmark(*ONE, geval=GEVAL), [*marked({"a": 4}), geval(dict.fromkeys(METRICS, 0.5), template=template)]
    ).row("m")
    assert (row.geval_mean, row.judge_calls, row.judge_missing) == (0.5, 6, 0)


@pytest.mark.parametrize(
    ("records", "missing"),
    [
        ([*measured(0.5, "a"), *measured(0.5, "b")[:2]], 1),
        (
            [
                *measured(0.5, "a"),
                *measured(0.5, "b")[:2],
                geval({}, "b", template=f"geval.{METRICS[2]}", state="errored"),
            ],
            0,
        ),
        ([*measured(0.5, "a"), geval({}, "b")], 0),
        ([*measured(0.5, "a"), geval(dict.fromkeys(METRICS, 0.9), "b", judge="anna")], 3),
    ],
    ids=["was not asked for one metric", "failed on one", "gave no score on any", "is another judge's"],
)
def test_geval_that_scored_one_of_two_answers_is_absent_and_keeps_nobody_from_a_rank(
    records: list[Record], missing: int
) -> None:
    row = scored(benchmark(geval=GEVAL), [*marked({"a": 4, "b": 4}), *records]).row("m")
    assert (row.geval_mean, row.geval, row.composite_of) == (None, {}, "judge")
    assert row.absent["geval_mean"] == "G-Eval scored 1 of 2 answers, and the board asks for 90 %"
    assert (row.judge_missing, row.rank) == (missing, 1)


def test_an_answer_counts_by_the_metrics_that_gave_a_score_as_in_the_seed() -> None:
    """The published evaluation holds answers with one or two of three metrics; their mean is over those there are."""
    records = [*marked({"a": 4, "b": 4}), geval({"correctness": 0.6, "coherence": 0.2}), *measured(1.0, "b")]
    row = scored(benchmark(geval=GEVAL), records).row("m")
    assert (row.geval_mean, row.judge_unparsed) == (0.7, 1)
    assert row.geval == {"correctness": 0.8, "coherence": 0.6, "instruction-following": 1.0}


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
