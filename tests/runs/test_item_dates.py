"""The dates of items: from commits and sealed runs, in the manifest, by `verify`, and against releases of models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support.boards import model
from support.private import git
from support.repositories import build, edit, run_dir

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.runs.item_dates import SHALLOW, dates_of_items
from nullbench_site.runs.manifest import ItemDates, read_manifest, write_manifest
from nullbench_site.scoring.item_dates import NOT_FIXED, NOT_RELEASED, is_newer, item_date_rows
from nullbench_site.scoring.recomputation import recomputed
from nullbench_site.specs.load import load_benchmark

ITEMS = 12


def made_by(repository: Repository, maker: str) -> None:
    edit(repository.specs / "boards" / "main.yaml", "protocol:", f"items_made: {{by: {maker}, how: exams}}\nprotocol:")


@pytest.fixture
def dated(repository: Repository) -> Repository:
    """A repository without a commit whose items people made."""
    git(repository.root, "init", "-q")
    made_by(repository, "people")
    return repository


def commit(root: Path, day: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_DATE", f"{day}T12:00:00Z")
    git(root, "add", "--all")
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "Specs")
    return f"commit {git(root, 'rev-parse', 'HEAD').strip()[:12]}"


def dates(repository: Repository) -> ItemDates | None:
    return dates_of_items(load_benchmark(repository.specs), repository.runs / "new").get("main")


@pytest.mark.parametrize("maker", ["model", "mixed", "publisher"])
def test_items_that_a_model_may_have_made_have_no_date(
    repository: Repository, maker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository.root, "init", "-q")
    commit(repository.root, "2026-03-01", monkeypatch)
    assert dates(repository) is None
    made_by(repository, maker)
    assert dates(repository) is None


def test_the_date_is_that_of_the_first_commit_with_the_text_of_an_item(
    dated: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(dated.root, "2026-03-01", monkeypatch)
    (dated.root / "specs" / "note.txt").write_text("More")
    commit(dated.root, "2026-05-01", monkeypatch)
    found = dates(dated)
    assert found is not None
    assert (found.n_items, found.first, found.source, found.absent) == (ITEMS, "2026-03-01", first, None)


def test_a_text_in_another_file_and_in_other_quotes_is_the_same_text(
    dated: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = dated.specs / "domains" / "science.yaml"
    text = domain.read_text("utf-8")
    quoted = text.replace("\n", "\\n").replace('"', '\\"')
    domain.unlink()
    (dated.specs / "old.json").write_text(f'{{"draft": "{quoted}"}}')
    first = commit(dated.root, "2025-12-31", monkeypatch)
    domain.write_text(text, "utf-8")
    (dated.specs / "old.json").unlink()
    commit(dated.root, "2026-03-01", monkeypatch)
    found = dates(dated)
    assert found is not None
    assert (found.first, found.source) == ("2025-12-31", first)


def test_a_replaced_commit_does_not_hide_the_first_one(dated: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    first = commit(dated.root, "2026-03-01", monkeypatch)
    second = commit(dated.root, "2026-05-01", monkeypatch).split()[1]
    git(dated.root, "replace", "--graft", second)
    found = dates(dated)
    assert found is not None
    assert (found.first, found.source) == ("2026-03-01", first)


def test_dates_that_cannot_be_known_say_why(dated: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = dates(dated)
    assert found is not None
    assert str(found.absent).startswith("no commit and no earlier sealed run has the text of item ")
    commit(dated.root, "2026-03-01", monkeypatch)
    commit(dated.root, "2026-04-01", monkeypatch)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{dated.root}", str(tmp_path / "shallow"))
    assert dates(Repository(tmp_path / "shallow")) == ItemDates(n_items=ITEMS, absent=SHALLOW)


def test_an_earlier_sealed_run_dates_items_without_git(repository: Repository) -> None:
    build(repository)
    earlier = read_manifest(run_dir(repository))
    assert earlier.sealed
    assert earlier.item_dates == {}
    assert b"item_dates" not in (run_dir(repository) / "manifest.json").read_bytes()
    made_by(repository, "program")
    found = dates(repository)
    assert found is not None
    assert (found.first, found.source) == (earlier.date, f"run {earlier.run}")


def test_a_run_keeps_the_dates_and_verify_checks_them(dated: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    first = commit(dated.root, "2026-03-01", monkeypatch)
    api.build(dated, render_site=False)
    run = run_dir(dated)
    manifest = read_manifest(run)
    assert (manifest.item_dates["main"].first, manifest.item_dates["main"].source) == ("2026-03-01", first)
    assert recomputed(run, manifest).problems == []
    commit(dated.root, "2026-06-01", monkeypatch)
    assert recomputed(run, manifest).problems == []
    later = msgspec.structs.replace(manifest.item_dates["main"], first="2026-08-01")
    changed = write_manifest(run, msgspec.structs.replace(manifest, item_dates={"main": later}))
    (problem,) = recomputed(run, changed).problems
    assert f"the first item of board 'main' is from 2026-03-01 ({first}), the manifest says 2026-08-01" in problem
    (dated.root / ".git").rename(dated.root.parent / "elsewhere")
    outcome = recomputed(run, manifest)
    assert outcome.problems == []
    assert any("the dates of its items are not checked here" in note for note in outcome.notes)


@pytest.mark.parametrize(
    ("first", "released", "newer"),
    [
        ("2026-03-03", "2026-03-01", True),
        ("2026-03-02", "2026-03-01", False),
        ("2026-04-02", "2026-03", True),
        ("2026-04-01", "2026-03", False),
        ("2025-01-02", "2024", True),
        ("2025-01-01", "2024", False),
        ("2024-03-02", "2024-02", True),
        ("2024-03-01", "2024-02", False),
        ("2020-01-01", "2024", False),
    ],
)
def test_items_are_newer_from_the_second_day_after_the_last_day_of_the_release(
    first: str, released: str, newer: bool
) -> None:
    assert is_newer(first, released) is newer


@pytest.mark.parametrize(
    ("name", "released", "newer", "absent"),
    [
        ("small-1b@sha256-b179c9523d0e", "2024-11", True, None),
        ("small-2026-05-01", "2026-05", False, None),
        ("small-latest", "2024-11", None, NOT_FIXED),
        ("small", "2024-11", None, NOT_FIXED),
        ("small-2024-11-05", None, None, NOT_RELEASED),
        ("small-2024-11-05", "2024-13", None, "'2024-13' is not a date; correct `released`"),
    ],
)
def test_a_release_counts_only_if_the_name_fixes_the_weights(
    repository: Repository, name: str, released: str | None, newer: bool | None, absent: str | None
) -> None:
    benchmark = load_benchmark(repository.specs)
    board = benchmark.boards["main"]
    asked = msgspec.structs.replace(model("asked"), backend="openai", model=name, released=released)
    of = msgspec.structs.replace(board, contestants="all")
    models = {**benchmark.models, "asked": asked}
    stated = ItemDates(n_items=ITEMS, first="2026-03-01", source="commit 1a2b3c")
    (row,) = item_date_rows(replace(benchmark, models=models), of, {"main": stated})
    assert (row.model, row.newer, row.absent, row.first) == ("asked", newer, absent, "2026-03-01")
