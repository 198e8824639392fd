"""A small server that speaks what a comment needs of GitHub's API, and the events that GitHub writes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from support.json_server import TOKEN, Json, JsonServer

BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
REPOSITORY = {"id": 1, "full_name": "ours/board", "owner": {"login": "ours"}, "private": False, "fork": False}
FORK = {"id": 2, "full_name": "theirs/board", "owner": {"login": "theirs"}, "private": False, "fork": True}


def pull(number: int, sha: str, repository: Json = REPOSITORY, branch: str = "feature", state: str = "open") -> Json:
    """A pull request into our `main`, as the API has it."""
    head = {"label": f"{repository['owner']['login']}:{branch}", "ref": branch, "sha": sha, "repo": repository}
    base = {"label": "ours:main", "ref": "main", "sha": "b" * 40, "repo": REPOSITORY}
    return {"number": number, "state": state, "title": "@everyone", "head": head, "base": base}


def workflow_run(of: Json, *, event: str = "pull_request", conclusion: str = "success") -> Json:
    """The event of the workflow `Review` that has ended; GitHub names no pull request of a fork in it."""
    head = of["head"]
    own = head["repo"]["id"] == REPOSITORY["id"]
    brief = {"ref": head["ref"], "sha": head["sha"], "repo": {"id": head["repo"]["id"], "name": "board"}}
    named = {"id": 10, "number": of["number"], "url": "https://api.example/pulls", "head": brief, "base": brief}
    return {
        "action": "completed",
        "workflow_run": {
            "id": 77, "name": "Review", "path": ".github/workflows/review.yml", "event": event, "status": "completed",
            "conclusion": conclusion, "head_branch": head["ref"], "head_sha": head["sha"], "run_attempt": 1,
            "html_url": "https://github.example/ours/board/actions/runs/77", "head_repository": head["repo"],
            "repository": REPOSITORY, "pull_requests": [named] if own else [],
        },
        "workflow": {"id": 5, "name": "Review", "path": ".github/workflows/review.yml", "state": "active"},
        "repository": {**REPOSITORY, "default_branch": "main"},
        "sender": {"login": head["repo"]["owner"]["login"], "id": 9},
    }  # fmt: skip


@dataclass
class GitHubServer(JsonServer):
    """What one repository holds."""

    pulls: list[Json] = field(default_factory=list)
    files: dict[int, list[Json]] = field(default_factory=dict)
    comments: dict[int, list[Json]] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        """Those of a workflow."""
        return {"GITHUB_API_URL": self.url, "GITHUB_TOKEN": TOKEN}

    def say(self, number: int, user: Json, body: str) -> None:
        said = self.comments.setdefault(number, [])
        said.append(self._comment(sum(map(len, self.comments.values())) + 1, user, body))

    @staticmethod
    def _comment(id: int, user: Json, body: str) -> Json:
        return {"id": id, "html_url": f"https://github.example/comment/{id}", "user": user, "body": body}

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json) -> tuple[int, Any]:
        of_page = slice((int(query.get("page", ["1"])[0]) - 1) * 100, int(query.get("page", ["1"])[0]) * 100)
        below = path.removeprefix("/repos/ours/board")
        if method == "GET" and below == "/pulls":
            found = [
                p for p in self.pulls if p["head"]["label"] == query["head"][0] and p["state"] == query["state"][0]
            ]
            return 200, found[of_page]
        if method == "GET" and (match := re.fullmatch(r"/pulls/(\d+)/files", below)):
            return 200, self.files.get(int(match[1]), [])[of_page]
        if match := re.fullmatch(r"/issues/(\d+)/comments", below):
            number = int(match[1])
            if method == "GET":
                return 200, self.comments.get(number, [])[of_page]
            if len(body["body"]) > 65_536:
                return 422, {"message": "Body is too long (maximum is 65536 characters)"}
            self.say(number, BOT, body["body"])
            return 201, self.comments[number][-1]
        if method == "PATCH" and (match := re.fullmatch(r"/issues/comments/(\d+)", below)):
            said = next(c for each in self.comments.values() for c in each if c["id"] == int(match[1]))
            if len(body["body"]) > 65_536:
                return 422, {"message": "Body is too long (maximum is 65536 characters)"}
            said["body"] = body["body"]
            return 200, said
        return 404, {"message": "Not Found"}
