"""Times, lengths and quality per resource as they reach the rows of a board."""

from __future__ import annotations

import pytest
from support.boards import JUDGES, benchmark, category, domain, group_row, judgment, model, response, scored

from nullbench_site.runs.records import Judgment

FIVE = benchmark(domain("x", category("y", "a", "b", "c", "d", "e")))


def quality(item: str, name: str, percent: int) -> list[Judgment]:
    return [judgment(judge, item, name, quality=percent) for judge in JUDGES]


def test_response_times_are_summed_up_in_milliseconds() -> None:
    """1, 2, 3, 4, 10 s: median 3 s, p95 = 4 + 0.8 * (10 - 4) = 8.8 s (0.95 * 4 = 3.8 steps up), longest 10 s,
    mean 4 s, sd = sqrt((9 + 4 + 1 + 0 + 36) / 5) = sqrt(10).
    stability = cbrt(3 / 8.8 * 8.8 / 10 / (1 + sqrt(10) / 4)) = cbrt(0.3 / 1.790569) = 0.551283."""
    seconds = {"a": 3.0, "b": 1.0, "c": 10.0, "d": 2.0, "e": 4.0}
    row = scored(FIVE, [response(item, seconds=time) for item, time in seconds.items()]).row("m")
    assert row.median_response_time_ms == 3000.0
    assert row.p95_response_time_ms == 8800.0
    assert row.max_response_time_ms == 10_000.0
    assert row.mean_time_s == 4.0
    assert row.stability == pytest.approx((0.3 / (1 + 10**0.5 / 4)) ** (1 / 3), abs=1e-6)


def test_lengths_are_counted_in_runes_and_throughput_is_total_over_total() -> None:
    """10, 20 and 60 runes in 1, 2 and 3 s: median 20, 90 runes in 6 s = 15 a second, 3.75 tokens a second."""
    board = benchmark(domain("x", category("y", "a", "b", "c")))
    texts = {"a": "é" * 10, "b": "\U0001f600" * 20, "c": "x" * 60}
    answers = [response(item, text=text, seconds=n + 1) for n, (item, text) in enumerate(texts.items())]
    row = scored(board, answers).row("m")
    assert (row.median_response_length, row.throughput_rps, row.throughput_tps) == (20.0, 15.0, 3.75)
    assert row.tokens_exact is False


def test_tokens_are_those_the_endpoint_counted_if_it_counted_every_answer() -> None:
    """6 + 12 tokens in 1 + 2 s are 6 a second. With one answer uncounted: 2 * 10 runes in 3 s / 4 = 1.666667."""
    board = benchmark(domain("x", category("y", "a", "b")))
    exact = [response("a", tokens=6, seconds=1), response("b", tokens=12, seconds=2)]
    assert (scored(board, exact).row("m").throughput_tps, scored(board, exact).row("m").tokens_exact) == (6.0, True)
    partly = [response("a", tokens=6, seconds=1), response("b", seconds=2)]
    assert scored(board, partly).row("m").throughput_tps == 1.666667
    assert scored(board, partly).row("m").tokens_exact is False


def test_calls_that_failed_are_in_no_percentile_and_no_throughput() -> None:
    board = benchmark(domain("x", category("y", "a", "b")))
    row = scored(board, [response("a", seconds=2.0), response("b", seconds=60.0, state="errored")]).row("m")
    assert (row.max_response_time_ms, row.throughput_rps, row.median_response_length) == (2000.0, 5.0, 10.0)
    assert row.mean_time_s == 31.0


def test_without_an_answer_there_is_no_telemetry_and_a_reason_where_one_could_be_asked_for() -> None:
    row = scored(benchmark(), [response(state="errored")]).row("m")
    assert row.median_response_time_ms is row.p95_response_time_ms is row.max_response_time_ms is None
    assert row.median_response_length is row.stability is row.throughput_rps is row.throughput_tps is None
    assert row.tokens_exact is False
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
    results = scored(board, [response(), response(model="n")])
    assert results.row("m").model_disk_gb == 7.5
    assert results.row("n").model_disk_gb is None
    assert results.row("n").absent["model_disk_gb"] == "the backend reports no size"
