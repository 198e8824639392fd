"""`comment`: what stands under a pull request, made of a file that anybody may have written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from msgspec import inspect
from support.commands import Finished, nullbench
from support.github_server import BOT, FORK, GitHubServer, pull, workflow_run
from support.json_server import TOKEN, Json

from nullbench_site.cli.app import app
from nullbench_site.errors import NullbenchError
from nullbench_site.review.comment import MARKER, MOST_COMMENT, ChangedFile, PullRequest, comment, read_diff, summary
from nullbench_site.review.rendering import markdown
from nullbench_site.review.report import Calls, Cost, Diff, RunFile, SpecChange, json_schema

HOSTILE = (
    "@everyone <img src=x onerror=alert(1)> [click](https://x.example) ``code`` | #1 ![x](y) **b** https://x.example "
    "\x1b[2J\u202e\r\n\n# Heading\n- [ ] list -->\n```\n</sub></details>" + "0123456789abcdef" * 7
)
SHA = "c" * 40
ABOUT = PullRequest(3, "main", "theirs:feature", SHA, "https://github.example/ours/board/actions/runs/77", site=True)


def filled(kind: inspect.Type, choice: int, text: str = HOSTILE) -> Any:
    """JSON of a type in which each text is `text`, each list has two parts and each field is there."""
    match kind:
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
def test_no_text_of_a_comparison_means_anything_in_the_comment(tmp_path: Path, choice: int) -> None:
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


def test_the_look_for_what_means_something_sees_it() -> None:
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
def test_a_forged_number_is_no_comparison(tmp_path: Path, case: str) -> None:
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
    "no UTF-8": (b'{"base": "\xff"}', "is none that nullbench-site"),
    "nested without an end": (b"[" * 100_000, "is none that nullbench-site"),
    "beyond all measure": (
        b'{"base": "a", "head": "b", "tool": "c", "unexplained": 1' + b"0" * 400 + b"}",
        "none that",
    ),
    "too long": (b" " * (2 * 1024**2 + 1), "it has more than 2,097,152 bytes"),
    "empty": (b"", "truncated"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_that_is_no_comparison_is_one_line(tmp_path: Path, case: str) -> None:
    content, said = WRONG[case]
    body = comment(read_diff(written(tmp_path, content)), ABOUT)
    assert said in body
    assert len([line for line in body.splitlines() if line.startswith("**")]) == 1
    assert list(leaks(body)) == []


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"base": "s3cret"}', "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    assert "left no result" in str(read_diff(tmp_path / "absent"))
    assert "no plain file" in str(read_diff(tmp_path / "pipe"))
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


def test_a_comment_has_no_more_than_its_host_takes_and_the_summary_has_the_rest() -> None:
    wide = [SpecChange("item", "x" * 600, "changed", 1, True, "y" * 600, "", ("z" * 600,) * 12) for _ in range(40)]
    crowded = msgspec.structs.replace(
        _many(0), changes=tuple(msgspec.structs.replace(c, before=str(n)) for n, c in enumerate(wide))
    )
    body = comment(crowded, ABOUT)
    assert 50_000 < len(body) <= MOST_COMMENT
    assert "The rest does not fit here." in body
    assert body.endswith("which keeps the site as it would be")
    many = _many(500)
    assert "460 more changes" in comment(many, ABOUT)
    assert "item-499" not in comment(many, ABOUT)
    assert "item-499" in summary(many, ABOUT)
    assert len(summary(_many(3000), ABOUT).encode()) < 1024**2


def test_the_comment_names_the_sides_as_the_host_does_and_not_as_the_file() -> None:
    lines = comment(_many(1), ABOUT).splitlines()
    assert lines[:4] == [
        MARKER,
        "**re-asks 4 of 4 calls (1 contestant, 1 judge), $1.10-1.90; ranks: none moves; trust: not measured**",
        "",
        "`main` -> `theirs:feature at ccccccc`",
    ]
    assert f"[the job of this change]({ABOUT.job})" in lines[-1]


RUNS = {
    "adds the run `1.0.0-a` of 48 records; it verifies: the files agree with the manifest, and results and keys with "
    "the records; manifest digest `4f1c`": RunFile("1.0.0-a", "added", 48, True, (), digest="4f1c"),
    "adds the run `1.0.0-a` of 48 records; it does not verify: `one`; `two`": RunFile(
        "1.0.0-a", "added", 48, True, ("one", "two")
    ),
    "changes the run `1.0.0-a` of 48 records; nobody has verified it": RunFile("1.0.0-a", "changed", 48, True),
    "adds the run `1.0.0-a` of 1 record; it is open: the next build goes on with it": RunFile(
        "1.0.0-a", "added", 1, False
    ),
    "takes away the run `1.0.0-a`": RunFile("1.0.0-a", "removed", 0, True),
}


@pytest.mark.parametrize("line", RUNS)
def test_a_run_is_one_line(line: str) -> None:
    assert f"- {line}" in markdown(msgspec.structs.replace(_many(1), runs=(RUNS[line],))).splitlines()


def test_whoever_changes_what_the_comment_is_made_by_or_an_old_run_is_named_first() -> None:
    changed = [
        ChangedFile(".github/workflows/review.yml", "modified"),
        ChangedFile("specs/moved.txt", "renamed", "requirements.txt"),
        ChangedFile("runs/1.0.0-a/judgments/lead.jsonl", "modified"),
        ChangedFile("runs/1.0.0-b/manifest.json", "added"),
        ChangedFile("specs/axes.yaml", "modified"),
    ]
    body = comment(_many(1), replace(ABOUT, files=changed, all_files=False))
    assert body.splitlines()[1:6] == [
        "> [!WARNING]",
        "> It changes what this comment is made by (`.github/workflows/review.yml` and `specs/moved.txt`): read that "
        "before you believe the rest.  ",
        "> It changes 1 file of runs that `main` has (`runs/1.0.0-a/judgments/lead.jsonl`).  ",
        "> It changes more files than could be listed; look for others of this kind.  ",
        "",
    ]
    assert "WARNING" not in comment(_many(1), replace(ABOUT, files=changed[3:]))
    below = [ChangedFile(f"boards/one/{file.filename}", file.status) for file in (changed[2], changed[4])]
    assert "`boards/one/runs/1.0.0-a/judgments/lead.jsonl`" in comment(_many(1), replace(ABOUT, files=below))
    for name in ("requirements.txt", "requirements-nullbench-site.txt", ".ci/install.sh"):
        pinned = [ChangedFile(f"boards/one/{name}", "modified")]
        assert f"(`boards/one/{name}`)" in comment(_many(1), replace(ABOUT, files=pinned))


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        server.pulls = [pull(3, SHA), pull(4, "d" * 40, FORK)]
        yield server


def _ready(tmp_path: Path, github: GitHubServer, event: Json, diff: object = None) -> list[str]:
    (tmp_path / "event.json").write_text(json.dumps(event), "utf-8")
    file = written(tmp_path, diff or _many(1))
    return ["comment", str(file), "--event", str(tmp_path / "event.json"), "--summary", str(tmp_path / "summary.md")]


def post(tmp_path: Path, github: GitHubServer, event: Json, diff: object = None, **variables: str) -> Finished:
    """The command without a process of its own."""
    done = CliRunner().invoke(app, _ready(tmp_path, github, event, diff), env={**github.variables, **variables})
    if isinstance(done.exception, NullbenchError):
        return Finished(done.exception.exit_code, done.stdout, f"Error: {done.exception}")
    assert done.exception is None, done.exc_info
    return Finished(done.exit_code, done.stdout, done.stderr)


def test_the_comment_is_posted_once_and_then_written_anew(tmp_path: Path, github: GitHubServer) -> None:
    for number in range(230):
        github.say(3, {"login": "somebody"}, f"{MARKER} says number {number}")
    event = workflow_run(github.pulls[0])
    done = nullbench(tmp_path, *_ready(tmp_path, github, event), **github.variables)
    assert (done.code, done.out) == (0, ""), done.err
    assert done.err == "Posted https://github.example/comment/231\n"
    assert github.comments[3][230]["body"] == comment(_many(1), replace(ABOUT, head="ours:feature"))
    post(tmp_path, github, event, _many(2))
    assert len(github.comments[3]) == 231, "the comments of others are left alone, whatever they begin with"
    assert "item-1" in github.comments[3][230]["body"]
    assert "`ours:feature at ccccccc`" in (tmp_path / "summary.md").read_text("utf-8")


def test_of_a_fork_the_pull_request_is_that_of_its_commit(tmp_path: Path, github: GitHubServer) -> None:
    """The event names none. Another pull request of a branch that is called alike is not meant."""
    github.pulls.append(pull(5, "d" * 40, FORK, "feature", state="closed"))
    done = post(tmp_path, github, workflow_run(github.pulls[1]))
    assert done.code == 0, done.err
    assert list(github.comments) == [4]
    assert "GET /repos/ours/board/pulls?state=open&head=theirs%3Afeature&per_page=100&page=1" in github.asked


def test_the_file_cannot_choose_the_pull_request(tmp_path: Path, github: GitHubServer) -> None:
    forged = msgspec.to_builtins(_many(1)) | {"number": 3, "pull_request": 3, "head_sha": SHA}
    post(tmp_path, github, workflow_run(github.pulls[1]), forged)
    assert list(github.comments) == [4]


UNPOSTED: dict[str, tuple[Any, str]] = {
    "a newer commit": (lambda github: github.pulls[0]["head"].update(sha="e" * 40), "no open pull request has ccccccc"),
    "closed": (lambda github: github.pulls[0].update(state="closed"), "no open pull request has ccccccc"),
    "of another repository": (lambda github: github.pulls[0]["base"].update(repo=FORK), "no open pull request has"),
}


@pytest.mark.parametrize("case", UNPOSTED)
def test_where_there_is_nothing_to_comment_on_nothing_is_posted(
    tmp_path: Path, github: GitHubServer, case: str
) -> None:
    change, said = UNPOSTED[case]
    event = workflow_run(pull(3, SHA))
    change(github)
    done = post(tmp_path, github, event)
    assert (done.code, github.comments) == (0, {})
    assert done.err.startswith(f"Not posted: {said}")


def test_two_pull_requests_of_a_commit_have_no_comment(tmp_path: Path, github: GitHubServer) -> None:
    github.pulls.append(pull(6, "d" * 40, FORK))
    done = post(tmp_path, github, workflow_run(github.pulls[1]))
    assert done.err == (
        "Not posted: ddddddd is the newest commit of #4, #6, and nothing says which of them was compared\n"
    )
    assert github.comments == {}


def test_a_pull_request_into_a_fork_that_the_event_names_too_is_passed_over(
    tmp_path: Path, github: GitHubServer
) -> None:
    """Its number means nothing here, where it may be that of another, or of none."""
    event = workflow_run(github.pulls[0])
    (named,) = event["workflow_run"]["pull_requests"]
    theirs = {**named, "number": 99, "base": {**named["base"], "repo": {"id": FORK["id"], "name": "board"}}}
    event["workflow_run"]["pull_requests"] = [theirs, named]
    assert post(tmp_path, github, event).code == 0
    assert list(github.comments) == [3]


@pytest.mark.parametrize("conclusion", ["action_required", "cancelled"])
def test_a_review_that_did_not_run_says_nothing(tmp_path: Path, github: GitHubServer, conclusion: str) -> None:
    """One that failed left something all the same, or the comment says that it did not."""
    done = post(tmp_path, github, workflow_run(github.pulls[1], conclusion=conclusion))
    assert done.err == f"Not posted: the review did not run to its end ({conclusion})\n"
    assert github.comments == {}
    post(tmp_path, github, workflow_run(github.pulls[1], conclusion="failure"))
    ((said,),) = github.comments.values()
    assert f"by [the job of this change]({ABOUT.job})" in said["body"]
    assert "keeps the site" not in said["body"], "a job that failed made none"


def test_a_push_is_no_pull_request(tmp_path: Path, github: GitHubServer) -> None:
    done = post(tmp_path, github, workflow_run(pull(3, SHA), event="push"))
    assert "was started by 'push'" in done.err
    assert github.asked == []


def test_what_github_refuses_is_one_message_without_the_token(tmp_path: Path, github: GitHubServer) -> None:
    event = workflow_run(github.pulls[0])
    github.refuses = "POST"
    done = post(tmp_path, github, event)
    assert done.code == 2
    assert "POST /issues/3/comments: GitHub refused (403" in done.message
    assert "pull-requests: write" in done.message
    wrong = post(tmp_path, github, event, GITHUB_TOKEN="another")  # noqa: S106
    assert "Bad credentials" in wrong.message
    gone = post(tmp_path, github, event, GITHUB_API_URL="http://127.0.0.1:9")
    assert "could not be reached" in gone.message
    for text in (done.err, wrong.err, gone.err):
        assert TOKEN not in text


def test_without_a_token_or_an_event_it_says_what_to_do(tmp_path: Path, github: GitHubServer) -> None:
    done = post(tmp_path, github, workflow_run(github.pulls[0]), GITHUB_TOKEN="")
    assert (done.code, "GITHUB_TOKEN is not set" in done.message) == (2, True)
    other = post(tmp_path, github, {"action": "opened", "pull_request": {"number": 3}})
    assert (other.code, "GITHUB_EVENT_PATH" in other.message) == (2, True)


def test_without_an_event_it_is_printed(tmp_path: Path) -> None:
    done = nullbench(tmp_path, "comment", written(tmp_path, _many(1)).name)
    assert (done.code, done.out) == (0, f"{comment(_many(1))}\n")


def test_the_comments_of_a_pull_request_are_looked_through_to_the_last(tmp_path: Path, github: GitHubServer) -> None:
    for number in range(120):
        github.say(3, {"login": "somebody"}, str(number))
    github.say(3, BOT, "something else that a workflow said")
    github.say(3, BOT, f"{MARKER}\nold")
    post(tmp_path, github, workflow_run(github.pulls[0]))
    assert [len(github.comments[3]), github.comments[3][-1]["body"] != f"{MARKER}\nold"] == [122, True]


def test_a_summary_that_cannot_be_written_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "diff.json").write_bytes(b"{}")
    done = nullbench(tmp_path, "comment", "diff.json", "--summary", "no-folder/summary.md")
    assert done.code == 3
    assert "no-folder/summary.md: No such file or directory; mend that" in done.message
