"""A file of answers -> the answers with their places, and everything that is wrong with the file by itself."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from math import isfinite
from typing import Any, get_args

from nullbench_site.errors import Problem
from nullbench_site.interop.importer import BroughtAnswer, BroughtFile
from nullbench_site.interop.json_places import BrokenError, Places, object_of_line, objects_of_list, shown, text_problem
from nullbench_site.runs.records import Ended
from nullbench_site.text import did_you_mean, not_utf8, quoted

MAX_BYTES = 256 * 1024 * 1024
MAX_LINE = 4 * 1024 * 1024
_MAX_INTEGER = 2**53
_ENDS: tuple[str, ...] = get_args(Ended)
_OURS = ("item", "text", "sample", "seconds", "input_tokens", "output_tokens", "finish", "response_id")
_MOST_ID = 200
_THEIRS = ("instruction", "output", "generator")
_EXPECTED = "an answer is one, with item and text"


def read_answers_file(file: str, raw: bytes) -> BroughtFile:
    """The answers of a file and its problems, in file order. file: its name in messages."""
    if len(raw) > MAX_BYTES:
        message = f"the file has more than {MAX_BYTES // 1_048_576} MB; bring in the answers in several files"
        return BroughtFile([], [Problem(file, 1, 1, message)])
    raw = raw.removeprefix(BOM_UTF8)
    reader = _Reader(file)
    if raw.lstrip()[:1] == b"[":
        reader.read_list(raw)
    else:
        for number, line in enumerate(raw.split(b"\n"), start=1):
            if line.strip():
                reader.read_line(line, number)
    if not reader.answers and not reader.problems:
        reader.note(1, 1, "the file holds no answer; a line an answer belongs here, with item and text")
    return BroughtFile(reader.answers, reader.problems, reader.generator, 1 + raw.rstrip().count(b"\n"))


class _Reader:
    """Reads objects and collects what is wrong with them. generator: whom AlpacaEval's file is of."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.answers: list[BroughtAnswer] = []
        self.problems: list[Problem] = []
        self.generator: str | None = None

    def note(self, line: int, column: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, column, message))

    def read_line(self, raw: bytes, number: int) -> None:
        """A line with an object."""
        if len(raw) > MAX_LINE:
            self.note(number, 1, f"the line has more than {MAX_LINE // 1_048_576} MB; no answer is that long")
            return
        text = self._decoded(raw, number)
        if text is None:
            return
        try:
            members, start = object_of_line(text, _EXPECTED)
        except BrokenError as broken:
            self.note(number, broken.at + 1, broken.message)
            return
        self._add(members, {name: (number, at + 1) for name, (at, _) in members.items()}, (number, start + 1))

    def read_list(self, raw: bytes) -> None:
        """A list of objects, over as many lines as it takes."""
        text = self._decoded(raw, 1)
        if text is None:
            return
        places = Places(text)
        try:
            for members, start in objects_of_list(text, _EXPECTED):
                self._add(members, {name: places.of(at) for name, (at, _) in members.items()}, places.of(start))
        except BrokenError as broken:
            self.note(*places.of(broken.at), broken.message)

    def _decoded(self, raw: bytes, first_line: int) -> str | None:
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            before = raw[: error.start].decode()
            line, column = first_line + before.count("\n"), len(before) - before.rfind("\n")
            self.note(line, column, not_utf8(error))
            return None

    def _add(
        self, members: Mapping[str, tuple[int, Any]], places: Mapping[str, tuple[int, int]], start: tuple[int, int]
    ) -> None:
        """The answer of an object, unless something is wrong with it."""
        known = len(self.problems)
        values = {name: value for name, (_, value) in members.items() if value is not None}
        theirs = "instruction" in members
        which, text = ("instruction", "output") if theirs else ("item", "text")
        for name in (which, text):
            if name not in members:
                self.note(*start, f"the key {name!r} is missing; an answer has {which} and {text}")
        for name, value in values.items():
            if problem := _their_field(name, value) if theirs else _our_field(name, value):
                self.note(*places[name], problem)
        for name in (which, text):
            if name in members and name not in values:
                self.note(*places[name], f"found null; {name} is a text")
        if len(self.problems) > known:
            return
        if theirs:
            self._note_generator(values.get("generator"), places)
        self.answers.append(
            BroughtAnswer(
                item=None if theirs else values["item"],
                prompt=values["instruction"] if theirs else None,
                text=values[text],
                places={"": places[which], **places},
                **({} if theirs else {_KEPT[name]: value for name, value in values.items() if name in _KEPT}),
            )
        )

    def _note_generator(self, generator: str | None, places: Mapping[str, tuple[int, int]]) -> None:
        if generator is not None and self.generator not in (None, generator):
            message = f"the generator is {quoted(generator)}, and above it is {quoted(self.generator)}"
            self.note(*places["generator"], f"{message}; bring in the answers of one contestant at a time")
        self.generator = self.generator or generator


_KEPT = {name: name for name in _OURS[2:]} | {"finish": "ended"}
"""The fields of an answer that may be left away, and what they are called from then on."""


def _our_field(name: str, value: object) -> str | None:
    """What is wrong with a field of an object of ours."""
    match name:
        case "item" | "text":
            return text_problem(value)
        case "response_id":
            if not isinstance(value, str) or not 0 < len(value) <= _MOST_ID or not value.isprintable():
                return f"found {shown(value)}; expected an id of 1 to {_MOST_ID} characters on one line"
        case "sample" | "input_tokens" | "output_tokens":
            if type(value) is not int or not 0 <= value <= _MAX_INTEGER:
                return f"found {shown(value)}; expected a whole number from 0 on"
        case "seconds":
            if type(value) not in (int, float) or not (isfinite(value) and 0 <= value <= 1e9):  # type: ignore[arg-type,operator]
                return f"found {shown(value)}; expected a number of seconds from 0 on"
        case "finish":
            if value not in _ENDS:
                return f"found {shown(value)}; {did_you_mean(str(value), _ENDS)}"
        case _:
            return f"unknown key {quoted(name)}; {did_you_mean(name, _OURS)}"
    return None


def _their_field(name: str, value: object) -> str | None:
    """The same of AlpacaEval's, which may have others beside."""
    return text_problem(value) if name in _THEIRS else None
