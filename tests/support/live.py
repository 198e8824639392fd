"""Benchmark repositories whose contestants and judges answer at an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.benchmarks import model_at_endpoint, write_benchmark, write_board, write_model, write_spec
from support.oracle_sites import BOARD
from support.repositories import ITEMS, small_repository

from nullbench_site.repository import Repository

CONTESTANTS = ("alpha", "beta", "gamma")
JUDGES = ("judge-one", "judge-two", "judge-three")
CALLS = len(CONTESTANTS) * ITEMS * (1 + len(JUDGES))
PRICES = {"input": 1.0, "output": 2.0, "date": "2026-11-01", "source": "made up for tests"}


def live_repository(
    folder: Path,
    base_url: str,
    *,
    contestants: Sequence[str] = CONTESTANTS,
    judges: Sequence[str] = JUDGES,
    limits: Mapping[str, Any] | None = None,
    endpoint: Mapping[str, Any] | None = None,
    **more: Any,
) -> Repository:
    """A small repository whose contestants and judges all answer at one endpoint, `local`.

    limits, endpoint: keys of the endpoint. more: keys of each contestant and judge, prices say.
    """
    repository = small_repository(folder, models=contestants)
    specs = repository.specs
    board = specs / "boards" / "main.yaml"
    # The starter's profile wants a panel that is not among these judges.
    board.write_text(board.read_text("utf-8").partition("profiles:\n")[0], "utf-8")
    for name in contestants:
        write_model(specs, name, endpoint="local", model=f"model-{name}", **more)
    panel = {"id": "rules", "title": "Panel", "judges": list(judges)}
    told = [model_at_endpoint(name, endpoint="local", model=f"model-{name}", **more) for name in judges]
    write_spec(specs / "judges.yaml", {"judges": told, "panels": [panel]})
    local = {"id": "local", "base_url": base_url, "limits": {"first_wait": 0.01, **(limits or {})}, **(endpoint or {})}
    write_spec(specs / "endpoints.yaml", {"endpoints": [local]})
    return repository


def keyed_repository(folder: Path, base_url: str, **limits: Any) -> Repository:
    """Five prompts to which A is right, two of them a bundle; a contestant far away, and one here that says A.

    limits: those of the endpoint.
    """
    specs = write_benchmark(folder, "oracle")
    key = {"type": "multiple-choice", "options": {"A": "first", "B": "second"}, "correct": ["A"]}
    items = [
        {
            "id": f"letters-{n}", "difficulty": "easy", **({"bundle": "pair"} if n < 2 else {}),
            "prompt": f"Question {n}.\nA) first\nB) second", "key": key,
        }
        for n in range(5)
    ]  # fmt: skip
    write_board(specs, "oracle", items, id=BOARD, domain="letters", contestants=["far", "first-option"])
    write_model(specs, "far", model="far", endpoint="local")
    local = {"id": "local", "base_url": base_url, "limits": {"first_wait": 0.01, **limits}}
    write_spec(specs / "endpoints.yaml", {"endpoints": [local]})
    return Repository(folder)
