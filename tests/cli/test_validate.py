"""`validate` where a benchmark has profiles: each is checked and summed up beside the boards' own."""

from __future__ import annotations

from pathlib import Path

from support.benchmarks import edit, write_benchmark
from support.commands import nullbench


def test_validate_prints_totals_for_every_profile(tmp_path: Path) -> None:
    write_benchmark(tmp_path, live=True)
    done = nullbench(tmp_path, "validate")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "profile live: 2 contestants, 3 judges",
        "small 0.1.0: 1 board, 2 domains, 6 items, 4 contestants, 3 judges; no problem found",
    ]


def test_a_mistake_in_another_profile_is_found(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    edit(specs, "boards/small.yaml", "panel: live", "panel: life")
    done = nullbench(tmp_path, "validate")
    assert done.code == 2
    assert "specs/boards/small.yaml:20:12: unknown panel 'life'; did you mean 'live'? known: live, rules" in done.err


def test_the_schema_of_endpoints_is_written_with_the_others(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    nullbench(tmp_path, "validate", "--write-schemas")
    assert "EndpointsFile" in (specs / "schema/endpoints.json").read_text("utf-8")
