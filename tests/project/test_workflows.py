"""The workflows, ours and those `init` writes: zizmor has nothing to say of them, and they are where they belong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support.commands import ROOT, environment

from nullbench_site.starter import make_repository


@pytest.fixture(params=["ours", "of init"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return ROOT if request.param == "ours" else make_repository(tmp_path / "board")


def test_zizmor_finds_nothing(repository: Path) -> None:
    """Actions that are not pinned, permissions that are wide, credentials that stay, files that no schema allows."""
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [str(zizmor), "--offline", "--pedantic", "--strict-collection", "--no-progress", ".github"]
    done = subprocess.run(
        command, cwd=repository, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, "No findings to report" in done.stderr + done.stdout) == (0, True), done.stdout


def test_new_versions_of_actions_and_packages_are_proposed(repository: Path) -> None:
    config = yaml.safe_load((repository / ".github" / "dependabot.yml").read_text("utf-8"))
    assert [update["package-ecosystem"] for update in config["updates"]] == ["github-actions", "pip"]


def test_the_suite_runs_on_every_python_and_on_both_systems() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]
    assert jobs["suite"]["strategy"]["matrix"] == {
        "os": ["ubuntu-latest", "macos-latest"], "python": ["3.11", "3.12", "3.13", "3.14"],
    }  # fmt: skip
