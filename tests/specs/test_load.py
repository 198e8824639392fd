"""A folder of specs: what is read from it, what must be there, and what is refused because nobody reads it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import IO, Any

import pytest
from support.benchmarks import BACKENDS, edit, small_benchmark, write_benchmark

from nullbench_site.errors import SpecError, StorageError, UsageError
from nullbench_site.protocols.axes.specs import goals_of
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark

NOBODY_READS = (
    "nothing reads this file; specs are benchmark.yaml, axes.yaml, axis-questions.yaml, judges.yaml, endpoints.yaml, "
    "ledger.yaml, questions.yaml, .yaml files in boards/, domains/, goals/, models/ and overlap/, templates/*.txt, "
    "labels/*.csv, and .jsonl files in domains/ that a category names as its items_file"
)
LINK = "symlinks are not allowed here; put the file itself in its place"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_benchmark(tmp_path)


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
    assert list(goals_of(benchmark)) == ["growing", "levels", "fish"]
    assert list(benchmark.templates) == ["zero-context"]


def test_what_is_loaded_cannot_be_changed(tmp_path: Path) -> None:
    benchmark = small_benchmark(tmp_path)
    with pytest.raises(AttributeError):
        benchmark.models["lead-2"].title = "Lead-3"  # type: ignore[misc]


def test_a_folder_without_specs_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        load_benchmark(tmp_path / "nowhere")
    assert str(refused.value) == (
        f"{tmp_path}/nowhere: no benchmark.yaml here; run the command in a benchmark's folder, or make one with: "
        f"nullbench-site init DIR"
    )


@pytest.mark.parametrize("name", ["axes.yaml", "judges.yaml"])
def test_a_missing_file_is_named(specs: Path, name: str) -> None:
    (specs / name).unlink()
    assert problems(specs) == [f"specs/{name}:1:1: missing file; every benchmark needs one"]


@pytest.mark.parametrize("name", ["boards", "domains", "goals", "models"])
def test_a_missing_or_empty_folder_is_named(specs: Path, name: str) -> None:
    expected = [f"specs/{name}:1:1: no .yaml file in specs/{name}/; a benchmark needs at least one"]
    shutil.rmtree(specs / name)
    assert problems(specs) == expected
    (specs / name).mkdir()
    assert problems(specs) == expected


def test_a_board_needs_its_template(specs: Path) -> None:
    shutil.rmtree(specs / "templates")
    assert problems(specs) == ["specs/boards/small.yaml:11:11: unknown template 'zero-context'; none is defined"]


@pytest.mark.parametrize(
    "name",
    [
        "models/lead-3.yml", "models/LEAD.YAML", "models/old/lead-3.yaml", "lead-3.yaml", "domains/fish.jsonl",
        "fish.jsonl", "schema/item.yaml",
    ],
)  # fmt: skip
def test_a_spec_where_nobody_reads_it_is_refused(specs: Path, name: str) -> None:
    """It would be left out silently."""
    (specs / name).parent.mkdir(exist_ok=True)
    (specs / name).write_text("id: lead-3\n")
    assert problems(specs) == [f"specs/{name}:1:1: {NOBODY_READS}"]


NOTES = ("README.md", "models/notes.md", "LICENSE", "domains/COPYING.txt", "schema/item.json")
LEFTOVERS = (
    "models/lead-2.yaml.orig", "models/lead-2.yaml~", "models/.lead-2.yaml.swp", "models/#lead-2.yaml#",
    "models/._lead-2.yaml", ".DS_Store", "Thumbs.db", "domains/.gitkeep", ".idea/workspace.yaml", "axes.yaml.bak",
    "models/__pycache__/lead.yaml",
)  # fmt: skip
NO_SPECS = (
    "notes.txt",
    "plain.txt",
    "templates/en/plain.txt",
    "keys.env",
    "models/weights.bin",
    "templates/prompt.jinja",
    "schema/notes.txt",
    "a b/c d",
)


@pytest.mark.parametrize("name", [*NOTES, *LEFTOVERS])
def test_notes_schemas_and_what_editors_leave_behind_are_neither_refused_nor_published(specs: Path, name: str) -> None:
    (specs / name).parent.mkdir(exist_ok=True)
    (specs / name).write_text("id: lead-3\n")
    assert load_benchmark(specs, backends=BACKENDS).about.id == "small"
    assert specs / name not in listing(specs).specs


@pytest.mark.parametrize("name", NO_SPECS)
def test_a_file_that_is_no_spec_is_refused_and_not_published(specs: Path, name: str) -> None:
    (specs / name).parent.mkdir(exist_ok=True)
    (specs / name).write_bytes(b"\xff\x00")
    [problem] = problems(specs)
    said = "not a spec; move it out of specs/, or keep notes in .md files. Specs are benchmark.yaml, axes.yaml, "
    assert problem.startswith(f"specs/{name}:1:1: {said}")
    assert specs / name not in listing(specs).specs


def test_an_old_run_may_hold_files_that_would_be_refused_of_new_specs(specs: Path) -> None:
    (specs / "notes.txt").write_text("Copied by an earlier version.\n")
    assert load_benchmark(specs).about.id == "small"


@pytest.mark.parametrize("name", ["notes.txt", "README.md", "models/lead-3.yaml", "templates/other.txt", "axes.yaml"])
def test_a_link_to_a_file_is_refused_whatever_it_is_called_and_not_read(specs: Path, name: str) -> None:
    (specs.parent / ".env").write_text("OPENAI_API_KEY=hush-hush-hush\n")
    (specs / name).unlink(missing_ok=True)
    (specs / name).symlink_to(specs.parent / ".env")
    assert problems(specs) == [f"specs/{name}:1:1: {LINK}"]
    with pytest.raises(SpecError):
        load_benchmark(specs)
    assert specs / name not in listing(specs).specs


def test_a_link_to_nothing_or_to_the_very_file_is_refused(specs: Path) -> None:
    (specs / "models/lead-3.yaml").symlink_to("../../elsewhere/lead-3.yaml")
    (specs / "models/lead-2.yaml").rename(specs.parent / "lead-2.yaml")
    (specs / "models/lead-2.yaml").symlink_to("../../lead-2.yaml")
    assert problems(specs)[:2] == [f"specs/models/{name}.yaml:1:1: {LINK}" for name in ("lead-2", "lead-3")]


@pytest.mark.parametrize("name", ["models", "models/more", "schema", "domains"])
def test_a_link_to_a_folder_is_refused_and_what_is_in_it_is_not_read(specs: Path, name: str) -> None:
    elsewhere = specs.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.yaml").write_text("hush: hush\n")
    if (specs / name).exists():
        shutil.rmtree(specs / name)
    (specs / name).symlink_to("../elsewhere" if "/" not in name else "../../elsewhere")
    said = [problem for problem in problems(specs) if not problem.startswith("specs/boards/")]
    assert said == [f"specs/{name}:1:1: {LINK}"]
    assert not any("secret" in str(path) for path in listing(specs).specs)


def test_specs_as_a_whole_may_be_a_link(specs: Path, tmp_path: Path) -> None:
    """To another checkout, say: what is published are the specs in it, and nothing beside them."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/specs").symlink_to(specs)
    assert load_benchmark(tmp_path / "other/specs", backends=BACKENDS).about.id == "small"


def test_a_pipe_among_the_specs_is_refused_and_not_waited_for(specs: Path) -> None:
    os.mkfifo(specs / "models/lead-3.yaml")
    said = "expected a file, found a pipe, a socket or a device; remove it"
    assert problems(specs) == [f"specs/models/lead-3.yaml:1:1: {said}"]


def test_a_folder_with_the_name_of_a_file_is_named(specs: Path) -> None:
    (specs / "models/lead-3.yaml").mkdir()
    assert problems(specs) == ["specs/models/lead-3.yaml:1:1: expected a file, found a folder"]


@pytest.mark.parametrize("name", ["models/lead-2.yaml", "templates/zero-context.txt", "domains/fish.jsonl"])
def test_a_huge_file_is_refused_without_reading_it_whole(specs: Path, name: str) -> None:
    """A terabyte of nothing, which takes no disk, would take all memory."""
    if name.endswith(".jsonl"):
        edit(specs, "domains/rivers.yaml", "    goal: fish\n", "    goal: fish\n    items_file: fish.jsonl\n")
    with (specs / name).open("wb") as file:
        file.truncate(2**40)
    noun = "line" if name.endswith(".jsonl") else "file"
    said = f"the {noun} has more than 4 MB; split it, or keep the items in a .jsonl file, one a line"
    assert f"specs/{name}:1:1: {said}" in problems(specs)


@pytest.mark.parametrize("name", ["models/lead-2.yaml", "axes.yaml", "templates/zero-context.txt"])
def test_a_file_that_the_disk_does_not_give_is_named(specs: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def refuse(path: Path, mode: str = "r") -> IO[Any]:
        if path == specs / name:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, mode)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(StorageError) as refused:
        load_benchmark(specs)
    assert str(refused.value) == f"{specs}/{name}: cannot read (Permission denied); fix this and run the command again"


def test_a_domain_that_cannot_be_read_does_not_make_its_items_file_a_stranger(specs: Path) -> None:
    (specs / "domains/fish.jsonl").write_text("")
    edit(specs, "domains/rivers.yaml", "    goal: fish\n", "    goal: fish\n    items_file: fish.jsonl\n")
    edit(specs, "domains/rivers.yaml", "title: Rivers", "title: [")
    assert [problem for problem in problems(specs) if NOBODY_READS in problem] == []


def test_a_template_of_another_encoding_is_refused_at_its_byte(specs: Path) -> None:
    (specs / "templates/zero-context.txt").write_bytes(
        "{{ task }}\nRésumé é ".encode() + "é {{ source }}".encode("latin-1")
    )
    assert problems(specs) == [
        "specs/templates/zero-context.txt:2:10: byte 0xe9 is not UTF-8; save the file with the encoding UTF-8"
    ]


def test_a_template_is_the_same_with_a_byte_order_mark_and_windows_line_ends(specs: Path) -> None:
    plain = load_benchmark(specs).templates["zero-context"]
    path = specs / "templates/zero-context.txt"
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


def test_an_unexpected_error_in_a_file_names_the_file(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: str, raw: bytes) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("nullbench_site.specs.load.read_document", fail)
    with pytest.raises(ZeroDivisionError) as failed:
        load_benchmark(specs)
    assert failed.value.__notes__ == [f"while reading {specs / 'benchmark.yaml'}"]
