"""What an open run still lacks: verdicts nobody asked for yet, and answers that no judge replied about."""

from __future__ import annotations

import msgspec
import pytest
from support.boards import (
    JUDGES,
    benchmark,
    category,
    domain,
    group_row,
    judged,
    judgment,
    model,
    response,
    scored,
)

from nullbench_site.protocols.axes.metrics import AxesResults
from nullbench_site.runs.records import Record

TWO = domain("science", category("trials", "a", "b"))


def without(records: list[Record], *calls: tuple[str, str]) -> list[Record]:
    """The records but for the verdicts of these (judge, item)."""
    return [record for record in records if (getattr(record, "judge", ""), record.item) not in calls]


def missing(results: AxesResults) -> dict[str, int]:
    return {row.judge: row.missing for row in results.judges if row.missing}


def test_a_contestant_that_a_judge_was_not_asked_about_is_shown_without_a_rank() -> None:
    """Two items and three judges make six verdicts; one is missing. Item b is 60, the mean of two judges."""
    board = benchmark(TWO, models=("whole", "part"))
    records = [*judged({"a": 50, "b": 50}, "whole"), *without(judged({"a": 80, "b": 60}, "part"), ("cleo", "b"))]
    results = scored(board, records)
    part, whole = results.row("part"), results.row("whole")
    assert (part.judge_calls, part.judge_missing, part.rank, part.overall) == (6, 1, None, 70.0)
    assert (part.rank_low, part.rank_high, part.tie_group, part.above_null_floor) == (None, None, None, None)
    assert (whole.judge_calls, whole.judge_missing, whole.rank) == (6, 0, 1)
    assert [row.model for row in results.leaderboard] == ["whole", "part"]
    assert missing(results) == {"cleo": 1}
    assert not results.complete


def test_a_verdict_that_failed_or_cannot_be_read_is_not_missing() -> None:
    records = without(judged({"a": 80, "b": 60}), ("cleo", "b"), ("ben", "b"))
    ended = [judgment("cleo", "b", state="errored"), judgment("ben", "b", state="unparsed")]
    results = scored(benchmark(TWO), [*records, *ended])
    row = results.row("m")
    assert (row.judge_calls, row.judge_errored, row.judge_unparsed, row.judge_missing) == (6, 1, 1, 0)
    assert (row.rank, results.complete) == (1, True)


def test_an_answer_that_nobody_was_asked_about_has_no_score_instead_of_0() -> None:
    """a is 80. Were b to count 0, the mean would be 40."""
    results = scored(benchmark(TWO), [*judged({"a": 80}), response("b")])
    row = results.row("m")
    assert (row.overall, row.n_items, row.n_scored, row.n_unparsed, row.n_unjudged) == (80.0, 1, 1, 0, 1)
    assert (row.judge_missing, row.rank) == (3, None)
    assert [item.item for item in results.items] == ["a"]
    assert group_row(results, "science").goal_alignment == 80.0


def test_an_answer_about_which_every_call_failed_has_no_score_instead_of_0() -> None:
    """A judge's endpoint that is down is no fault of the contestant."""
    failed = [judgment(judge, "b", state="errored") for judge in JUDGES]
    results = scored(benchmark(TWO), [*judged({"a": 80}), response("b"), *failed])
    row = results.row("m")
    assert (row.overall, row.n_unjudged, row.judge_errored, row.judge_missing, row.rank) == (80.0, 1, 3, 0, None)
    assert not results.complete


def test_an_answer_that_every_judge_replied_to_with_babble_counts_as_0() -> None:
    """The seed's rule for replies without an integer: (80 + 0) / 2 = 40."""
    babble = [judgment(judge, "b", state="unparsed") for judge in JUDGES]
    row = scored(benchmark(TWO), [*judged({"a": 80}), response("b"), *babble]).row("m")
    assert (row.overall, row.n_unparsed, row.n_unjudged, row.rank) == (40.0, 1, 0, 1)


def test_a_call_of_a_contestant_that_failed_needs_no_verdict() -> None:
    results = scored(benchmark(TWO), [*judged({"a": 80}), response("b", state="errored")])
    row = results.row("m")
    assert (row.overall, row.judge_calls, row.judge_missing, row.rank) == (40.0, 3, 0, 1)
    assert results.complete


def test_a_judge_of_the_contestants_own_family_is_not_missed() -> None:
    board = benchmark(TWO, models=[model("m", family="family-of-anna")])
    row = scored(board, judged({"a": 80, "b": 60}, judges=("ben", "cleo"))).row("m")
    assert (row.judge_calls, row.judge_missing, row.rank) == (4, 0, 1)


def test_a_judge_of_the_contestants_own_family_is_missed_where_the_panel_lets_it_judge() -> None:
    board = benchmark(TWO, models=[model("m", family="family-of-anna")])
    board.panels["panel"] = msgspec.structs.replace(board.panels["panel"], same_family=True)  # type: ignore[index]
    row = scored(board, judged({"a": 80, "b": 60}, judges=("ben", "cleo"))).row("m")
    assert (row.judge_calls, row.judge_missing, row.rank) == (6, 2, None)


def test_a_contestant_without_any_judged_answer_is_not_on_the_board_and_its_verdicts_are_missed() -> None:
    results = scored(benchmark(TWO, models=("m", "n")), [*judged({"a": 80, "b": 60}), response("a", "n")])
    assert [row.model for row in results.leaderboard] == ["m"]
    assert missing(results) == dict.fromkeys(JUDGES, 1)
    assert not results.complete


def test_a_null_model_with_missing_verdicts_sets_no_floor() -> None:
    board = benchmark(TWO, models=["m", model("null-x", "null")])
    records = [*judged({"a": 80, "b": 60}), *without(judged({"a": 30, "b": 30}, "null-x"), ("anna", "a"))]
    assert scored(board, records).floor is None


@pytest.mark.parametrize("samples", [1, 2])
def test_verdicts_are_missed_by_sample(samples: int) -> None:
    """Two items, `samples` answers each, three judges; of the last sample of b only anna's verdict is there."""
    board = benchmark(TWO, samples=samples)
    records: list[Record] = []
    for sample in range(samples):
        for item in ("a", "b"):
            records.append(response(item, sample=sample))
            records += [judgment(judge, item, sample=sample) for judge in JUDGES]
    last = [
        r for r in records if (r.item, r.sample) == ("b", samples - 1) and getattr(r, "judge", "") in ("ben", "cleo")
    ]
    row = scored(board, [record for record in records if record not in last]).row("m")
    assert (row.judge_calls, row.judge_missing) == (6 * samples, 2)


def test_replies_that_were_valid_at_the_second_asking_are_counted_by_judge() -> None:
    again = msgspec.structs.replace(judgment("ben", "b", alignment=60), repaired="quality: missing")
    records = [*without(judged({"a": 80, "b": 60}), ("ben", "b")), again]
    results = scored(benchmark(TWO), records)
    assert {row.judge: row.repaired for row in results.judges} == {"anna": 0, "ben": 1, "cleo": 0}
    assert results.row("m").overall == 70.0


def test_a_reply_that_stayed_invalid_at_the_second_asking_is_asked_again_and_not_repaired() -> None:
    """Of ben's two, one is valid now, and one is still invalid."""
    again = msgspec.structs.replace(judgment("ben", "b", alignment=60), repaired="quality: missing")
    still = msgspec.structs.replace(judgment("ben", "a", axes=None, state="unparsed"), repaired="truth: missing")
    records = [*without(judged({"a": 80, "b": 60}), ("ben", "a"), ("ben", "b")), again, still]
    ben = next(row for row in scored(benchmark(TWO), records).judges if row.judge == "ben")
    assert (ben.asked_again, ben.repaired, ben.unparsed) == (2, 1, 1)


def test_replies_in_other_forms_are_counted_by_judge_and_change_no_score() -> None:
    other = msgspec.structs.replace(judgment("ben", "b", alignment=60), forms=("list", "loose-json"))
    more = msgspec.structs.replace(judgment("ben", "a", alignment=80), forms=("list",))
    plain = judged({"a": 80, "b": 60})
    results = scored(benchmark(TWO), [*without(plain, ("ben", "a"), ("ben", "b")), other, more])
    assert {row.judge: row.forms for row in results.judges} == {
        "anna": msgspec.UNSET, "ben": {"list": 2, "loose-json": 1}, "cleo": msgspec.UNSET,
    }  # fmt: skip
    assert results.row("m").overall == scored(benchmark(TWO), plain).row("m").overall
    assert all(row.forms is msgspec.UNSET for row in scored(benchmark(TWO), plain).judges)
