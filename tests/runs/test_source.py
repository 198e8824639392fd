"""Which commit a run was made from, as its manifest has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.private import git
from support.repositories import build, run_dir

from nullbench_site.git import Source, source_of
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs, summaries
from nullbench_site.runs.manifest import read_manifest


def commit(root: Path) -> str:
    git(root, "add", "--all")
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Specs")
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def tracked(repository: Repository) -> Repository:
    git(repository.root, "init", "-q")
    git(repository.root, "remote", "add", "origin", "https://token@example.org/secret.git")
    return repository


def test_a_run_names_the_commit_of_its_specs_and_neither_a_path_nor_a_remote(tracked: Repository) -> None:
    head = commit(tracked.root)
    build(tracked, "lead-2")
    manifest = read_manifest(run_dir(tracked))
    assert manifest.source == Source(head, dirty=False)
    text = (run_dir(tracked) / "manifest.json").read_text()
    assert "example.org" not in text
    assert str(tracked.root) not in text
    (told,) = summaries(list_runs(tracked.runs))
    assert (told.commit, told.dirty, told.state, told.bytes) == (head, False, "open", None)


@pytest.mark.parametrize(("name", "dirty"), [("specs/new.txt", True), ("answers/a.jsonl", True), ("runs/x/y", False)])
def test_dirty_is_what_the_run_follows_from(tracked: Repository, name: str, dirty: bool) -> None:
    head = commit(tracked.root)
    path = tracked.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("new")
    assert source_of(tracked.specs) == Source(head, dirty)


def test_specs_in_a_folder_of_a_larger_repository_have_its_commit(tracked: Repository, tmp_path: Path) -> None:
    larger = tmp_path / "larger"
    larger.mkdir()
    (tracked.root / ".git").rename(larger / ".git")
    tracked.root.rename(larger / "board")
    head = commit(larger)
    specs = larger / "board" / "specs"
    assert source_of(specs) == Source(head, dirty=False)
    (larger / "elsewhere").write_text("new")
    assert source_of(specs) == Source(head, dirty=False)
    (specs / "benchmark.yaml").write_text("id: other\n")
    assert source_of(specs) == Source(head, dirty=True)


def test_without_git_or_a_commit_the_reason_stands_there(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert source_of(repository.specs) == Source(absent="there is no git repository with a commit")
    git(repository.root, "init", "-q")
    assert source_of(repository.specs) == Source(absent="there is no git repository with a commit")
    (repository.root / ".gitignore").write_text("/specs/\n")
    commit(repository.root)
    assert source_of(repository.specs) == Source(absent="git does not track the specs")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert source_of(repository.specs) == Source(absent="git is not installed")
