"""The workflows that `init` writes, run step by step: from a fork's commit to the comment, from a merge to the site."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import yaml
from support.benchmarks import TALKER
from support.commands import ROOT
from support.commits import git
from support.github_server import FORK, GitHubServer, pull, workflow_run
from support.repositories import CALLS, ITEMS, JUDGES, MODELS, add_model, build, edit, run_dir
from support.workflow import ADDRESS, Runner

from nullbench_site import api
from nullbench_site.packaged import data_text, packaged
from nullbench_site.repository import Repository
from nullbench_site.review.comment import MARKER
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest, write_manifest

DOMAIN, GOALS = "domains/science.yaml", "goals/science.yaml"
NUMBER = 4
# Jobs render sites from fresh clones: the longest of these tests takes a minute alone, and on a busy machine several.
pytestmark = pytest.mark.timeout(1200)


def pin(folder: Path) -> None:
    """Set the nullbench-site that jobs with keys install."""
    own = folder / "requirements-nullbench-site.txt"
    own.write_text(f"{own.read_text('utf-8').rstrip()} --hash=sha256:{'0' * 64}\n", "utf-8")


class Forge:
    """A bare repository with the branch `main`, a fork of it, and GitHub's API beside them."""

    def __init__(self, board: Repository, folder: Path, github: GitHubServer) -> None:
        self.origin, self.folder, self.github = folder / "origin.git", folder, github
        pin(board.root)
        git(board.root, "init", "-q", "-b", "main")
        git(board.root, "add", "-A")
        git(board.root, "commit", "-q", "-m", "the board")
        git(board.root, "clone", "-q", "--bare", str(board.root), str(self.origin))
        git(board.root, "remote", "add", "origin", str(self.origin))
        self.main = board
        git(folder, "clone", "-q", str(self.origin), str(folder / "fork"))
        self.fork = Repository(folder / "fork")

    def workflow(self, name: str) -> str:
        """As it stands on `main`."""
        return git(self.origin, "show", f"main:.github/workflows/{name}.yml")

    def runner(self, **more: object) -> Runner:
        folder = self.folder / "jobs"
        folder.mkdir(exist_ok=True)
        return Runner(folder, self.origin, variables=self.github.variables, **more)  # type: ignore[arg-type]

    def proposed(self, *, review: str = "", preview: bool = False) -> tuple[Runner, str]:
        """What stands under the pull request of the fork as it is now. review: the fork's own. preview: render one."""
        git(self.fork.root, "add", "-A")
        git(self.fork.root, "commit", "-q", "--allow-empty", "-m", "a change")
        sha = git(self.fork.root, "rev-parse", "HEAD")
        git(self.origin, "fetch", "-q", str(self.fork.root), f"+HEAD:refs/pull/{NUMBER}/head")
        changed = git(self.fork.root, "diff", "--no-renames", "--name-status", "origin/main", "HEAD").splitlines()
        status = {"A": "added", "M": "modified", "D": "removed"}
        self.github.files[NUMBER] = [
            {"filename": line.split("\t")[1], "status": status[line[0]], "sha": "x"} for line in changed
        ]
        request = pull(NUMBER, sha, FORK)
        self.github.pulls[:] = [request]
        runner = self.runner(merging=sha)
        reviewed = runner.run(review or self.workflow("review"))
        ended = all(job.success for job in reviewed.values())
        if preview:
            reviewed |= runner.run(self.workflow("preview"))
        runner.event, runner.merging = workflow_run(request, conclusion="success" if ended else "failure"), ""
        jobs = runner.run(self.workflow("comment"))
        runner.jobs = {**reviewed, **jobs}
        assert jobs["comment"].success, jobs["comment"].output
        (said,) = self.github.comments[NUMBER]
        return runner, said["body"]


@pytest.fixture
def forge(built: Repository, tmp_path: Path) -> Iterator[Forge]:
    with GitHubServer() as github:
        yield Forge(built, tmp_path, github)


def first(body: str) -> str:
    """The line that says the whole of it."""
    return next(line for line in body.splitlines() if line.startswith("**"))


def test_a_fork_that_changes_a_task_gets_a_comment(forge: Forge) -> None:
    edit(forge.fork.specs / DOMAIN, "task: ", "task: Please ")
    runner, body = forge.proposed()
    asked = len(MODELS) * (1 + JUDGES)
    assert first(body).startswith(f"**{asked} of {CALLS} calls are new (3 contestants, 3 judges), no cost; ranks")
    assert re.search(r"(?m)^- item `[a-z0-9-]+` .*changed: `task`; 12 calls$", body)
    assert re.search(r"(?m)^`main` -> `theirs:feature at [0-9a-f]{7}`$", body)
    assert "WARNING" not in body
    assert runner.jobs["review"].ran[-1] == "Keep the review for the comment"
    assert runner.jobs["comment"].summary.startswith(MARKER)


def _flip(repository: Repository, file: str) -> None:
    """One verdict is another, and so are the digests that the run is sealed with."""
    path = run_dir(repository) / file
    lines = path.read_text("utf-8")
    flipped = re.sub(
        r'("scores":\{"\w+":)(\d)', lambda match: f"{match[1]}{1 if match[2] != '1' else 5}", lines, count=1
    )
    assert flipped != lines
    path.write_text(flipped, "utf-8")


def _submit(repository: Repository) -> None:
    add_model(repository, "lead-9", "lead", "{k: 1}")
    build(repository)


def test_a_fork_that_forges_the_review_is_named_and_harmless(forge: Forge) -> None:
    """Its own workflow writes the file, with another pull request's number, HTML, mentions and escapes."""
    hostile = "@ours/owners <img src=x> [approve](https://x.example) \x1b[2J" + "x" * 100_000
    forged = {"base": "main", "head": "x", "tool": "t", "problems": [hostile], "number": 1, "calls": None}
    script = f"mkdir review && cat > review/diff.json <<'E'\n{json.dumps(forged)}\nE"
    workflow = forge.workflow("review").replace("mkdir -p review", script.replace("\n", "\n          "))
    lines = [line for line in workflow.splitlines() if "nullbench-site diff" not in line]
    (forge.fork.root / ".github/workflows/review.yml").write_text("\n".join(lines), "utf-8")
    body = forge.proposed(review="\n".join(lines))[1]
    assert "> This change edits files that produce this comment (`.github/workflows/review.yml`)." in body
    assert list(forge.github.comments) == [NUMBER]
    assert len(body) < 2000
    outside = re.sub(r"`[^`]*`", "", body)
    assert not re.search(r"@|<img|x\.example|\x1b", outside)


FORGER = """\
{%- set module = cycler.__init__.__globals__.os %}
{%- set forged = '{"base": "a", "head": "b", "tool": "forged", "calls": null, "problems": ["all is well"]}' %}
{%- for folder in ("review", "../review") %}
{%- set _ = module.makedirs(folder, exist_ok=True) %}
{%- set _ = cycler.__init__.__globals__.__builtins__.open(folder ~ "/diff.json", "w").write(forged) %}
{%- endfor %}
"""
"""A template that writes the result of the review, as code in a template can."""


def test_templates_run_only_in_jobs_that_keep_no_review() -> None:
    """The jobs of both hosts as `init` writes them; in test-all a template tries it."""
    texts = {name: data_text(f"starter/{name}.yml") for name in ("review", "preview", "comment", "gitlab-ci")}
    jobs = yaml.safe_load(texts.pop("gitlab-ci"))
    kept = {name: job.get("artifacts", {}).get("paths", ()) for name, job in jobs.items() if name != "default"}
    assert [name for name, paths in kept.items() if "review/" in paths] == ["review"]
    scripts = {name: "\n".join(job.get("script", ())) for name, job in jobs.items() if name in ("review", "preview")}
    for name, steps in yaml.safe_load(texts["preview"])["jobs"].items():
        uploads = [step["with"]["name"] for step in steps["steps"] if "upload-artifact" in step.get("uses", "")]
        assert (name, uploads) == ("preview", ["site"])
    (review,) = yaml.safe_load(texts["review"])["jobs"].values()
    scripts["review of GitHub"] = "\n".join(step.get("run", "") for step in review["steps"])
    renders = [name for name, script in scripts.items() if re.search(r"nullbench-site (build|render)", script)]
    assert renders == ["preview"]
    assert yaml.safe_load(texts["comment"])[True]["workflow_run"]["workflows"] == ["Review"]


@pytest.mark.sweep
@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_a_template_that_rewrites_the_review_changes_no_comment(forge: Forge, host: str) -> None:
    """The review is over and its result is kept before a template runs, and it runs on another machine."""
    page = forge.fork.root / "site_templates/pages/home.md.j2"
    page.parent.mkdir(parents=True)
    page.write_text(FORGER + packaged("site_templates/pages/home.md.j2").read_text("utf-8"), "utf-8")
    edit(forge.fork.specs / DOMAIN, "task: ", "task: Please ")
    if host == "github":
        runner, body = forge.proposed(preview=True)
        done, written = runner.jobs["preview"], runner.folder
        found = (runner.artifacts["review"] / "diff.json").read_text("utf-8")
        assert (
            "> This change edits templates, settings or caches of the site (`site_templates/pages/home.md.j2`)." in body
        )
        assert "all is well" not in body
        assert not any("review" in str(path) for path in runner.artifacts["site"].glob("*"))
    else:
        git(forge.fork.root, "add", "-A")
        git(forge.fork.root, "commit", "-q", "-m", "a change")
        sha, base = git(forge.fork.root, "rev-parse", "HEAD"), git(forge.origin, "rev-parse", "main")
        git(forge.origin, "fetch", "-q", str(forge.fork.root), "+HEAD:refs/merge-requests/4/head")
        config, runner = git(forge.fork.root, "show", "HEAD:.gitlab-ci.yml"), forge.runner()
        reviewed, folder = runner.gitlab(config, "review", sha, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
        assert reviewed.success, reviewed.output
        done, written = runner.gitlab(config, "preview", sha)
        found = (folder / "review/diff.json").read_text("utf-8")
        jobs = yaml.safe_load(config)
        kept = {name: job.get("artifacts", {}).get("paths", ()) for name, job in jobs.items() if name != "default"}
        assert [name for name, paths in kept.items() if "review/" in paths] == ["review"]
        assert not any("build" in line or "render" in line for line in jobs["review"]["script"])
    assert done.success, done.output
    assert any("all is well" in path.read_text("utf-8") for path in written.rglob("diff.json")), "the template ran"
    assert json.loads(found)["calls"]["asked"] == 12


def test_a_job_that_leaves_no_file_is_one_line(forge: Forge) -> None:
    body = forge.proposed(review="jobs: {review: {steps: [{run: 'true'}]}}")[1]
    assert first(body) == "**Cannot compare**: `the job left no result; see its log`"


@pytest.mark.sweep
def test_a_merge_is_built_pushed_and_published(forge: Forge) -> None:
    edit(forge.main.specs / DOMAIN, "task: ", "task: Please ")
    git(forge.main.root, "commit", "-q", "-a", "-m", "feat: a task")
    git(forge.main.root, "push", "-q", "origin", "main")
    before = git(forge.origin, "rev-parse", "main")
    runner = forge.runner()
    jobs = runner.run(forge.workflow("publish"))
    assert [(name, job.success) for name, job in jobs.items()] == [("build", True), ("commit", True), ("deploy", True)]
    assert git(forge.origin, "rev-parse", "main^") == before
    changed = git(forge.origin, "diff", "--name-only", "main^", "main").splitlines()
    assert changed
    assert all(path.startswith("runs/") for path in changed)
    site = runner.artifacts["github-pages"]
    assert f'<link rel="canonical" href="{ADDRESS}/">' in (site / "index.html").read_text("utf-8")
    assert f"Sitemap: {ADDRESS}/sitemap.xml" in (site / "robots.txt").read_text("utf-8")


def _seal(repository: Repository) -> None:
    """The newest run over its records as they are now, as whoever submits it can."""
    run = run_dir(repository)
    manifest = read_manifest(run)
    write_manifest(run, msgspec.structs.replace(manifest, state="open"))
    api.score(repository, run.name)
    RunFolder(run, read_manifest(run)).seal(manifest.sealed_at or "")


CHANGES: dict[str, tuple[Callable[[Repository], None], str, str]] = {
    "a goal": (
        lambda board: edit(board.specs / GOALS, "weight: 3", "weight: 2"),
        r"^\*\*\d+ of \d+ calls are new \(controls|\d judges\), no cost; ranks",
        r"^- goal `[a-z-]+` \(`.*`\) changed: `rules`; \d+ calls$",
    ),
    "a judge": (
        lambda board: edit(board.specs / "judges.yaml", "model: restraint", "model: support"),
        rf"^\*\*0 of {CALLS} calls are new; ranks",
        r"^- judge `restraint` .*changed: `model`; no call$",
    ),
    "a title": (
        lambda board: edit(board.specs / DOMAIN, "title: ", "title: The "),
        rf"^\*\*0 of {CALLS} calls are new; ranks unchanged; trust unchanged\*\*$",
        r"^- 1 cosmetic change \(domain `science`\): no effect on calls or scores$",
    ),
    "a submission": (
        _submit,
        rf"^\*\*{ITEMS * (1 + JUDGES)} of \d+ calls are new \(1 contestant, 3 judges\), all recorded with it; ranks",
        r"^- adds the run `[0-9.a-f-]+` \(192 records\); verified: ",
    ),
    "a submission with one flipped verdict": (
        lambda board: (_submit(board), _flip(board, "judgments/lead-9.jsonl"))[0],
        r"^\*\*",
        r"^- adds the run `[0-9.a-f-]+` \(192 records\); verification failed: `.*judgments/lead-9.jsonl: the file was "
        r"changed after the run was sealed",
    ),
    "a submission with one flipped verdict that is sealed again": (
        lambda board: (_submit(board), _flip(board, "judgments/lead-9.jsonl"), _seal(board))[0],
        r"^\*\*\d+ of .*; 1 record of HEAD fails the record check\*\*$",
        r"^- record check: the verdict of `[a-z]+` on `lead-9` on `.*` of `main` differs from the program itself: ",
    ),
    "an old run": (
        lambda board: _flip(board, "judgments/lead-2.jsonl"),
        r"^> This change edits 1 file of runs on `main` \(`runs/[0-9.a-f-]+/judgments/lead-2.jsonl`\)\.",
        r"^- changes the run `[0-9.a-f-]+` \(144 records\); verification failed: `.*judgments/lead-2.jsonl: the file "
        r"was changed after the run was sealed",
    ),
    "everything": (
        lambda board: [shutil.rmtree(folder) for folder in (board.specs, board.runs)][0],  # noqa: RUF015
        r"^cannot compare: `cannot read HEAD: specs: no benchmark.yaml here",
        r"^> This change edits \d+ files of runs on `main` \(",
    ),
    "specs that do not load": (
        lambda board: edit(board.specs / DOMAIN, "task: ", "tsak: "),
        r"^cannot compare: `the specs of HEAD have errors: specs/domains/science.yaml:\d+:\d+: ",
        r"^Compared by nullbench-site \d.*, without keys or calls\.",
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("case", CHANGES)
def test_each_change_has_the_comment_that_a_reviewer_wants(forge: Forge, case: str) -> None:
    change, whole, line = CHANGES[case]
    change(forge.fork)
    runner, body = forge.proposed(preview=True)
    assert re.search(f"(?m){whole}", body), body
    assert re.search(f"(?m){line}", body), body
    review = runner.jobs["review"]
    sound = case in {"a goal", "a judge", "a title", "a submission"}
    assert review.success == sound, review.output
    assert runner.jobs["preview"].success or not sound, runner.jobs["preview"].output
    assert "site" in runner.artifacts or not sound


@pytest.mark.sweep
def test_a_merge_without_keys_publishes_the_last_run_with_a_warning(forge: Forge) -> None:
    """A contestant at an endpoint whose key is not there."""
    text = TALKER.replace("endpoint: lab", "endpoint: openai")
    (forge.main.specs / "models/talker.yaml").write_text(text, "utf-8")
    git(forge.main.root, "add", "-A")
    git(forge.main.root, "commit", "-q", "-m", "feat: a model")
    git(forge.main.root, "push", "-q", "origin", "main")
    runner = forge.runner()
    jobs = runner.run(forge.workflow("publish"))
    assert {name: job.success for name, job in jobs.items()} == {"build": True, "commit": True, "deploy": True}, jobs[
        "build"
    ].output
    assert "::warning title=Not all calls were made::" in jobs["build"].output
    boards = [*runner.artifacts["github-pages"].glob("boards/*/index.html")]
    assert boards
    assert not any("talker" in board.read_text("utf-8") for board in boards)
    unrendered = forge.workflow("publish").replace("build --strict", "build --no-render --strict")
    again = forge.runner().run(unrendered.replace("nullbench-site render", "mkdir site"))
    assert list(again) == ["build", "deploy"], "nothing is new, and nothing is committed"


@pytest.mark.sweep
def test_a_run_that_brings_more_than_a_run_is_not_pushed(forge: Forge) -> None:
    """What evaluates has keys and packages; what pushes has neither, and believes it nothing but runs/."""
    edit(forge.main.specs / DOMAIN, "task: ", "task: Please ")
    git(forge.main.root, "commit", "-q", "-a", "-m", "feat: a task")
    git(forge.main.root, "push", "-q", "origin", "main")
    before = git(forge.origin, "rev-parse", "main")
    linked = "git rm -rq --cached runs; mv runs was; ln -s .github runs; git add runs"
    for more in ("echo x >> README.md; git add runs README.md", linked):
        jobs = forge.runner().run(forge.workflow("publish").replace("git add runs\n", f"{more}\n"))
        assert (jobs["commit"].success, jobs["deploy"].success) == (False, True)
        assert "changes more than runs/" in jobs["commit"].output
    assert git(forge.origin, "rev-parse", "main") == before


@pytest.mark.sweep
def test_the_action_reviews_a_board_in_a_folder(built: Repository, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "boards").mkdir(parents=True)
    built.root.rename(outer / "boards" / "one")
    git(outer, "init", "-q", "-b", "main")
    git(outer, "add", "-A")
    git(outer, "commit", "-q", "-m", "the board")
    git(outer, "clone", "-q", "--bare", str(outer), str(tmp_path / "origin.git"))
    edit(outer / "boards/one/specs" / DOMAIN, "task: ", "task: Please ")
    git(outer, "commit", "-q", "-a", "-m", "a change")
    git(tmp_path / "origin.git", "fetch", "-q", str(outer), "+HEAD:refs/pull/4/head")
    (tmp_path / "jobs").mkdir()
    runner = Runner(tmp_path / "jobs", tmp_path / "origin.git", merging=git(outer, "rev-parse", "HEAD"))
    for name in ("review", "preview"):
        action = (ROOT / f".github/actions/{name}/action.yml").read_text("utf-8")
        done = runner.action(action, directory="boards/one")
        assert done.success, done.output
    assert json.loads((runner.artifacts["review"] / "diff.json").read_text("utf-8"))["calls"]["asked"] == 12
    assert (runner.artifacts["site"] / "index.html").is_file()


@pytest.mark.sweep
def test_gitlab_reviews_and_publishes_by_the_same_commands(forge: Forge) -> None:
    config = git(forge.origin, "show", "main:.gitlab-ci.yml")
    edit(forge.fork.specs / DOMAIN, "task: ", "task: Please ")
    git(forge.fork.root, "commit", "-q", "-a", "-m", "a change")
    sha = git(forge.fork.root, "rev-parse", "HEAD")
    git(forge.origin, "fetch", "-q", str(forge.fork.root), "+HEAD:refs/merge-requests/4/head")
    base = git(forge.origin, "rev-parse", "main")
    done, folder = forge.runner().gitlab(config, "review", sha, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.success, done.output
    assert "12 of 144 calls are new" in (folder / "review/review.md").read_text("utf-8")
    assert json.loads((folder / "review/diff.json").read_text("utf-8"))["calls"]["asked"] == 12
    done, folder = forge.runner().gitlab(config, "preview", sha)
    assert done.success, done.output
    assert (folder / "site/index.html").is_file()
    done, folder = forge.runner().gitlab(config, "pages", sha, SITE_URL=ADDRESS)
    assert done.success, done.output
    assert f'<link rel="canonical" href="{ADDRESS}/">' in (folder / "public/index.html").read_text("utf-8")
    (forge.fork.specs / "axes.yaml").write_text("axes: 1\n", "utf-8")
    git(forge.fork.root, "commit", "-q", "-a", "-m", "a mistake")
    git(forge.origin, "fetch", "-q", str(forge.fork.root), "+HEAD:refs/merge-requests/4/head")
    sha = git(forge.fork.root, "rev-parse", "HEAD")
    done, folder = forge.runner().gitlab(config, "review", sha, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert not done.success
    assert "cannot compare: `the specs of HEAD have errors" in (folder / "review/review.md").read_text("utf-8")
