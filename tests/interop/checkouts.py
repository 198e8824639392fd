"""A made-up checkout of BenchPress: two models, one of which judges, two more judges, three prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Data = dict[str, Any]
JUDGES = ("Anna 1.0", "ben", "model-b")


def prompt(id: str, category: str, subcategory: str, check: str, **more: Any) -> Data:
    return {
        "id": id, "category": category, "subcategory": subcategory, "difficulty": "easy",
        "prompt": f"What is {id}?\nSay it briefly.", "ideal": f"It is {id}.", "criteria": ["accuracy", "brevity"],
        "check_type": check, **more,
    }  # fmt: skip


PROMPTS = [
    prompt("X01", "odd_jobs", "first_steps", "reasoning"),
    prompt("X02", "odd_jobs", "first_steps", "response_length", max_words=30),
    prompt("Y01", "meta", "first_steps", "refusal_check", should_refuse=False),
]


def entry(text: str | None = "An answer.", marks: dict[str, Any] | None = None, **more: Any) -> Data:
    """One entry of a history. marks: by judge."""
    scored = dict.fromkeys(JUDGES, 4) if marks is None else marks
    return {
        "timestamp": "2026-03-01T10:00:00.123456", "api_model": "maker-model-1", "content": text, "latency_s": 1.5,
        "input_tokens": 20, "output_tokens": 40, "auto_checks": {"flags": [], "auto_scores": {}, "passed": True},
        "judge_scores": {judge: {"score": mark, "rationale": f"{judge} says so."} for judge, mark in scored.items()},
        "judge_score_avg": 4.0, "judge_count": 3,
        "deepeval_scores": {"correctness": 0.9, "coherence": 0.8, "instruction_following": 1.0}, "deepeval_avg": 0.9,
        **more,
    }  # fmt: skip


def results(name: str, *, but: str | None = None) -> Data:
    """A results file with one entry a prompt. but: the judge that has no verdict."""
    marks = {judge: 4 for judge in JUDGES if judge != but}
    runs = {each["id"]: [entry(f"{name} on {each['id']}.", marks)] for each in PROMPTS}
    return {"model_name": name, "created": "2026-03-01T10:00:00", "updated": "2026-03-01T10:00:00", "runs": runs}


class Checkout:
    """The files below one folder; what a test changes is written at once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.put("evals/general.json", {"meta": {"name": "General"}, "prompts": PROMPTS})
        self.put("results/model-a.json", results("Model A"))
        self.put("results/model-b.json", results("Model B", but="model-b"))

    def put(self, file: str, data: object) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data, indent=1).encode())

    def change(self, file: str, change: Callable[[Any], object]) -> None:
        """Change the data of a file in place."""
        data = json.loads((self.root / file).read_bytes())
        change(data)
        self.put(file, data)

    def history(self, *entries: Data, model: str = "model-a", prompt: str = "X01") -> None:
        """Give a model this history of a prompt, the newest last."""
        self.change(f"results/{model}.json", lambda data: data["runs"].update({prompt: list(entries)}))

    def newest(self, model: str = "model-a", prompt: str = "X01", **changes: Any) -> None:
        """Change fields of the newest entry."""
        self.change(f"results/{model}.json", lambda data: data["runs"][prompt][-1].update(changes))

    def prompts(self, *prompts: Data) -> None:
        self.put("evals/general.json", {"meta": {}, "prompts": list(prompts)})


@pytest.fixture
def source(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "BenchPress")
