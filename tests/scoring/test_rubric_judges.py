"""What the judges of a `rubric` board did, worked by hand."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from support.boards import model
from support.rubric_boards import (
    GEVAL,
    answer,
    benchmark,
    category,
    domain,
    geval,
    mark,
    marked,
    measured,
    scored,
)

from nullbench_site.protocols.rubric.metrics import Divergence, JudgePair, RubricResults


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
