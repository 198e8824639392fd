"""GitHub, as far as a comment needs it: which pull request a workflow that has ended was of, and what stands under it.

https://docs.github.com/en/rest: pulls, issues/comments; webhooks/webhook-events-and-payloads#workflow_run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.review.comment import MARKER, ChangedFile, PullRequest
from nullbench_site.review.hosts import MOST_LISTED, HostApi
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.text import quoted

AUTHOR = "github-actions[bot]"
"""Who writes with the token of a workflow."""
_UNFINISHED = frozenset({"action_required", "cancelled", "skipped", "stale"})
"""How a workflow ends that a maintainer has not allowed yet, or that a newer one took the place of."""
_API = "https://api.github.com"


class _Owner(msgspec.Struct):
    login: str


class _Repository(msgspec.Struct):
    id: int
    full_name: str
    owner: _Owner


class _Identified(msgspec.Struct):
    id: int


class _Base(msgspec.Struct):
    repo: _Identified


class _Named(msgspec.Struct):
    number: int
    base: _Base


class _WorkflowRun(msgspec.Struct):
    event: str
    head_sha: str
    head_branch: str | None
    head_repository: _Repository | None
    html_url: str
    conclusion: str | None = None
    pull_requests: list[_Named] = []


class Event(msgspec.Struct):
    """The event of a workflow that another has ended, in the parts that are read of it."""

    repository: _Repository
    workflow_run: _WorkflowRun


class _Side(msgspec.Struct):
    ref: str
    sha: str
    label: str
    repo: _Repository | None


class _Pull(msgspec.Struct):
    number: int
    state: str
    head: _Side
    base: _Side


class _Comment(msgspec.Struct):
    id: int
    html_url: str
    body: str | None = None
    user: _Owner | None = None


def read_event(path: Path) -> Event:
    """The event file that GitHub wrote. Raises UsageError where it is of no workflow that has ended."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Event)
    except (OSError, *NOT_JSON) as error:
        advice = "give the file that GITHUB_EVENT_PATH names in a workflow that `workflow_run` starts"
        raise UsageError(f"{path}: no event of a workflow that has ended ({error}); {advice}") from None


class GitHub(HostApi):
    """One repository."""

    name = "GitHub"
    advice = "the job needs pull-requests: write and actions: read, and the step GITHUB_TOKEN"
    address_variable, token_variable = "GITHUB_API_URL", "GITHUB_TOKEN"

    @classmethod
    def of_environment(cls, event: Event) -> GitHub:
        """With the token and the address that a workflow has. Raises UsageError where there is no token."""
        token = os.environ.get(cls.token_variable, "")
        if not token:
            raise UsageError("GITHUB_TOKEN is not set; give the step env: GITHUB_TOKEN: ${{ github.token }}")
        api = os.environ.get(cls.address_variable) or _API
        accept = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return cls(f"{api}/repos/{event.repository.full_name}", token, accept)

    def pull_request(self, event: Event) -> PullRequest | str:
        """The open pull request of which a workflow has ended; or, in a line, why there is none to comment on.

        It is known by the event and the API alone: what the workflow itself wrote is the word of its author.
        """
        run = event.workflow_run
        if run.event != "pull_request":
            return f"the workflow that has ended was started by {quoted(run.event)}, and not by a pull request"
        if run.conclusion in _UNFINISHED:
            return f"the review did not run to its end ({run.conclusion})"
        if run.head_repository is None:
            return "the repository of the pull request is gone"
        pulls = [pull for pull in self._candidates(event) if self._is_of(pull, event)]
        if not pulls:
            return f"no open pull request has {run.head_sha[:7]} as its newest commit; a newer one has its own comment"
        if len(pulls) > 1:
            numbers = ", ".join(f"#{pull.number}" for pull in pulls)
            return f"{run.head_sha[:7]} is the newest commit of {numbers}, and nothing says which of them was compared"
        (pull,) = pulls
        files = list(self.pages(f"/pulls/{pull.number}/files", ChangedFile))
        return PullRequest(
            number=pull.number,
            base=pull.base.ref,
            head=pull.head.label,
            sha=pull.head.sha,
            job=run.html_url,
            site=run.conclusion == "success",
            files=files,
            all_files=len(files) < MOST_LISTED,
        )

    def _candidates(self, event: Event) -> Iterator[_Pull]:
        """Of a fork's pull request the event names none; of a branch of ours also those that go into a fork."""
        run = event.workflow_run
        ours = [named for named in run.pull_requests if named.base.repo.id == event.repository.id]
        if ours:
            for named in ours:
                yield self.ask("GET", f"/pulls/{named.number}", _Pull)
        elif run.head_repository is not None and run.head_branch:
            head = f"{run.head_repository.owner.login}:{run.head_branch}"
            yield from self.pages("/pulls", _Pull, state="open", head=head)

    @staticmethod
    def _is_of(pull: _Pull, event: Event) -> bool:
        run, head, base = event.workflow_run, pull.head, pull.base
        return (
            pull.state == "open"
            and head.sha == run.head_sha
            and head.repo is not None
            and run.head_repository is not None
            and head.repo.id == run.head_repository.id
            and base.repo is not None
            and base.repo.id == event.repository.id
        )

    def put_comment(self, number: int, body: str) -> str:
        """Write the comment of a pull request, or write it anew where it has one of ours; returns its address."""
        for comment in self.pages(f"/issues/{number}/comments", _Comment):
            if comment.user is not None and comment.user.login == AUTHOR and (comment.body or "").startswith(MARKER):
                return self.ask("PATCH", f"/issues/comments/{comment.id}", _Comment, json={"body": body}).html_url
        return self.ask("POST", f"/issues/{number}/comments", _Comment, json={"body": body}).html_url
