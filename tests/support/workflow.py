"""Workflows run step by step on this machine: their scripts as they stand, the actions they use by what these do.

Expressions are those that our workflows have: names with dots, `==`, `!cancelled()`; anything else fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.commands import environment
from support.commits import git

ADDRESS = "https://ours.example/board"


@dataclass
class Job:
    """What came of a job. ran: the names of steps that were; failed: of the first that did."""

    success: bool = True
    failed: str = ""
    ran: list[str] = field(default_factory=list)
    output: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""


@dataclass
class Runner:
    """A machine of its own for each job, and what jobs hand each other. origin: a bare repository."""

    folder: Path
    origin: Path
    event: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    merging: str = ""
    """The commit of a pull request: what is checked out is its merge into main."""
    artifacts: dict[str, Path] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)

    def run(self, workflow: str, *, skip: frozenset[str] = frozenset()) -> dict[str, Job]:
        """Each job of a workflow text whose condition holds; skip: names of steps."""
        jobs = yaml.safe_load(workflow)
        self.jobs = {}
        for name, job in jobs["jobs"].items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            if all(need in self.jobs and self.jobs[need].success for need in needs) and self._holds(job.get("if"), {}):
                self.jobs[name] = self._job(name, job, jobs.get("env", {}), skip)
        return self.jobs

    def action(self, text: str, **inputs: str) -> Job:
        """A composite action behind a checkout of main, or of what is merged into it."""
        action = yaml.safe_load(text)
        checkout = {"uses": "actions/checkout@x", "with": {"persist-credentials": False, "fetch-depth": 2}}
        given = {name: inputs.get(name, described["default"]) for name, described in action["inputs"].items()}
        return self._job("action", {"steps": [checkout, *action["runs"]["steps"]]}, {}, frozenset(), given)

    def gitlab(self, config: str, job: str, commit: str, **variables: str) -> tuple[Job, Path]:
        """A job of a GitLab pipeline on a commit, and the folder that it left."""
        jobs = yaml.safe_load(config)
        place = self.folder / f"{len(list(self.folder.iterdir()))}-{job}"
        (place / "temp").mkdir(parents=True)
        git(self.origin, "clone", "-q", str(self.origin), str(place / "workspace"))
        git(place / "workspace", "fetch", "-q", "origin", commit)
        git(place / "workspace", "checkout", "-q", commit)
        done = Job()
        script = "\n".join(
            ["set -o pipefail", *jobs[job].get("before_script", jobs["default"]["before_script"]), *jobs[job]["script"]]
        )
        done.success = self._script(script, place, {**jobs[job].get("variables", {}), **variables}, done, {})
        return done, place / "workspace"

    def _job(
        self,
        name: str,
        job: Mapping[str, Any],
        variables: Mapping[str, str],
        skip: frozenset[str],
        inputs: Mapping[str, str] | None = None,
    ) -> Job:
        place = self.folder / f"{len(list(self.folder.iterdir()))}-{name}"
        workspace, temporary = place / "workspace", place / "temp"
        workspace.mkdir(parents=True)
        temporary.mkdir()
        done, steps = Job(), {}
        context = {"runner": {"temp": str(temporary)}, "steps": steps, "inputs": inputs or {}}
        for step in job["steps"]:
            label = step.get("name") or step.get("uses", "").partition("@")[0] or step["run"]
            wanted = step.get("if", "success()")
            if label in skip or not self._holds(wanted, context, success=done.success):
                continue
            done.ran.append(label)
            outputs: dict[str, str] = {}
            if "uses" in step:
                succeeded = self._use(step, workspace, context, outputs)
            else:
                own = {k: self._filled(v, context) for k, v in {**variables, **step.get("env", {})}.items()}
                script = f"cd '{self._filled(step.get('working-directory', '.'), context)}'\n{step['run']}"
                succeeded = self._script(script, place, own, done, outputs)
            if "id" in step:
                steps[step["id"]] = {"outputs": outputs}
            if not succeeded and not step.get("continue-on-error") and done.success:
                done.success, done.failed = False, label
        done.outputs = {key: self._filled(value, context) for key, value in job.get("outputs", {}).items()}
        return done

    def _script(self, script: str, place: Path, own: Mapping[str, str], done: Job, outputs: dict[str, str]) -> bool:
        workspace, temporary = place / "workspace", place / "temp"
        files = {name: temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH")}
        if "comment.sh" in script and shutil.which("jq") is None:
            pytest.skip("the stand-in for gh needs jq")
        for path in files.values():
            path.touch()
        files["GITHUB_EVENT_PATH"].write_text(json.dumps(self.event), "utf-8")
        variables = environment(
            PATH=f"{self._programs()}:{os.environ['PATH']}",
            GIT_CONFIG_GLOBAL=os.devnull,
            RUNNER_TEMP=str(temporary),
            GITHUB_REF_NAME="main",
            GITHUB_REPOSITORY="ours/board",
            GITHUB_SERVER_URL="https://github.example",
            HOME=str(temporary),
            **{name: str(path) for name, path in files.items()},
        )
        ran = subprocess.run(
            ["bash", "-e", "-c", script], cwd=workspace, env={**variables, **self.variables, **own},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False,
        )  # fmt: skip
        done.output += ran.stdout
        done.summary = files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        outputs |= dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text("utf-8").splitlines())
        files["GITHUB_OUTPUT"].unlink()
        return ran.returncode == 0

    def _programs(self) -> Path:
        """Those of the machine of a job: ours is installed already, and who may push is not asked here."""
        programs = self.folder.parent / "programs"
        if not programs.is_dir():
            programs.mkdir()
            ours = f'#!/bin/sh\nexec "{sys.executable}" -m nullbench_site "$@"\n'
            script = Path(__file__).with_name("gh.py")
            asks = f'#!/bin/sh\n[ "$1" = auth ] || exec "{sys.executable}" "{script}" "$@"\n'
            for name, text in {"nullbench-site": ours, "pip": "#!/bin/sh\n", "gh": asks}.items():
                (programs / name).write_text(text, "utf-8")
                (programs / name).chmod(0o755)
        return programs

    def _use(
        self, step: Mapping[str, Any], workspace: Path, context: Mapping[str, Any], outputs: dict[str, str]
    ) -> bool:
        given = {name: self._filled(value, context) for name, value in step.get("with", {}).items()}
        match step["uses"].partition("@")[0]:
            case "actions/checkout":
                self._checkout(workspace, given)
            case "actions/upload-artifact":
                store = self.folder.parent / "artifacts"
                store.mkdir(exist_ok=True)
                kept = store / f"{len(list(store.iterdir()))}-{given['name']}"
                copy = shutil.copytree if (workspace / given["path"]).is_dir() else shutil.copy
                target = kept if copy is shutil.copytree else kept / given["path"]
                target.parent.mkdir(parents=True, exist_ok=True)
                copy(workspace / given["path"], target)
                self.artifacts[given["name"]] = kept
            case "actions/upload-pages-artifact":
                self.artifacts["github-pages"] = workspace / given["path"]
            case "actions/download-artifact":
                if given["name"] not in self.artifacts:
                    return False
                shutil.copytree(self.artifacts[given["name"]], given["path"], dirs_exist_ok=True)
            case "actions/configure-pages":
                outputs["base_url"] = ADDRESS
            case "actions/deploy-pages":
                outputs["page_url"] = ADDRESS
                return "github-pages" in self.artifacts
            case "actions/setup-python":
                pass
            case other:
                raise AssertionError(f"what {other} does is not known here")
        return True

    def _checkout(self, workspace: Path, given: Mapping[str, str]) -> None:
        assert given["persist-credentials"] == "False"
        depth = given.get("fetch-depth", "1")
        if self.merging:
            git(self.origin, "clone", "-q", str(self.origin), str(workspace))
            git(workspace, "fetch", "-q", "origin", self.merging)
            git(workspace, "merge", "-q", "--no-ff", "-m", "merge", self.merging)
        else:
            how = () if depth == "0" else ("--depth", depth)
            git(self.origin, "clone", "-q", *how, f"file://{self.origin}", str(workspace))
        if only := given.get("sparse-checkout"):
            for path in list(workspace.rglob("*")):
                if path.is_file() and ".git" not in path.parts and path.name not in only.split():
                    path.unlink()

    def _holds(self, condition: str | None, context: Mapping[str, Any], *, success: bool = True) -> bool:
        condition = (condition or "success()").strip()
        condition = condition.removeprefix("${{").removesuffix("}}").strip()
        if condition == "success()":
            return success
        if condition == "!cancelled()":
            return True
        name, is_equal, wanted = condition.partition(" == ")
        assert is_equal, condition
        return success and self._value(name, context) == wanted.strip("'")

    def _filled(self, value: object, context: Mapping[str, Any]) -> str:
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: self._value(match[1], context), str(value))

    def _value(self, name: str, context: Mapping[str, Any]) -> str:
        needs = {key: {"outputs": job.outputs} for key, job in self.jobs.items()}
        github = {"event": self.event, "token": self.variables.get("GITHUB_TOKEN", ""), "ref": "refs/heads/main"}
        found: Any = {"github": github, "needs": needs, **context}
        for part in name.split("."):
            found = found.get(part, "") if isinstance(found, Mapping) else ""
        return str(found)
