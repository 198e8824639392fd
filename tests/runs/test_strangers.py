"""What a run that somebody else made can and cannot do to whoever goes on with it; SECURITY.md says it in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from support.repositories import edit, run_dir
from support.runs import OPEN, RESPONSE, open_run

from nullbench_site import api
from nullbench_site.errors import RunError, SpecError
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.records import Judgment, Record, Response, read_records
from nullbench_site.runs.storage import exclusive


@pytest.mark.parametrize("name", ["responses/lead.jsonl", "responses", "private", "results/small"])
def test_an_open_run_with_a_link_in_it_is_not_gone_on_with(tmp_path: Path, name: str) -> None:
    """What is appended, cut or sorted would be the file it points to."""
    folder = open_run(tmp_path / "run")
    home = tmp_path / "home"
    (home / "responses").mkdir(parents=True)
    (home / "profile").write_text("half a line", "utf-8")
    link = folder.path / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(home / "profile" if name.endswith(".jsonl") else home)
    with pytest.raises(RunError, match="this is a symlink, and a run may contain only its own files"):
        RunFolder(folder.path, OPEN).append(RESPONSE)
    assert (home / "profile").read_text("utf-8") == "half a line"
    assert list((home / "responses").iterdir()) == []


def test_a_lock_that_is_a_link_empties_no_file(tmp_path: Path) -> None:
    runs, profile = tmp_path / "runs", tmp_path / "profile"
    runs.mkdir()
    profile.write_text("alias ll='ls -l'\n", "utf-8")
    (runs / ".lock").symlink_to(profile)
    with exclusive(runs):
        pass
    assert profile.read_text("utf-8") == "alias ll='ls -l'\n"


def test_a_file_of_a_sealed_run_that_is_a_link_to_equal_content_is_named(built: Repository) -> None:
    path = run_dir(built) / "responses/lead-2.jsonl"
    elsewhere = built.root / "elsewhere.jsonl"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    _, problems, _ = api.verify(built, None)
    assert problems == [f"{path}: this is a symlink, and a run may contain only its own files"]


@pytest.mark.parametrize("name", ["notes.txt", "items/science.jsonl.bak", "responses/old/lead-2.jsonl", "more/a.jsonl"])
def test_junk_in_the_private_folder_of_a_sealed_run_is_named(built: Repository, name: str) -> None:
    path = run_dir(built) / "private" / name
    path.parent.mkdir(parents=True)
    path.write_text("junk\n", "utf-8")
    _, problems, _ = api.verify(built, None)
    assert problems == [f"{path}: a run has no file of this name; remove it"]


def test_a_build_of_specs_with_a_link_makes_no_run_and_copies_nothing(repository: Repository) -> None:
    (repository.root / ".env").write_text("OPENAI_API_KEY=hush-hush-hush\n", "utf-8")
    (repository.specs / "notes.txt").symlink_to("../.env")
    with pytest.raises(SpecError, match=r"specs/notes.txt:1:1: symlinks are not allowed here"):
        api.build(repository, render_site=False)
    assert not repository.runs.exists()


def test_validate_and_plan_read_neither_settings_nor_templates_of_pages(repository: Repository) -> None:
    """So they may be run on what a stranger sends."""
    (repository.root / "mkdocs.yml").write_text("a: !!python/object/apply:os.system ['touch pwned']\n", "utf-8")
    page = repository.root / "site_templates/pages/board.html.j2"
    page.parent.mkdir(parents=True)
    page.write_text("{{ ''.__class__.__mro__ ", "utf-8")
    edit(repository.specs / "benchmark.yaml", "title: ", "title: # shown on every page\n  ")
    api.validate(repository)
    api.plan(repository, api.Selection())
    assert not repository.runs.exists()
    assert not repository.cache.exists()


@pytest.mark.parametrize(
    ("name", "read", "message"),
    [
        ("manifest.json", lambda path: read_manifest(path.parent), "manifest.json: the manifest is damaged"),
        ("responses/lead-2.jsonl", lambda path: list(read_records(path, Response)), ":1: invalid response"),
        ("judgments/lead-2.jsonl", lambda path: list(read_records(path, Judgment)), ":1: invalid judgment"),
    ],
)
def test_a_file_of_a_run_that_is_nested_without_an_end_is_named(
    built: Repository, name: str, read: Callable[[Path], object], message: str
) -> None:
    path = run_dir(built) / name
    read(path)
    path.write_bytes(path.read_bytes().replace(b"{", b'{"more":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b",", 1))
    with pytest.raises(RunError, match=message):
        read(path)


@pytest.mark.parametrize(("name", "kind"), [("responses", Response), ("judgments", Judgment)])
@pytest.mark.parametrize(
    ("field", "amount"), [("seconds", -1), ("seconds", 1e300), ("cost_usd", -1), ("output_tokens", -1)]
)
def test_a_record_of_an_amount_that_there_is_none_of_is_named(
    built: Repository, name: str, kind: type[Record], field: str, amount: float
) -> None:
    path = run_dir(built) / name / "lead-2.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = msgspec.json.encode({**msgspec.json.decode(lines[1]), field: amount}) + b"\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(RunError, match=r"lead-2\.jsonl:2: invalid .*Expected"):
        list(read_records(path, kind))
