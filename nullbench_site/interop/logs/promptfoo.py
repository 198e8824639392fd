"""Results of promptfoo, as `promptfoo eval -o results.json` writes them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from nullbench_site.errors import UsageError
from nullbench_site.interop.logs.log import LeftOut, Log, Sample, Stated, fitted
from nullbench_site.text import listed, plural, quoted, shortened

NAME = "promptfoo"
_VERSION = 3
_FAILED = 2
"""The reason of a failure that is an error, not an assertion."""
_IDS = ("id", "item", "item_id", "question_id", "task_id", "test_id", "case_id")
"""Variables that name a test."""
_SIGNED = re.compile(r"Thinking: (.*?)\nSignature: ?[^\s]*\n\n", re.DOTALL)
"""How promptfoo puts the thinking of Anthropic's models before their answer."""


_Place: TypeAlias = tuple[int, str]
"""The number of a column, from 0, and its provider."""


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


class _Metrics(Struct):
    """What promptfoo says of a column. score, and those by name, are sums."""

    score: float | None = None
    testPassCount: int | None = None  # noqa: N815
    testFailCount: int | None = None  # noqa: N815
    testErrorCount: int | None = None  # noqa: N815
    namedScores: dict[str, Any] = {}  # noqa: N815
    namedScoresCount: dict[str, Any] = {}  # noqa: N815

    def stated(self) -> dict[str, Stated]:
        """Return the mean of each metric."""
        tests = sum(each or 0 for each in (self.testPassCount, self.testFailCount, self.testErrorCount))
        means = {
            name: value / of
            for name, value in self.namedScores.items()
            if isinstance(of := self.namedScoresCount.get(name), int) and of and isinstance(value, int | float)
        }
        if tests and self.score is not None:
            means["score"] = self.score / tests
        if tests and self.testPassCount is not None:
            means["success"] = self.testPassCount / tests
        return {name: Stated(value) for name, value in means.items()}


class _Column(Struct):
    """A provider with a prompt."""

    metrics: _Metrics | None = None


class _Stats(Struct):
    successes: int | None = None
    failures: int | None = None
    errors: int | None = None


class _Run(Struct):
    results: list[_Row]
    prompts: list[_Column] | None = None
    stats: _Stats | None = None


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
    names, models = _names(rows), _models(rows)
    samples, seen = dict[_Place, list[Sample]](), Counter[tuple[_Place, str]]()
    for row in rows:
        item, column = names[_key(row)], _column(row)
        place = f"{models[column]}, test {row.testIdx}"
        samples.setdefault(column, []).append(_sample(row, item, seen[column, item], place, left_out))
        seen[column, item] += 1
    task = (parsed.config.description if parsed.config else None) or NAME
    stated = dict(enumerate(each.metrics.stated() if each.metrics else {} for each in parsed.results.prompts or ()))
    logs = [
        Log(
            file=file,
            model=model,
            task=task,
            samples=samples[column],
            headline="score",
            stated=stated.get(column[0], {}),
        )
        for column, model in models.items()
    ]
    if logs:
        logs[0].notes = [*left_out.notes, *_same(file, models), *_counts(file, parsed.results)]
    return logs


def _column(row: _Row) -> _Place:
    return row.promptIdx, row.provider.label or row.provider.id


def _models(rows: list[_Row]) -> dict[_Place, str]:
    """Return the name of each column: its provider, with the prompt if there are several, and else its number."""
    first = {_column(row): row for row in reversed(rows)}
    several = len({(row.promptId, row.prompt.label) for row in first.values()}) > 1
    names = {
        column: f"{column[1]} · {shortened(row.prompt.label or row.prompt.raw, 40)}" if several else column[1]
        for column, row in sorted(first.items())
    }
    count = Counter(names.values())
    return {column: f"{name} · column {column[0] + 1}" if count[name] > 1 else name for column, name in names.items()}


def _same(file: str, models: Mapping[_Place, str]) -> Iterator[str]:
    """Yield a sentence if several columns have one provider and prompt."""
    if numbered := [quoted(name) for (at, _), name in models.items() if name.endswith(f" · column {at + 1}")]:
        yield f"{file}: {listed(numbered)} have one name of provider and prompt; each column is a contestant."


def _counts(file: str, run: _Run) -> Iterator[str]:
    """Yield a sentence if the file does not have as many results as its statistics state."""
    stats = run.stats or _Stats()
    stated = sum(each or 0 for each in (stats.successes, stats.failures, stats.errors))
    if stated and stated != len(run.results):
        yield f"{file}: the statistics state {plural(stated, 'result')}, but the file has {len(run.results)}."


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
