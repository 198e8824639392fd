"""Logs of lm-evaluation-harness: `results_*.json`, with the `samples_*.jsonl` of the same moment beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from nullbench_site.interop.logs.log import LeftOut, Log, Sample, Stated, content, fitted, rows
from nullbench_site.text import escaped, listed, plural, quoted

NAME = "lm-evaluation-harness"
_NO_FILTER = "none"
_NO_METRICS = frozenset(("alias", "name", "sample_len", "sample_count"))


class _Results(Struct):
    results: dict[str, dict[str, Any]]
    model_name: str
    higher_is_better: dict[str, dict[str, bool | None]] = {}
    group_subtasks: dict[str, list[str]] = {}
    n_samples: Any = msgspec.field(default=None, name="n-samples")

    def counted(self, task: str, which: str) -> int | None:
        """Return the number of items of a task: `original` in its data, or `effective` in the run."""
        of_task = self.n_samples.get(task) if isinstance(self.n_samples, dict) else None
        number = of_task.get(which) if isinstance(of_task, dict) else None
        return number if isinstance(number, int) else None


class _Row(Struct):
    doc_id: int | str
    filter: str = _NO_FILTER
    metrics: list[str] | None = None
    arguments: Any = None
    resps: list[Any] = []


def recognises(data: Mapping[str, Any]) -> bool:
    """Return True for the object of results."""
    return {"results", "configs", "versions"} <= data.keys()


def recognises_row(data: Mapping[str, Any]) -> bool:
    """Return True for a line of `samples_*.jsonl`."""
    return {"doc_id", "resps", "arguments"} <= data.keys()


def read(path: Path, data: Any) -> list[Log]:
    """Return the log of each task: its samples if there are any beside the results. Raises UsageError."""
    file = escaped(str(path))
    results, left_out = fitted(file, data, _Results), LeftOut(file)
    moment = path.stem.removeprefix("results_")
    groups = {name for name, tasks in results.group_subtasks.items() if tasks}
    tasks = [task for task in results.results if task not in groups]
    beside = {task: path.with_name(f"samples_{Path(task).name}_{moment}.jsonl") for task in tasks}
    if not any(samples.is_file() for samples in beside.values()):
        return [
            _log(file, results, task, [_of_means(results.results[task], task, left_out)], left_out) for task in tasks
        ]
    logs = []
    for task, samples in beside.items():
        if not samples.is_file():
            left_out.add(f"task {quoted(task)}", f"no {samples.name} beside the results; the task is left out")
            continue
        of_file = LeftOut(escaped(str(samples)))
        known = {key.partition(",")[0] for key in results.results[task] if _is_metric(key)}
        read = _samples(of_file, content(samples), known)
        logs.append(_log(of_file.file, results, task, read, of_file, means=False))
        logs[-1].notes = [*logs[-1].notes, *_counts(of_file.file, results, task, read)]
    logs[0].notes = [*left_out.notes, *logs[0].notes]
    return logs


def texts(file: str, raw: bytes) -> list[Log]:
    """Return the samples in `samples_*.jsonl`, which does not name their model. Raises UsageError."""
    left_out = LeftOut(file)
    return [Log(file=file, model="", task="", samples=_samples(left_out, raw), notes=list(left_out.notes))]


def _log(
    file: str, results: _Results, task: str, samples: Sequence[Sample], left_out: LeftOut, *, means: bool = True
) -> Log:
    directions = results.higher_is_better.get(task, {})
    metrics = {metric for sample in samples for metric in sample.scores}
    return Log(
        file=file,
        model=results.model_name,
        task=task,
        samples=samples,
        lower=frozenset(metric for metric in metrics if directions.get(metric.split(",")[0]) is False),
        means=means,
        stated={} if means else _stated(results, task),
        notes=list(left_out.notes),
    )


def _stated(results: _Results, task: str) -> dict[str, Stated]:
    """Return the figures of a task in the results, by metric and filter."""
    items = results.counted(task, "effective")
    stated = {}
    for key, value in results.results[task].items():
        metric, _, filtered = key.partition(",")
        if _is_metric(key) and isinstance(value, int | float) and isfinite(value):
            stated[_name(metric, filtered or _NO_FILTER)] = Stated(float(value), items)
    return stated


def _counts(file: str, results: _Results, task: str, samples: Sequence[Sample]) -> Iterator[str]:
    """Yield a sentence if the samples are not of as many items as the results state."""
    found = len({sample.item for sample in samples})
    effective, original = results.counted(task, "effective"), results.counted(task, "original")
    if effective is not None and effective != found:
        yield f"{file}: the results state {plural(effective, 'item')} of {quoted(task)}, but the samples have {found}."
    if effective is not None and original is not None and effective < original:
        yield f"{file}: the run used {effective} of {plural(original, 'item')} of {quoted(task)}, as its results state."


def _is_metric(key: str) -> bool:
    metric = key.partition(",")[0]
    return metric not in _NO_METRICS and not metric.endswith("_stderr")


def _name(metric: str, filtered: str) -> str:
    return metric if filtered == _NO_FILTER else f"{metric},{filtered}"


def _of_means(values: Mapping[str, Any], task: str, left_out: LeftOut) -> Sample:
    scores: dict[str, float] = {}
    for key, value in values.items():
        metric, _, filtered = key.partition(",")
        if _is_metric(key):
            left_out.score(scores, _name(metric, filtered or _NO_FILTER), value, f"results of {quoted(task)}")
    return Sample(item=task, scores=scores)


def _samples(left_out: LeftOut, raw: bytes, known: Collection[str] | None = None) -> list[Sample]:
    """Return the samples of a file: a row for each item and filter, with all responses to the item.

    known: the metrics in the results, for rows that do not name their metrics; None without results.
    """
    by_item: dict[str, list[Sample]] = {}
    for place, values in rows(left_out.file, raw, dict[str, Any]):
        row = fitted(f"{left_out.file}: {place}", values, _Row)
        item = str(row.doc_id)
        samples = by_item.setdefault(item, []) or by_item[item]
        samples += _responses(item, row) if not samples else ()
        if row.metrics is None and known is not None:
            named = [metric for metric in values if metric in known]
            names = listed([quoted(metric) for metric in named or _numbers(values)]) or "no number"
            how = "read by the names in the results" if named else "in no result, so they are not read"
            left_out.add(place, f"the samples name no metrics; they have {names}, {how}")
        else:
            named = row.metrics or []
        for metric in named:
            left_out.score(samples[0].scores, _name(metric, row.filter), values.get(metric), place)
    return [sample for samples in by_item.values() for sample in samples]


def _numbers(values: Mapping[str, Any]) -> list[str]:
    """Return the keys of a row whose values are numbers."""
    return [key for key, value in values.items() if isinstance(value, int | float) and key != "doc_id"]


def _responses(item: str, row: _Row) -> Iterator[Sample]:
    """Yield a sample for each response; the first gets the scores, which are of all responses together."""
    first = row.resps[0] if len(row.resps) == 1 and isinstance(row.resps[0], list) else []
    answers: list[str | None] = [each for each in first if isinstance(each, str)]
    for number, answer in enumerate(answers or [None]):
        yield Sample(item=item, number=number, scores={}, prompt=_prompt(row.arguments), answer=answer)


def _prompt(arguments: Any) -> str | None:
    """Return the first argument of the first request."""
    for _ in range(2):
        values = list(arguments.values()) if isinstance(arguments, dict) else arguments
        arguments = values[0] if isinstance(values, list) and values else None
    return arguments if isinstance(arguments, str) else None
