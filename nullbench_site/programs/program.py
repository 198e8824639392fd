"""The interface of programs: the fields of a request that it reads, its parameters, and its function."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce
from operator import add
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from nullbench_site.specs.digest import required_fields

Role = Literal["contestant", "judge"]
StructT = TypeVar("StructT", bound=Struct)


class TaskAndSource(Struct, frozen=True):
    """A task and its source."""

    task: str
    source: str

    @property
    def text(self) -> str:
        """Return the text to take words from."""
        return self.source


class BarePrompt(Struct, frozen=True):
    """A prompt without a source."""

    prompt: str

    @property
    def text(self) -> str:
        """Return the text to take words from."""
        return self.prompt


class SourcedPrompt(BarePrompt, frozen=True):
    """A prompt, and the text that it is about; without one, the prompt itself is the text."""

    source: str = ""

    @property
    def text(self) -> str:
        """Return the text to take words from."""
        return self.source or self.prompt


class NoParams(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of a program without parameters."""


class Program(msgspec.Struct, frozen=True):
    """A contestant or a judge. functions: the function for each type of fields that it can be called with.

    params: the type of its parameters, the second argument of its functions. Other fields are ignored; unknown
    parameters are refused. abstains: given the fields of an empty response, True if a judge can check nothing; it is
    then not called for that item.
    """

    role: Role
    functions: Mapping[type[Struct], Callable[..., str]]
    params: type[Struct] = NoParams
    abstains: Callable[..., bool] | None = None

    def reads_from(self, given: Collection[str]) -> bool:
        """Return True if the fields that it needs are among those given."""
        return any(required_fields(kind) <= {*given} for kind in self.functions)

    def read_params(self, params: Mapping[str, object]) -> Struct:
        """Return its parameters. Raises ValueError for a wrong one."""
        return read(self.params, params, "param")

    def reply(self, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
        """Return its answer or verdict. Raises ValueError for a wrong param or field."""
        kind, asked = self._read(fields)
        settings = self.read_params(params)
        function = self.functions[kind]
        return function(asked) if self.params is NoParams else function(asked, settings)

    def can_check(self, fields: Mapping[str, object]) -> bool:
        """Return True if a judge has something to check in responses to an item. fields: those of an empty response."""
        return self.abstains is None or not self.abstains(self._read(fields)[1])

    def _read(self, fields: Mapping[str, object]) -> tuple[type[Struct], Struct]:
        readable = [kind for kind in self.functions if required_fields(kind) <= {*fields}] or [*self.functions]
        kind = max(readable, key=lambda kind: len({*kind.__struct_fields__} & {*fields}))
        return kind, read(kind, fields, "field")


def contestant(*reads: type[Struct], params: type[Struct] = NoParams) -> Callable[[Callable[..., str]], Program]:
    """Make a contestant of a function of fields: those of any of these types."""
    return lambda function: Program("contestant", dict.fromkeys(reads, function), params)


def judge(*reads: type[Struct], abstains: Callable[..., bool] | None = None) -> Callable[[Callable[..., str]], Program]:
    """Make a judge of a function of fields. abstains: as in `Program`."""
    return lambda function: Program("judge", dict.fromkeys(reads, function), abstains=abstains)


def read(kind: type[StructT], given: Mapping[str, object], what: str) -> StructT:
    """Return `given` as a `kind`. Raises ValueError with the place and the expected value."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise ValueError(_explained(kind, what, error)) from None


def ramp(value: float, low: float, high: float) -> float:
    """Return 0 up to `low`, 1 from `high` on, linear between."""
    return min(1.0, max(0.0, (value - low) / (high - low)))


def total(values: Iterable[float]) -> float:
    """Return the sum, rounded after each addition on every version of Python.

    From 3.12 on, `sum` compensates rounding errors, so that a mark just below 31.5 would be 32 there and 31 before.
    """
    return reduce(add, values, 0.0)


def mean(values: Collection[float], otherwise: float = 0.0) -> float:
    """Return the mean, or `otherwise` if there are no values."""
    return total(values) / len(values) if values else otherwise


def rounded(value: float) -> int:
    """Return the nearest integer, halves up; `round` would turn 2.5 into 2 and 3.5 into 4."""
    return math.floor(value + 0.5)


def compact(reply: Mapping[str, object]) -> str:
    """Return a judge's reply as JSON with sorted keys."""
    return json.dumps(reply, sort_keys=True, separators=(",", ":"))


def _explained(kind: type[Struct], what: str, error: msgspec.ValidationError) -> str:
    """Return the problem with its place. what: "field" or "param"."""
    sentence, _, path = str(error).partition(" - at `$")
    words, place = sentence.replace("`", ""), path.strip(".`")
    unknown = re.fullmatch(r"Object contains unknown field (.*)", words)
    if unknown and not place:
        return f"unknown {what} {unknown[1]!r}; known: {', '.join(kind.__struct_fields__) or 'none'}"
    words = re.sub(r"^Expected (.*), got (.*)", r"found \2; expected \1", words)
    words = f"{words[:1].lower()}{words[1:]}"
    return f"{what} {place!r}: {words}" if place else f"wrong {what}s: {words}"
