"""JSON of a file, and each value in it against its type, with the place of every problem."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from nullbench_site.checks.structure import end_of_json
from nullbench_site.specs.document import shown

StructT = TypeVar("StructT", bound=msgspec.Struct)
Found = tuple[str, str]
"""A place in a file and what is wrong there."""
NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises where a text is not JSON; `broken` says more."""

_NEWLINE = b"\n"
_PATH = re.compile(r" - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)


def mismatches(raw: bytes | msgspec.Raw, kind: type[StructT], place: str) -> Iterator[Found]:
    """Every field of the object `raw` that does not fit `kind`, where msgspec names the first alone.

    place: of `raw` in its file. Raises one of NOT_JSON.
    """
    try:
        data = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError as error:
        yield _mismatch(error, place)
        return
    for field in msgspec.structs.fields(kind):
        where = f"{place}.{field.name}".lstrip(".")
        if field.name in data:
            try:
                msgspec.json.decode(data[field.name], type=field.type)
            except msgspec.ValidationError as error:
                yield _mismatch(error, where)
        elif field.required:
            yield where, "the key is missing; write it, with its value"


def _mismatch(error: msgspec.ValidationError, place: str) -> Found:
    said = str(error)
    inside = _PATH.search(said)
    words = said[: inside.start()] if inside else said
    expected = re.sub(r"^Expected (.*), got (\S+)\Z", r"found \2; expected \1", words.replace("`", ""))
    return f"{place}{inside[1] if inside else ''}", expected[:1].lower() + expected[1:]


def broken(raw: bytes) -> Found:
    """Where and why a file is no JSON. The place is `line:column`, counted from 1, or empty for all of the file."""
    if not raw.strip():
        return "", "the file is empty; it should hold one JSON object"
    try:
        text = raw.decode("utf-8")
        # Versions of Python differ in how deep they read.
        end_of_json(text, 0)
        json.loads(text, parse_constant=_refused)
    except UnicodeDecodeError as error:
        return _line(
            raw, error.start
        ), f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file with the encoding UTF-8"
    except json.JSONDecodeError as error:
        return f"{error.lineno}:{error.colno}", f"this is not JSON ({error.msg[:1].lower()}{error.msg[1:]})"
    except RecursionError:
        return "", "values stand inside values without end; no file of BenchPress does that"
    except _ConstantError as error:
        return _line(raw, raw.find(str(error).encode())), f"{error} is no number of JSON; write null, or the number"
    except ValueError:
        return "", "a number in it has thousands of digits; write a number that a program can read"
    return "", "a text in it has half of a character (\\ud800 to \\udfff without its other half); write it out"


class _ConstantError(ValueError):
    """NaN or Infinity."""


def _refused(constant: str) -> float:
    raise _ConstantError(constant)


def _line(raw: bytes, at: int) -> str:
    before = raw[:at]
    return f"{before.count(_NEWLINE) + 1}:{at - before.rfind(_NEWLINE)}"


def path(*steps: str | int) -> str:
    """`runs.C01[2]`; what is no plain name is quoted, for it comes from a file."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{name(step)}" for step in steps).removeprefix(".")


def name(text: str) -> str:
    """A name of a file as it may stand in a message."""
    return text if re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", text) else shown(text)
