"""Records of Every Eval Ever: an aggregate in JSON, and a JSON Lines file of samples beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct

from nullbench_site.errors import UsageError
from nullbench_site.interop.logs.log import LeftOut, Log, Sample, Stated, content, fitted, rows
from nullbench_site.specs.digest import sha256
from nullbench_site.text import escaped, plural, quoted
from nullbench_site.thinking import thoughts_in

NAME = "Every Eval Ever"
_VERSION = re.compile(r"0\.[23]\.[0-9]+")


class _Model(Struct):
    id: str


class _Metric(Struct):
    metric_id: str | None = None
    metric_name: str | None = None
    lower_is_better: bool = False
    min_score: float | str | None = None
    max_score: float | str | None = None


class _Uncertainty(Struct):
    num_samples: Any = None


class _Details(Struct):
    score: float
    uncertainty: _Uncertainty | None = None


class _Result(Struct):
    evaluation_name: str
    metric_config: _Metric
    score_details: _Details
    evaluation_result_id: str | None = None

    @property
    def metric(self) -> str:
        return self.metric_config.metric_id or self.metric_config.metric_name or "score"


class _Samples(Struct):
    file_path: str
    checksum: str | None = None
    hash_algorithm: str | None = None
    total_rows: Any = None


class _Aggregate(Struct):
    model_info: _Model
    evaluation_results: list[_Result]
    detailed_evaluation_results: _Samples | None = None


class _Input(Struct):
    raw: str


class _Output(Struct):
    raw: list[str]
    reasoning_trace: Any = None


class _Message(Struct):
    role: str
    content: str | None = None
    reasoning_trace: Any = None


class _Evaluation(Struct):
    score: float | None = None


class _Tokens(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Performance(Struct):
    latency_ms: float | None = None


class _Row(Struct):
    model_id: str
    evaluation_name: str
    sample_id: str
    input: _Input
    evaluation: _Evaluation
    evaluation_result_id: str | None = None
    output: _Output | None = None
    messages: list[_Message] | None = None
    token_usage: _Tokens | None = None
    performance: _Performance | None = None
    error: str | None = None
    metadata: dict[str, str] | None = None


def recognises(data: Mapping[str, Any]) -> bool:
    """Return True for the object of an aggregate."""
    return {"schema_version", "evaluation_results", "model_info"} <= data.keys()


def recognises_row(data: Mapping[str, Any]) -> bool:
    """Return True for a line of samples."""
    return {"schema_version", "sample_id", "evaluation_id"} <= data.keys()


def read(path: Path, data: Any) -> list[Log]:
    """Return a log for each evaluation of a record, of its samples if they are there. Raises UsageError."""
    file = escaped(str(path))
    if not _VERSION.fullmatch(str(version := data["schema_version"])):
        raise UsageError(f"{file}: schema_version: {quoted(version)}; only 0.2 and 0.3 can be read; convert the record")
    record = fitted(file, data, _Aggregate)
    samples, left_out = _file_of_samples(path, record), LeftOut(file)
    by_task: dict[str, dict[tuple[str, int], Sample]] = {}
    if samples is None:
        for result in record.evaluation_results:
            task = result.evaluation_name
            sample = by_task.setdefault(task, {}).setdefault((task, 0), Sample(item=task, scores={}))
            left_out.score(sample.scores, result.metric, result.score_details.score, f"result {quoted(task)}")
    else:
        left_out = LeftOut(escaped(str(samples)))
        count = _put_rows(
            left_out, content(samples), by_task, {each.evaluation_result_id: each for each in _known(record)}
        )
        stated_rows = record.detailed_evaluation_results.total_rows if record.detailed_evaluation_results else None
        if isinstance(stated_rows, int) and stated_rows != count:
            left_out.add("all lines", f"the record states {plural(stated_rows, 'line')}, but the file has {count}")
    logs = [
        Log(
            file=file,
            model=record.model_info.id,
            task=task,
            samples=list(of_task.values()),
            lower=frozenset(each.metric for each in record.evaluation_results if each.metric_config.lower_is_better),
            scales=_scales(record),
            means=samples is None,
            stated=_stated(record, task),
        )
        for task, of_task in by_task.items()
    ]
    if logs:
        logs[0].notes = list(left_out.notes)
    return logs


def texts(file: str, raw: bytes) -> list[Log]:
    """Return the answers in a file of samples, a log for each model. Raises UsageError."""
    left_out = LeftOut(file)
    by_model: dict[str, dict[tuple[str, int], Sample]] = {}
    for place, row in rows(file, raw, _Row):
        _put(row, place, by_model.setdefault(row.model_id, {}), row.evaluation_result_id or "score", left_out)
    return [Log(file=file, model=model, task="", samples=list(own.values())) for model, own in by_model.items()]


def _file_of_samples(path: Path, record: _Aggregate) -> Path | None:
    """Return the file of samples beside a record, whose digest must match. Its stated folder is not used."""
    stated = record.detailed_evaluation_results
    names = [f"{path.stem}_samples.jsonl", *([Path(stated.file_path).name] if stated else [])]
    found = next((path.with_name(name) for name in names if name and path.with_name(name).is_file()), None)
    if found is None or stated is None or stated.checksum is None or stated.hash_algorithm != "sha256":
        return found
    if sha256(content(found)) != stated.checksum.removeprefix("sha256:"):
        raise UsageError(f"{escaped(str(found))}: not the file that {escaped(path.name)} describes; copy both again")
    return found


def _known(record: _Aggregate) -> Iterator[_Result]:
    return (each for each in record.evaluation_results if each.evaluation_result_id is not None)


def _scales(record: _Aggregate) -> dict[str, tuple[float, float]]:
    """Return the ends of each metric with two finite ones."""
    ends = {
        each.metric: (each.metric_config.min_score, each.metric_config.max_score) for each in record.evaluation_results
    }
    return {
        metric: (float(low), float(high))
        for metric, (low, high) in ends.items()
        if isinstance(low, int | float) and isinstance(high, int | float) and low < high
    }


def _stated(record: _Aggregate, task: str) -> dict[str, Stated]:
    """Return the figures of a task by metric."""
    of_task = [each for each in record.evaluation_results if each.evaluation_name == task]
    return {
        each.metric: Stated(
            each.score_details.score,
            _number(each.score_details.uncertainty),
        )
        for each in of_task
        if isfinite(each.score_details.score)
    }


def _number(uncertainty: _Uncertainty | None) -> int | None:
    """Return the number of samples of a result."""
    number = uncertainty.num_samples if uncertainty else None
    return number if isinstance(number, int) else None


def _put_rows(
    left_out: LeftOut,
    raw: bytes,
    by_task: dict[str, dict[tuple[str, int], Sample]],
    known: Mapping[str | None, _Result],
) -> int:
    """Add the rows of a file of samples to their tasks; return the number of rows."""
    count = 0
    for place, row in rows(left_out.file, raw, _Row):
        count += 1
        result = known.get(row.evaluation_result_id)
        if row.evaluation_result_id is not None and result is None:
            left_out.add(place, f"no result {quoted(row.evaluation_result_id)} in the record; left out")
            continue
        task = result.evaluation_name if result else row.evaluation_name
        _put(row, place, by_task.setdefault(task, {}), result.metric if result else "score", left_out)
    return count


def _put(row: _Row, place: str, of_task: dict[tuple[str, int], Sample], metric: str, left_out: LeftOut) -> None:
    """Add a row to the first sample of its item that has no score in the metric."""
    scores: dict[str, float] = {}
    if row.error:
        left_out.add(place, "the sample failed and has no score")
    else:
        left_out.score(scores, metric, row.evaluation.score, place)
    number = 0
    while (row.sample_id, number) in of_task and metric in of_task[row.sample_id, number].scores:
        number += 1
    of_task.setdefault((row.sample_id, number), _sample(row, number)).scores.update(scores)


def _sample(row: _Row, number: int) -> Sample:
    said = [each for each in row.messages or () if each.role == "assistant" and each.content]
    answers = row.output.raw if row.output else [each.content for each in said[-1:]]
    traces = [row.output.reasoning_trace] if row.output else [each.reasoning_trace for each in said[-1:]]
    if isinstance(trace := traces[0] if traces else None, list) and row.output and len(answers) > 1:
        trace = trace[:1]  # a trace for each answer, of which the first counts
    tokens = row.token_usage or _Tokens()
    latency = row.performance.latency_ms if row.performance else None
    return Sample(
        item=row.sample_id,
        number=number,
        scores={},
        prompt=row.input.raw,
        answer=answers[0] if answers and not row.error else None,
        seconds=None if latency is None else latency / 1000,
        input_tokens=tokens.input_tokens,
        output_tokens=tokens.output_tokens,
        cluster=(row.metadata or {}).get("cluster"),
        reasoning=thoughts_in(trace),
    )
