"""Results of promptfoo, as `promptfoo eval -o results.json` writes them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nullbench_site.errors import UsageError
from nullbench_site.interop.logs.log import LeftOut, Log, Sample, fitted
from nullbench_site.text import quoted, shortened

NAME = "promptfoo"
_VERSION = 3
_FAILED = 2
"""The reason of a failure that is an error, not an assertion."""
_IDS = ("id", "item", "item_id", "question_id", "task_id", "test_id", "case_id")
"""Variables that name a test."""
_SIGNED = re.compile(r"Thinking: (.*?)\nSignature: ?[^\s]*\n\n", re.DOTALL)
"""How promptfoo puts the thinking of Anthropic's models before their answer."""


class _Provider(Struct):
    id: str = ""
    label: str | None = None


class _Prompt(Struct):
    raw: str
    label: str = ""


class _Tokens(Struct):
    prompt: int | None = None
    completion: int | None = None


class _Response(Struct):
    output: Any = None
    cached: bool = False
    tokenUsage: _Tokens | None = None  # noqa: N815 - a key of the format, as below


class _Row(Struct):
    provider: _Provider
    prompt: _Prompt
    testIdx: int  # noqa: N815
    promptIdx: int  # noqa: N815
    success: bool
    score: Any = None
    namedScores: dict[str, Any] = {}  # noqa: N815
    response: _Response | None = None
    vars: dict[str, Any] = {}
    testCase: dict[str, Any] = {}  # noqa: N815
    promptId: str = ""  # noqa: N815
    latencyMs: float | None = None  # noqa: N815
    cost: float | None = None
    failureReason: int = 0  # noqa: N815


class _Run(Struct):
    results: list[_Row]


class _Config(Struct):
    description: str | None = None


class _File(Struct):
    results: _Run
    config: _Config | None = None


def recognises(data: Mapping[str, Any]) -> bool:
    """Return True for the object of results."""
    run = data.get("results")
    return isinstance(run, dict) and {"results", "stats", "version"} <= run.keys() and "config" in data


def read(file: str, data: Any) -> list[Log]:
    """Return a log for each provider and prompt. Raises UsageError."""
    if (version := data["results"]["version"]) != _VERSION:
        remedy = "export them again with the current promptfoo"
        raise UsageError(f"{file}: results.version: results of version {quoted(version)}; only 3 can be read; {remedy}")
    parsed, left_out = fitted(file, data, _File), LeftOut(file)
    rows = sorted(parsed.results.results, key=lambda row: (row.testIdx, row.promptIdx))
    names, prompts = _names(rows), {row.promptId for row in rows}
    samples, seen = dict[str, list[Sample]](), Counter[tuple[str, str]]()
    for row in rows:
        model = row.provider.label or row.provider.id
        if len(prompts) > 1:
            model += f" · {shortened(row.prompt.label or row.prompt.raw, 40)}"
        item = names[_key(row)]
        place = f"{model}, test {row.testIdx}"
        samples.setdefault(model, []).append(_sample(row, item, seen[model, item], place, left_out))
        seen[model, item] += 1
    task = (parsed.config.description if parsed.config else None) or NAME
    logs = [Log(file=file, model=model, task=task, samples=own, headline="score") for model, own in samples.items()]
    if logs:
        logs[0].notes = list(left_out.notes)
    return logs


def _key(row: _Row) -> str:
    return json.dumps(row.testCase or row.vars, sort_keys=True)


def _names(rows: list[_Row]) -> Mapping[str, str]:
    """Return the name of each test: a variable that names it, its description, or its number. Repeats are one test."""
    tests = {_key(row): row for row in reversed(rows)}
    keys = list(dict.fromkeys(map(_key, rows)))
    for name in (*_IDS, None):
        values = [tests[key].testCase.get("description") if name is None else tests[key].vars.get(name) for key in keys]
        texts = [str(value) for value in values if isinstance(value, str | int) and str(value).strip()]
        if len(set(texts)) == len(keys):
            return dict(zip(keys, texts, strict=True))
    return {key: f"test {number}" for number, key in enumerate(keys, 1)}


def _sample(row: _Row, item: str, number: int, place: str, left_out: LeftOut) -> Sample:
    scores: dict[str, float] = {}
    response = row.response or _Response()
    failed = row.failureReason == _FAILED
    if failed:
        left_out.add(place, "the test ended with an error and has no score")
    else:
        for metric, value in {"score": row.score, "success": row.success, **row.namedScores}.items():
            left_out.score(scores, metric, value, place)
    tokens = response.tokenUsage or _Tokens()
    thought = _SIGNED.match(output) if isinstance(output := response.output, str) else None
    return Sample(
        item=item,
        number=number,
        scores=scores,
        prompt=row.prompt.raw,
        answer=None if not isinstance(output, str) else output[thought.end() :] if thought else output,
        reasoning=thought[1] if thought else "",
        seconds=None if failed or response.cached or row.latencyMs is None else row.latencyMs / 1000,
        cost_usd=row.cost or None,  # 0 where promptfoo does not know it
        input_tokens=tokens.prompt,
        output_tokens=tokens.completion,
    )
