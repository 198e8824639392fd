"""What a run that somebody else made can and cannot do to whoever goes on with it; SECURITY.md says it in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from support.repositories import edit, run_dir
from support.runs import OPEN, RESPONSE, open_run

from nullbench_site import api
from nullbench_site.errors import RunError, SpecError, UsageError
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest, write_manifest
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


@pytest.mark.parametrize("name", ["../../x", "/x", "a/b", "..", "", ".hidden", "a\n", "a\\b", "a\x1b[2J", "a" * 300])
def test_a_run_whose_name_is_a_path_is_not_read(tmp_path: Path, name: str) -> None:
    """An audit or an export makes a folder of that name."""
    folder = tmp_path / "run"
    folder.mkdir()
    write_manifest(folder, msgspec.structs.replace(OPEN, run=name))
    with pytest.raises(RunError, match=r"the manifest is damaged .*`\$.run`"):
        read_manifest(folder)


@pytest.mark.parametrize(
    "time", ["x", "20260101T00", "2026-W01-1", "99999", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+00:00", "<b>2026"]
)
@pytest.mark.parametrize("field", ["created_at", "sealed_at"])
def test_a_run_whose_time_is_none_is_not_read(tmp_path: Path, field: str, time: str) -> None:
    """Pages show the times; a render ended with an unexpected error."""
    folder = tmp_path / "run"
    folder.mkdir()
    sealed = {"state": "sealed", "created_at": "2026-01-01T00:00:00Z", "sealed_at": "2026-01-01T00:00:00Z"}
    write_manifest(folder, msgspec.structs.replace(OPEN, **sealed))
    assert read_manifest(folder).sealed
    write_manifest(folder, msgspec.structs.replace(OPEN, **{**sealed, field: time}))
    with pytest.raises(RunError, match=rf"the manifest is damaged \({field} is not a time\); restore it from git"):
        read_manifest(folder)


@pytest.mark.parametrize("kind", ["responses", "judgments", "private/responses"])
def test_a_pipe_or_folder_in_the_place_of_records_is_named(built: Repository, kind: str) -> None:
    """An archive can bring a pipe, which nothing ever writes to."""
    run = run_dir(built)
    manifest = read_manifest(run)
    write_manifest(run, msgspec.structs.replace(manifest, state="open"))
    place = run / kind / "odd.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    for make in (os.mkfifo, os.mkdir):
        make(place)
        for act in (lambda: api.plan(built, Selection()), lambda: api.build(built, render_site=False)):
            with pytest.raises(RunError, match=r"odd\.jsonl: not a file; restore it from git, or move the run away"):
                act()
        place.rmdir() if place.is_dir() else place.unlink()


@pytest.mark.parametrize("content", [b"A=\0b\n", b"\0A=b\n", b"NULLBENCH_PRIVATE=\0\n", b"OPENAI_API_KEY=hush\0hush\n"])
def test_a_null_character_in_env_is_one_message_without_the_value(repository: Repository, content: bytes) -> None:
    (repository.root / ".env").write_bytes(content)
    with pytest.raises(UsageError, match=r"\.env: the file has a null character; save it as UTF-8") as refused:
        api.build(repository, render_site=False)
    assert "hush" not in str(refused.value)


def test_env_sets_no_variable_that_loads_code(repository: Repository) -> None:
    loading = (
        "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP", "PYTHON_X", "GIT_DIR",
        "GIT_CONFIG_COUNT", "GIT_SSH_COMMAND", "PATH", "BASH_ENV", "ENV",
    )  # fmt: skip
    kept = (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "HTTPS_PROXY",
        "NULLBENCH_PRIVATE",
        "ENV_KEY",
        "PATHFINDER_KEY",
        "GITLAB",
    )
    lines = "".join(f"{name}=x\n" for name in (*loading, *kept))
    (repository.root / ".env").write_text(lines, "utf-8")
    assert set(repository.variables) == set(kept)


def test_a_private_folder_of_a_user_that_is_not_there_is_one_message(repository: Repository) -> None:
    (repository.root / ".env").write_text("NULLBENCH_PRIVATE=~no-such-user/texts\n", "utf-8")
    with pytest.raises(UsageError, match=r"NULLBENCH_PRIVATE names .*~no-such-user/texts, which does not exist"):
        api.validate(repository)


@pytest.mark.parametrize("name", ["a\n::error::approved", "a\r::stop-commands::x", "\x1b[2Ja", "a\u2028b", "a\u202eb"])
def test_a_name_of_a_file_stays_on_its_line_of_the_report(built: Repository, name: str) -> None:
    """Workflows read commands at the beginning of lines."""
    run = run_dir(built)
    (run / "responses" / name).write_text("x", "utf-8")
    manifest = read_manifest(run)
    known = next(iter(manifest.files.values()))
    write_manifest(run, msgspec.structs.replace(manifest, files={**manifest.files, f"results/{name}": known}))
    _, problems, _ = api.verify(built, None)
    assert len(problems) == 2
    assert all(problem.isprintable() for problem in problems)
