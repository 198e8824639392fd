"""A board with private items whose every field holds a canary, and an endpoint that repeats what it is asked.

Words of private items begin with SECRET, the same words of the public item beside them with OPEN: where a search for
the one finds nothing, the same search for the other shows that it looks in the right places.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from aiohttp import web
from support.benchmarks import edit, write_benchmark, write_model
from support.fault_server import Canned, Fault, FaultServer, completion

from nullbench_site.packaged import data_text
from nullbench_site.repository import Repository

SECRET, OPEN = "zqsecret", "zqopen"
IN_SPECS = ("prompt", "ideal", "criterion", "param", "flag")
IN_RECORDS = ("answer", "thought", "rationale", "raw", "invalid", "error", "reason", "served")
DOMAIN = "vault"
HIDDEN, SHOWN = ("vault-01", "vault-02"), "vault-03"
_ITEM = """\
      - id: {id}
        difficulty: hard
        # {word}comment, which says what the trap is
        prompt: |-
          {word}prompt of {id}: which of the two is older?
          # {word}flag
        ideal: The first, {word}ideal.
        criteria: ["Says {word}criterion", Gives a reason]
        checks:
          - {{type: banned-words, words: [{word}flag, delve]}}
          - {{type: checklist, items: ["{word}param is named"]}}
"""
_HEAD = """\
# A comment at the top.
canary: "nullbench-canary:5b000000-0000-4000-8000-0000000000aa"
id: vault
title: Vault
description: What nobody is to know beforehand.
protocol: rubric
categories:
  - id: vault-traps
    title: Traps
    description: Where a guess goes wrong.
    items:
"""
_TAIL = """\
    # A comment at the end.
"""
_JUDGES = """\
  - {id: anna, title: Anna, description: A model., backend: openai, model: anna-1, family: annas}
  - {id: ben, title: Ben, description: Another., backend: openai, model: ben-1, family: bens}
"""


def vault_repository(folder: Path, *, geval: bool = False) -> Repository:
    """A git work tree with the board, all of whose items are public yet. Profile `live`: everybody at an endpoint."""
    specs = write_benchmark(folder, "rubric")
    items = [_ITEM.format(id=name, word=OPEN if name == SHOWN else SECRET) for name in (*HIDDEN, SHOWN)]
    (specs / "domains/vault.yaml").write_text(_HEAD + "\n".join(items) + _TAIL, "utf-8")
    (specs / "domains/storage.yaml").unlink()
    for name in ("parrot", "failing"):
        write_model(specs, name)
    judges = specs / "judges.yaml"
    panel = "  - {id: live, title: Two models, judges: [anna, ben]}\n"
    judges.write_text(judges.read_text("utf-8").replace("panels:\n", f"{_JUDGES}panels:\n") + panel, "utf-8")
    edit(specs, "boards/questions.yaml", "domains: [storage, wording]", "domains: [vault, wording]")
    board = specs / "boards/questions.yaml"
    live = "profiles:\n  live:\n    panel: live\n    contestants: [parrot, failing, null-empty]\n"
    live += "    geval: {judge: anna, metrics: [correctness]}\n" if geval else ""
    board.write_text(board.read_text("utf-8") + live, "utf-8")
    (folder / ".gitignore").write_text(data_text("starter/gitignore"), "utf-8")
    git(folder, "init", "-q")
    return Repository(folder)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def name_endpoint(repository: Repository, url: str) -> None:
    """Let the commands of the repository ask at `url`."""
    (repository.root / ".env").write_text(f"OPENAI_BASE_URL={url}\nOPENAI_API_KEY=sk-test\n", "utf-8")


PROBE = "Say hello, as JSON."
"""What a model is asked that has refused a request; every other one is too long for `failing`."""


class Echo(FaultServer):
    """Repeats whatever it is asked, with a canary of its own in each kind of answer.

    breaks: how it refuses every request. hangs_after: leaves all requests unanswered that come after so many.
    """

    breaks: Canned | None = None
    hangs_after: int | None = None
    hanging = 0

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        if self.hangs_after is not None and len(self.seen) >= self.hangs_after:
            self.hanging += 1
            await asyncio.sleep(3600)
        return await super()._complete(request)

    def _fault(self, body: Mapping[str, Any]) -> Fault:
        said = "\n".join(message["content"] for message in body["messages"])
        word = SECRET if SECRET in said else OPEN
        if self.breaks is not None:
            error = {**self.breaks.body["error"], "message": f"{word}error about {said}"}
            return Canned({"error": error}, self.breaks.status)
        match body["model"]:
            case "parrot-1":
                return _said(body, f"{word}answer, delve: {said}", reasoning_content=f"{word}thought of {said}")
            case "failing-1" if said != PROBE:
                error = {"message": f"{word}error: maximum context length, {said}", "code": "context_length_exceeded"}
                return Canned({"error": error}, 400)
            case "anna-1" if len(body["messages"]) == 1:
                return _said(body, json.dumps({"reason": f"{word}reason for {said[-200:]}", "score": 7}))
            case "ben-1" if len(body["messages"]) < 3:
                return _said(body, f"{word}raw is no JSON")
            case "ben-1" if "vault-02" in said or word == OPEN:
                return _said(body, json.dumps({"rationale": f"{word}raw", "score": f"{word}invalid"}))
        return _said(body, json.dumps({"rationale": f"{word}rationale: {said}", "score": 4}))


def _said(body: Mapping[str, Any], content: str, **message: Any) -> Canned:
    """An answer that repeats the request in whatever else a server may fill."""
    said = "\n".join(message["content"] for message in body["messages"])
    word = f"{SECRET if SECRET in said else OPEN}served"
    told = f"{word}, {said}"
    called = [{"id": told, "type": told, "function": {"name": told, "arguments": told}}]
    made = completion(body, content, finish_reason=word, tool_calls=called, **message)
    made |= {"model": told, "id": told, "system_fingerprint": told, "usage": {"prompt_tokens": told, told: told}}
    return Canned(made, headers={"X-Request-Id": quote(told), "Retry-After": quote(told)})


def texts(paths: Iterator[Path]) -> Iterator[tuple[Path, str]]:
    """The content of files, unpacked where they are packed, in lower case."""
    for path in paths:
        if path.is_file():
            raw = path.read_bytes()
            yield path, (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode(errors="replace").lower()


def holding(paths: Iterator[Path], word: str) -> list[Path]:
    """The files that hold a word."""
    return [path for path, text in texts(paths) if word in text]


def tracked(repository: Repository) -> list[Path]:
    """The files that `git add -A` takes."""
    git(repository.root, "add", "-A")
    return [repository.root / name for name in git(repository.root, "ls-files", "-z").split("\0") if name]
