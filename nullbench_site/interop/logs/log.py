"""What each format of logs is read into: the samples of a model on a task, with their scores and texts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.interop.source_files import NotPlainError, json_problem, mismatch, plain_bytes
from nullbench_site.runs.records import Ended
from nullbench_site.text import escaped, plural, quoted

KindT = TypeVar("KindT")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


class Sample(msgspec.Struct, kw_only=True):
    """A model's response to an item. number: of the sample, from 0. cluster: shared by items that are not
    independent. reasoning: the thinking that the log has apart from the answer. None, and no score: the log does not
    state it.
    """

    item: str
    number: int = 0
    scores: dict[str, float] = {}
    prompt: str | None = None
    answer: str | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    ended: Ended = "stop"
    reasoning: str = ""
    cluster: str | None = None


class Stated(msgspec.Struct, frozen=True):
    """What a log states of a metric: its mean, and the items that this mean is over. None: it does not say."""

    value: float | None = None
    items: int | None = None


class Log(msgspec.Struct, kw_only=True):
    """The samples of a model on a task.

    headline: the metric to rank by, if the log names one. lower: the metrics of which the log says that lower is
    better. scales: the ends of metrics. means: its only "sample" has the scores of the whole task. stated: what the log
    says of each metric. reducers: how it makes one score of the samples of an item, by metric. notes: what did not fit,
    with its place.
    """

    file: str
    model: str
    task: str
    samples: Sequence[Sample]
    headline: str | None = None
    lower: frozenset[str] = frozenset()
    scales: Mapping[str, tuple[float, float]] = {}
    means: bool = False
    stated: Mapping[str, Stated] = {}
    reducers: Mapping[str, Sequence[str]] = {}
    notes: Sequence[str] = ()


class LeftOut:
    """The parts of a log that do not fit: each kind with its first place and its number."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._first: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def add(self, place: str, message: str) -> None:
        """Count a part that does not fit."""
        self._first.setdefault(message, place)
        self._counts[message] = self._counts.get(message, 0) + 1

    def score(self, scores: dict[str, float], metric: str, value: Any, place: str) -> None:
        """Add a score if it is a number. NaN and null mark a response that was not scored."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            self.add(place, f"no score for {quoted(metric)}")
        elif isinstance(value, int | float) and math.isfinite(value):
            scores[metric] = float(value)
        else:
            kinds = (list, "a list"), (dict, "an object"), (str, f"the text {quoted(value)}")
            kind = next((words for of, words in kinds if isinstance(value, of)), "infinite")
            self.add(place, f"{quoted(metric)} is {kind}, not a number; left out")

    @property
    def notes(self) -> Iterator[str]:
        """Yield a sentence for each kind."""
        for message, place in self._first.items():
            more = self._counts[message] - 1
            others = f" (and {plural(more, 'more place')})" if more else ""
            yield f"{self.file}: {place}: {message}{others}."


def content(path: Path) -> bytes:
    """Return the content of a file. Raises UsageError if it is not a plain file."""
    try:
        return plain_bytes(path)
    except NotPlainError as error:
        raise UsageError(f"{escaped(str(path))}: {error}") from error


def from_json(place: str, raw: bytes) -> Any:
    """Return a JSON value; NaN is allowed, since tools write it. Raises UsageError."""
    try:
        return _without_halves(place, raw, json.loads(raw))
    except (ValueError, RecursionError) as error:
        line, problem = json_problem(raw)
        raise UsageError(f"{place}:{line}: {problem}{_remedy(error)}") from error


def _remedy(error: ValueError | RecursionError) -> str:
    """Return the advice for text that is not JSON; nothing for JSON that is too large, which copying does not mend."""
    damaged = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
    return "; the file is damaged or incomplete, copy it again" if damaged else ""


def _without_halves(place: str, raw: bytes, value: Any) -> Any:
    """Return the value of `raw`. Raises UsageError if a text in it has half a character, which no file can have."""
    if _HALF.search(raw):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = "half a character (\\ud800 to \\udfff without its other half)"
            raise UsageError(f"{place}: {half}; remove it, or write the log again") from error
    return value


def fitted(place: str, value: Any, kind: type[KindT]) -> KindT:
    """Return a value as a type. Raises UsageError with the path of the first part that does not fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        path, message = mismatch(error, "")
        path = path.removeprefix(".")
        raise UsageError(
            f"{place}: {path + ': ' if path else ''}{message}; write the log again with the current version of its tool"
        ) from error


def rows(place: str, raw: bytes, kind: type[KindT]) -> Iterator[tuple[str, KindT]]:
    """Yield the place and the value of each line of a JSON Lines file. Raises UsageError."""
    for line, each in enumerate(raw.split(b"\n"), 1):
        if each.strip():
            where = f"{place}:{line}"
            try:
                value = _without_halves(where, each, json.loads(each))
            except (ValueError, RecursionError) as error:
                too_large = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
                problem = json_problem(each)[1] if too_large else "not one JSON object"
                raise UsageError(f"{where}: {problem}{_remedy(error)}") from error
            yield f"line {line}", fitted(where, value, kind)
