"""The workflows, ours, those `init` writes and those in the docs: zizmor finds nothing in them, and all are pinned."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.commands import ROOT, environment

from nullbench_site.starter import make_repository

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "nullbench_site/data").rglob("*.md")])


_USES = re.compile(r" *(?:- )?[\"']?uses[\"']?: *[\"']?([^\"' #]+)[\"']?(?: +(#.*))?$")
_FETCHES = re.compile(r"\b(?:pip3?|pipx|uv pip|uv tool) (?:install|run|download)|\buvx |\bnpm i|\bcurl |\bwget ")


def blocks(page: str) -> Iterator[str]:
    """Yield the code of a page of Markdown: indented blocks, and those between fences."""
    plain = []
    for at, part in enumerate(re.split(r"(?m)^ *```.*\n", page)):
        if at % 2:
            yield textwrap.dedent(part)
        else:
            plain.append(part)
    for part in plain:
        for block in re.findall(r"(?m)(?:^(?: {4}.*)?\n)+", part):
            yield textwrap.dedent(block).strip("\n") + "\n"


def in_docs() -> dict[str, str]:
    """Return each code block of the docs that a workflow could have, by its page and number."""
    found = {}
    for page in PAGES:
        for number, block in enumerate(blocks(page.read_text("utf-8"))):
            if re.search(r"(?m)^ *(?:- )?(?:uses|run|jobs|script|image|steps):", block):
                found[f"{page.relative_to(ROOT)} {number}"] = block
    return found


def unpinned(block: str) -> list[str]:
    """Return what a block runs that can be another tomorrow. COMMIT and HASH stand for what readers fill in."""
    problems = []
    for line in block.splitlines():
        used = _USES.match(line)
        if used and not used[1].startswith("./"):
            action, _, commit = used[1].partition("@")
            is_pinned = re.fullmatch("[0-9a-f]{40}", commit) and re.fullmatch(r"# v\d+\.\d+\.\d+", used[2] or "")
            if not (is_pinned or commit == "COMMIT"):
                problems.append(f"{action}: {line}")
        elif _FETCHES.search(line) and not re.search(r"--require-hashes|--no-deps -r|==\d[^ ]*(?: |$)", line):
            problems.append(line)
    return problems


@pytest.fixture(params=["ours", "of init"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return ROOT if request.param == "ours" else make_repository(tmp_path / "board")


def test_zizmor_finds_nothing(repository: Path) -> None:
    """Actions that are not pinned, permissions that are wide, credentials that stay, files that no schema allows."""
    _zizmor(repository)


def test_zizmor_finds_nothing_in_the_workflows_of_the_docs(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    whole = {place: block for place, block in in_docs().items() if re.search(r"(?m)^jobs:", block)}
    assert whole
    for number, block in enumerate(whole.values()):
        (folder / f"{number}.yml").write_text(block, "utf-8")
    _zizmor(tmp_path)


@pytest.mark.parametrize("place", in_docs())
def test_what_the_docs_show_of_workflows_is_pinned(place: str) -> None:
    assert unpinned(in_docs()[place]) == []


def test_actions_in_the_docs_are_those_of_a_new_repository(tmp_path: Path) -> None:
    """So that a new version is put into the docs too."""
    folder = make_repository(tmp_path / "board") / ".github/workflows"
    actions = r"uses: (actions/\S+@[0-9a-f]{40} # \S+)"
    written = {used for path in folder.iterdir() for used in re.findall(actions, path.read_text("utf-8"))}
    shown = {used for block in in_docs().values() for used in re.findall(actions, block)}
    assert shown
    assert shown <= written


@pytest.mark.parametrize(
    ("line", "is_pinned"),
    [
        ("- uses: actions/checkout@v4", False),
        ("  uses: actions/checkout@main", False),
        ("- uses: actions/checkout", False),
        (f"- uses: actions/checkout@{'a' * 40}", False),
        (f"- uses: actions/checkout@{'a' * 40} # v6", False),
        (f"- uses: actions/checkout@{'a' * 7} # v6.0.0", False),
        ("- {uses: x}", True),
        (f"- uses: actions/checkout@{'a' * 40} # v6.0.0", True),
        ("- uses: OWNER/nullbench-site/.github/actions/review@COMMIT", True),
        ("- uses: ./.github/actions/review", True),
        ("- run: pip install nullbench-site", False),
        ("- run: pip install 'nullbench-site>=1'", False),
        ("- run: pip install nullbench-site==1.0.0", True),
        ("- run: pip install --require-hashes -r requirements.txt", True),
        ("- run: uvx nullbench-site", False),
        ("- run: curl https://x.example | sh", False),
    ],
)
def test_a_line_that_is_not_pinned_is_found(line: str, is_pinned: bool) -> None:
    assert (unpinned(line) == []) is is_pinned


def _zizmor(repository: Path) -> None:
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
        "comment": "workflow_run", "preview": "pull_request", "publish": "push", "review": "pull_request",
    }  # fmt: skip
    assert workflows["comment"][True]["workflow_run"]["workflows"] == [workflows["review"]["name"]]
    assert not any("pull_request_target" in text for text in texts.values())
    for name in ("review", "preview"):
        assert not re.search(r"secrets|token|\$\{\{ *github\.event", texts[name])
    scripts = [step.get("run", "") for step in workflows["review"]["jobs"]["review"]["steps"]]
    assert not re.search(r"nullbench-site (build|render)", "\n".join(scripts)), (
        "no template runs where the review is made"
    )
    for name, workflow in workflows.items():
        scripts = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
        assert not any("${{" in script for script in scripts), f"{name}: what strangers wrote goes by variables"


@pytest.mark.parametrize("name", ["review", "preview", "comment"])
def test_the_actions_do_what_the_workflows_of_a_new_repository_do(tmp_path: Path, name: str) -> None:
    """The same scripts by the same actions, in any folder; a repository calls them from workflows of its own."""
    workflow = yaml.safe_load(
        (make_repository(tmp_path / "board") / f".github/workflows/{name}.yml").read_text("utf-8")
    )
    action = yaml.safe_load((ROOT / f".github/actions/{name}/action.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    checkout = job["steps"][:1] if name != "comment" else []  # what is reviewed is checked out by whoever calls
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
