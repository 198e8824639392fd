"""Write the notes under GitLab's merge requests.

https://docs.gitlab.com/api: merge_requests, notes, jobs, job_artifacts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from nullbench_site.errors import NullbenchError, UsageError
from nullbench_site.review.comment import (
    MARKER,
    MOST_BYTES,
    MOST_LISTED,
    ChangedFile,
    PullRequest,
    comment,
    parsed_diff,
)
from nullbench_site.text import short_line

_TOKEN = "NULLBENCH_GITLAB_TOKEN"  # noqa: S105 - the name of the variable
_JOB, _FILE = "review", "review/diff.json"
"""The job of `.gitlab-ci.yml` that compares, and the file it leaves."""
_PAGE = 100
_SECONDS = 30
_MOST_ERROR = 300


class GitLabError(NullbenchError):
    """GitLab refused a request, or could not be reached."""


def write_notes() -> Iterator[str]:
    """Write or update the note under each open merge request; yield a line for each.

    Raises UsageError if a variable of the pipeline is missing, and GitLabError if GitLab refuses.
    """
    names = ("CI_API_V4_URL", _TOKEN, "CI_PROJECT_ID")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        where = "pipelines of a protected branch have it (docs/how-to/review-pull-requests.md)"
        raise UsageError(f"{missing[0]} is not set; {where}")
    address, token, project = (os.environ[name].strip() for name in names)
    try:
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=address, headers=headers, timeout=_SECONDS) as client:
            yield from _Project(client, f"/projects/{project}").write_notes()
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        reason = f"{_TOKEN} is not one token" if "Bearer" in str(error) else short_line(str(error), _MOST_ERROR)
        advice = "check CI_API_V4_URL, SSL_CERT_FILE and the proxy variables, then try again"
        raise GitLabError(f"{address}: cannot reach GitLab ({reason}); {advice}") from None


class _Project:
    """One project. Pipelines of its merge requests may belong to forks."""

    def __init__(self, client: httpx2.Client, path: str) -> None:
        self._client, self._path = client, path

    def write_notes(self) -> Iterator[str]:
        me = self._ask("GET", "/user")["id"]
        for listed in self._pages(f"{self._path}/merge_requests", state="opened"):
            request = self._ask("GET", f"{self._path}/merge_requests/{listed['iid']}")
            job = self._review(request)
            if job is None:
                yield f"!{request['iid']}: the {_JOB} of its newest commit has not ended"
            else:
                yield f"!{request['iid']}: {self._put_note(request, job, me)}"

    def _review(self, request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the job that compared the newest commit, if it has ended, with the path of its `files`."""
        pipeline = request["head_pipeline"]
        if pipeline is None:
            return None
        project = f"/projects/{pipeline['project_id']}"
        for job in self._pages(f"{project}/pipelines/{pipeline['id']}/jobs"):
            if job["name"] == _JOB and job["status"] in {"success", "failed"}:
                return {**job, "files": f"{project}/jobs/{job['id']}/artifacts"}
        return None

    def _put_note(self, request: Mapping[str, Any], job: Mapping[str, Any], me: int) -> str:
        path = f"{self._path}/merge_requests/{request['iid']}"
        files = [_changed(diff) for diff in self._pages(f"{path}/diffs")]
        head = f"{request['source_branch']} at {request['sha'][:7]}"
        about = PullRequest(request["target_branch"], head, job["web_url"], job["status"] == "success", files)
        body = comment(parsed_diff(self._artifact(f"{job['files']}/{_FILE}")), about)
        for note in self._pages(f"{path}/notes"):
            if note["author"]["id"] == me and note["body"].startswith(MARKER):
                if note["body"] == body:
                    return "note unchanged"
                self._ask("PUT", f"{path}/notes/{note['id']}", json={"body": body})
                return "note updated"
        self._ask("POST", f"{path}/notes", json={"body": body})
        return "note written"

    def _artifact(self, path: str) -> bytes | None:
        """Return a file, cut one byte after MOST_BYTES; None if there is none."""
        content = b""
        # The file may be on another host. The client does not send the token there.
        with self._client.stream("GET", path, follow_redirects=True) as response:
            if response.status_code == httpx2.codes.NOT_FOUND:
                return None
            _check(response, path)
            for part in response.iter_bytes():
                content += part
                if len(content) > MOST_BYTES:
                    break
        return content[: MOST_BYTES + 1]

    def _pages(self, path: str, **query: str) -> Iterator[Mapping[str, Any]]:
        for page in range(1, MOST_LISTED // _PAGE + 1):
            listed = self._ask("GET", path, params={**query, "per_page": _PAGE, "page": page})
            yield from listed
            if len(listed) < _PAGE:
                return

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        response = self._client.request(method, path, **more)
        _check(response, path)
        return response.json()


def _check(response: httpx2.Response, path: str) -> None:
    """Raise GitLabError for a status other than success."""
    if not response.is_success:
        refused = f"{response.request.method} {path}: GitLab refused ({response.status_code} {response.reason_phrase})"
        raise GitLabError(f"{refused}; {_TOKEN} needs the scope api and the role Reporter")


def _changed(diff: Mapping[str, Any]) -> ChangedFile:
    states = {"added": "new_file", "removed": "deleted_file", "renamed": "renamed_file"}
    status = next((status for status, field in states.items() if diff[field]), "modified")
    return ChangedFile(diff["new_path"], status, diff["old_path"])
