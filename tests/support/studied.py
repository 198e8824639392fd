"""A small board whose judges are models at a server of the test, for studies of judging prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import fault_server
from support.benchmarks import write_benchmark
from support.fault_server import FaultServer

from nullbench_site.repository import Repository
from nullbench_site.specs.load import load_benchmark

IDEALS: list[str] = []
"""Those of the small benchmark."""


def marks(body: Mapping[str, Any]) -> str:
    """The reply of a judge that sees a right response where the ideal answer stands twice, except in plain prompts."""
    system, text = (message["content"] for message in body["messages"][:2])
    ideals = [each for each in IDEALS if each in text]
    if "You answer one question" in system:
        return "Yes" if ideals else "No"
    right = any(text.count(each) > 1 for each in ideals)
    mark = 5 if right else 2
    if "You mark responses" in system:
        mark = 3
    if "JSON" in text:
        return json.dumps({"rationale": "So.", "score": mark})
    if '"Mark: ' in text:
        return f"It is so.\nMark: {mark}"
    return str(mark)


def studied_repository(server: FaultServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The board of `small_rubric` with judges at a server that answers as `marks`."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr(fault_server, "answer_to", marks)
    write_benchmark(folder, "rubric", live=True)
    board: Any = load_benchmark(folder / "specs")
    IDEALS[:] = [placed.ideal for placed in board.items(board.boards["questions"])]
    return Repository(folder)
