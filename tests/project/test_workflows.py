"""The workflows, ours and those `init` writes: zizmor has nothing to say of them, and they are where they belong."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

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
    command = [str(zizmor), "--offline", "--persona=auditor", "--strict-collection", "--no-progress", ".github"]
    done = subprocess.run(
        command, cwd=repository, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, "No findings to report" in done.stderr + done.stdout) == (0, True), done.stdout


def _permissions(workflow: dict[str, Any], name: str) -> Iterator[tuple[str, str, str]]:
    """What a workflow may write: its name, the job and the right."""
    assert workflow["permissions"] == {}
    for job, described in workflow["jobs"].items():
        for right, access in described["permissions"].items():
            assert access in {"read", "write"}
            if access == "write":
                yield name, job, right


def test_a_new_repository_lets_one_job_write_one_thing(tmp_path: Path) -> None:
    """And what runs the code of a pull request nothing, with no secret."""
    folder = make_repository(tmp_path / "board") / ".github" / "workflows"
    texts = {path.stem: path.read_text("utf-8") for path in folder.iterdir()}
    workflows = {name: yaml.safe_load(text) for name, text in texts.items()}
    assert {right for name, workflow in workflows.items() for right in _permissions(workflow, name)} == {
        ("comment", "comment", "pull-requests"), ("publish", "commit", "contents"),
        ("publish", "deploy", "pages"), ("publish", "deploy", "id-token"),
    }  # fmt: skip
    # YAML 1.1 reads the key `on` as true.
    assert {name: next(iter(workflow[True])) if isinstance(workflow[True], dict) else workflow[True]
            for name, workflow in workflows.items()} == {
        "comment": "workflow_run", "publish": "push", "review": "pull_request",
    }  # fmt: skip
    assert workflows["comment"][True]["workflow_run"]["workflows"] == [workflows["review"]["name"]]
    assert not any("pull_request_target" in text for text in texts.values())
    assert not re.search(r"secrets|token|\$\{\{ *github\.event", texts["review"])
    for name, workflow in workflows.items():
        scripts = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
        assert not any("${{" in script for script in scripts), f"{name}: what strangers wrote goes by variables"


@pytest.mark.parametrize("name", ["review", "comment"])
def test_the_actions_do_what_the_workflows_of_a_new_repository_do(tmp_path: Path, name: str) -> None:
    """The same scripts by the same actions, in any folder; a repository calls them from workflows of its own."""
    workflow = yaml.safe_load(
        (make_repository(tmp_path / "board") / f".github/workflows/{name}.yml").read_text("utf-8")
    )
    action = yaml.safe_load((ROOT / f".github/actions/{name}/action.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    checkout = job["steps"][:1] if name == "review" else []  # what is reviewed is checked out by whoever calls
    assert [*map(_does, checkout), *map(_does, action["runs"]["steps"])] == list(map(_does, job["steps"]))


def _does(step: dict[str, Any]) -> tuple[object, ...]:
    return step.get("name"), step.get("run"), step.get("uses"), step.get("if"), step.get("continue-on-error")


def test_new_versions_of_actions_and_packages_are_proposed(repository: Path) -> None:
    config = yaml.safe_load((repository / ".github" / "dependabot.yml").read_text("utf-8"))
    assert [update["package-ecosystem"] for update in config["updates"]] == ["github-actions", "pip"]
    watched = config["updates"][0]["directories"]
    assert "/" in watched
    for action in repository.glob(".github/actions/*/action.yml"):
        folder = f"/{action.parent.relative_to(repository).as_posix()}"
        assert any(fnmatch(folder, pattern) for pattern in watched), f"nobody proposes new versions for {folder}"


def test_the_suite_runs_on_every_python_and_on_both_systems() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]
    assert jobs["suite"]["strategy"]["matrix"] == {
        "os": ["ubuntu-latest", "macos-latest"], "python": ["3.11", "3.12", "3.13", "3.14"],
    }  # fmt: skip
