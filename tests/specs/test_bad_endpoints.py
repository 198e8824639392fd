"""What is wrong with endpoints, prices and profiles is said once, at its place, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, edit, write_benchmark
from support.mistakes import Case, assert_refused, table

from nullbench_site.errors import SpecError
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.sources import BackendNames

ENDPOINTS, TALKER = "endpoints.yaml", "models/talker.yaml"
URL = "https://jury.example/v1"
KEY = "sk-" + "a1" * 12

CASES = table(Path(__file__).parent / "bad/live.txt", SECRET=KEY)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_mistake_is_named_once_at_its_place(case: Case, tmp_path: Path) -> None:
    assert_refused(case, write_benchmark(tmp_path, live=True), BACKENDS)


def test_the_live_benchmark_has_no_mistake(tmp_path: Path) -> None:
    load_benchmark(write_benchmark(tmp_path, live=True), backends=BACKENDS, profile="live")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x-team: tests", f"x-team: {KEY}"),
        ("x-team: tests", "x-team: 'my secret '"),
        ("x-team: tests", "authorization: my secret"),
        ("key_env: JURY_KEY", "key_env: my secret"),
        (URL, "https://ann:my%20secret@jury.example/v1"),
    ],
)
def test_no_message_repeats_a_secret(tmp_path: Path, old: str, new: str) -> None:
    specs = write_benchmark(tmp_path, live=True)
    edit(specs, ENDPOINTS, old, new)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert len(refused.value.problems) == 1
    assert KEY not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_an_endpoint_needs_the_file_that_defines_it(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    (specs / ENDPOINTS).unlink()
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert [str(problem) for problem in refused.value.problems] == [
        "specs/judges.yaml:26:15: unknown endpoint 'jury'; known: anthropic, openai",
        "specs/judges.yaml:31:77: unknown endpoint 'jury'; known: anthropic, openai",
        "specs/models/talker.yaml:7:11: unknown endpoint 'lab'; known: anthropic, openai",
    ]


def test_endpoints_that_are_a_folder_are_refused(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    (specs / ENDPOINTS).unlink()
    (specs / ENDPOINTS).mkdir()
    with pytest.raises(SpecError, match=r"^specs/endpoints.yaml:1:1: expected a file, found a folder"):
        load_benchmark(specs, backends=BACKENDS)


def test_parameters_are_checked_of_a_backend_that_takes_any_model(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    edit(specs, TALKER, "model: talker-1\n", "model: talker-1\nparams: {k: 2}\n")
    names = BackendNames(
        contestants=BACKENDS.contestants,
        judges=BACKENDS.judges,
        params_problem=lambda backend, model, params: "it takes no k" if backend == "openai" and params else None,
    )
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=names)
    assert [str(problem) for problem in refused.value.problems] == [
        "specs/models/talker.yaml:9:9: wrong params for 'talker-1': it takes no k"
    ]
