"""JSON text -> its objects, with the place of every value, so that a message can say where something is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from nullbench_site.text import end_of_json, quoted

_BLANK = re.compile(r"[ \t\r\n]*")
_ENDLESS = "values stand inside values without end; nobody's data do that"
_HALF = re.compile("[\ud800-\udfff]")


class BrokenError(ValueError):
    """What is no JSON. at: the character. Every function here raises it."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


class _ConstantError(ValueError):
    """NaN or Infinity."""


def _refused(constant: str) -> float:
    raise _ConstantError(constant)


class _TooLarge(float):
    """A number beyond every float, which a message names as it was written."""

    def __init__(self, written: str) -> None:
        self.written = written

    def __str__(self) -> str:
        return self.written


def _real(digits: str) -> float:
    value = float(digits)
    return value if isfinite(value) else _TooLarge(digits)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else _real(digits)  # int() itself refuses thousands of digits


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(values := dict(members)) < len(members):
        raise ValueError("a key stands twice")
    return values


_numbers: dict[str, Any] = {"parse_constant": _refused, "parse_float": _real, "parse_int": _integer}
_decode = json.JSONDecoder(**_numbers).raw_decode
_decode_line = json.JSONDecoder(**_numbers, object_pairs_hook=_each_once).decode


def shown(value: object) -> str:
    """A value as it may stand in a message."""
    return (
        quoted(value) if isinstance(value, (str, int, float)) else "a list" if isinstance(value, list) else "an object"
    )


def text_problem(value: object) -> str | None:
    """What is wrong with a value that should be a text."""
    if not isinstance(value, str):
        return f"found {shown(value)}; expected a text"
    if half := _HALF.search(value):
        return f"half of a character, \\u{ord(half[0]):04x} without its other half; write the character itself"
    return None


class Places:
    """Line and column of the characters of a text, which are asked for in order."""

    def __init__(self, text: str) -> None:
        self._text, self._line, self._counted = text, 1, 0

    def of(self, at: int) -> tuple[int, int]:
        if at < self._counted:
            return self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line, at - self._text.rfind("\n", 0, at)


def _after_blank(text: str, at: int) -> int:
    """The first place from `at` on that is no blank."""
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def objects_of_list(text: str, expected: str) -> Iterator[tuple[dict[str, tuple[int, Any]], int]]:
    """The objects of the list that the text is, each as `object_at` and with where it begins. expected: what each is,
    for messages."""
    at = _after_blank(text, _after_blank(text, 0) + 1)
    while text[at : at + 1] != "]":
        members, end = object_at(text, at, expected)
        yield members, at
        at = _after_blank(text, end)
        if text[at : at + 1] == ",":
            at = _after_blank(text, at + 1)
        elif text[at : at + 1] != "]":
            raise BrokenError(at, "a comma, or the ] at the end of the list, is missing here")
    if (rest := _after_blank(text, at + 1)) < len(text):
        raise BrokenError(rest, "something follows the list; the file holds one")


def check_json(text: str) -> None:
    """Raises BrokenError where a text is no JSON."""
    start = _after_blank(text, 0)
    try:
        end_of_json(text, start)  # versions of Python differ in how deep they read
    except RecursionError:
        raise BrokenError(start, _ENDLESS) from None
    _, end = _value(text, start)
    if (rest := _after_blank(text, end)) < len(text):
        raise BrokenError(rest, "something follows the value; a file holds one")


def values_of_line(text: str, expected: str) -> dict[str, Any]:
    """The members of the only object of a line, at a tenth of what their places cost; whatever will not do is told as
    `object_of_line` does."""
    try:
        values = _decode_line(text)
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, dict):
        return values
    members, _ = object_of_line(text, expected)
    return {name: value for name, (_, value) in members.items()}


def object_of_line(text: str, expected: str) -> tuple[dict[str, tuple[int, Any]], int]:
    """The only object of a line, as `object_at`, and where it begins."""
    start = _after_blank(text, 0)
    members, end = object_at(text, start, expected)
    if (rest := _after_blank(text, end)) < len(text):
        raise BrokenError(rest, "something follows the object; a line holds one")
    return members, start


def object_at(text: str, at: int, expected: str) -> tuple[dict[str, tuple[int, Any]], int]:
    """The members of the object at a place, each with where its value begins; and where the object ends."""
    if text[at : at + 1] != "{":
        raise BrokenError(at, f"this is no JSON object; {expected}")
    members: dict[str, tuple[int, Any]] = {}
    at = _after_blank(text, at + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise BrokenError(at, "this is no JSON: a key in double quotes belongs here")
        name, end = _value(text, at)
        if name in members:
            raise BrokenError(at, f"the key {quoted(name)} stands twice; keep one")
        colon = _after_blank(text, end)
        if text[colon : colon + 1] != ":":
            raise BrokenError(colon, "this is no JSON: a colon belongs here")
        start = _after_blank(text, colon + 1)
        value, end = _value(text, start)
        members[name] = (start, value)
        at = _after_blank(text, end)
        if text[at : at + 1] == ",":
            at = _after_blank(text, at + 1)
            if text[at : at + 1] == "}":
                raise BrokenError(at, "this is no JSON: a key belongs behind the comma")
        elif text[at : at + 1] != "}":
            raise BrokenError(at, "this is no JSON: a comma, or the } at the end of the object, is missing here")
    return members, at + 1


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _decode(text, at)
    except json.JSONDecodeError as error:
        raise BrokenError(error.pos, f"this is no JSON ({error.msg[:1].lower()}{error.msg[1:]})") from None
    except StopIteration as error:
        raise BrokenError(error.value, "this is no JSON: a value belongs here") from None
    except RecursionError:
        raise BrokenError(at, _ENDLESS) from None
    except _ConstantError as error:
        message = f"{error} is no number of JSON; write null, or the number"
        raise BrokenError(text.find(str(error), at), message) from None
