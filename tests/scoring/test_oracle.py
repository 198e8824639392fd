"""Boards that are marked by key, worked by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.boards import model
from support.oracle_boards import (
    Outcome,
    answer,
    benchmark,
    category,
    domain,
    group_row,
    item_row,
    marked,
    of,
    prompt,
    scored,
)

from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.protocols.oracle.metrics import OracleResults
from nullbench_site.runs.records import CheckResult, Hidden, Judgment, Record
from nullbench_site.scoring.tables import read_results, result_files, write_results
from nullbench_site.stats.estimate import group_mean

CONTRACT = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "accuracy", "accuracy_low", "accuracy_high", "valid_share",
)  # fmt: skip
OUTCOMES: tuple[Outcome, ...] = ("correct", "wrong", "invalid", "errored", "unmarked")


def four() -> OracleResults:
    """Items a to e, of which each ends otherwise, b twice as one bundle with c."""
    board = of("a", prompt("b", "pair"), prompt("c", "pair"), "d", "e")
    return scored(board, marked({"a": "correct", "b": "correct", "c": "wrong", "d": "invalid", "e": "errored"}))


def test_the_score_is_correct_of_all_accuracy_correct_of_valid_and_what_is_neither_is_told_apart() -> None:
    """2 correct, 1 wrong, 1 invalid, 1 failed: overall 2/5, accuracy 2/3, valid 3/5."""
    (row,) = four().leaderboard
    assert (row.n_correct, row.n_wrong, row.n_invalid, row.n_errored, row.n_items) == (2, 1, 1, 1, 5)
    assert (row.overall, row.accuracy) == (40.0, 0.666667)
    assert (row.valid_share, row.invalid_rate, row.error_rate) == (0.6, 0.2, 0.2)


def test_the_confidences_of_each_part_are_means_of_the_answers_that_have_one() -> None:
    """a and b: (0.4 + 0.8) / 2; hard is c, which states nothing; the other contestant has neither."""
    board = of("a", "b", prompt("c", difficulty="hard"), models=("m", "other"))
    confidences = {"a": (0.4, 0.5), "b": (0.8, None), "c": (None, None)}
    records: list[Record] = [
        msgspec.structs.replace(answer(item), confidence=one, stated_confidence=stated)
        for item, (one, stated) in confidences.items()
    ]
    results = scored(board, [*records, *marked(dict.fromkeys("abc", "wrong"), "other")])
    row, other = results.leaderboard
    assert (row.confidence, row.n_confidence, row.stated_confidence, row.n_stated_confidence) == (0.6, 2, 0.5, 1)
    assert (other.confidence, other.n_confidence) == (None, 0)
    assert other.absent["confidence"] == "no answer has token probabilities"
    hard = group_row(results, "hard")
    assert (hard.confidence, hard.absent["stated_confidence"]) == (None, "no answer states a confidence")


def test_a_board_whose_answers_have_no_confidence_has_no_columns_for_it() -> None:
    assert not any("confidence" in column for column in leaderboard_columns(four()))


def leaderboard_columns(results: OracleResults) -> list[str]:
    return next(csv.reader(io.StringIO(result_files(results)["leaderboard.csv"].decode())))


def test_the_standard_error_is_clustered_by_bundle_in_points() -> None:
    """Clusters a: 1 - 2/5 = 0.6, pair: 1 - 4/5 = 0.2, d and e: -0.4; sqrt(4/3 * 0.72) / 5 = 0.195959."""
    (row,) = four().leaderboard
    assert (row.se, row.df) == (pytest.approx(19.595918, abs=1e-6), 3.0)
    assert row.absent["ci_low"] == row.absent["rank_low"] == "too few: 4 clusters of items, and an interval needs 6"


def test_single_items_have_the_interval_of_a_rate_and_accuracy_has_one_of_its_own() -> None:
    """Of all, 6 of 8, as in the tests of the estimate; of the valid, 6 of 7."""
    marks: dict[str, Outcome] = dict.fromkeys("abcdef", "correct") | {"g": "wrong", "h": "invalid"}
    (row,) = scored(of(*marks), marked(marks)).leaderboard
    assert (row.ci_low, row.ci_high) == (pytest.approx(32.5549, abs=1e-4), pytest.approx(94.9162, abs=1e-4))
    valid = group_mean([1.0] * 6 + [0.0], [0] * 7, range(7), scale=(0, 1))
    assert (row.accuracy_low, row.accuracy_high) == (pytest.approx(valid.low), pytest.approx(valid.high))


def test_valid_answers_to_one_bundle_alone_give_an_accuracy_without_an_interval() -> None:
    """The bundle has a right and a wrong answer, the other item an invalid one; the score, 1 of 3, has its interval."""
    marks: dict[str, Outcome] = {"a": "correct", "b": "wrong", "c": "invalid"}
    (row,) = scored(of(prompt("a", "p"), prompt("b", "p"), "c"), marked(marks)).leaderboard
    assert (row.accuracy, row.accuracy_low, row.accuracy_high) == (0.5, None, None)
    assert row.absent["accuracy_low"] == "too few: no group has items of two clusters"


def test_where_all_are_right_the_interval_is_that_of_none_wrong() -> None:
    """z^2 = 3.841459: 100 * 8 / (8 + 3.841459) = 67.559244."""
    (row,) = scored(of(*"abcdefgh"), marked(dict.fromkeys("abcdefgh", "correct"))).leaderboard
    assert (row.overall, row.se, row.ci_low, row.ci_high) == (100.0, 0.0, pytest.approx(67.559244, abs=1e-5), 100.0)
    assert (row.rank, row.rank_low, row.rank_high) == (1, 1, 1)


def test_bundles_that_are_all_equally_right_are_no_certainty() -> None:
    """One of three in each of six: a share of less than q = z^2 / (6 + z^2) = 0.390334 of others may be anything."""
    items = [prompt(f"{name}{n}", name) for name in "pqrstu" for n in (1, 2, 3)]
    marks: dict[str, Outcome] = {item.id: "correct" if item.id.endswith("1") else "wrong" for item in items}
    (row,) = scored(of(*items), marked(marks)).leaderboard
    assert (row.overall, row.se, row.df) == (33.333333, 0.0, 5.0)
    assert [row.accuracy_low, row.accuracy_high] == pytest.approx([0.203222, 0.593556], abs=2e-6)
    assert [row.ci_low, row.ci_high] == pytest.approx([20.3222, 59.3556], abs=1e-4)


def test_a_bundle_is_consistent_where_all_its_variants_are_right_and_steady_where_all_are_alike() -> None:
    """Of three bundles with valid answers one is all right and one all wrong; the fourth has an invalid answer."""
    items = [prompt(f"{name}{n}", name) for name in ("p", "q", "r", "s") for n in (1, 2)]
    marks: dict[str, Outcome] = {
        "p1": "correct", "p2": "correct", "q1": "wrong", "q2": "wrong", "r1": "correct", "r2": "wrong", "s1": "correct",
        "s2": "invalid",
    }  # fmt: skip
    results = scored(of(*items, "single"), marked({**marks, "single": "correct"}))
    (row,) = results.leaderboard
    assert (row.n_bundles, results.n_bundles) == (3, 4)
    assert row.contrast_consistency == pytest.approx(1 / 3, abs=1e-6)
    assert row.outcome_consistency == pytest.approx(2 / 3, abs=1e-6)


def test_samples_of_a_single_item_are_no_bundle_and_a_variant_is_right_if_all_its_samples_are() -> None:
    board = of("single", prompt("p1", "p"), prompt("p2", "p"), samples=2)
    both: list[Outcome] = ["correct", "correct"]
    (row,) = scored(board, marked({"single": both, "p1": both, "p2": ["correct", "wrong"]})).leaderboard
    assert (row.n_correct, row.n_wrong, row.n_items, row.n_bundles) == (5, 1, 3, 1)
    assert (row.contrast_consistency, row.outcome_consistency) == (0.0, 0.0)


def test_a_bundle_that_a_difficulty_cuts_is_in_no_consistency_of_it() -> None:
    board = of(prompt("p1", "p", "easy"), prompt("p2", "p", "hard"), prompt("q1", "q"), prompt("q2", "q"))
    results = scored(board, marked(dict.fromkeys(("p1", "p2", "q1", "q2"), "correct")))
    assert group_row(results, "easy").n_bundles == 1
    hard = group_row(results, "hard")
    assert (hard.n_bundles, hard.contrast_consistency, hard.accuracy) == (0, None, 1.0)
    assert hard.absent["contrast_consistency"] == "no bundle of two or more variants, all with valid answers"
    assert group_row(results, "dates").n_bundles == 2


def test_scores_stand_by_domain_category_difficulty_and_type_of_key() -> None:
    number = Numeric(value=4)
    board = benchmark(
        domain("facts", category("dates", "a", prompt("b", None, "hard"))),
        domain("sums", category("plus", prompt("c", None, "medium", key=number))),
    )
    results = scored(board, marked({"a": "correct", "b": "wrong", "c": "correct"}))
    assert [group_row(results, name).overall for name in ("facts", "dates", "sums", "plus")] == [
        50.0,
        50.0,
        100.0,
        100.0,
    ]
    assert [(g.id, g.n_items, g.rows[0].overall) for g in results.difficulties] == [
        ("easy", 1, 100.0), ("medium", 1, 100.0), ("hard", 1, 0.0),
    ]  # fmt: skip
    assert [(g.id, g.rows[0].n_correct, g.rows[0].n_wrong) for g in results.key_types] == [
        ("exact", 1, 1), ("numeric", 1, 0),
    ]  # fmt: skip
    assert [(row.type, row.n_items, row.correct, row.wrong, row.invalid) for row in results.keys] == [
        ("exact", 2, 1, 1, 0), ("numeric", 1, 1, 0, 0),
    ]  # fmt: skip


def test_contestants_are_ranked_by_correct_answers_of_all_so_that_answering_less_gains_nothing() -> None:
    """Shy answers a single item, and that rightly, which is no evidence of the others."""
    items = [f"i{n}" for n in range(10)]
    board = of(*items, models=["better", "mute", "shy", "worse"])
    records = [
        *marked({item: "correct" if n < 7 else "wrong" for n, item in enumerate(items)}, "better"),
        *marked({item: "correct" if n < 3 else "wrong" for n, item in enumerate(items)}, "worse"),
        *marked({item: "correct" if n < 1 else "invalid" for n, item in enumerate(items)}, "shy"),
        *marked(dict.fromkeys(items, "invalid"), "mute"),
    ]
    results = scored(board, records)
    assert [(row.model, row.rank, row.overall, row.accuracy) for row in results.leaderboard] == [
        ("better", 1, 70.0, 0.7), ("worse", 2, 30.0, 0.3), ("shy", 3, 10.0, 1.0), ("mute", 4, 0.0, None),
    ]  # fmt: skip
    shy = results.row("shy")
    assert (shy.accuracy_low, shy.absent["accuracy_low"]) == (None, "too few: no group has items of two clusters")
    assert results.complete


@pytest.mark.parametrize("outcome", ["invalid", "errored"])
def test_a_contestant_without_a_valid_answer_has_nothing_right_and_no_accuracy(outcome: Outcome) -> None:
    """z^2 = 3.841459: 100 * 3.841459 / (8 + 3.841459) = 32.440756."""
    (row,) = scored(of(*"abcdefgh"), marked(dict.fromkeys("abcdefgh", outcome))).leaderboard
    assert (row.overall, row.rank, row.ci_low, row.ci_high) == (0.0, 1, 0.0, pytest.approx(32.440756, abs=1e-5))
    assert (row.accuracy, row.accuracy_low, row.accuracy_high, row.valid_share) == (None, None, None, 0.0)
    assert row.absent["accuracy"] == row.absent["accuracy_low"] == "no valid answer"


def test_samples_that_failed_are_not_correct_in_the_draws_that_ranks_rest_on() -> None:
    """On every item half has one right sample less than whole: eight signs alike have a p-value of 1/128."""
    board = of(*(f"i{n}" for n in range(8)), models=["half", "whole"], samples=2)
    half: dict[str, list[Outcome]] = {f"i{n}": ["correct", "errored"] for n in range(6)}
    half |= {"i6": ["errored", "wrong"], "i7": ["errored", "wrong"]}
    whole: dict[str, list[Outcome]] = {f"i{n}": ["correct", "correct"] for n in range(6)}
    whole |= {"i6": ["correct", "wrong"], "i7": ["correct", "wrong"]}
    results = scored(board, [*marked(half, "half"), *marked(whole, "whole")])
    assert [(row.model, row.overall, row.rank_low, row.rank_high) for row in results.leaderboard] == [
        ("whole", 87.5, 1, 1), ("half", 37.5, 2, 2),
    ]  # fmt: skip
    assert [(row.accuracy, row.tie_group) for row in results.leaderboard] == [(0.875, 1), (0.75, 2)]


def test_ranks_move_with_whole_bundles() -> None:
    """Twenty variants of one bundle are one look, whatever the single items say: either contestant may be first."""
    bundle = [prompt(f"p{n:02}", "p") for n in range(20)]
    singles = [f"s{n}" for n in range(5)]
    board = of(*bundle, *singles, models=["one", "other"])
    names = [item.id for item in bundle]
    results = scored(
        board,
        [
            *marked({**dict.fromkeys(names, "correct"), **dict.fromkeys(singles, "wrong")}, "one"),
            *marked({**dict.fromkeys(names, "wrong"), **dict.fromkeys(singles, "correct")}, "other"),
        ],
    )
    assert [(row.model, row.rank, row.rank_low, row.rank_high) for row in results.leaderboard] == [
        ("one", 1, 1, 2), ("other", 2, 1, 2),
    ]  # fmt: skip


def test_a_missing_answer_or_mark_keeps_a_contestant_from_being_ranked() -> None:
    board = of("a", "b", models=["part", "unmarked", "whole"])
    records = [
        *marked({"a": "correct", "b": "correct"}, "whole"),
        *marked({"a": "correct"}, "part"),
        *marked({"a": "correct", "b": "unmarked"}, "unmarked"),
    ]
    results = scored(board, records)
    assert not results.complete
    assert [(row.model, row.rank, row.absent.get("rank")) for row in results.leaderboard] == [
        ("whole", 1, None), ("part", None, "answers are missing"), ("unmarked", None, "marks are missing"),
    ]  # fmt: skip
    unmarked = results.row("unmarked")
    assert (unmarked.n_unmarked, unmarked.n_items, unmarked.n_correct, unmarked.accuracy) == (1, 1, 1, 1.0)
    assert item_row(results, "b", "unmarked").outcome == "unmarked"


def test_a_contestant_whose_answers_have_no_mark_at_all_has_no_row() -> None:
    results = scored(of("a", models=["m", "n"]), [answer("a", "unmarked"), answer("a", "correct", "n")])
    assert [row.model for row in results.leaderboard] == ["n"]
    assert not results.complete


def test_the_floor_is_the_best_null_model_and_no_judge_is_needed_to_be_above_it() -> None:
    """Right on the 6 of 12 on which the null model is wrong: 6 signs alike, 1/32. The other on one of them: 1."""
    items = [f"i{n}" for n in range(12)]
    board = of(*items, models=["sure", "unsure", model("guess", "null")])
    records = [
        *marked(dict.fromkeys(items, "correct"), "sure"),
        *marked({item: "correct" if n < 7 else "wrong" for n, item in enumerate(items)}, "unsure"),
        *marked({item: "correct" if n < 6 else "wrong" for n, item in enumerate(items)}, "guess"),
    ]
    results = scored(board, records)
    assert (results.floor.model, results.floor.overall) == ("guess", 50.0)
    assert [(row.model, row.above_null_floor) for row in results.leaderboard] == [
        ("sure", True), ("unsure", False), ("guess", False),
    ]  # fmt: skip


def test_an_item_row_says_the_worst_of_its_samples_and_why() -> None:
    board = of("a", prompt("b", "p"), prompt("c", "p"), samples=2)
    records: list[Record] = [
        answer("a", "correct", sample=0, why="is right"), answer("a", "wrong", sample=1, why="is not right"),
        answer("b", "errored", sample=0), answer("b", "correct", sample=1), answer("c", "invalid", sample=0),
    ]  # fmt: skip
    results = scored(board, records)
    found = [(row.item, row.bundle, row.key, row.outcome, row.why, row.overall) for row in results.items]
    assert found == [
        ("a", None, "exact", "wrong", "is not right", 50.0),
        ("b", "p", "exact", "errored", "", 50.0),
        ("c", "p", "exact", "invalid", "is an accepted answer", 0.0),
    ]


def test_of_a_private_item_neither_the_type_of_its_key_nor_the_reason_of_its_mark_is_told() -> None:
    board = of("a", prompt("secret", visibility="private"))
    hidden = Hidden("sha256:0", 3)
    records = [answer("a"), answer("secret", "wrong", why="B is right", hidden=hidden)]
    results = scored(board, records)
    row = item_row(results, "secret")
    assert (row.key, row.outcome, row.why) == ("hidden", "wrong", "")
    assert [(each.type, each.n_items) for each in results.keys] == [("exact", 1), ("hidden", 1)]
    assert all(b"B is right" not in content for content in result_files(results).values())


def test_a_response_with_two_marks_has_none() -> None:
    one = answer("a")
    twice = msgspec.structs.replace(one, checks=one.checks * 2)
    assert scored(of("a", "b"), [twice, answer("b")]).leaderboard[0].n_unmarked == 1


def test_what_checks_of_another_protocol_found_is_no_mark() -> None:
    found = msgspec.structs.replace(answer("a"), checks=(CheckResult("json-valid", "0", "passed"),))
    assert scored(of("a", "b"), [found, answer("b")]).leaderboard[0].n_unmarked == 1


def test_what_a_judge_says_moves_nothing() -> None:
    board, records = of("a", "b"), marked({"a": "correct", "b": "wrong"})
    judgment = Judgment(
        key="0", board="main", model="m", item="a", template="verbatim", sample=0, judge="anna", judge_template=None,
        position=None, state="scored", scores={"score": 1}, invalid={}, rationale="", raw=None, error=None,
        started_at="2026-01-01T00:00:00.000+00:00", seconds=0.1,
    )  # fmt: skip
    assert result_files(scored(board, [*records, judgment])) == result_files(scored(board, records))


def test_tables_begin_with_the_columns_of_the_contract(tmp_path: Path) -> None:
    results = four()
    files = result_files(results)
    assert set(files) == {
        "results.json", "leaderboard.csv", "domains.csv", "categories.csv", "difficulties.csv", "key_types.csv",
        "items.csv", "differences.csv", "keys.csv",
    }  # fmt: skip
    header = files["leaderboard.csv"].decode().splitlines()[0].split(",")
    assert tuple(header[: len(CONTRACT)]) == CONTRACT
    assert len(set(header)) == len(header)
    rows = list(csv.DictReader(io.StringIO(files["items.csv"].decode())))
    assert [(row["item"], row["outcome"], row["bundle"]) for row in rows][:2] == [
        ("a", "correct", ""),
        ("b", "correct", "pair"),
    ]
    write_results(tmp_path, results)
    assert read_results(tmp_path, "main") == results
    json.loads(files["results.json"], parse_constant=lambda name: pytest.fail(f"{name} in results.json"))


def test_a_reason_that_a_spreadsheet_would_run_is_defused() -> None:
    (row,) = csv.DictReader(io.StringIO(result_files(scored(of("a"), [answer("a", why="=1+1")]))["items.csv"].decode()))
    assert row["why"] == "'=1+1"


def test_summaries_from_the_cache_give_the_same_bytes(tmp_path: Path) -> None:
    board = of("a", prompt("b", "p"), prompt("c", "p"))
    records = marked({"a": "invalid", "b": "correct", "c": "errored"})
    first = result_files(scored(board, records, tmp_path))
    assert list(tmp_path.iterdir())
    assert first == result_files(scored(board, records, tmp_path)) == result_files(scored(board, records))


marks = st.lists(st.sampled_from(OUTCOMES), min_size=6, max_size=6)


@given(marks, marks, st.randoms(use_true_random=False))
def test_the_order_of_records_items_and_contestants_moves_nothing(
    one: list[Outcome], two: list[Outcome], random: Random
) -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    items = [prompt(name, "p" if name < "c" else "q" if name < "e" else None) for name in names]
    records = [*marked(dict(zip(names, one, strict=True)), "m"), *marked(dict(zip(names, two, strict=True)), "n")]
    before = scored(of(*items, models=["m", "n"]), records)
    random.shuffle(items)
    random.shuffle(records)
    after = scored(of(*items, models=["n", "m"]), records)
    assert result_files(before) == result_files(after)


@given(marks)
def test_shares_and_intervals_hold_what_they_are_of(outcomes: list[Outcome]) -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    items = [prompt(name, "p" if name < "d" else None) for name in names]
    results = scored(of(*items), marked(dict(zip(names, outcomes, strict=True))))
    for row in results.leaderboard:
        assert row.n_correct + row.n_wrong + row.n_invalid + row.n_errored + row.n_unmarked == len(names)
        assert row.valid_share + row.invalid_rate + row.error_rate == pytest.approx(1, abs=1e-5)
        assert row.overall / 100 == pytest.approx((row.accuracy or 0) * row.valid_share, abs=1e-5)
        assert (row.accuracy is None) == (row.valid_share == 0) == ("accuracy" in row.absent)
        assert (row.accuracy_low is None) == (row.accuracy_high is None) == ("accuracy_low" in row.absent)
        assert (row.se is None) == ("se" in row.absent)
        if row.ci_low is not None and row.ci_high is not None:
            assert 0 <= row.ci_low <= row.overall + 1e-6 <= row.ci_high + 2e-6 <= 100 + 2e-6
        if row.accuracy is not None and row.accuracy_low is not None and row.accuracy_high is not None:
            assert 0 <= row.accuracy_low <= row.accuracy + 1e-6 <= row.accuracy_high + 2e-6 <= 1 + 2e-6
        if row.contrast_consistency is not None and row.outcome_consistency is not None:
            assert row.contrast_consistency <= row.outcome_consistency
