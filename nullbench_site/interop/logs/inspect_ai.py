"""Logs of Inspect AI, version 2: JSON, and `.eval` archives."""

from __future__ import annotations

import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from nullbench_site.errors import UsageError
from nullbench_site.interop.logs.log import LeftOut, Log, Sample, Stated, fitted, from_json
from nullbench_site.interop.source_files import MOST_BYTES
from nullbench_site.runs.endings import ending_of
from nullbench_site.text import plural, quoted, short_line
from nullbench_site.thinking import Content, content_of

MOST_IN_ALL = 4 * 1024**3
"""Unpacked bytes of an archive that are read; of one member, as many as of a file."""
_STEP = 4096
"""Bytes to ask for at a time: a frame that lies about its size can then expand to no more than 128 MB in memory."""
_ZSTANDARD, _METHODS = 93, frozenset((0, 8, 93))


def _module() -> Any:
    """Return a module with the interface of `zipfile` that reads Zstandard if this Python or an extra can."""
    try:
        return import_module("backports.zstd.zipfile")  # of the extra `zstd`, and not needed from Python 3.14
    except ImportError:
        return zipfile


class Archive:
    """The members of an archive by name. Raises UsageError for one that is damaged or hostile."""

    def __init__(self, file: str, raw: bytes) -> None:
        self.file, self._module, self._left = file, _module(), MOST_IN_ALL
        try:
            self._archive = self._module.ZipFile(BytesIO(raw))
        except (self._module.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise UsageError(f"{file}: a damaged or incomplete archive; copy the log again") from error
        self._members: Mapping[str, Any] = {member.filename: member for member in self._archive.infolist()}
        self._check(reads_zstandard=hasattr(self._module, "ZIP_ZSTANDARD"))

    def _check(self, *, reads_zstandard: bool) -> None:
        for name, member in self._members.items():
            if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts:
                raise UsageError(
                    f"{self.file}: the path of the member {quoted(name)} leaves the archive; do not use it"
                )
            if member.compress_type not in _METHODS or member.flag_bits & 1:
                raise UsageError(f"{self.file}: {quoted(name)}: unknown compression or encryption; write the log again")
            if member.compress_type == _ZSTANDARD and not reads_zstandard:
                version = ".".join(map(str, sys.version_info[:2]))
                remedy = "pip install 'nullbench-site[zstd]', or convert it: inspect log convert --to json"
                raise UsageError(f"{self.file}: Python {version} cannot read Zstandard by itself; {remedy}")

    @property
    def names(self) -> list[str]:
        """Return the names of all members, in order."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return the content of a member. Raises UsageError if it is damaged or too large."""
        parts, most = list[bytes](), min(MOST_BYTES, self._left)
        wrong = (self._module.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, *_zstd_errors())
        try:
            with self._archive.open(self._members[name]) as member:
                while most >= 0 and (part := member.read(_STEP)):
                    parts.append(part)
                    most -= len(part)
        except wrong as error:
            raise UsageError(f"{self.file}: {quoted(name)} is damaged; copy the log again") from error
        if most < 0:
            smaller = "unpacks to too many bytes; write a smaller log, for example with --no-log-images"
            raise UsageError(f"{self.file}: {quoted(name)} {smaller}")
        content = b"".join(parts)
        self._left -= len(content)
        return content


def _zstd_errors() -> tuple[type[Exception], ...]:
    for name in ("backports.zstd", "compression.zstd"):
        try:
            return (import_module(name).ZstdError,)
        except ImportError:
            continue
    return ()


NAME = "Inspect"
_VERSION = 2
_LETTERS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""The texts that Inspect's own metrics read as numbers."""
_MEANS = ("accuracy", "mean")
_SPREAD = ("stderr", "std", "var", "bootstrap_stderr")


class _Config(Struct):
    epochs_reducer: list[str] | None = None
    score_on_error: Any = None


class _Eval(Struct):
    task: str
    model: str
    config: _Config = msgspec.field(default_factory=_Config)


class _Metric(Struct):
    value: Any = None


class _ScoreSummary(Struct):
    name: str
    metrics: dict[str, _Metric]
    scorer: str = ""
    reducer: str | None = None
    scored_samples: int | None = None

    @property
    def metric(self) -> str:
        return _metric(self.scorer, self.name)


class _Headline(Struct):
    scorer: str
    score: str


class _Results(Struct):
    scores: list[_ScoreSummary] = []
    headline: _Headline | None = None
    total_samples: int | None = None
    completed_samples: int | None = None


class _Usage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Message(Struct):
    content: str | list[dict[str, Any]] = ""


class _Choice(Struct):
    message: _Message
    stop_reason: str = "stop"


class _Output(Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    time: float | None = None


class _Score(Struct):
    value: Any = None


class _Error(Struct):
    message: str = ""


class _Sample(Struct):
    id: int | str
    epoch: int = 1
    input: str | list[_Message] = ""
    output: _Output | None = None
    scores: dict[str, _Score] | None = None
    error: _Error | None = None
    invalidation: Any = None


class _LogFile(Struct):
    status: str
    eval: _Eval
    version: int = _VERSION
    results: _Results | None = None
    error: _Error | None = None
    samples: list[_Sample] | None = None
    invalidated: bool = False


def recognises(data: Mapping[str, Any]) -> bool:
    """Return True for the object of a log in JSON."""
    return {"status", "eval"} <= data.keys()


def read(file: str, data: Any) -> Log:
    """Return the log in a JSON object. Raises UsageError."""
    _check_version(file, data)
    log = fitted(file, data, _LogFile)
    return _made(file, log, log.samples or [])


def read_archive(file: str, raw: bytes) -> Log:
    """Return the log in an `.eval` archive. Raises UsageError."""
    archive = Archive(file, raw)
    if "header.json" not in archive.names:
        missing = "no header.json: the run did not finish, or this is not a log of Inspect"
        raise UsageError(f"{file}: {missing}; run the task again, or finish it with `inspect eval-retry`")
    data = from_json(f"{file}: header.json", archive.read("header.json"))
    _check_version(file, data)
    log = fitted(f"{file}: header.json", data, _LogFile)
    members = [name for name in archive.names if name.startswith("samples/") and name.endswith(".json")]
    samples = [fitted(f"{file}: {name}", from_json(f"{file}: {name}", archive.read(name)), _Sample) for name in members]
    return _made(file, log, samples)


def _check_version(file: str, data: Any) -> None:
    version = data.get("version", _VERSION) if isinstance(data, dict) else _VERSION
    if version != _VERSION:
        remedy = "write it again with `inspect log convert`"
        raise UsageError(f"{file}: version: a log of version {quoted(version)}; only 2 can be read; {remedy}")


def _made(file: str, log: _LogFile, samples: Sequence[_Sample]) -> Log:
    if log.status != "success":
        why = f" ({short_line(log.error.message, 100)})" if log.error else ""
        remedy = "run the task again, or finish it with `inspect eval-retry`"
        raise UsageError(f"{file}: the log has the status {quoted(log.status)}{why}; {remedy}")
    left_out, headline = LeftOut(file), log.results.headline if log.results else None
    means, on_error = not samples, bool(log.eval.config.score_on_error)
    made = [_of_means(log, left_out)] if means else [_sample(each, left_out, on_error) for each in samples]
    counts = [] if means else list(_counts(file, log, samples))
    if means and log.invalidated:
        counts = [f"{file}: the log says that some of its samples are invalidated; its means count them."]
    return Log(
        file=file,
        model=log.eval.model,
        task=log.eval.task,
        samples=made,
        headline=None if means or headline is None else _metric(headline.scorer, headline.score),
        means=means,
        stated=_stated(log),
        reducers=_reducers(log),
        notes=[*left_out.notes, *counts],
    )


def _counts(file: str, log: _LogFile, samples: Sequence[_Sample]) -> Iterator[str]:
    """Yield a sentence for each number of samples that is not the one that the log states."""
    results = log.results or _Results()
    on_error = bool(log.eval.config.score_on_error)
    failed = sum(each.error is not None and not (on_error and each.scores) for each in samples)
    total, completed = results.total_samples, results.completed_samples
    if total is not None and total != len(samples):
        yield f"{file}: the log states {plural(total, 'sample')}, but has {len(samples)}."
    elif completed is not None and completed != len(samples) - failed:
        yield f"{file}: the log states {plural(completed, 'completed sample')}, but has {len(samples) - failed}."
    if log.invalidated and not any(each.invalidation for each in samples):
        yield f"{file}: the log says that it has invalidated samples, but marks none; all count."


def _stated(log: _LogFile) -> Mapping[str, Stated]:
    """Return what the log states of each score: the mean or accuracy that has one value for all reducers applied."""
    found: dict[str, Stated] = {}
    config = log.eval.config.epochs_reducer or []
    for summary in log.results.scores if log.results else ():
        value = next((summary.metrics[name].value for name in _MEANS if name in summary.metrics), None)
        known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        stated = Stated(float(value) if known and value is not None else None, summary.scored_samples)
        # With several reducers, the mean is the one that our means are compared with.
        if summary.metric not in found or (summary.reducer or next(iter(config), "mean")) == "mean":
            found[summary.metric] = stated
    return found


def _reducers(log: _LogFile) -> Mapping[str, Sequence[str]]:
    """Return the reducers of each score; those of the task if the score names none."""
    found: dict[str, list[str]] = {}
    for summary in log.results.scores if log.results else ():
        own = [summary.reducer] if summary.reducer else log.eval.config.epochs_reducer or []
        found.setdefault(summary.metric, []).extend(own)
    return found


def _metric(scorer: str, key: str) -> str:
    return key if scorer in ("", key) else f"{scorer}.{key}"


def _sample(sample: _Sample, left_out: LeftOut, on_error: bool) -> Sample:
    """Return a sample. on_error: scores of failed samples count, as the log states."""
    place = f"sample {quoted(sample.id)}, epoch {sample.epoch}"
    scores: dict[str, float] = {}
    scored = on_error and bool(sample.scores)
    if sample.invalidation:
        left_out.add(place, "the sample is invalidated; its score is left out")
    elif sample.error is not None and not scored:
        left_out.add(place, "the sample failed and has no score")
    else:
        if sample.error is not None:
            left_out.add(place, "the sample failed; its score counts, as the log states (score_on_error)")
        for metric, value in _values(sample.scores or {}):
            left_out.score(scores, metric, _number(value) if isinstance(value, str) else value, place)
    output = sample.output or _Output()
    choice = output.choices[0] if output.choices and sample.error is None else None
    said = ("", "") if choice is None else _said(choice.message)
    ended = ending_of(choice and choice.stop_reason).ended
    if ended is None:
        left_out.add(place, "the answer was broken off and is left out")
    usage = output.usage or _Usage()
    return Sample(
        item=str(sample.id),
        number=max(0, sample.epoch - 1),
        scores=scores,
        prompt=sample.input if isinstance(sample.input, str) else _said(sample.input[-1])[0] if sample.input else None,
        answer=None if choice is None or ended is None else said[0],
        seconds=output.time,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        ended=ended or "stop",
        reasoning=said[1],
    )


def _values(scores: Mapping[str, _Score]) -> Iterator[tuple[str, Any]]:
    """Yield each metric and its value; a scorer may give several by name."""
    for scorer, score in scores.items():
        if isinstance(score.value, dict):
            yield from ((_metric(scorer, key), value) for key, value in score.value.items())
        else:
            yield scorer, score.value


def _number(value: str) -> float | str:
    """Return the number that a text means, as Inspect's own metrics do, or else the text."""
    try:
        return float(value)
    except ValueError:
        return _LETTERS.get(value.casefold(), value)


def _said(message: _Message) -> tuple[str, str]:
    """Return the text and the thinking of a message."""
    content = content_of(message.content) or Content(None)
    return content.text or content.refusal, content.thinking


def _of_means(log: _LogFile, left_out: LeftOut) -> Sample:
    """Return the scores of the whole task, for a log without samples."""
    scores: dict[str, float] = {}
    for summary in log.results.scores if log.results else ():
        for name, metric in summary.metrics.items():
            if name not in _SPREAD:
                full = f"{_metric(summary.scorer, summary.name)}.{name}"
                left_out.score(scores, full, metric.value, "results")
    return Sample(item=log.eval.task, scores=scores)
