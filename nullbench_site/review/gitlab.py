"""GitLab, as far as a comment needs it: open merge requests, what their newest pipelines left, and the note under each.

https://docs.gitlab.com/api: merge_requests, notes, jobs, job_artifacts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.review.comment import MARKER, MOST_BYTES, ChangedFile, PullRequest, comment, parsed_diff
from nullbench_site.review.hosts import MOST_LISTED, HostApi

_JOB, _FILE = "review", "review/diff.json"
"""The job of `.gitlab-ci.yml` that compares, and what it leaves."""
_ENDED = frozenset({"success", "failed"})


class _Numbered(msgspec.Struct):
    id: int


class _Pipeline(msgspec.Struct):
    id: int
    project_id: int
    status: str


class _MergeRequest(msgspec.Struct):
    iid: int
    sha: str | None
    source_branch: str
    target_branch: str
    head_pipeline: _Pipeline | None = None


class _Job(msgspec.Struct):
    id: int
    name: str
    status: str
    web_url: str


class _Diff(msgspec.Struct):
    new_path: str
    old_path: str
    new_file: bool
    deleted_file: bool
    renamed_file: bool


class _Note(msgspec.Struct):
    id: int
    body: str
    author: _Numbered


class GitLab(HostApi):
    """The project that a pipeline is of; pipelines of merge requests may be of forks of it."""

    name = "GitLab"
    address_variable, token_variable = "CI_API_V4_URL", "NULLBENCH_GITLAB_TOKEN"
    advice = f"{token_variable} needs the scope api and the role Reporter"
    project = ""

    @classmethod
    def of_environment(cls) -> GitLab:
        """With what a pipeline has, and a token of the project. Raises UsageError where something of it is missing."""
        variables = (cls.address_variable, cls.token_variable, "CI_PROJECT_ID")
        for name in variables:
            if not os.environ.get(name):
                raise UsageError(
                    f"{name} is not set; a pipeline on a protected branch has it (docs/how-to/review-pull-requests.md)"
                )
        address, token, project = (os.environ[name] for name in variables)
        gitlab = cls(address, token)
        gitlab.project = f"/projects/{project}"
        return gitlab

    def comment_on_all(self) -> Iterator[str]:
        """Write the note of each open merge request whose newest pipeline has ended; a line each."""
        me = self.ask("GET", "/user", _Numbered).id
        for listed in self.pages(f"{self.project}/merge_requests", _MergeRequest, state="opened"):
            request = self.ask("GET", f"{self.project}/merge_requests/{listed.iid}", _MergeRequest)
            pipeline, job = request.head_pipeline, None
            if pipeline is not None and request.sha:
                jobs = self.pages(f"/projects/{pipeline.project_id}/pipelines/{pipeline.id}/jobs", _Job)
                job = next((job for job in jobs if job.name == _JOB), None)
            if pipeline is None or job is None or job.status not in _ENDED:
                yield f"!{request.iid}: no {_JOB} of its newest commit has ended"
                continue
            content = self.file(f"/projects/{pipeline.project_id}/jobs/{job.id}/artifacts/{_FILE}", MOST_BYTES)
            body = comment(parsed_diff(content), self._about(request, job))
            yield f"!{request.iid}: {self._put(request, me, body)}"

    def _about(self, request: _MergeRequest, job: _Job) -> PullRequest:
        diffs = list(self.pages(f"{self.project}/merge_requests/{request.iid}/diffs", _Diff))
        return PullRequest(
            number=request.iid,
            base=request.target_branch,
            head=request.source_branch,
            sha=request.sha or "",
            job=job.web_url,
            site=job.status == "success",
            files=[ChangedFile(each.new_path, _status(each), each.old_path) for each in diffs],
            all_files=len(diffs) < MOST_LISTED,
        )

    def _put(self, request: _MergeRequest, me: int, body: str) -> str:
        notes = f"{self.project}/merge_requests/{request.iid}/notes"
        for note in self.pages(notes, _Note):
            if note.author.id == me and note.body.startswith(MARKER):
                if note.body == body:
                    return "its note stands"
                self.ask("PUT", f"{notes}/{note.id}", _Note, json={"body": body})
                return "its note is written anew"
        self.ask("POST", notes, _Note, json={"body": body})
        return "it has a note"


def _status(diff: _Diff) -> str:
    named = {"added": diff.new_file, "removed": diff.deleted_file, "renamed": diff.renamed_file}
    return next((status for status, holds in named.items() if holds), "modified")
