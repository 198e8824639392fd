"""What a mistake in a spec of the `oracle` protocol is called, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark
from support.mistakes import Case, assert_refused, table

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.load import load_benchmark

COUNTING, BOARD = "domains/counting.yaml", "boards/keys.yaml"
DOZENS = "prompt: How many are 3 dozen?"
TABLES = Path(__file__).parent / "bad"


@pytest.mark.parametrize("case", table(TABLES / "oracle.txt"), ids=lambda case: case.name)
def test_a_mistake_is_named_once_at_its_place(tmp_path: Path, case: Case) -> None:
    assert_refused(case, write_benchmark(tmp_path, "oracle"))


@pytest.mark.parametrize("case", table(TABLES / "oracle-new.txt"), ids=lambda case: case.name)
def test_a_program_for_another_protocol_is_refused_of_new_specs(tmp_path: Path, case: Case) -> None:
    assert_refused(case, write_benchmark(tmp_path, "oracle"), backend_names())


def test_a_conversation_is_asked_once(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "oracle")
    edit(specs, COUNTING, DOZENS, "turns: [How many?, Why?]")
    edit(specs, COUNTING, "prompt: How many dozen are 36?", 'turns: ["How many? ", Why?]')
    with pytest.raises(SpecError, match=r"counting\.yaml:54:13: 'counting-06' has the same prompt as 'counting-05'"):
        load_benchmark(specs, backends=backend_names())


def test_that_all_include_programs_of_other_protocols_is_said_once_with_what_to_do(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "oracle")
    edit(specs, "models/copy.yaml", "model: copy", "model: task-aware")
    edit(specs, BOARD, "contestants: [copy, first-option, null-constant, null-empty]\n", "")
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=backend_names())
    assert [str(problem) for problem in refused.value.problems] == [
        "specs/boards/keys.yaml:2:1: all contestants, the default, include programs that do not support 'oracle': "
        "copy; list this board's contestants in `contestants`"
    ]


@pytest.mark.parametrize("stranger", ["axes.yaml", "judges.yaml", "goals/any.yaml"])
def test_a_file_that_no_board_of_keys_reads_is_named(tmp_path: Path, stranger: str) -> None:
    specs = write_benchmark(tmp_path, "oracle")
    (specs / stranger).parent.mkdir(exist_ok=True)
    (specs / stranger).write_text("canary: x\n", "utf-8")
    with pytest.raises(SpecError, match="nothing reads this file"):
        load_benchmark(specs)


def test_a_benchmark_of_keys_alone_has_no_axes_judges_goals_or_templates(tmp_path: Path) -> None:
    benchmark = load_benchmark(write_benchmark(tmp_path, "oracle"), backends=backend_names())
    assert benchmark.own == {"axes": {"axes": None, "goals": {}}}
    assert (benchmark.judges, benchmark.panels, benchmark.templates) == ({}, {}, {})
    assert len(list(benchmark.items(benchmark.boards["keys"]))) == 13


@pytest.mark.parametrize(("old", "new"), [("canary: ", "xcanary: "), ("protocol: ", "[protocol: ")])
def test_files_of_other_protocols_are_not_asked_for_where_every_file_has_a_mistake(
    tmp_path: Path, old: str, new: str
) -> None:
    """A key that nobody knows, and no YAML."""
    specs = write_benchmark(tmp_path, "oracle")
    spoiled = [*(specs / "domains").glob("*.yaml"), *(specs / "boards").glob("*.yaml")]
    for path in spoiled:
        edit(specs, path.relative_to(specs).as_posix(), old, new)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    assert {problem.file for problem in refused.value.problems} == {
        f"specs/{path.relative_to(specs)}" for path in spoiled
    }
