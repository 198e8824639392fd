"""Every command works without what Windows lacks: see support.windows for what is as there, and what is not."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest
from interop.checkouts import Checkout
from support.commands import ROOT, environment

from nullbench_site.api import Repository


def on_windows(folder: Path, *commands: str) -> tuple[list[int], str]:
    """The exit code of each command, and all they said."""
    variables = environment(PYTHONPATH=f"{ROOT / 'tests'}:{ROOT}", PYTHONWARNDEFAULTENCODING="1")
    done = subprocess.run(
        [sys.executable, "-m", "support.windows", *commands], cwd=folder, env=variables, timeout=120, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="cp1252",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    codes = [int(line.removeprefix("ended ")) for line in done.stdout.splitlines() if line.startswith("ended ")]
    return codes, done.stdout


def test_boards_are_made_built_verified_imported_and_hidden_without_what_windows_lacks(
    repository: Repository, tmp_path: Path
) -> None:
    Checkout(tmp_path / "recorded")
    (tmp_path / "imported").mkdir()
    commands = (
        "validate",
        "plan",
        "build --no-render",
        "build --no-render --model lead-2 --fresh",
        "score",
        "verify",
        f"init {tmp_path / 'new'}",
        f"import benchpress {tmp_path / 'recorded'} --into {tmp_path / 'imported'}",
        f"-C {tmp_path / 'imported'} hide odd-jobs x01",
        f"-C {tmp_path / 'imported'} reveal odd-jobs x01",
    )
    codes, said = on_windows(repository.root, *commands)
    assert codes == [0] * len(commands), said


@pytest.mark.sweep
def test_sites_are_rendered_and_answers_judged_again_without_what_windows_lacks(built: Repository) -> None:
    commands = (
        "render",
        "render",
        "rejudge --judge form --fresh",
        "verify",
    )
    codes, said = on_windows(built.root, *commands)
    assert codes == [0] * len(commands), said


def test_a_second_build_on_windows_is_told_of_the_first(repository: Repository) -> None:
    repository.runs.mkdir()
    with (repository.runs / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        codes, said = on_windows(repository.root, "build --no-render")
    assert codes == [3]
    assert "Error: runs: another build is writing here; wait until it has ended, then run the command again" in said
