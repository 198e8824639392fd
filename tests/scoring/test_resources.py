"""Times, lengths and quality per resource as they reach the rows of a board."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from support.boards import JUDGES, benchmark, category, domain, group_row, judged, judgment, model, response, scored

from nullbench_site.protocols.axes.metrics import AxesRow
from nullbench_site.runs.records import Ended, Judgment, Record, Response
from nullbench_site.specs.benchmark import Benchmark

FIVE = benchmark(domain("x", category("y", "a", "b", "c", "d", "e")))


def quality(item: str, name: str, percent: int) -> list[Judgment]:
    return [judgment(judge, item, name, quality=percent) for judge in JUDGES]


def row_of(board: Benchmark, answers: Iterable[Response]) -> AxesRow:
    """The row of a contestant whose every answer was judged."""
    answers = list(answers)
    votes = [judgment(judge, answer.item) for answer in answers if answer.state == "answered" for judge in JUDGES]
    return scored(board, [*answers, *votes]).row("m")


def test_response_times_are_summed_up_in_milliseconds() -> None:
    """1, 2, 3, 4, 10 s: median 3 s, p95 = 4 + 0.8 * (10 - 4) = 8.8 s (0.95 * 4 = 3.8 steps up), longest 10 s,
    mean 4 s, sd = sqrt((9 + 4 + 1 + 0 + 36) / 5) = sqrt(10).
    stability: tail 3 / 8.8 = 0.34, extremes 8.8 / 10 = 0.88, jitter 1 / (1 + sqrt(10) / 4) = 0.56; mean 0.59."""
    seconds = {"a": 3.0, "b": 1.0, "c": 10.0, "d": 2.0, "e": 4.0}
    row = row_of(FIVE, [response(item, seconds=time) for item, time in seconds.items()])
    assert row.median_response_time_ms == 3000.0
    assert row.p95_response_time_ms == 8800.0
    assert row.max_response_time_ms == 10_000.0
    assert row.mean_time_s == 4.0
    assert (row.stability_tail, row.stability_extremes, row.stability_jitter) == (0.34, 0.88, 0.56)
    assert row.stability == 0.59


def test_times_have_no_more_digits_than_a_clock_tells() -> None:
    """1.236567 and 1.237567 s: median and mean 1.237067 s, p95 1.237517 s."""
    board = benchmark(domain("x", category("y", "a", "b")))
    row = row_of(board, [response("a", seconds=1.236567), response("b", seconds=1.237567)])
    assert (row.median_response_time_ms, row.p95_response_time_ms, row.max_response_time_ms) == (1240.0,) * 3
    assert row.mean_time_s == 1.24


def test_times_from_a_busy_machine_are_in_no_number() -> None:
    board = benchmark(domain("x", category("y", "a", "b")), models=[msgspec.structs.replace(model("m"), timed=False)])
    row = row_of(board, [response("a", seconds=1.0), response("b", seconds=2.0)])
    assert (row.median_response_time_ms, row.p95_response_time_ms, row.mean_time_s, row.qpr) == (None,) * 4
    assert row.absent["throughput_rps"] == row.absent["stability"] == "answers came without the time they took"


def test_lengths_are_counted_in_runes_and_throughput_is_total_over_total() -> None:
    """10, 20 and 60 runes in 1, 2 and 3 s: median 20, 90 runes in 6 s = 15 a second, 3.75 tokens, given as 3.8."""
    board = benchmark(domain("x", category("y", "a", "b", "c")))
    texts = {"a": "é" * 10, "b": "\U0001f600" * 20, "c": "x" * 60}
    answers = [response(item, text=text, seconds=n + 1) for n, (item, text) in enumerate(texts.items())]
    row = row_of(board, answers)
    assert (row.median_response_length, row.throughput_rps, row.throughput_tps) == (20.0, 15.0, 3.8)
    assert row.tokens_exact is False


def test_tokens_are_those_the_endpoint_counted_if_it_counted_every_answer() -> None:
    """6 + 12 tokens in 1 + 2 s are 6 a second. With one answer uncounted: 2 * 10 runes in 3 s / 4 = 1.7."""
    board = benchmark(domain("x", category("y", "a", "b")))
    exact = [response("a", tokens=6, seconds=1), response("b", tokens=12, seconds=2)]
    assert (row_of(board, exact).throughput_tps, row_of(board, exact).tokens_exact) == (6.0, True)
    partly = [response("a", tokens=6, seconds=1), response("b", seconds=2)]
    assert row_of(board, partly).throughput_tps == 1.7
    assert row_of(board, partly).tokens_exact is False


def test_calls_that_failed_are_in_no_percentile_and_no_throughput() -> None:
    board = benchmark(domain("x", category("y", "a", "b")))
    row = row_of(board, [response("a", seconds=2.0), response("b", seconds=60.0, state="errored")])
    assert (row.max_response_time_ms, row.throughput_rps, row.median_response_length) == (2000.0, 5.0, 10.0)
    assert row.mean_time_s == 31.0


def test_without_an_answer_there_is_no_telemetry_and_a_reason_where_one_could_be_asked_for() -> None:
    row = scored(benchmark(), [response(state="errored")]).row("m")
    assert row.median_response_time_ms is row.p95_response_time_ms is row.max_response_time_ms is None
    assert row.median_response_length is row.stability is row.throughput_rps is row.throughput_tps is None
    assert row.tokens_exact is False
    assert row.stability_tail is row.stability_extremes is row.stability_jitter is None
    assert row.absent["stability"] == "no response times"
    assert row.absent["throughput_rps"] == "no responses"


def test_quality_per_resource_divides_by_time_and_the_root_of_memory() -> None:
    """quality 60, 2 s, 4 GB: 60 / (2 * sqrt(4)) = 15."""
    board = benchmark(models=[model("m", memory_gb=4.0)])
    row = scored(board, [response(seconds=2.0), *quality("q", "m", 60)]).row("m")
    assert (row.quality, row.mean_time_s, row.qpr) == (60.0, 2.0, 15.0)


def test_relative_quality_per_resource_runs_from_0_to_100_in_each_table_of_its_own() -> None:
    """With 1 GB and 1 s a QPR is the quality. courts: 20, 40, 80 -> 0, 100 * 20 / 60 = 33.333333, 100.
    dance: 90, 50, 10 -> 100, 50, 0. Board, over both: 55, 45, 45 -> 100, 0, 0."""
    domains = domain("law", category("courts", "a")), domain("art", category("dance", "b"))
    board = benchmark(*domains, models=[model(name, memory_gb=1.0) for name in ("m", "n", "o")])
    given = {"m": (20, 90), "n": (40, 50), "o": (80, 10)}
    records = [record for name in given for item in "ab" for record in (response(item, name),)]
    votes = [
        vote for name, of in given.items() for item, p in zip("ab", of, strict=True) for vote in quality(item, name, p)
    ]
    results = scored(board, [*records, *votes])

    def relative(group: str) -> list[float | None]:
        return [group_row(results, group, name).qpr_pct for name in given]

    assert relative("law") == relative("courts") == [0.0, 33.333333, 100.0]
    assert relative("art") == relative("dance") == [100.0, 50.0, 0.0]
    assert [results.row(name).qpr_pct for name in given] == [100.0, 0.0, 0.0]


def test_where_all_are_equal_there_is_no_relative_quality_per_resource() -> None:
    board = benchmark(models=[model("m", memory_gb=1.0), model("n", memory_gb=1.0)])
    records = [vote for name in ("m", "n") for vote in (response(model=name), *quality("q", name, 60))]
    for row in (scored(board, records).row("m"), group_row(scored(board, records), "science")):
        assert (row.qpr, row.qpr_pct, row.absent["qpr_pct"]) == (60.0, None, "all QPRs are equal")


def test_a_contestant_of_unknown_memory_has_no_quality_per_resource_and_does_not_move_the_others() -> None:
    board = benchmark(models=[model("m"), model("n", memory_gb=1.0), model("o", memory_gb=1.0)])
    given = {"m": 99, "n": 60, "o": 30}
    records = [vote for name, p in given.items() for vote in (response(model=name), *quality("q", name, p))]
    results = scored(board, records)
    unknown = results.row("m")
    assert (unknown.qpr, unknown.qpr_pct) == (None, None)
    assert (unknown.absent["qpr"], unknown.absent["qpr_pct"]) == ("the memory size is unknown", "the QPR is absent")
    assert [results.row(name).qpr_pct for name in ("n", "o")] == [100.0, 0.0]


def test_the_size_on_disk_is_that_of_the_spec_or_absent() -> None:
    board = benchmark(models=[model("m", disk_gb=7.5), model("n")])
    results = scored(board, [*judged({"q": 50}), *judged({"q": 50}, "n")])
    assert results.row("m").model_disk_gb == 7.5
    assert results.row("n").model_disk_gb is None
    assert results.row("n").absent["model_disk_gb"] == "the backend reports no size"


def ended(item: str, how: Ended, *, by: str | None = None) -> Response:
    return msgspec.structs.replace(response(item), ended=how, served_model=by)


def test_answers_that_did_not_end_by_themselves_are_counted_by_what_ended_them() -> None:
    """Of five answers two ended at the limit, one was withheld, one marked as a refusal; one ended by itself."""
    ends: dict[str, Ended] = {"a": "length", "b": "length", "c": "content_filter", "d": "refusal", "e": "stop"}
    row = row_of(FIVE, [ended(item, how) for item, how in ends.items()])
    assert (row.ended_length, row.ended_content_filter, row.ended_refusal, row.ended_tool_calls) == (2, 1, 1, 0)
    assert row.n_scored == 5


def test_answers_of_another_model_than_the_one_asked_are_counted_by_its_name() -> None:
    by = {"a": "old-1", "b": None, "c": "new-2", "d": "old-1", "e": None}
    row = row_of(FIVE, [ended(item, "stop", by=name) for item, name in by.items()])
    assert row.served_by == {"new-2": 1, "old-1": 2}
    assert row.served_by_another == 3


def test_a_call_that_failed_ended_in_no_way_and_was_served_by_nobody() -> None:
    failed = msgspec.structs.replace(response("a", state="errored"), ended="length", served_model="other")
    row = row_of(FIVE, [failed, response("b")])
    assert (row.ended_length, row.served_by, row.served_by_another) == (0, {}, 0)


def test_of_two_answers_at_one_place_only_the_end_of_the_later_counts() -> None:
    board = benchmark()
    records: list[Record] = [ended("q", "length", by="other"), *judged({"q": 50})]
    row = scored(board, records).row("m")
    assert (row.ended_length, row.served_by) == (0, {})
