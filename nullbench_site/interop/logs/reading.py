"""Recognise logs, and make the table of scores that `rank` and `import scores` read, or the answers of a model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
from msgspec.structs import replace

from nullbench_site.errors import UsageError
from nullbench_site.interop.importer import AnswersFile, FileAnswer, SourceProblem
from nullbench_site.interop.logs import every_eval_ever, figures, helm, inspect_ai, lm_eval, promptfoo
from nullbench_site.interop.logs.log import Log, Sample, content, from_json
from nullbench_site.interop.source_files import MOST_BYTES, beyond_limits
from nullbench_site.interop.table_rows import STDIN, Block, Stated, TableRows
from nullbench_site.text import did_you_mean, escaped, listed, plural, quoted, slug, some_of

_ZIP, _RUN_SPEC = b"PK", "run_spec.json"
_NAMED, _METRICS = 6, 20
_BESIDE = ("seconds", "cost_usd")
_CLUSTER = "cluster"


class Format(msgspec.Struct, frozen=True):
    """A format of logs, or of files with answers.

    recognises: True for the object of such a file, or for its first line. read: its logs, from its path or name and
    that object or all lines, and those in the files beside a log; it raises UsageError.
    """

    name: str
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Any, Any], Sequence[Log]]


FORMATS = (
    Format(inspect_ai.NAME, inspect_ai.recognises, lambda path, data: [inspect_ai.read(_shown(path), data)]),
    Format(lm_eval.NAME, lm_eval.recognises, lm_eval.read),
    Format(promptfoo.NAME, promptfoo.recognises, lambda path, data: promptfoo.read(_shown(path), data)),
    Format(helm.NAME, helm.recognises, helm.read),
    Format(every_eval_ever.NAME, every_eval_ever.recognises, every_eval_ever.read),
)
_OBJECTS = (
    Format(inspect_ai.NAME, inspect_ai.recognises, lambda file, data: [inspect_ai.read(file, data)]),
    Format(promptfoo.NAME, promptfoo.recognises, promptfoo.read),
    Format(helm.NAME, helm.recognises_texts, helm.texts),
)
_LINES = (
    Format(lm_eval.NAME, lm_eval.recognises_row, lm_eval.texts),
    Format(every_eval_ever.NAME, every_eval_ever.recognises_row, every_eval_ever.texts),
)


def logs_with_texts(file: str, raw: bytes) -> Sequence[Log] | None:
    """Return the logs in the bytes of one file; None if it is not a log. Raises UsageError."""
    if raw.startswith(_ZIP):
        return [inspect_ai.read_archive(file, raw)]
    if not raw.lstrip().startswith(b"{"):
        return None
    first = _object(file, raw.lstrip().split(b"\n", 1)[0])
    if first is not None and (lines := _that_recognises(_LINES, first)):
        return lines.read(file, raw)
    indented = raw.split(b"\n", 1)[0].strip() == b"{"
    data = from_json(file, raw) if indented else _object(file, raw)
    if data is None:
        return None
    if (whole := _that_recognises(_OBJECTS, data)) is not None:
        return whole.read(file, data if indented else from_json(file, raw))
    if _that_recognises(FORMATS, data):
        remedy = "samples_*.jsonl, scenario_state.json or *_samples.jsonl"
        raise UsageError(f"{file}: the log has no answers; they are in a file beside it: {remedy}")
    return None


def _object(file: str, raw: bytes) -> dict[str, Any] | None:
    """Return an object in JSON; None for other bytes. Raises UsageError for one beyond the limits of a reader."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        if problem := beyond_limits(raw):
            raise UsageError(f"{file}:{problem[0]}: {problem[1]}") from error
        return None
    return data if isinstance(data, dict) else None


def _that_recognises(kinds: Sequence[Format], data: Mapping[str, Any]) -> Format | None:
    return next((kind for kind in kinds if kind.recognises(data)), None)


def read_logs(path: str, metric: str | None = None) -> TableRows | None:
    """Return the table of the logs in a file or a folder; None for a file that is not a log. Raises UsageError.

    metric: to rank by; None for the one that the logs name.
    """
    if path == STDIN:
        return None
    where = Path(path)
    if not where.is_dir():
        logs = _logs_in(where) if where.is_file() else None
        return None if logs is None else _table(_shown(where), logs, metric, [])
    found: list[Log] = []
    others: list[str] = []
    for each in _files(where):
        logs = _logs_in(each)
        found += logs or ()
        if logs is None:
            others.append(each.relative_to(where).as_posix())
    if not found:
        names = listed(sorted({form.name for form in FORMATS}))
        raise UsageError(f"{_shown(where)}: no log in this folder; logs of {names} can be read")
    notes = [f"Not logs, and not read: {listed(some_of([quoted(name) for name in others], _NAMED))}."] if others else []
    return _table(_shown(where), found, metric, notes)


def _shown(path: Path) -> str:
    return escaped(str(path))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files that may be logs; beside a run spec of HELM, only that."""
    for path in sorted(folder.rglob("*")):
        of_helm = path.name != _RUN_SPEC and path.with_name(_RUN_SPEC).is_file()
        if path.suffix in (".eval", ".json") and path.is_file() and not of_helm:
            yield path


def _logs_in(path: Path) -> Sequence[Log] | None:
    """Return the logs in a file; None if it is not a log."""
    with path.open("rb") as opened:
        first = opened.readline(MOST_BYTES).lstrip()
    if first.startswith(_ZIP):
        return [inspect_ai.read_archive(_shown(path), content(path))]
    if not first.startswith(b"{"):
        return None
    data, whole = _object(_shown(path), first), None
    if data is None:
        data = whole = from_json(_shown(path), content(path))
    if _that_recognises(_LINES, data):
        remedy = "name the file with its results, or the folder of both"
        raise UsageError(f"{_shown(path)}: the file has only the samples of a log; {remedy}")
    form = _that_recognises(FORMATS, data)
    return None if form is None else form.read(path, whole or from_json(_shown(path), content(path)))


# The table.


def _table(name: str, logs: Sequence[Log], chosen: str | None, notes: list[str]) -> TableRows:
    """Return a row for each item of each log, with the mean of its samples in a metric."""
    if len({log.means for log in logs}) > 1:
        without = next(log.file for log in logs if log.means)
        raise UsageError(f"{without}: the log has no samples, but others have; put it in another folder")
    _check_once(logs)
    notes += [note for log in logs for note in log.notes]
    metric = _metric(name, logs, chosen, notes)
    by_task = len({log.task for log in logs}) > 1 and not logs[0].means
    tasks = {(log.task, sample.item) for log in logs for sample in log.samples}
    shared = len({item for _, item in tasks}) < len(tasks)
    beside = [key for key in _BESIDE if any(getattr(sample, key) is not None for log in logs for sample in log.samples)]
    clusters = [_CLUSTER] if all(sample.cluster for log in logs for sample in log.samples) else []
    header = ["model", "item", *(["group"] if by_task else []), *clusters, *beside]
    rows, most = list[list[Any]](), 1
    for log in logs:
        of_items, reducer = figures.scores(log, metric), figures.reducer_of(log, metric)
        notes += figures.notes(log, metric)
        for item, samples in _by_item(log).items():
            if reducer == figures.MEAN:
                most = max(most, sum(metric in sample.scores for sample in samples))
            named: list[str | None] = [f"{log.task}/{item}" if shared else item, *([log.task] if by_task else [])]
            named += [samples[0].cluster] if clusters else []
            numbers = (_mean([getattr(sample, key) for sample in samples]) for key in beside)
            rows.append([log.model, *named, *numbers, of_items[item]])
    if most > 1:
        notes.append(f"Scores are means over up to {plural(most, 'sample')} of an item.")
    if logs[0].means:
        notes.append("Logs without samples: the items are tasks, and each score is a mean over a task.")
    column = metric if metric not in header else f"{metric} (metric)"
    scales = {log.scales.get(metric) for log in logs}
    lower = any(metric in log.lower for log in logs)
    return TableRows(
        name=name,
        header=(*header, column),
        blocks=iter([Block(range(1, len(rows) + 1), rows)]),
        by_line=False,
        notes=notes,
        stated=Stated(column, lower, scales.pop() if len(scales) == 1 else None, logs[0].means, bool(clusters)),
    )


def _metric(name: str, logs: Sequence[Log], chosen: str | None, notes: list[str]) -> str:
    """Return the metric to rank by: chosen, the only one, or the one that all logs name."""
    metrics = list(dict.fromkeys(metric for log in logs for sample in log.samples for metric in sample.scores))
    if not metrics:
        found = [note.removeprefix(f"{name}: ") for note in notes]
        raise UsageError("; ".join([f"{name}: no sample has a score, so score it with its tool first", *found]))
    if chosen is not None and chosen not in metrics:
        raise UsageError(f"{name}: the log has no metric {quoted(chosen)} for --score; {did_you_mean(chosen, metrics)}")
    headlines = {log.headline for log in logs}
    stated = headlines.pop() if len(headlines) == 1 else None
    metric = chosen or (metrics[0] if len(metrics) == 1 else stated if stated in metrics else None)
    if metric is None:
        names = listed(some_of([quoted(each) for each in metrics], _METRICS))
        raise UsageError(f"{name}: the log has several metrics; choose one with --score: {names}")
    if others := [quoted(each) for each in metrics if each != metric]:
        notes.append(f"Other metrics, for --score: {listed(some_of(others, _METRICS))}.")
    return metric


def _check_once(logs: Sequence[Log]) -> None:
    """Raise UsageError if two logs have the same model and task."""
    first: dict[tuple[str, str], Log] = {}
    for log in logs:
        before = first.setdefault((log.model, log.task), log)
        if before is not log:
            both = f"{quoted(log.model)} on {quoted(log.task)}"
            raise UsageError(f"{log.file}: {both} is in {before.file} too; move one of them to another folder")


def _by_item(log: Log) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in log.samples:
        found.setdefault(sample.item, []).append(sample)
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def answers_in_log(file: str, raw: bytes) -> AnswersFile | None:
    """Return the answers in a log and its problems; None if the bytes are not a log. file: its name in messages."""
    try:
        logs = logs_with_texts(file, raw)
    except UsageError as error:
        message = str(error).removeprefix(f"{file}:").lstrip()
        line = re.match(r"([0-9]+): ", message)
        return AnswersFile(
            (), [SourceProblem(file, int(line[1]) if line else 0, "", message[line.end() if line else 0 :])]
        )
    if logs is None:
        return None
    answers = list(_answers(logs))
    if answers:
        return AnswersFile(answers, (), None if len(_models(answers)) > 1 else escaped(answers[0].model or "") or None)
    notes = [note.removeprefix(f"{file}: ") for log in logs for note in log.notes]
    message = "; ".join(["the log has no answer; log samples with their output", *notes])
    return AnswersFile((), [SourceProblem(file, 0, "", message)])


def _answers(logs: Sequence[Log]) -> Iterator[FileAnswer]:
    for log in logs:
        for sample in log.samples:
            if sample.answer is not None:
                yield FileAnswer(
                    item=sample.item,
                    prompt=sample.prompt,
                    text=sample.answer,
                    line=0,
                    sample=sample.number,
                    seconds=sample.seconds,
                    input_tokens=sample.input_tokens,
                    output_tokens=sample.output_tokens,
                    ended=sample.ended,
                    reasoning=sample.reasoning,
                    model=log.model,
                )


def _models(answers: Sequence[FileAnswer]) -> list[str]:
    return list(dict.fromkeys(answer.model for answer in answers if answer.model is not None))


def of_one_model(file: str, given: AnswersFile, model: str, title: str | None) -> AnswersFile:
    """Return the answers of one model: that whose name is the title, or makes the id. Raises UsageError."""
    models = _models(given.answers)
    if len(models) < 2:
        return given
    chosen = [name for name in models if name == title or slug(name) == model]
    if len(chosen) != 1:
        names = listed([quoted(name) for name in models])
        raise UsageError(f"{file}: the log has answers of {names}; choose one by its name, with --title")
    answers = [answer for answer in given.answers if answer.model == chosen[0]]
    return replace(given, answers=answers, generator=escaped(chosen[0]))
