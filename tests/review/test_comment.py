"""`comment`: what stands under a pull request, made of a file that anybody may have written."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from markdown_it import MarkdownIt
from msgspec import inspect
from support.commands import nullbench
from support.commits import git
from support.github_server import BOT, FORK, REPOSITORY, GitHubServer, pull, workflow_run
from support.json_server import Json
from support.workflow import Job, Runner

from nullbench_site.review.comment import (
    MARKER,
    MOST_COMMENT,
    MOST_LISTED,
    ChangedFile,
    PullRequest,
    comment,
    read_diff,
    summary,
)
from nullbench_site.review.rendering import markdown
from nullbench_site.review.report import Calls, Cost, Diff, RunFile, SpecChange, json_schema
from nullbench_site.starter import make_repository

HOSTILE = (
    "@everyone <img src=x onerror=alert(1)> [click](https://x.example) ``code`` | #1 ![x](y) **b** https://x.example "
    "\x1b[2J\u202e\r\n\n# Heading\n- [ ] list -->\n```\n</sub></details>" + "0123456789abcdef" * 7
)
SHA = "c" * 40
ABOUT = PullRequest("main", "theirs:feature at ccccccc", "https://github.example/ours/board/actions/runs/77", site=True)


def filled(kind: inspect.Type, choice: int, text: str = HOSTILE) -> Any:
    """JSON of a type in which each text is `text`, each list has two parts and each field is there."""
    match kind:
        case inspect.StrType() if kind.pattern is not None:
            return "goal"
        case inspect.StrType():
            return text
        case inspect.LiteralType():
            return kind.values[choice % len(kind.values)]
        case inspect.BoolType():
            return bool(choice % 2)
        case inspect.IntType() | inspect.FloatType():
            return 3
        case inspect.VarTupleType() | inspect.ListType():
            return [filled(kind.item_type, choice, text), filled(kind.item_type, choice + 1, text)]
        case inspect.DictType():
            return {text: filled(kind.value_type, choice, text)}
        case inspect.UnionType():
            kinds = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
            return filled(kinds[choice % len(kinds)], choice, text)
        case inspect.StructType():
            return {each.encode_name: filled(each.type, choice, text) for each in kind.fields}
    raise AssertionError(f"no value is known of {kind}")


def written(tmp_path: Path, found: object) -> Path:
    path = tmp_path / "diff.json"
    path.write_bytes(found if isinstance(found, bytes) else msgspec.json.encode(found))
    return path


def leaks(body: str) -> Iterator[str]:
    """What of a comment is more than our words, code spans, tables, lists, and the one link to the job."""
    parser = MarkdownIt("commonmark").enable("table")
    for block in parser.parse(body):
        if block.type == "html_block" and block.content.strip() != MARKER:
            yield block.content
        if block.type in {"fence", "code_block", "heading_open", "hr"}:
            yield block.type
        for token in block.children or ():
            if token.type == "html_inline":
                yield token.content
            if token.type == "image" or (token.type == "link_open" and token.attrs["href"] != ABOUT.job):
                yield str(token.attrs)
            if token.type == "text" and re.search(r"@|https?:|#\d|[0-9a-f]{40}|<|\]\(|\x1b|\u202e", token.content):
                yield token.content


@pytest.mark.parametrize("choice", range(8))
def test_foreign_text_is_inert_in_the_comment(tmp_path: Path, choice: int) -> None:
    """Whatever fields a comparison has, now or later."""
    found = read_diff(written(tmp_path, filled(inspect.type_info(Diff), choice)))
    assert isinstance(found, Diff)
    files = [ChangedFile(f"{folder}{HOSTILE}", "modified") for folder in (".github/", "runs/")]
    about = replace(ABOUT, base=HOSTILE, head=HOSTILE, files=files)
    for body in (comment(found, about), summary(found, about), comment(found)):
        assert "everyone" in body
        assert list(leaks(body)) == []
    bare = filled(inspect.type_info(Diff), choice) | {"calls": None, "cost_usd": None}
    uncompared = read_diff(written(tmp_path, bare))
    assert list(leaks(comment(uncompared, about))) == []


def test_the_search_for_active_markup_finds_it() -> None:
    for piece in (
        "@everyone",
        "<b>x</b>",
        "[x](https://x.example)",
        "![x](y)",
        "see #1",
        "a\n\n# b",
        "`a`` @b",
        "c" * 40,
    ):
        assert list(leaks(f"{MARKER}\n\n{piece}")), piece


def _bounds(part: Any, name: str = "") -> Iterator[str]:
    """The numbers and lists of a schema that may be of any size."""
    wanted = {"integer": {"minimum", "maximum"}, "number": {"minimum", "maximum"}, "array": {"maxItems"}}
    if isinstance(part, dict):
        if not wanted.get(part.get("type"), set()) <= part.keys():
            yield name
        for key, inner in part.items():
            yield from _bounds(inner, f"{name}.{key}")
    elif isinstance(part, list):
        for inner in part:
            yield from _bounds(inner, name)


def test_every_number_and_list_that_the_trusted_job_reads_is_bounded() -> None:
    assert list(_bounds(json.loads(json_schema()))) == []


NUMBERS: dict[str, tuple[str, object]] = {
    "calls fewer than none": ("calls", {"asked": -5, "reused": 0, "open": 0, "judges": [], "contestants": []}),
    "money back": ("cost_usd", {"low": -1.5, "high": 2}),
    "a rank before the first": ("ranks", [{"board": "b", "contestant": "c", "before": None, "after": {"rank": 0}}]),
    "records fewer than none": ("runs", [{"run": "r", "what": "added", "records": -1, "sealed": True}]),
    "many judges": ("calls", {"asked": 1, "reused": 0, "open": 0, "judges": ["j"] * 20_000, "contestants": []}),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_a_forged_number_is_refused(tmp_path: Path, case: str) -> None:
    name, value = NUMBERS[case]
    sound = msgspec.to_builtins(_many(1))
    if isinstance(value, dict):
        value = sound[name] | value
    found = read_diff(written(tmp_path, sound | {name: value}))
    assert isinstance(found, str)
    assert re.search(rf"Expected .*at `\$\.{name}", found), found


WRONG = {
    "another thing": (b'{"base": 1}', "Expected 'str', got 'int' - at '$.base'"),
    "no object": (b"[]", "Expected 'object', got 'array'"),
    "no JSON": (b"<html>", "JSON is malformed"),
    "no UTF-8": (b'{"base": "\xff"}', "cannot read the result of this job"),
    "nested without an end": (b"[" * 100_000, "cannot read the result of this job"),
    "beyond all measure": (
        b'{"base": "a", "head": "b", "tool": "c", "unexplained": 1' + b"0" * 400 + b"}",
        "cannot read the result",
    ),
    "too long": (b" " * (2 * 1024**2 + 1), "it has more than 2,097,152 bytes"),
    "empty": (b"", "truncated"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_that_is_not_a_comparison_gives_one_line(tmp_path: Path, case: str) -> None:
    content, said = WRONG[case]
    body = comment(read_diff(written(tmp_path, content)), ABOUT)
    assert said in body
    assert len([line for line in body.splitlines() if line.startswith("**")]) == 1
    assert list(leaks(body)) == []


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"base": "s3cret"}', "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    assert "left no result" in str(read_diff(tmp_path / "absent"))
    assert "not a plain file" in str(read_diff(tmp_path / "pipe"))
    for name in ("link", ""):
        found = read_diff(tmp_path / name)
        assert isinstance(found, str)
        assert "s3cret" not in found


def test_texts_of_a_hundred_kilobytes_leave_room_for_the_rest(tmp_path: Path) -> None:
    long = filled(inspect.type_info(SpecChange), 1, "x" * 100_000)
    diff = filled(inspect.type_info(Diff), 0, "y") | {"changes": [long] * 3}
    body = comment(read_diff(written(tmp_path, diff)), ABOUT)
    assert len(body) < 30_000
    assert "x" * 500 in body


def _many(count: int) -> Diff:
    """As much as fits into a file: changes of which no two are alike."""
    changes = [
        SpecChange("item", f"item-{n}", "changed", 4, True, f"title {n}", "", (f"{n}" * 10,) * 12) for n in range(count)
    ]
    calls = Calls(asked=4 * count, reused=0, open=0, judges=("j",), contestants=("a",), controls=False)
    return Diff("a", "b", "tool", calls=calls, cost_usd=Cost(1.1, 1.9), changes=tuple(changes))


def test_a_comment_fits_its_host_and_the_summary_has_the_rest() -> None:
    wide = [SpecChange("item", "x" * 600, "changed", 1, True, "y" * 600, "", ("z" * 600,) * 12) for _ in range(40)]
    crowded = msgspec.structs.replace(
        _many(0), changes=tuple(msgspec.structs.replace(c, before=str(n)) for n, c in enumerate(wide))
    )
    body = comment(crowded, ABOUT)
    assert 50_000 < len(body) <= MOST_COMMENT
    assert "The rest does not fit here." in body
    assert body.endswith("The job Preview makes a preview of the site.")
    many = _many(500)
    assert "460 more changes" in comment(many, ABOUT)
    assert "item-499" not in comment(many, ABOUT)
    assert "item-499" in summary(many, ABOUT)
    assert len(summary(_many(3000), ABOUT).encode()) < 1024**2


def test_the_comment_names_both_sides_as_the_host_does() -> None:
    lines = comment(_many(1), ABOUT).splitlines()
    assert lines[:4] == [
        MARKER,
        "**4 of 4 calls are new (1 contestant, 1 judge), $1.10-1.90; ranks unchanged; trust not measured**",
        "",
        "`main` -> `theirs:feature at ccccccc`",
    ]
    assert f"in [this job]({ABOUT.job})" in lines[-1]


RUNS = {
    "adds the run `1.0.0-a` (48 records); verified: the files match the manifest; results and keys match the "
    "records; manifest digest `4f1c`": RunFile("1.0.0-a", "added", 48, True, (), digest="4f1c"),
    "adds the run `1.0.0-a` (48 records); verification failed: `one`; `two`": RunFile(
        "1.0.0-a", "added", 48, True, ("one", "two")
    ),
    "changes the run `1.0.0-a` (48 records); not verified": RunFile("1.0.0-a", "changed", 48, True),
    "adds the run `1.0.0-a` (1 record); open, the next build continues it": RunFile("1.0.0-a", "added", 1, False),
    "removes the run `1.0.0-a`": RunFile("1.0.0-a", "removed", 0, True),
}


@pytest.mark.parametrize("line", RUNS)
def test_a_run_is_one_line(line: str) -> None:
    assert f"- {line}" in markdown(msgspec.structs.replace(_many(1), runs=(RUNS[line],))).splitlines()


@pytest.mark.parametrize(
    ("path", "steers", "renders"),
    [
        ("site_templates/pages/board.md.j2", False, True),
        ("boards/one/site_templates/overrides/main.html", False, True),
        ("site_templates", False, True),  # a link to a folder
        ("site_templates/odd\nname.j2", False, True),
        ("mkdocs.yml", False, True),
        ("boards/one/mkdocs.yml", False, True),
        (".nullbench/observations/a.msgpack", False, True),
        (".gitlab-ci.yml", True, False),
        (".gitlab/ci/jobs.yml", True, False),
        ("ci/review.gitlab-ci.yml", True, False),
        (".ci/odd\nname", True, False),
        ("boards/one/.env", True, False),
        ("specs/axes.yaml", False, False),
        ("docs/mkdocs.yml.md", False, False),
        ("docs/site_templates.md", False, False),
    ],
)
def test_each_file_that_steers_a_job_is_a_warning(path: str, steers: bool, renders: bool) -> None:
    for file in (ChangedFile(path, "added"), ChangedFile("specs/moved.txt", "renamed", path)):
        body = comment(_many(1), replace(ABOUT, files=[file]))
        assert ("files that produce this comment" in body) == steers
        assert ("Templates are code: review them before you render or merge." in body) == renders
        assert ("WARNING" in body) == (steers or renders)


def test_edits_of_workflows_and_old_runs_are_a_warning_at_the_top() -> None:
    changed = [
        ChangedFile(".github/workflows/review.yml", "modified"),
        ChangedFile("specs/moved.txt", "renamed", "requirements.txt"),
        ChangedFile("runs/1.0.0-a/judgments/lead.jsonl", "modified"),
        ChangedFile("runs/1.0.0-b/manifest.json", "added"),
        ChangedFile("specs/axes.yaml", "modified"),
    ]
    body = comment(_many(1), replace(ABOUT, files=changed + changed[4:] * MOST_LISTED))
    assert body.splitlines()[1:6] == [
        "> [!WARNING]",
        "> This change edits files that produce this comment (`.github/workflows/review.yml` and `specs/moved.txt`). "
        "Review them before the rest.  ",
        "> This change edits 1 file of runs on `main` (`runs/1.0.0-a/judgments/lead.jsonl`).  ",
        "> Only the first 3,000 changed files were checked for this.  ",
        "",
    ]
    assert "WARNING" not in comment(_many(1), replace(ABOUT, files=changed[3:]))
    below = [ChangedFile(f"boards/one/{file.filename}", file.status) for file in (changed[2], changed[4])]
    assert "`boards/one/runs/1.0.0-a/judgments/lead.jsonl`" in comment(_many(1), replace(ABOUT, files=below))
    for name in ("requirements.txt", "requirements-nullbench-site.txt", ".ci/install.sh"):
        pinned = [ChangedFile(f"boards/one/{name}", "modified")]
        assert f"(`boards/one/{name}`)" in comment(_many(1), replace(ABOUT, files=pinned))


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the scripts that `init` writes for its workflows."""
    folder = tmp_path_factory.mktemp("origin")
    board = make_repository(folder / "board")
    own = board / "requirements-nullbench-site.txt"
    own.write_text(f"{own.read_text('utf-8').rstrip()} --hash=sha256:{'0' * 64}\n", "utf-8")
    git(board, "init", "-q", "-b", "main")
    git(board, "add", "-A")
    git(board, "commit", "-q", "-m", "the board")
    git(board, "clone", "-q", "--bare", str(board), str(folder / "origin.git"))
    return folder / "origin.git"


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        server.pulls = [pull(3, SHA), pull(4, "d" * 40, FORK)]
        yield server


@dataclass
class Poster:
    """Runs the workflow `Comment` after a review has ended."""

    folder: Path
    origin: Path
    github: GitHubServer

    def __call__(self, event: Json, diff: object = None) -> Job:
        review = self.folder / "review"
        review.mkdir(exist_ok=True)
        written(review, diff or _many(1))
        (self.folder / "jobs").mkdir(exist_ok=True)
        runner = Runner(self.folder / "jobs", self.origin, event, self.github.variables, artifacts={"review": review})
        return runner.run(git(self.origin, "show", "main:.github/workflows/comment.yml")).get("comment", Job())


@pytest.fixture
def post(tmp_path: Path, origin: Path, github: GitHubServer) -> Poster:
    return Poster(tmp_path, origin, github)


needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="the stand-in for gh needs jq")


@needs_jq
def test_the_comment_is_posted_once_and_then_updated(post: Poster, github: GitHubServer) -> None:
    for number in range(230):
        github.say(3, {"login": "somebody"}, f"{MARKER} says number {number}")
    github.say(3, BOT, "a comment of another workflow")
    event = workflow_run(github.pulls[0])
    done = post(event)
    assert done.success, done.output
    assert done.output.endswith("https://github.example/comment/232\n")
    assert github.comments[3][231]["body"] == f"{comment(_many(1), replace(ABOUT, head='ours:feature at ccccccc'))}\n"
    assert post(event, _many(2)).success
    assert len(github.comments[3]) == 232, "comments of others stay, whatever they begin with"
    assert "item-1" in github.comments[3][231]["body"]
    assert "`ours:feature at ccccccc`" in done.summary


@needs_jq
def test_the_pull_request_of_a_fork_is_found_by_its_newest_commit(post: Poster, github: GitHubServer) -> None:
    """The event names none, and the file cannot choose one."""
    github.pulls.append(pull(5, "d" * 40, FORK, "feature", state="closed"))
    forged = msgspec.to_builtins(_many(1)) | {"number": 3, "pull_request": 3, "head_sha": SHA}
    done = post(workflow_run(github.pulls[1]), forged)
    assert done.success, done.output
    assert list(github.comments) == [4]
    assert "GET /repos/ours/board/pulls?state=open&head=theirs%3Afeature" in github.asked


@needs_jq
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda pulls: pulls[1]["head"].update(sha="e" * 40), "0 open pull requests have the newest commit dddd"),
        (lambda pulls: pulls[1].update(state="closed"), "0 open pull requests have"),
        (lambda pulls: pulls[1]["head"].update(repo=REPOSITORY), "0 open pull requests have"),
        (lambda pulls: pulls.append(pull(6, "d" * 40, FORK)), "2 open pull requests have"),
    ],
)
def test_without_exactly_one_pull_request_nothing_is_posted(
    post: Poster, github: GitHubServer, change: Callable[[list[Json]], None], reason: str
) -> None:
    event = workflow_run(pull(4, "d" * 40, FORK))
    change(github.pulls)
    done = post(event)
    assert (done.success, github.comments) == (True, {})
    assert f"::notice::No comment: {reason}" in done.output


@needs_jq
@pytest.mark.parametrize("conclusion", ["action_required", "cancelled"])
def test_a_review_that_did_not_finish_has_no_comment(post: Poster, github: GitHubServer, conclusion: str) -> None:
    done = post(workflow_run(github.pulls[1], conclusion=conclusion))
    assert f"::notice::No comment: the review did not finish ({conclusion})." in done.output
    assert github.comments == {}


@needs_jq
def test_a_review_that_failed_has_a_comment(post: Poster, github: GitHubServer) -> None:
    post(workflow_run(github.pulls[1], conclusion="failure"))
    ((said,),) = github.comments.values()
    assert f"in [this job]({ABOUT.job})" in said["body"]
    assert "preview" not in said["body"], "a job that failed made none"


@needs_jq
def test_a_push_is_no_pull_request(post: Poster, github: GitHubServer) -> None:
    assert post(workflow_run(pull(3, SHA), event="push")).ran == []
    assert github.asked == []


@needs_jq
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_refusal_fails_the_job(post: Poster, github: GitHubServer, method: str) -> None:
    github.refuses = method
    done = post(workflow_run(github.pulls[0]))
    assert not done.success
    assert "gh: Resource not accessible by integration (HTTP 403)" in done.output
    assert github.comments == {}


def test_the_comment_is_printed(tmp_path: Path) -> None:
    done = nullbench(tmp_path, "comment", written(tmp_path, _many(1)).name)
    assert (done.code, done.out) == (0, f"{comment(_many(1))}\n")


def test_a_list_of_files_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "files.jsonl").write_text('{"filename": 1}\n', "utf-8")
    done = nullbench(tmp_path, "comment", written(tmp_path, _many(1)).name, "--base=main", "--files=files.jsonl")
    assert done.code == 2
    assert done.message.startswith("Error: files.jsonl: no list of changed files (Expected `str`")


def test_a_summary_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "diff.json").write_bytes(b"{}")
    done = nullbench(tmp_path, "comment", "diff.json", "--summary", "no-folder/summary.md")
    assert done.code == 3
    assert "no-folder/summary.md: No such file or directory; fix that" in done.message
