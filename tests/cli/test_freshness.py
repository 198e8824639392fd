"""A build with nothing changed leaves the site as it is; whatever a page follows from makes it anew."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from support.packages import installed
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.errors import NullbenchError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.stamp import RunStamp, program_files
from nullbench_site.site import render
from nullbench_site.site.freshness import data_digest, inputs_digest, kept_or_made, remember, stands
from nullbench_site.site.tree import Kept, write_tree

FILES = (
    "mkdocs.yml",
    "specs/boards/main.yaml",
    "runs/1.0.0-0123abcd/manifest.json",
    "runs/1.0.0-0123abcd/responses/lead-2.jsonl",
    "site_templates/assets/css/own.css",
)
RUN = "1.0.0-0123abcd"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (*FILES, "site/index.html", "site/a/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("theme: material\n")
        os.utime(tmp_path / name, (1, 1))
    remember(tmp_path / "site", inputs_digest(tmp_path, RUN), tmp_path / "stamp")
    return tmp_path


def is_left(root: Path, run: str = RUN) -> bool:
    return stands(root / "site", inputs_digest(root, run), root / "stamp")


def test_an_unchanged_site_is_kept(root: Path) -> None:
    (root / ".nullbench").mkdir()
    (root / "runs/.lock").touch()
    (root / "specs/boards/.main.yaml.swp").touch()
    (root / "site_templates/assets/__pycache__").mkdir()
    (root / "site_templates/assets/__pycache__/own.pyc").touch()
    assert is_left(root)


REASONS: dict[str, tuple[Callable[[Path], object], Sequence[str]]] = {
    "written again with the same text": (lambda path: path.write_text("theme: material\n"), FILES),
    "removed": (lambda path: path.unlink(), (*FILES[1:], "site/index.html", "site/a/index.html")),
    "new": (
        lambda path: (path.parent.mkdir(exist_ok=True), path.touch()),
        ("site/more.html", "specs/models/new.yaml", "runs/1.0.0-0123abcd.r2/manifest.json"),
    ),
}


@pytest.mark.parametrize(("change", "name"), [(change, name) for change in REASONS for name in REASONS[change][1]])
def test_a_changed_file_is_a_reason_to_render(root: Path, change: str, name: str) -> None:
    REASONS[change][0](root / name)
    assert not is_left(root)


@pytest.mark.parametrize(
    ("link", "below"), [("mkdocs.yml", "."), ("specs/boards", "main.yaml"), ("specs/boards/main.yaml", ".")]
)
def test_a_change_behind_a_link_is_a_reason_to_render(
    root: Path, tmp_path_factory: pytest.TempPathFactory, link: str, below: str
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "content"
    (root / link).rename(elsewhere)
    (root / link).symlink_to(elsewhere)
    remember(root / "site", inputs_digest(root, RUN), root / "stamp")
    assert is_left(root)
    (elsewhere / below).write_text("theme: material\n")
    assert not is_left(root)


def test_another_program_is_a_reason_to_render(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp(root).note(RUN, b"")
    monkeypatch.setattr("nullbench_site.runs.stamp.PACKAGE", tmp_path / "specs")
    program_files.cache_clear()
    assert not is_left(root)
    assert stamp(root).noted is None
    monkeypatch.undo()
    program_files.cache_clear()
    assert is_left(root)
    assert noted_run(stamp(root)) == RUN


def test_another_run_version_or_build_date_is_a_reason_to_render(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_left(root, "1.0.0-0123abcd.r2")
    with monkeypatch.context() as context:
        context.setenv("SOURCE_DATE_EPOCH", "1")
        assert not is_left(root)
    with monkeypatch.context() as context:
        context.setattr("nullbench_site.site.freshness.__version__", "0.0.0")
        assert not is_left(root)
    assert is_left(root)


@pytest.mark.parametrize("kind", ["protocols", "checks", "metrics"])
def test_a_new_extension_is_a_reason_to_render(root: Path, tmp_path: Path, kind: str) -> None:
    with installed(tmp_path / "packages", {f"{kind}/more": "somebody:more"}):
        assert not is_left(root)
    assert is_left(root)


def test_a_variable_of_mkdocs_yml_is_a_reason_to_render(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "mkdocs.yml").write_text("theme: material\nsite_url: !ENV [BOARD_URL, '']\n")
    remember(root / "site", inputs_digest(root, RUN), root / "stamp")
    assert is_left(root)
    monkeypatch.setenv("BOARD_URL", "https://board.example/")
    assert not is_left(root)


def stamp(root: Path, profile: str | None = None, private: str = "private") -> RunStamp:
    return RunStamp.of(root / "run.stamp", root / "runs", root / "specs", root / private, profile)


def noted_run(stamp: RunStamp) -> str | None:
    return stamp.noted.run if stamp.noted else None


def test_the_sealed_run_is_remembered_until_specs_or_runs_change(root: Path) -> None:
    assert stamp(root).noted is None
    for name in FILES[1:4]:
        stamp(root).note(RUN, b"")
        assert noted_run(stamp(root)) == RUN
        before = (root / name).stat()
        (root / name).write_text("theme: materiaL\n")
        os.utime(root / name, ns=(before.st_atime_ns, before.st_mtime_ns))  # as who restores a copy does
        assert stamp(root).noted is None, name


def test_specs_that_changed_while_a_build_ran_are_read_by_the_next(root: Path) -> None:
    begun = stamp(root)
    (root / FILES[1]).write_text("theme: other\n")
    begun.note(RUN, b"")
    assert stamp(root).noted is None


def test_another_profile_extension_or_private_text_needs_a_build(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp(root).note(RUN, b"")
    assert stamp(root, profile="live").noted is None
    with monkeypatch.context() as context:
        context.setattr("nullbench_site.runs.stamp.__version__", "0.0.0")
        assert stamp(root).noted is None
    assert stamp(root).noted is not None
    (root / "hidden").mkdir()
    (root / "hidden/main.jsonl").touch()
    stamp(root, private="hidden").note(RUN, b"")
    assert stamp(root, private="hidden").noted is None
    with installed(tmp_path / "packages", {"checks/more": "somebody:more"}):
        stamp(root).note(RUN, b"")
        assert stamp(root).noted is None


def test_an_unchanged_build_reads_no_spec_and_reports_the_same(
    built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = api.build(built, render_site=False)
    with monkeypatch.context() as context:
        context.setattr(api, "validate", None)
        known = api.build(built, render_site=False)
        with pytest.raises(TypeError):
            api.build(built, BuildOptions(fresh=True), render_site=False)
        with pytest.raises(TypeError):
            api.build(built, profile="live", render_site=False)
    assert (known.run, known.calls) == (found.run, found.calls)
    assert known.calls.reused == known.calls.planned > 0


def test_a_stamp_that_cannot_be_read_is_none(root: Path) -> None:
    stamp(root).note(RUN, b"")
    (root / "run.stamp").write_bytes(b"0123 1.0.0-0123abcd")
    assert stamp(root).noted is None
    (root / "run.stamp").unlink()
    (root / "run.stamp").mkdir()
    assert stamp(root).noted is None


def test_an_unchanged_plan_reads_no_spec_and_reports_the_same(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first build on. A plan of anything else reads them."""
    api.build(repository, render_site=False)
    with monkeypatch.context() as context:
        context.setattr(api, "validate", None)
        noted = api.plan(repository, Selection())
        for other in (Selection(models=["lead-2"]), Selection(boards=["main"])):
            with pytest.raises(TypeError):
                api.plan(repository, other)
        for name in ("fresh", "retry_failed"):
            with pytest.raises(TypeError):
                api.plan(repository, Selection(), **{name: True})
        with pytest.raises(TypeError):
            api.plan(repository, Selection(), profile="live")
    (repository.cache / "run.stamp").unlink()
    assert api.plan(repository, Selection()) == noted
    assert (noted.to_make.total(), noted.known.total()) == (0, noted.planned)


def _made_a_link(path: Path) -> None:
    """The same file or folder, with the same times, behind a link."""
    path.rename(path.parents[1] / "elsewhere")
    path.symlink_to(path.parents[1] / "elsewhere")


def _private(repository: Repository, name: str) -> Path:
    (repository.root / "private").mkdir()
    return repository.root / "private" / name


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        pytest.param(lambda repository: _made_a_link(repository.specs / "boards"), "specs/boards:1:1", id="folder"),
        pytest.param(
            lambda repository: _made_a_link(run_dir(repository) / "responses"), "responses: this is a symlink", id="run"
        ),
        pytest.param(
            lambda repository: (repository.specs / "models/x.yaml").symlink_to("nothing"), "models/x.yaml", id="nowhere"
        ),
        pytest.param(lambda repository: (repository.specs / "models/x.yaml").mkdir(), "models/x.yaml", id="no file"),
        pytest.param(lambda repository: _private(repository, ".x.jsonl").touch(), "private/.x.jsonl", id="private"),
        pytest.param(
            lambda repository: _private(repository, "x.jsonl").symlink_to("nothing"), "private/x.jsonl", id="no text"
        ),
    ],
)
def test_what_a_plan_refuses_it_refuses_after_a_build_too(
    built: Repository, change: Callable[[Repository], None], wrong: str
) -> None:
    api.build(built, render_site=False)
    change(built)
    with pytest.raises(NullbenchError, match=re.escape(wrong)):
        api.plan(built, Selection())


def test_a_folder_that_cannot_be_listed_does_not_stop_a_plan(
    built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.build(built, render_site=False)
    planned = api.plan(built, Selection())

    def refused(path: Path) -> list[object]:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("nullbench_site.runs.stamp.files_at", refused)
    assert api.plan(built, Selection()) == planned


def test_a_model_added_after_a_build_is_planned(repository: Repository) -> None:
    model = repository.specs / "models/lead-2.yaml"
    text = model.read_text("utf-8")
    model.unlink()
    api.build(repository, render_site=False)
    before = api.plan(repository, Selection())
    model.write_text(text, "utf-8")
    after = api.plan(repository, Selection())
    assert before.to_make.total() == 0
    assert after.to_make["contestant", "lead-2"] > 0


def test_build_keeps_an_unchanged_site_and_render_does_not(built: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[Path] = []

    def render_site(*, site: Path, **others: object) -> Path:
        rendered.append(site)
        site.mkdir(exist_ok=True)
        (site / "index.html").write_text(f"{len(rendered)}")
        return site

    monkeypatch.setattr(render, "render_site", render_site)
    api.build(built)
    api.build(built)
    assert len(rendered) == 1
    (built.site / "index.html").unlink()
    api.build(built)
    api.render(built)
    api.build(built)
    assert len(rendered) == 3


def _written(folder: Path, inputs: str) -> int:
    """Write two files that follow from these inputs; returns how many were kept."""
    kept = []

    def noted() -> Iterator[tuple[str, bytes | Kept]]:
        files = {"a.json": inputs.encode(), "b/c.json": b"2"}
        for name, content in kept_or_made(folder / "tree", folder / "data.stamp", inputs, files.items):
            kept.append(isinstance(content, Kept))
            yield name, content

    write_tree(folder / "tree", noted())
    assert (folder / "tree/a.json").read_bytes() == inputs.encode()
    assert (folder / "tree/b/c.json").read_bytes() == b"2"
    return sum(kept)


def test_unchanged_data_files_are_kept(tmp_path: Path) -> None:
    assert [_written(tmp_path, inputs) for inputs in ("1", "1", "2", "2", "1")] == [0, 2, 0, 2, 0]
    (tmp_path / "tree/b/c.json").write_bytes(b"3")
    assert _written(tmp_path, "1") == 0
    (tmp_path / "tree/a.json").unlink()
    assert _written(tmp_path, "1") == 0
    (tmp_path / "tree/a.json").rename(tmp_path / "elsewhere.json")
    (tmp_path / "tree/a.json").symlink_to(tmp_path / "elsewhere.json")
    assert _written(tmp_path, "1") == 0
    (tmp_path / "data.stamp").write_bytes(b"{")
    assert _written(tmp_path, "1") == 0
    assert _written(tmp_path, "1") == 2


def test_files_that_were_not_written_are_made_again(tmp_path: Path) -> None:
    for _ in range(2):
        files = kept_or_made(tmp_path / "tree", tmp_path / "data.stamp", "1", lambda: [("a.json", b"1")])
        assert dict(files) == {"a.json": b"1"}


def test_data_files_depend_on_runs_and_specs_only(root: Path) -> None:
    before = data_digest(root, RUN)
    for name in ("mkdocs.yml", "site_templates/assets/css/own.css"):
        (root / name).write_text("theme: material\n")
    assert data_digest(root, RUN) == before
    for name in FILES[1:4]:
        (root / name).write_text("theme: material\n")
        assert data_digest(root, RUN) != before
        before = data_digest(root, RUN)
