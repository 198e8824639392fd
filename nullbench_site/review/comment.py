"""Make the comment under a pull request from a file that anyone may have written, and post it on GitLab."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from nullbench_site import __version__
from nullbench_site.errors import NullbenchError, UsageError
from nullbench_site.review.rendering import code_span, markdown
from nullbench_site.review.report import Diff
from nullbench_site.runs.storage import storage_errors
from nullbench_site.text import listed, plural, short_line, some_of

MARKER = "<!-- nullbench-site: review -->"
"""The first line of the comment, by which the next review finds it."""
MOST_COMMENT = 65_536
"""The most characters of a comment on GitHub."""
_MOST_SUMMARY = 240_000
"""The most characters of a step's summary: GitHub accepts 1 MiB, and a character has up to four bytes."""
MOST_BYTES = 2 * 1024**2
"""Size of the JSON; `diff` writes less than half of it."""
MOST_LISTED = 3000
"""The most files that GitHub lists for a pull request."""
_MOST_TEXT = 1000
_TOOL = f"nullbench-site {__version__}"
_UNREADABLE = f"{_TOOL} cannot read the result of this job"
_MOST_NAMED = 4
_STEERING = re.compile(
    r"\.github/|\.gitlab/|(?:.*/)?(?:[^/]*\.gitlab-ci\.ya?ml|\.ci/.*|action\.ya?ml|requirements[^/]*|\.env"
    r"|\.gitattributes)$",
    re.DOTALL,
)
"""Files that decide the output of the job: their author controls the rest of the comment."""
_RENDERING = re.compile(r"(?:.*/)?(?:(?:site_templates|\.nullbench)(?:/.*)?|mkdocs\.yml)$", re.DOTALL)
"""Files with code, settings or trusted caches of a render. `site_templates` can be a link."""
_RUNS = re.compile(r"(?:.*/)?runs/", re.DOTALL)


class ChangedFile(msgspec.Struct, frozen=True):
    """A file of a pull request, as its host lists it. status: added, modified, removed or renamed."""

    filename: str
    status: str
    previous_filename: str | None = None


@dataclass(frozen=True)
class PullRequest:
    """A pull request as its host, not its author, describes it.

    base: the branch it would be merged into. head: its branch and newest commit. job: the URL of the job that compared.
    site: True if a preview of the site is made. files: the changed files, at most MOST_LISTED. in_fork: True if the job
    ran in the project of a fork. cut: True if the host does not list all files.
    """

    base: str
    head: str
    job: str = ""
    site: bool = False
    files: Sequence[ChangedFile] = ()
    in_fork: bool = False
    cut: bool = False


def read_files(path: Path) -> list[ChangedFile]:
    """Read the files that a pull request changes, one JSON object a line."""
    try:
        with storage_errors(path):
            return [msgspec.json.decode(line, type=ChangedFile) for line in path.read_bytes().splitlines()]
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: no list of changed files ({error}); see .ci/comment.sh") from None


def read_diff(path: Path) -> Diff | str:
    """Read the output of `diff --format json`, which may be from anyone. Return the reason if it is invalid."""
    try:
        content = _content(path)
    except FileNotFoundError:
        return parsed_diff(None)
    except (ValueError, OSError) as error:
        return f"{_UNREADABLE}: {error}"
    return parsed_diff(content)


def parsed_diff(content: bytes | None) -> Diff | str:
    """Parse the bytes of such a file; None if there is none.

    Every text becomes one line of bounded length. The types bound the rest.
    """
    if content is None:
        return "the job left no result; see its log"
    if len(content) > MOST_BYTES:
        return f"{_UNREADABLE}: it has more than {MOST_BYTES:,} bytes"
    try:
        return msgspec.convert(_bounded(msgspec.json.decode(content)), Diff, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        return f"{_UNREADABLE}: {error}"


def _content(path: Path) -> bytes:
    """Read a plain file, cut one byte after MOST_BYTES. Raises OSError and ValueError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a plain file")
        return file.read(MOST_BYTES + 1)


def _bounded(value: Any) -> Any:
    match value:
        case str():
            return short_line(value, _MOST_TEXT)
        case list():
            return [_bounded(part) for part in value]
        case dict():
            return {name: _bounded(part) for name, part in value.items()}
    return value


def comment(diff: Diff | str, about: PullRequest | None = None, *, room: int = MOST_COMMENT) -> str:
    """Return the comment in at most `room` characters.

    diff: the comparison, or why there is none. about: the pull request, if known.
    """
    whole = room > MOST_COMMENT
    head = [MARKER, *_warnings(about)] if about else [MARKER]
    foot = ["", _foot(about)]
    left = room - sum(len(line) + 1 for line in (*head, *foot))
    if isinstance(diff, str):
        body = f"**Cannot compare**: {code_span(diff)}"
    else:
        if about is not None:
            diff = msgspec.structs.replace(diff, base=about.base, head=about.head)
        body = markdown(diff, left, most=2000) if whole else markdown(diff, left)
    return "\n".join([*head, body, *foot])


def summary(diff: Diff | str, about: PullRequest | None = None) -> str:
    """Return a longer version for the summary of the step."""
    return comment(diff, about, room=_MOST_SUMMARY)


def _foot(about: PullRequest | None) -> str:
    if about is None or not about.job:
        return f"Compared by {_TOOL}, without keys or calls."
    site = " The job Preview makes a preview of the site." if about.site else ""
    return f"Compared by {_TOOL} in [this job]({about.job}), without keys or calls.{site}"


def _warnings(about: PullRequest) -> Iterator[str]:
    """Return the warnings that come first. They depend only on the host's list of changed files."""
    warnings = list(_steered(about))
    if warnings:
        yield "> [!WARNING]"
        yield from (f"> {line}  " for line in warnings)
        yield ""


def _steered(about: PullRequest) -> Iterator[str]:
    if about.in_fork:
        yield "This review ran in the project of the fork, whose owner can make the rest of this comment say anything."
    steering = [file for file in about.files if any(map(_STEERING.match, _paths(file)))]
    if steering:
        yield f"This change edits files that produce this comment ({_named(steering)}). Review them before the rest."
    rendering = [file for file in about.files if any(map(_RENDERING.match, _paths(file)))]
    if rendering:
        yield (
            f"This change edits templates, settings or caches of the site ({_named(rendering)}). Templates are code: "
            "review them before you render or merge."
        )
    runs = [f for f in about.files if f.status != "added" and any(map(_RUNS.match, _paths(f)))]
    if runs:
        yield f"This change edits {plural(len(runs), 'file')} of runs on {code_span(about.base)} ({_named(runs)})."
    if about.cut or len(about.files) >= MOST_LISTED:
        yield f"Only the first {min(len(about.files), MOST_LISTED):,} changed files were checked for this."


def _paths(file: ChangedFile) -> list[str]:
    return [path for path in (file.filename, file.previous_filename) if path]


def _named(files: Sequence[ChangedFile]) -> str:
    return listed(some_of([code_span(file.filename) for file in files], _MOST_NAMED, thousands=""))


# The notes under GitLab's merge requests: https://docs.gitlab.com/api (merge_requests, notes, jobs, job_artifacts).


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
        for opened in self._pages(f"{self._path}/merge_requests", state="opened"):
            request = self._ask("GET", f"{self._path}/merge_requests/{opened['iid']}")
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
                in_fork = f"/projects/{pipeline['project_id']}" != self._path
                return {**job, "files": f"{project}/jobs/{job['id']}/artifacts", "in_fork": in_fork}
        return None

    def _put_note(self, request: Mapping[str, Any], job: Mapping[str, Any], me: int) -> str:
        path = f"{self._path}/merge_requests/{request['iid']}"
        files = [_changed(diff) for diff in self._pages(f"{path}/diffs")]
        head = f"{request['source_branch']} at {request['sha'][:7]}"
        cut = str(request.get("changes_count") or "").endswith("+")  # "1000+"
        about = PullRequest(
            request["target_branch"], head, job["web_url"], job["status"] == "success", files, job["in_fork"], cut
        )
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
