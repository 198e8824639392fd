"""`comment --merge-requests`: the notes under merge requests, by a job that runs nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from support.json_server import TOKEN, Json, JsonServer

from nullbench_site.cli.app import app
from nullbench_site.errors import UsageError
from nullbench_site.review.comment import MARKER, GitLabError
from nullbench_site.review.comparison import Calls, Cost, Diff

ME = 7
SHA = "c" * 40


@dataclass
class GitLabServer(JsonServer):
    """The project 1, whose merge requests have pipelines of their own project or of the fork 2."""

    requests: list[Json] = field(default_factory=list)
    jobs: dict[str, list[Json]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    diffs: list[Json] = field(default_factory=list)
    notes: dict[int, list[Json]] = field(default_factory=dict)

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json) -> tuple[int, Any]:
        if path == "/user":
            return 200, {"id": ME}
        if path == "/projects/1/merge_requests":
            assert query["state"] == ["opened"]
            return 200, [{**each, "head_pipeline": None} for each in self.requests]
        if match := re.fullmatch(r"/projects/1/merge_requests/(\d+)(/diffs)?", path):
            return 200, self.diffs if match[2] else next(r for r in self.requests if r["iid"] == int(match[1]))
        if match := re.fullmatch(r"/projects/(\d/pipelines/\d+)/jobs", path):
            return 200, self.jobs.get(match[1], [])
        if match := re.fullmatch(r"/projects/(\d/jobs/\d+)/artifacts/review/diff.json", path):
            return (200, self.files[match[1]]) if match[1] in self.files else (404, {"message": "404 Not Found"})
        match = re.fullmatch(r"/projects/1/merge_requests/(\d+)/notes(?:/(\d+))?", path)
        assert match is not None, path
        notes = self.notes.setdefault(int(match[1]), [])
        if method == "POST":
            notes.append({"id": 100 + len(notes), "body": body["body"], "author": {"id": ME}})
            return 201, notes[-1]
        if method == "PUT":
            note = next(each for each in notes if each["id"] == int(match[2]))
            note["body"] = body["body"]
            return 200, note
        return 200, notes

    def request(self, iid: int, project: int, job: int, status: str = "success") -> None:
        pipeline = {"id": 10 * iid, "project_id": project, "status": status, "sha": SHA}
        self.requests.append(
            {"iid": iid, "sha": SHA, "source_branch": "feature", "target_branch": "main", "head_pipeline": pipeline}
        )
        self.jobs[f"{project}/pipelines/{10 * iid}"] = [
            {"id": 1, "name": "lint", "status": "success", "web_url": "https://gitlab.example/1"},
            {"id": job, "name": "review", "status": status, "web_url": f"https://gitlab.example/{job}"},
        ]


def diff(asked: int) -> bytes:
    calls = Calls(asked=asked, reused=0, open=0, judges=("j",), contestants=(), controls=False)
    return msgspec.json.encode(Diff("a", "b", "tool", calls=calls, cost_usd=Cost(0.0, 0.0)))


@pytest.fixture
def gitlab() -> Iterator[GitLabServer]:
    with GitLabServer() as server:
        server.request(3, project=1, job=30)
        server.request(4, project=2, job=40)
        server.files = {"1/jobs/30": diff(5), "2/jobs/40": diff(6)}
        yield server


def run(gitlab: GitLabServer, **variables: str | None) -> list[str]:
    known = {"CI_API_V4_URL": gitlab.url, "CI_PROJECT_ID": "1", "NULLBENCH_GITLAB_TOKEN": TOKEN}
    done = CliRunner().invoke(app, ["comment", "--merge-requests"], env={**known, **variables})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stderr.splitlines()


def test_each_open_merge_request_has_one_note(gitlab: GitLabServer) -> None:
    gitlab.notes[3] = [{"id": 9, "body": f"{MARKER} of somebody", "author": {"id": 8}}]
    gitlab.diffs = [
        {"new_path": path, "old_path": path, "new_file": False, "deleted_file": False, "renamed_file": False}
        for path in (".gitlab-ci.yml", "runs/a/manifest.json")
    ]
    assert run(gitlab) == ["!3: note written", "!4: note written"]
    assert run(gitlab) == ["!3: note unchanged", "!4: note unchanged"]
    gitlab.files["1/jobs/30"] = diff(7)
    assert run(gitlab) == ["!3: note updated", "!4: note unchanged"]
    theirs, ours = gitlab.notes[3]
    assert theirs["body"] == f"{MARKER} of somebody"
    lines = ours["body"].splitlines()
    assert lines[1:4] == [
        "> [!WARNING]",
        "> This change edits files that produce this comment (`.gitlab-ci.yml`). Review them before the rest.  ",
        "> This change edits 1 file of runs on `main` (`runs/a/manifest.json`).  ",
    ]
    assert "**7 of 7 calls are new (1 judge), no cost; ranks unchanged" in ours["body"]
    assert "`main` -> `feature at ccccccc`" in lines
    assert "in [this job](https://gitlab.example/30)" in lines[-1]
    assert "ran in the project of the fork" not in ours["body"]
    assert "6 of 6 calls are new" in gitlab.notes[4][0]["body"]


def test_a_review_by_the_project_of_a_fork_is_a_warning(gitlab: GitLabServer) -> None:
    """Its settings can name another pipeline, which no changed file shows."""
    run(gitlab)
    assert gitlab.notes[4][0]["body"].splitlines()[1:3] == [
        "> [!WARNING]",
        "> This review ran in the project of the fork, whose owner can make the rest of this comment say anything.  ",
    ]


@pytest.mark.parametrize(("count", "is_cut"), [("1000+", True), ("1", False), (None, False), ("1000", False)])
def test_changes_that_gitlab_does_not_list_are_a_warning(gitlab: GitLabServer, count: str | None, is_cut: bool) -> None:
    gitlab.diffs = [
        {"new_path": "a", "old_path": "a", "new_file": False, "deleted_file": False, "renamed_file": False}
    ] * 3
    gitlab.requests[0]["changes_count"] = count
    run(gitlab)
    body = gitlab.notes[3][0]["body"]
    assert ("Only the first 3 changed files were checked for this." in body) == is_cut


def test_a_running_review_has_no_note(gitlab: GitLabServer) -> None:
    gitlab.requests[0]["head_pipeline"] = None
    gitlab.jobs["2/pipelines/40"][1]["status"] = "running"
    ended = "the review of its newest commit has not ended"
    assert run(gitlab) == [f"!3: {ended}", f"!4: {ended}"]
    assert gitlab.notes == {}


def test_a_missing_or_oversized_artifact_is_one_line(gitlab: GitLabServer) -> None:
    gitlab.files = {"1/jobs/30": b" " * (3 * 1024**2)}
    run(gitlab)
    assert "it has more than 2,097,152 bytes" in gitlab.notes[3][0]["body"]
    assert "the job left no result" in gitlab.notes[4][0]["body"]


def test_a_refusal_is_one_message_without_the_token(gitlab: GitLabServer) -> None:
    gitlab.refuses = "POST"
    with pytest.raises(GitLabError, match=r"POST /projects/1/merge_requests/3/notes: GitLab refused \(403 .*Reporter"):
        run(gitlab)


@pytest.mark.parametrize(
    "settings",
    [
        {"CI_API_V4_URL": "http://127.0.0.1:9"},
        {"CI_API_V4_URL": "http://[::1"},
        {"HTTP_PROXY": "ftp://127.0.0.1:9"},
        {"SSL_CERT_FILE": "/dev/null"},
        {"NULLBENCH_GITLAB_TOKEN": f"{TOKEN}\n{TOKEN}"},
        {"NULLBENCH_GITLAB_TOKEN": f"{TOKEN}\N{LATIN SMALL LETTER E WITH ACUTE}"},
    ],
)
def test_bad_settings_are_one_message_without_the_token(gitlab: GitLabServer, settings: dict[str, str]) -> None:
    with pytest.raises(GitLabError, match=r"cannot reach GitLab .*; check CI_API_V4_URL, SSL_CERT_FILE") as refused:
        run(gitlab, **settings)
    assert TOKEN not in str(refused.value)


def test_a_token_may_end_with_a_newline(gitlab: GitLabServer) -> None:
    assert run(gitlab, NULLBENCH_GITLAB_TOKEN=f"{TOKEN}\n") == ["!3: note written", "!4: note written"]


def test_a_missing_variable_is_named(gitlab: GitLabServer) -> None:
    with pytest.raises(UsageError, match="NULLBENCH_GITLAB_TOKEN is not set"):
        run(gitlab, NULLBENCH_GITLAB_TOKEN=None)
    with pytest.raises(UsageError, match="name a file"):
        CliRunner().invoke(app, ["comment"], catch_exceptions=False)
