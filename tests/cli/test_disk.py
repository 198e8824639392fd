"""Disks that refuse, and builds that meet: exit code 3, one message, and the next build goes on from there."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commands import argv, environment, nullbench
from support.evidence import files, lines, without_clock
from support.repositories import build, edit, run_dir

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.runs.storage import exclusive

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
PR_CAPBSET_DROP = 24


def files_of_at_most(size: int) -> Callable[[], None]:
    """A disk on which no file may be longer, as one is that is full."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def obey_permissions() -> None:
    """root may read and write anywhere; the child then may not, as it is with everyone else."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            if libc.prctl(PR_CAPBSET_DROP, right, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "cannot give up the right to read and write anywhere")


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    kept = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(kept)


def nothing(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    pass


def one_contestant(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    build(repository, "null-constant")


def every_call(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_at("nullbench_site.api._score_and_seal", repository, monkeypatch)


def every_shard(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_at("nullbench_site.api._write_results", repository, monkeypatch)


def stop_at(function: str, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build as far as `function`, which then is not reached."""

    def stop(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(function, stop)
        with pytest.raises(KeyboardInterrupt):
            build(repository)


@pytest.mark.parametrize(
    ("done_before", "size", "refused"),
    [
        (nothing, 100, ".RUN.new/specs/axes.yaml"),
        (one_contestant, 300, "RUN/responses/lead-2.jsonl"),
        (one_contestant, 9_000, "RUN/judgments/lead-2.jsonl"),
        (every_call, 9_000, "RUN/responses/paraphrase.jsonl"),
        (every_shard, 3_000, "RUN/results/main/results.json"),
    ],
)
def test_a_full_disk_is_one_message_and_the_next_build_goes_on(
    repository: Repository,
    built: Repository,
    monkeypatch: pytest.MonkeyPatch,
    done_before: Callable[[Repository, pytest.MonkeyPatch], None],
    *,
    size: int,
    refused: str,
) -> None:
    """Full while the specs are copied, while answers and judgments are recorded, while they are sorted, and scored."""
    name = run_dir(built).name
    done_before(repository, monkeypatch)
    # Else what it compiles is cut at that size, too, and every later process reads that.
    uncompiled, limit = {"PYTHONDONTWRITEBYTECODE": "1"}, files_of_at_most(size)
    done = nullbench(repository.root, "build", "--no-render", before=limit, **uncompiled)
    assert (done.code, done.out) == (3, "")
    assert done.message == (
        f"Error: runs/{refused.replace('RUN', name)}: "
        "File too large; raise the limit on file sizes and run the command again"
    )
    kept = {line for run in repository.runs.glob("[!.]*/") for line in lines(run)}

    calls = build(repository).calls
    assert calls.made + len(kept) == calls.planned
    assert kept <= set(lines(run_dir(repository)))
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))
    assert api.verify(repository, None)[1] == []


def test_a_report_that_does_not_fit_is_one_message(built: Repository) -> None:
    for arguments in (["build", "--no-render", "--json"], ["plan"], ["--help"]):
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            done = subprocess.run(
                argv(*arguments), cwd=built.root, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True,
                check=False,
            )  # fmt: skip
        assert done.returncode == 3
        told = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        assert told == ["Error: No space left on device; free some space and run the command again"]


@pytest.mark.parametrize("below", ["", "RUN", "RUN/responses", "RUN/judgments"])
def test_a_folder_that_may_not_be_written_is_one_message_and_the_next_build_goes_on(
    repository: Repository, built: Repository, below: str
) -> None:
    if below:
        build(repository, "lead-2")
    repository.runs.mkdir(exist_ok=True)
    folder = repository.runs / below.replace("RUN", run_dir(built).name)
    before = files(repository.runs)
    with read_only(folder):
        done = nullbench(repository.root, "build", "--no-render", before=obey_permissions)
    assert (done.code, done.out) == (3, "")
    assert done.message.startswith(f"Error: runs/{run_dir(built).name}/" if below else "Error: runs/.lock: ")
    assert "Permission denied; make it readable and writable for you" in done.message
    kept = files(repository.runs)
    assert {name: data for name, data in kept.items() if name.endswith("lead-2.jsonl")}.items() <= before.items()
    build(repository)
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))


def test_reading_needs_no_right_to_write(built: Repository) -> None:
    with read_only(built.runs), read_only(run_dir(built)), read_only(built.root):
        for command in ("plan", "verify", "validate"):
            done = nullbench(built.root, command, before=obey_permissions)
            assert done.code == 0, done.err


def test_specs_that_may_not_be_read_are_named(repository: Repository) -> None:
    secret = repository.specs / "models" / "lead-2.yaml"
    secret.chmod(0)
    done = nullbench(repository.root, "build", "--no-render", before=obey_permissions)
    assert done.code == 3
    assert done.message.startswith("Error: specs/models/lead-2.yaml: cannot read (Permission denied)")


def test_a_file_where_the_runs_folder_belongs_is_one_message(repository: Repository) -> None:
    repository.runs.write_text("not a folder\n", "utf-8")
    done = nullbench(repository.root, "build", "--no-render")
    assert (done.code, done.out) == (3, "")
    assert done.message == (
        "Error: runs: File exists; move the file away to make room for a folder and run the command again"
    )
    assert repository.runs.read_text("utf-8") == "not a folder\n"
    assert nullbench(repository.root, "plan").code == 0
    repository.runs.unlink()
    assert build(repository).run


def test_a_run_that_lost_its_manifest_is_not_written_over(built: Repository) -> None:
    run = run_dir(built)
    kept = (run / "manifest.json").read_bytes()
    (run / "manifest.json").unlink()
    before = files(built.runs)
    done = nullbench(built.root, "build", "--no-render")
    assert done.code == 2
    assert done.message == (
        f"Error: runs/{run.name}: this folder has the name of the new run, but is not a run; "
        "restore its manifest.json from git, or move the folder away, and build again"
    )
    assert files(built.runs) == before
    (run / "manifest.json").write_bytes(kept)
    assert build(built).calls.made == 0


@pytest.mark.parametrize("command", [["build", "--no-render"], ["score"]])
def test_two_builds_at_once_are_one_build_and_one_message(built: Repository, command: list[str]) -> None:
    edit(built.specs / "goals" / "science.yaml", "weight: 3", "weight: 1")
    before = files(built.runs)
    with exclusive(built.runs):
        done = nullbench(built.root, *command)
        assert (done.code, done.out) == (3, "")
        assert done.message == (
            "Error: runs: another build is writing here; wait until it has ended, then run the command again"
        )
        assert nullbench(built.root, "verify").code == 0, "reading needs no lock"
        assert nullbench(built.root, "plan").code == 0
    assert files(built.runs) == before
    assert nullbench(built.root, *command).code == 0
