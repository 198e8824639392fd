"""What of other packages a run records: what took part and can change a score, with its version."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from support.benchmarks import write_benchmark
from support.packages import installed
from support.repositories import build, run_dir, small_repository
from support.runs import OPEN

from nullbench_site.evaluation.backends.programs import ProgramsBackend
from nullbench_site.runs.manifest import read_manifest, used_extensions, write_manifest
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark

THEIRS = "somebody-elses 1.2"


class _Small(msgspec.Struct, tag="small"):
    """The parameters of a check."""


def with_check(benchmark: Benchmark, **changes: Any) -> Benchmark:
    """The same with the check `small` on its first item, which has these fields too."""
    name, domain = next(iter(benchmark.domains.items()))
    category, *categories = domain.categories
    item, *items = category.items
    category = replace(category, items=(replace(item, checks=(_Small(),), **changes), *items))
    return dataclasses.replace(
        benchmark, domains={**benchmark.domains, name: replace(domain, categories=(category, *categories))}
    )


def test_what_the_specs_use_of_another_package_is_named_with_its_version_and_nothing_else(tmp_path: Path) -> None:
    benchmark = load_benchmark(write_benchmark(tmp_path / "specs", "rubric"))
    (board,) = benchmark.boards.values()
    model = next(iter(benchmark.models.values()))
    entries = {
        **dict.fromkeys(("protocols/theirs", "checks/small", "checks/unused", "metrics/speed"), "somebody:x"),
        **dict.fromkeys(("programs/parrot", "programs/idle", "backends/telex", "backends/idle"), "somebody:x"),
    }
    with installed(tmp_path / "packages", entries):
        assert used_extensions(benchmark) == {"metrics/speed": THEIRS}
        theirs = dataclasses.replace(
            with_check(benchmark),
            boards={board.id: replace(board, protocol="theirs")},
            models={
                "one": replace(model, backend="offline", model="parrot"),
                "other": replace(model, backend="telex", model="idle"),
            },
        )
        assert used_extensions(theirs) == {
            "backends/telex": THEIRS,
            "checks/small": THEIRS,
            "metrics/speed": THEIRS,
            "programs/parrot": THEIRS,
            "protocols/theirs": THEIRS,
        }
    assert used_extensions(theirs) == {}


SPEED = """
from nullbench_site.scoring.columns import Metric

x = Metric(
    id="speed", title="Speed", short="Speed", unit="answers", direction="higher", sentence="Speed.", source="a test",
    value=lambda observations: 12.5,
)
"""


def test_a_run_records_them_when_it_is_made(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    with installed(tmp_path / "packages", {"metrics/speed": "somebody:x"}, SPEED):
        build(repository)
        folder = run_dir(repository)
        assert read_manifest(folder).extensions == {"metrics/speed": THEIRS}
        assert read_manifest(folder).backends == {"offline": ProgramsBackend.identity}
    (row, *_) = csv.DictReader((folder / "results/main/leaderboard.csv").read_text("utf-8").splitlines())
    assert row["speed"] == "12.5"
    assert read_manifest(folder).extensions == {"metrics/speed": THEIRS}


def test_a_manifest_without_any_is_written_as_before_there_were_any(tmp_path: Path) -> None:
    text = write_manifest(tmp_path, OPEN).text()
    assert b"extensions" not in text
    assert b"backends" not in text
    written = write_manifest(tmp_path, replace(OPEN, extensions={"checks/small": THEIRS}))
    assert b'\n "extensions": {\n  "checks/small": "somebody-elses 1.2"\n },\n' in written.text()
    assert read_manifest(tmp_path) == written
