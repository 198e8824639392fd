"""A board of prompts whose judge is asked short questions, and a judge that answers them by a rule of the test."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark
from support.fakes import FakeBackend

from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.repository import Repository

ITEMS = {"storage-01": 2, "storage-02": 2, "wording-01": 3, "wording-02": 2}
"""The items of the board, each with the number of its criteria."""


@dataclass
class YesOrNo(FakeBackend):
    """An endpoint that says yes with a probability. chance: the text of the request -> that, None for no log
    probabilities, which then says the word `bare`. most: how many questions it answers before it is unavailable."""

    identity: str = "openai@9"
    chats: bool = True
    contestants: frozenset[str] | None = None
    judges: frozenset[str] | None = None
    chance: Callable[[str], float | None] = lambda text: 0.5
    bare: str = "Yes"
    tokens: Mapping[str, float] | None = None
    most: int | None = None

    async def ask(self, request: Request) -> Answer:
        if self.most is not None and len(self.asked) >= self.most:
            raise UnavailableError("the endpoint was stopped")
        self.asked.append(request)
        if "Answer yes or no" not in request.messages[-1].content:  # G-Eval
            return Answer(json.dumps({"score": 6, "reason": "It is so."}))
        p = self.chance(request.messages[-1].content)
        if self.tokens is not None:
            return Answer("Yes", logprobs=self.tokens)
        if p is None:
            return Answer(self.bare)
        logs = {"Yes": math.log(p * 0.9) if p else -99.0, "no": math.log((1 - p) * 0.9) if p < 1 else -99.0}
        return Answer("Yes" if p > 0.5 else "No", output_tokens=1, input_tokens=10, logprobs=logs, ended="length")


def questioned(folder: Path, *, fields: str = "", prohibitions: Mapping[str, list[int]] | None = None) -> Repository:
    """The board of `small_rubric` whose only judge is asked short questions."""
    specs = write_benchmark(folder, "rubric")
    judge = (
        "  - {id: asker, title: Asker, description: A model., backend: openai, model: asker-1, family: askers, "
        f"method: questions, decoding: {{max_tokens: 1}}{fields}}}\n"
    )
    edit(specs, "judges.yaml", "panels:\n", f"{judge}panels:\n")
    edit(specs, "judges.yaml", "judges: [coverage, compliance, substance]", "judges: [asker]")
    if prohibitions is not None:
        canary = "nullbench-canary:5b000000-0000-4000-8000-0000000000aa"
        content = {"canary": canary, "prohibitions": prohibitions}
        (specs / "questions.yaml").write_text(json.dumps(content), "utf-8")
    return Repository(folder)


def answering(monkeypatch: pytest.MonkeyPatch, chance: Callable[[str], float | None], **more: object) -> YesOrNo:
    """Let builds of this process ask a judge that says yes with this probability."""
    backend = YesOrNo(chance=chance, **more)  # type: ignore[arg-type]
    monkeypatch.setattr("nullbench_site.api.backends", lambda: {**backends(), "openai": backend})
    return backend
