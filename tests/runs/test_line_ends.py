"""Files with a digest on machines where git writes other line ends: they stay, and where they did not, it is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commits import git
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.errors import RunError
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.verify import integrity_problems, sealed_content
from nullbench_site.specs.digest import line_ends_changed, sha256
from nullbench_site.starter import make_repository


def _crlf(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(
    ("now", "sealed", "only_line_ends"),
    [
        (b"a\r\nb\r\n", b"a\nb\n", True),
        (b"a\nb\n", b"a\r\nb\r\n", True),
        (b"a\r\nb\n", b"a\nb\n", True),
        (b"a\r\nc\r\n", b"a\nb\n", False),
        (b"a\nb\n", b"a\nb\n", False),
        (b"a\rb\r", b"a\nb\n", False),
        (b"a\nb", b"a\nb\n", False),
        (b"", b"\n", False),
        ("ä\r\n".encode(), "ä\n".encode(), True),
    ],
)
def test_other_line_ends_are_told_from_other_content(now: bytes, sealed: bytes, only_line_ends: bool) -> None:
    assert line_ends_changed(now, sha256(sealed)) is only_line_ends
    assert line_ends_changed(now, f"sha256:{sha256(sealed)}") is only_line_ends


def test_a_new_repository_keeps_the_bytes_of_every_file_with_a_digest(tmp_path: Path) -> None:
    """As git for Windows clones it; specs and scripts have no digest of bytes, and may have the machine's line ends."""
    root, clone = make_repository(tmp_path / "board"), tmp_path / "clone"
    names = ("answers/m.jsonl", "answers/deep/m.jsonl", "audits/a/manifest.json", "runs/1/results/main/a.csv")
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"a\nb\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a")
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(root), str(clone))
    assert b"\r\n" in (clone / "specs/benchmark.yaml").read_bytes()
    assert {name: (clone / name).read_bytes() for name in names} == dict.fromkeys(names, b"a\nb\n")
    assert api.validate(Repository(clone)).about.id == "board"


@pytest.mark.parametrize("name", ["responses/lead-2.jsonl", "judgments/lead-2.jsonl", "specs/benchmark.yaml"])
def test_a_run_of_which_only_line_ends_changed_says_so(built: Repository, name: str) -> None:
    path = run_dir(built) / name
    said = (
        "only its line ends changed: put the line 'runs/** -text' into .gitattributes, delete the file, and restore it "
        "with git checkout"
    )
    _crlf(path)
    manifest, problems = integrity_problems(run_dir(built))
    assert problems == [f"{path}: {said}"]
    with pytest.raises(ValueError, match="only its line ends changed"):
        sealed_content(run_dir(built), manifest, name)
    path.write_bytes(path.read_bytes().replace(b"a", b"b"))
    assert "its sha256 differs" in integrity_problems(run_dir(built))[1][0]


@pytest.mark.parametrize(
    "act", [lambda board: api.build(board, render_site=False), lambda board: api.verify(board, None)]
)
def test_each_command_says_that_line_ends_of_a_run_changed(
    built: Repository, act: Callable[[Repository], object]
) -> None:
    (run_dir(built) / "manifest.json").touch()
    _crlf(run_dir(built) / "manifest.json")
    with pytest.raises(RunError, match=r"manifest.json: only its line ends changed: .*'runs/\*\* -text'"):
        act(built)


def test_a_build_that_reuses_a_run_says_that_line_ends_changed(built: Repository) -> None:
    shard = run_dir(built) / "responses/lead-2.jsonl"
    _crlf(shard)
    spec = built.specs / "benchmark.yaml"
    spec.write_text(re.sub(r"(?m)^version: .*", "version: 9.9.9", spec.read_text("utf-8")), "utf-8")
    entry = CatalogEntry(run_dir(built), read_manifest(run_dir(built)))
    assert entry.manifest.sealed
    with pytest.raises(RunError, match=r"responses/lead-2.jsonl: only its line ends changed"):
        api.build(built, render_site=False)


def test_our_own_repository_keeps_them_too() -> None:
    from support.commands import ROOT

    lines = (ROOT / ".gitattributes").read_text("utf-8").splitlines()
    kept = {line.split()[0] for line in lines if "-text" in line.split()}
    assert {"answers/**", "audits/**", "runs/**", "tests/data/**", "tests/runs/first_version/runs/**"} <= kept
