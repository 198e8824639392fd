"""What a mistake in a spec of the `rubric` protocol is called, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark
from support.mistakes import Case, assert_refused, table

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.load import load_benchmark

TABLES = Path(__file__).parent / "bad"


@pytest.mark.parametrize("case", table(TABLES / "rubric.txt"), ids=lambda case: case.name)
def test_a_mistake_is_named_once_at_its_place(tmp_path: Path, case: Case) -> None:
    assert_refused(case, write_benchmark(tmp_path, "rubric", live=True))


@pytest.mark.parametrize("case", table(TABLES / "rubric-new.txt"), ids=lambda case: case.name)
def test_what_is_refused_of_new_specs_is_named_once_and_passes_in_an_old_run(tmp_path: Path, case: Case) -> None:
    specs = write_benchmark(tmp_path, "rubric", live=True)
    assert_refused(case, specs, backend_names())
    load_benchmark(specs)


def test_an_axes_board_cannot_take_the_domains_of_a_rubric_board(tmp_path: Path) -> None:
    specs, other = write_benchmark(tmp_path / "a"), write_benchmark(tmp_path / "b", "rubric", live=True)
    (specs / "domains/storage.yaml").write_text((other / "domains/storage.yaml").read_text())
    edit(specs, "boards/small.yaml", "[gardens, rivers]", "[gardens, rivers, storage]")
    with pytest.raises(SpecError, match="domain 'storage' has protocol 'rubric', but this board has 'axes'"):
        load_benchmark(specs)
