"""A folder of specs: what is read from it, what must be there, and what is refused because nobody reads it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, edit, small_benchmark, write_small_benchmark

from nullbench_site.errors import SpecError, StorageError, UsageError
from nullbench_site.specs.load import load_benchmark

NOBODY_READS = (
    "nothing reads this file; specs are benchmark.yaml, axes.yaml, judges.yaml, endpoints.yaml, .yaml files in "
    "boards/, domains/, goals/ and models/, templates/*.j2, and .jsonl files in domains/ that a category names as its "
    "items_file"
)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_small_benchmark(tmp_path)


def problems(specs: Path) -> list[str]:
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    return [str(problem) for problem in refused.value.problems]


def test_the_small_benchmark_is_whole(tmp_path: Path) -> None:
    benchmark = small_benchmark(tmp_path)
    assert list(benchmark.boards) == ["small"]
    assert list(benchmark.domains) == ["gardens", "rivers"]
    assert list(benchmark.models) == ["lead-2", "null-constant", "null-empty", "textrank-2"]
    assert sorted(model.kind for model in benchmark.models.values()) == ["baseline", "baseline", "null", "null"]
    assert list(benchmark.judges) == ["support", "restraint", "form"]
    assert list(benchmark.goals) == ["growing", "levels", "fish"]
    assert list(benchmark.templates) == ["zero-context"]


def test_what_is_loaded_cannot_be_changed(tmp_path: Path) -> None:
    benchmark = small_benchmark(tmp_path)
    with pytest.raises(TypeError):
        benchmark.models["lead-2"] = benchmark.models["null-empty"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        benchmark.models["lead-2"].title = "Lead-3"  # type: ignore[misc]


def test_a_folder_without_specs_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        load_benchmark(tmp_path / "nowhere")
    assert str(refused.value) == (
        f"{tmp_path}/nowhere: found no benchmark.yaml here; run the command in a benchmark's folder, or make one with: "
        "nullbench-site init DIR"
    )


@pytest.mark.parametrize("name", ["axes.yaml", "judges.yaml"])
def test_a_missing_file_is_named(specs: Path, name: str) -> None:
    (specs / name).unlink()
    assert problems(specs) == [f"specs/{name}:1:1: the file is missing; every benchmark has one"]


@pytest.mark.parametrize("name", ["boards", "domains", "goals", "models"])
def test_a_missing_or_empty_folder_is_named(specs: Path, name: str) -> None:
    expected = [f"specs/{name}:1:1: no .yaml file in specs/{name}/; a benchmark needs one or more"]
    shutil.rmtree(specs / name)
    assert problems(specs) == expected
    (specs / name).mkdir()
    assert problems(specs) == expected


def test_a_board_needs_its_template(specs: Path) -> None:
    shutil.rmtree(specs / "templates")
    assert problems(specs) == ["specs/boards/small.yaml:10:11: unknown template 'zero-context'; none is defined"]


@pytest.mark.parametrize(
    "name",
    [
        "models/lead-3.yml", "models/LEAD.YAML", "models/old/lead-3.yaml", "lead-3.yaml", "domains/fish.jsonl",
        "fish.jsonl", "schema/item.yaml", "plain.j2", "templates/en/plain.j2",
    ],
)  # fmt: skip
def test_a_spec_where_nobody_reads_it_is_refused(specs: Path, name: str) -> None:
    """It would be left out silently."""
    (specs / name).parent.mkdir(exist_ok=True)
    (specs / name).write_text("id: lead-3\n")
    assert problems(specs) == [f"specs/{name}:1:1: {NOBODY_READS}"]


@pytest.mark.parametrize("name", ["README.md", "schema/item.json", "models/lead-2.yaml.orig", "domains/.gitkeep"])
def test_files_that_are_no_specs_are_nobody_s_business(specs: Path, name: str) -> None:
    (specs / name).parent.mkdir(exist_ok=True)
    (specs / name).write_text("id: lead-3\n")
    assert load_benchmark(specs, backends=BACKENDS).about.id == "small"


def test_a_folder_with_the_name_of_a_file_is_named(specs: Path) -> None:
    (specs / "models/lead-3.yaml").mkdir()
    assert problems(specs) == ["specs/models/lead-3.yaml:1:1: this is a folder or a broken link"]


def test_a_broken_link_is_named(specs: Path) -> None:
    (specs / "models/lead-3.yaml").symlink_to("../../elsewhere/lead-3.yaml")
    assert problems(specs) == ["specs/models/lead-3.yaml:1:1: this is a folder or a broken link"]


@pytest.mark.parametrize("name", ["models/lead-2.yaml", "axes.yaml", "templates/zero-context.j2"])
def test_a_file_that_the_disk_does_not_give_is_named(specs: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == specs / name:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StorageError) as refused:
        load_benchmark(specs)
    assert str(refused.value) == f"{specs}/{name}: cannot read (Permission denied); mend that and run the command again"


def test_a_domain_that_cannot_be_read_does_not_make_its_items_file_a_stranger(specs: Path) -> None:
    (specs / "domains/fish.jsonl").write_text("")
    edit(specs, "domains/rivers.yaml", "    goal: fish\n", "    goal: fish\n    items_file: fish.jsonl\n")
    edit(specs, "domains/rivers.yaml", "title: Rivers", "title: [")
    assert [problem for problem in problems(specs) if NOBODY_READS in problem] == []


def test_a_template_of_another_encoding_is_refused_at_its_byte(specs: Path) -> None:
    (specs / "templates/zero-context.j2").write_bytes(
        "{{ task }}\nRésumé é ".encode() + "é {{ source }}".encode("latin-1")
    )
    assert problems(specs) == [
        "specs/templates/zero-context.j2:2:10: byte 0xe9 is not UTF-8; save the file with the encoding UTF-8"
    ]


def test_a_template_is_the_same_with_a_byte_order_mark_and_windows_line_ends(specs: Path) -> None:
    plain = load_benchmark(specs).templates["zero-context"]
    path = specs / "templates/zero-context.j2"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_benchmark(specs).templates["zero-context"] == plain


def test_specs_may_be_named_by_a_relative_path(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(specs.parent)
    edit(specs, "boards/small.yaml", "panel: rules", "panel: jury")
    assert problems(Path("specs")) == ["specs/boards/small.yaml:9:8: unknown panel 'jury'; known: rules"]


def test_loading_is_deterministic(specs: Path, tmp_path: Path) -> None:
    """The order in which a file system lists files is none of its business."""
    copy = tmp_path / "copy" / "specs"
    for path in sorted(specs.rglob("*"), reverse=True):
        if path.is_file():
            target = copy / path.relative_to(specs)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    assert repr(load_benchmark(copy)) == repr(load_benchmark(specs))
