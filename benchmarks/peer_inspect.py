"""Inspect AI on the prompts of a file: `python peer_inspect.py URL PROMPTS CONCURRENCY`, in a venv that has it.

Each prompt is a sample, answered once and scored without reading it. The log goes to the current folder.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator"

import json
import os
import sys
from pathlib import Path
from typing import Any

import inspect_ai
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate

MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser}
url, prompts, concurrency = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
os.environ |= {"LOOPBACK_API_KEY": "none", "LOOPBACK_BASE_URL": url}


@scorer(metrics=[accuracy()])
def nothing() -> Any:
    async def score(_state: object, _target: object) -> Score:
        return Score(value=1)

    return score


samples = [
    Sample(input=[MESSAGES[message["role"]](content=message["content"]) for message in json.loads(line)], target="")
    for line in prompts.read_text("utf-8").splitlines()
]
[log] = inspect_ai.eval(
    inspect_ai.Task(dataset=MemoryDataset(samples), solver=generate(), scorer=nothing()),
    model="openai-api/loopback/model",
    max_connections=concurrency,
    max_samples=concurrency,
    display="none",
    log_dir=".",
)
assert log.status == "success", log.error
assert log.results is not None
assert log.results.completed_samples == len(samples)
