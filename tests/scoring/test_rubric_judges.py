"""What the judges of a `rubric` board did, worked by hand, and answers that G-Eval gave no score."""

from __future__ import annotations

from itertools import cycle
from math import sqrt

import numpy as np
import pytest
from msgspec import UNSET
from support.boards import model
from support.rubric_boards import (
    GEVAL,
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

from nullbench_site.protocols.rubric.metrics import Divergence, JudgePair, RubricResults
from nullbench_site.protocols.rubric.specs import Composite
from nullbench_site.runs.records import Record
from nullbench_site.scoring.tables import result_files
from nullbench_site.stats.estimate import group_mean
from nullbench_site.stats.judges import linearised_mean, mean_filled


def pair(results: RubricResults, judge: str, other: str) -> JudgePair:
    return next(row for row in results.judge_pairs if (row.judge, row.other) == (judge, other))


def divergence(results: RubricResults, judge: str | None) -> Divergence:
    return next(row for row in results.divergence if row.judge == judge)


def test_a_judges_mean_spread_and_leniency_are_of_all_its_marks() -> None:
    """anna 5, 3: mean 4, sd 1. The others' means are 3 and 3, so anna is (2 + 0) / 2 = 1 above them."""
    results = scored(benchmark(), marked({"a": (5, 4, 2), "b": (3, 4, 2)}))
    rows = {row.judge: row for row in results.judges}
    assert (rows["anna"].mean, rows["anna"].sd, rows["anna"].leniency) == (4.0, 1.0, 1.0)
    # ben: 4 - 3.5 and 4 - 2.5; cleo: 2 - 4.5 and 2 - 3.5.
    assert (rows["ben"].leniency, rows["cleo"].leniency) == (1.0, -2.0)
    assert [row.judge for row in results.judges] == ["anna", "ben", "cleo"]


def test_replies_are_counted_by_how_they_ended() -> None:
    records = [answer("a"), mark("anna", 4), mark("ben", None, state="unparsed"), mark("cleo", None, state="errored")]
    records += [answer("b"), mark("anna", 2, "b", repaired="score: missing")]
    results = scored(benchmark(), records)
    ended = {row.judge: (row.scored, row.unparsed, row.errored, row.missing, row.repaired) for row in results.judges}
    assert ended == {"anna": (2, 0, 0, 0, 1), "ben": (0, 1, 0, 1, 0), "cleo": (0, 0, 1, 1, 0)}
    assert next(row for row in results.judges if row.judge == "ben").absent == {
        "leniency": "no answer was marked by another judge", "mean": "no mark", "sd": "no mark",
    }  # fmt: skip


def test_a_judge_on_a_contestant_says_whether_it_counts() -> None:
    records = [*marked({"a": (5, 4, 2)}), answer("b"), mark("anna", 3, "b"), mark("ben", None, "b", state="unparsed")]
    rows = {row.judge: (row.n, row.mean, row.complete) for row in scored(benchmark(), records).judge_models}
    assert rows == {"anna": (2, 4.0, True), "ben": (1, 4.0, False), "cleo": (1, 2.0, False)}


def test_every_two_judges_are_compared_on_the_answers_of_all_contestants() -> None:
    """anna and ben: (5, 4), (3, 3), (1, 4): a third the same, two thirds adjacent, differences 1, 0, -3."""
    records = [*marked({"a": (5, 4, 2), "b": (3, 3, 1)}, "m"), *marked({"a": (1, 4, 3)}, "n")]
    results = scored(benchmark(models=("m", "n")), records)
    found = pair(results, "anna", "ben")
    assert (found.n, found.exact, found.adjacent, found.difference) == (3, 0.333333, 0.666667, -0.666667)
    # Ranks 3, 2, 1 and 2.5, 1, 2.5; centred 1, 0, -1 and 0.5, -1, 0.5.
    assert found.correlation == 0.0
    assert [(row.judge, row.other) for row in results.judge_pairs] == [
        ("anna", "ben"), ("anna", "cleo"), ("ben", "cleo"),
    ]  # fmt: skip


def test_alpha_is_of_the_board_and_of_each_domain_with_and_without_null_models() -> None:
    """m: full agreement on 5 and on 1, in a domain each. null-x: 1 against 5 in coding."""
    domains = (domain("coding", category("bugs", "a")), domain("maths", category("sums", "b")))
    board = benchmark(*domains, models=["m", model("null-x", "null")], judges=("anna", "ben"))
    records = marked({"a": (5, 5), "b": (1, 1)}, judges=("anna", "ben"))
    records += marked({"a": (1, 5)}, "null-x", judges=("anna", "ben"))
    whole, coding, maths = scored(board, records).agreement
    assert (whole.domain, whole.units, whole.units_scored, whole.alpha_scored) == (None, 3, 2, 1.0)
    assert (whole.label_scored, whole.label) == ("high", "low")
    # Of 6 ratings three are 1 and three 5: o = 2 unlike pairs of 6, e = 18 / 5 of 6, alpha = 1 - 5 * 2 / 18.
    assert whole.alpha == pytest.approx(1 - 10 / 18, abs=1e-6)
    assert (coding.domain, coding.units, coding.absent_scored) == ("coding", 2, "one rating value only")
    assert (maths.units, maths.absent) == (1, "one rating value only")


def test_alpha_without_a_contestant_is_that_of_the_others() -> None:
    """Of m alone: 1 - 5 * 2 / 18, as above with a, b and c; n agrees everywhere."""
    board = benchmark(domain("coding", category("bugs", "a", "b", "c")), models=["m", "n"], judges=("anna", "ben"))
    records = marked({"a": (5, 5), "b": (1, 1), "c": (1, 5)}, judges=("anna", "ben"))
    records += marked({"a": (5, 5), "b": (1, 1), "c": (1, 1)}, "n", judges=("anna", "ben"))
    bounds = scored(board, records).agreement_bounds
    assert bounds is not UNSET
    assert (bounds.least_without, bounds.most_without, bounds.most) == ("n", "m", 1.0)
    assert bounds.least == pytest.approx(1 - 10 / 18, abs=1e-6)
    assert bounds.absent == {"low": "too few: 3 clusters of items, and an interval needs 6"}


def test_a_domain_without_a_mark_has_no_row_of_agreement() -> None:
    domains = (domain("coding", category("bugs", "a")), domain("maths", category("sums", "b")))
    results = scored(benchmark(*domains), [*marked({"a": 4}), answer("b", state="errored")])
    assert [row.domain for row in results.agreement] == [None, "coding"]


def test_judges_and_their_mean_are_held_to_geval() -> None:
    """anna 5 and 3 are 1 and 0.5 against 0.5 and 0.75: differences 0.5 and -0.25. The panel's means 4 and 3 are 0.75
    and 0.5: 0.25 and -0.25."""
    records = marked({"a": (5, 4, 3), "b": (3, 4, 2)})
    results = scored(benchmark(geval=GEVAL), [*records, *measured(0.5, "a"), *measured(0.75, "b")])
    found = divergence(results, "anna")
    assert (found.n, found.difference, found.distance, found.correlation) == (2, 0.125, 0.375, -1.0)
    panel = divergence(results, None)
    assert (panel.n, panel.difference, panel.distance) == (2, 0.0, 0.25)
    assert results.row("m").divergence == 0.25
    assert [row.judge for row in results.divergence] == [None, "anna", "ben", "cleo"]


def test_the_mean_of_the_panel_is_that_of_complete_judges() -> None:
    """ben gave one mark of two: the panel is anna and cleo, 4 and 3, 0.75 and 0.5."""
    records = [*marked({"a": (5, 1, 3)}), answer("b"), mark("anna", 3, "b"), mark("cleo", 3, "b")]
    records += [mark("ben", None, "b", state="errored"), *measured(0.5, "a"), *measured(0.5, "b")]
    results = scored(benchmark(geval=GEVAL), records)
    assert divergence(results, None).distance == results.row("m").divergence == 0.125
    assert divergence(results, "ben").n == 1


def test_without_geval_nothing_is_held_to_it() -> None:
    results = scored(benchmark(), marked({"a": 4, "b": 3}))
    assert results.divergence == []
    assert results.row("m").absent["divergence"] == "no answer has both a mark and a G-Eval score"


def test_incomplete_geval_is_still_something_to_be_held_to() -> None:
    records = [*marked({"a": 5, "b": 5}), geval({"coherence": 0.5}, template="geval.coherence")]
    row = scored(benchmark(geval=GEVAL), records).row("m")
    assert (row.geval_mean, row.divergence) == (None, 0.5)


# Answers without a G-Eval score: up to a share of them the part counts on the others, as published boards do


PUBLISHED = {
    "o4-mini": ((4.55, 4.40, 4.60, 4.53), 78, 0.9469, 0.9134),
    "gpt-5.5": ((4.60, 4.55, 4.53, 4.64), 76, 0.9609, 0.9280),
    "claude-fable-5": ((4.53, 4.55, 4.64, 4.55), 75, 0.9716, 0.9317),
}
"""What the practical evaluation shows of models of whose 80 answers some have no G-Eval score: the mean of each judge,
how many answers G-Eval scored, the mean of those, the composite."""
TEN = tuple("abcdefghij")


def ten(coverage: float | None = None, scores: int = 9, *, composite: Composite | None = None) -> RubricResults:
    """Ten answers with marks of 1, 2, 3, 4, 5, 1, ..., the first `scores` of them with G-Eval 0.1, 0.2 and so on."""
    board = benchmark(
        domain("coding", category("bugs", *TEN[:5])), domain("maths", category("sums", *TEN[5:])),
        geval=GEVAL, composite=composite or Composite(), **({} if coverage is None else {"coverage": coverage}),
    )  # fmt: skip
    records: list[Record] = marked(dict(zip(TEN, cycle((1, 2, 3, 4, 5)), strict=False)))
    records += [record for n, item in enumerate(TEN[:scores], start=1) for record in measured(n / 10, item)]
    return scored(board, records)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_composite_of_a_model_some_of_whose_answers_have_no_geval_score_is_reproduced(name: str) -> None:
    means, n_geval, geval_mean, composite = PUBLISHED[name]
    judges, items = ("w", "x", "y", "z"), [f"p{number:02}" for number in range(80)]
    records: list[Record] = [answer(item) for item in items]
    for judge, mean in zip(judges, means, strict=True):
        low, rest = divmod(round(80 * mean), 80)
        records += [mark(judge, low + (number < rest), item) for number, item in enumerate(items)]
    apart = [0.02, -0.02] * (n_geval // 2) + [0.0] * (n_geval % 2)
    records += [geval(dict.fromkeys(METRICS, geval_mean + d), item) for d, item in zip(apart, items, strict=False)]
    board = benchmark(
        domain("all", category("each", *items)), judges=judges, geval=GEVAL,
        composite=Composite(judge_decimals=2),
    )  # fmt: skip
    row = scored(board, records).row("m")
    assert row.composite == pytest.approx(composite, abs=1e-4)
    assert row.overall == pytest.approx(100 * composite, abs=1e-2)
    assert (row.geval_mean, row.composite_of, row.rank) == (pytest.approx(geval_mean, abs=1e-6), "judge+geval", 1)
    assert (row.n_geval, row.n_scored, "geval_mean" in row.absent) == (n_geval, 80, False)


def test_an_answer_without_a_score_takes_the_mean_of_those_that_have_one() -> None:
    """G-Eval 0.1 to 0.9, mean 0.5; the last answer, marked 5 of 5, comes to 100 * (1 + 0.5) / 2 = 75."""
    results = ten()
    row, last = results.row("m"), item_row(results, "j")
    assert (row.geval_mean, row.composite, row.overall, row.n_geval) == (0.5, 0.5, 50.0, 9)
    assert (last.geval_mean, last.overall) == (None, 75.0)


def test_scores_of_items_groups_and_the_board_are_means_of_one_another() -> None:
    results = ten()
    groups = [group_row(results, name) for name in ("coding", "maths")]
    assert [group.n_geval for group in groups] == [5, 4]
    for name in ("overall", "geval_mean", "composite"):
        assert np.mean([getattr(group, name) for group in groups]) == pytest.approx(getattr(results.row("m"), name))
    assert np.mean([item.overall for item in results.items]) == pytest.approx(results.row("m").overall)
    assert [group.overall for group in groups] == pytest.approx([100 * (group.composite or 0) for group in groups])


@pytest.mark.parametrize(("coverage", "scores"), [(None, 9), (0.7, 7), (0.55, 6), (1.0, 10)])
def test_geval_counts_from_the_share_of_answers_that_the_board_asks_for(coverage: float | None, scores: int) -> None:
    row = ten(coverage, scores).row("m")
    assert (row.composite_of, row.n_geval) == ("judge+geval", scores)


@pytest.mark.parametrize(("coverage", "scores", "asked"), [(None, 8, "90"), (0.7, 6, "70"), (1.0, 9, "100")])
def test_below_it_the_judges_stand_alone_and_the_results_say_how_many_there_were(
    coverage: float | None, scores: int, asked: str
) -> None:
    row = ten(coverage, scores).row("m")
    assert (row.composite_of, row.geval_mean, row.n_geval) == ("judge", None, scores)
    assert row.absent["geval_mean"] == f"G-Eval scored {scores} of 10 answers, and the board asks for {asked} %"


def test_the_share_is_that_of_the_specs_to_the_last_answer() -> None:
    """11 of 20 is 55 %, though 0.55 * 20 is more than 11 in floats."""
    items = [f"p{number:02}" for number in range(20)]
    board = benchmark(domain("all", category("each", *items)), geval=GEVAL, coverage=0.55)
    records = marked(dict.fromkeys(items, 3))
    for item in items[:11]:
        records += measured(0.5, item)
    assert scored(board, records).row("m").n_geval == 11
    assert scored(board, records).row("m").composite_of == "judge+geval"


def test_the_standard_error_is_that_of_a_mean_of_the_scores_there_are() -> None:
    """G-Eval alone counts: s / sqrt(9), where the mean filled in would make it smaller by a tenth."""
    row = ten(composite=Composite(judge=0.0)).row("m")
    there = np.arange(1, 10) / 10
    assert row.se == pytest.approx(100 * there.std(ddof=1) / sqrt(9), rel=0.01)
    filled = group_mean([*there, there.mean()], np.zeros(10, dtype=np.int64), np.arange(10)).se
    assert row.se > 1.1 * 100 * filled


def test_a_board_on_which_every_answer_has_a_score_is_what_it_was() -> None:
    results = ten(scores=10)
    assert [item.overall for item in results.items] == [
        pytest.approx(50 * ((number - 1) % 5 / 4 + number / 10)) for number in range(1, 11)
    ]


def test_a_score_counts_once_every_metric_was_replied_about() -> None:
    """Of the tenth answer one metric alone was asked; of the ninth G-Eval failed on one, so 8 of 10 have a score."""
    board = benchmark(domain("coding", category("bugs", *TEN)), geval=GEVAL, coverage=0.8)
    records = marked(dict.fromkeys(TEN, 3))
    for item in TEN[:8]:
        records += measured(0.5, item)
    records += [*measured(0.9, "i")[:2], geval({}, "i", template=f"geval.{METRICS[2]}", state="errored")]
    records += measured(0.9, "j")[:1]
    row = scored(board, records).row("m")
    assert (row.n_geval, row.geval_mean) == (8, 0.5)


def test_an_answer_that_failed_is_not_one_without_a_score() -> None:
    """Nine answers, all with a score of 0.5, and one that failed and counts as 0."""
    board = benchmark(domain("coding", category("bugs", *TEN)), geval=GEVAL, coverage=1.0)
    records = marked(dict.fromkeys(TEN[:9], 3))
    for item in TEN[:9]:
        records += measured(0.5, item)
    row = scored(board, [*records, answer("j", state="errored")]).row("m")
    assert (row.n_geval, row.composite, row.overall) == (9, 0.5, 45.0)


def test_results_of_a_board_without_geval_do_not_speak_of_it() -> None:
    """So the results of a run that has none are byte for byte what they were."""
    files = result_files(scored(benchmark(models=[model("m")]), marked({"a": 4, "b": 4})))
    assert not [name for name, content in files.items() if b"n_geval" in content]
    with_it = result_files(ten())
    assert {name for name, content in with_it.items() if b"n_geval" in content} >= {"leaderboard.csv", "results.json"}


def test_the_mean_that_is_filled_in_is_that_of_the_known_values() -> None:
    values, due = np.array([0.2, 0.4, np.nan, 0.9]), np.array([True, True, True, False])
    known = due & ~np.isnan(values)
    assert mean_filled(values, known, due) == pytest.approx([0.2, 0.4, 0.3, np.nan], nan_ok=True)
    assert np.isnan(mean_filled(values, np.zeros(4, dtype=np.bool_), due)).all()


def test_linearised_values_have_the_mean_and_the_standard_error_of_the_known_ones() -> None:
    """Known 1, 2, 6 of four: mean 3, so 3 + 4/3 * (-2, -1, 3) and 3. Sum of squares 16/9 * 14, over 4 * 4; of three
    alone it is 14 over 3 * 3; both 14/9."""
    values = np.array([1.0, 2.0, 6.0, np.nan])
    known = ~np.isnan(values)
    found = linearised_mean(values, known, np.ones(4, dtype=np.bool_))
    assert found == pytest.approx([1 / 3, 5 / 3, 7.0, 3.0])
    assert np.square(found - 3).sum() / 16 == pytest.approx(np.square(values[known] - 3).sum() / 9)
