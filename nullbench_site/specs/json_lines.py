"""One line of a JSONL file -> plain data. A problem names the file, the line and the key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from math import isinf

import msgspec

from nullbench_site.errors import Problem, breaking
from nullbench_site.specs.document import CONTROL, MAX_DEPTH, MAX_INTEGER, Data, Path, read_text
from nullbench_site.text import key_path, quoted

_ESCAPED = re.compile(r"\\[ubf]")
_NO_TEXT = re.compile(rf"{CONTROL.pattern}|[\ud800-\udfff]")
_TOO_DEEP = f"values are nested more than {MAX_DEPTH} deep"


class JsonLine(msgspec.Struct, frozen=True):
    """The data of one line. private: a message names no key below the first level, as keys may be private text."""

    file: str
    line: int
    data: Data = None
    private: bool = False
    commented: Sequence[Path] = ()

    def problem(self, path: Sequence[str | int], message: str, *, at_key: bool = False) -> Problem:
        """Return a problem at the value that `path` leads to; at_key: at its key, which the message names."""
        shown = path[:1] if self.private else path[:-1] if at_key else path
        place = key_path(*shown)
        return Problem(self.file, self.line, 1, f"{place}: {message}" if place and message else message)


def read_line(file: str, raw: bytes, line: int, *, private: bool = False) -> tuple[JsonLine | None, list[Problem]]:
    """Return the object in `raw`, or None, and every problem of its text. line: counted from 1."""
    text, problems = read_text(file, raw, noun="line", line=line)
    if text is None:
        return None, problems
    try:
        data = json.loads(
            text, object_pairs_hook=_once, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        message = (
            f"invalid JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}; write one JSON object a line"
        )
        return None, [*problems, Problem(file, line, 1, message, "yaml")]
    except ValueError as error:
        return None, [*problems, Problem(file, line, 1, str(error), "yaml")]
    except RecursionError:
        return None, [*problems, Problem(file, line, 1, _TOO_DEEP, "yaml")]
    document = JsonLine(file, line, data, private)
    if _ESCAPED.search(text) or text.count("{") + text.count("[") > MAX_DEPTH:
        problems += breaking("yaml", _wrong_values((), data, document))
    return document, problems


def _wrong_values(path: Path, data: Data, document: JsonLine) -> Iterator[Problem]:
    """Yield values that are nested too deep, and texts with a control character or half a character."""
    if len(path) > MAX_DEPTH:
        yield document.problem(path[:1], _TOO_DEEP)
    elif isinstance(data, str):
        if found := _NO_TEXT.search(data):
            yield document.problem(path, f"control character U+{ord(found[0]):04X}; remove it")
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _wrong_values(path, key, document)
            yield from _wrong_values((*path, key), value, document)
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from _wrong_values((*path, place), value, document)


def _once(pairs: list[tuple[str, Data]]) -> dict[str, Data]:
    mapping: dict[str, Data] = {}
    for key, value in pairs:
        if key in mapping:
            raise ValueError(f"duplicate key {quoted(key)}; keep one")
        mapping[key] = value
    return mapping


def _integer(written: str) -> int:
    if len(written) > 17 or abs(number := int(written)) > MAX_INTEGER:
        raise ValueError(f"the number {quoted(written)} is too large; quote it if it is text")
    return number


def _fraction(written: str) -> float:
    if isinf(number := float(written)):
        raise ValueError(f"the number {quoted(written)} is too large; quote it if it is text")
    return number


def _constant(written: str) -> float:
    raise ValueError(f"{written} is not a number; quote it if it is text")
