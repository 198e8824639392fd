"""Read the files of an import: plain files only, rows of a declared type, and every problem in them.

msgspec and `csv` do the reading. msgspec reports the first wrong field of a value; `mismatches` reports all of them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, Raw, Struct

from nullbench_site.interop.importer import SourceProblem
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.types import SEEN
from nullbench_site.text import did_you_mean, escaped, key_path, not_utf8, plural, quoted

MOST_BYTES = 512 * 1024 * 1024
NonEmpty = Annotated[str, Meta(pattern=SEEN)]
"""A text with a visible character."""
Whole = Annotated[int, Meta(ge=0, lt=2**53)]
Figure = Annotated[float, Meta(ge=-1e6, le=1e6)]
StructT = TypeVar("StructT", bound=Struct)


class NotPlainError(Exception):
    """A file was not read, for the reason in the message."""


def plain_bytes(path: Path) -> bytes:
    """Return the content of a regular file. Raises NotPlainError for a symlink, a pipe, a folder and a huge file."""
    if path.is_symlink():
        raise NotPlainError("a symbolic link; put the file itself here")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise NotPlainError(f"cannot be read ({error.strerror})") from error
    about = os.fstat(descriptor)
    regular = stat.S_ISREG(about.st_mode)
    if not regular or about.st_size > MOST_BYTES:
        os.close(descriptor)
        if not regular:
            raise NotPlainError("not a regular file; put a regular file here")
        raise NotPlainError(f"larger than {MOST_BYTES // 1024**2} MB; make the file smaller")
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read()


def json_problem(raw: bytes) -> tuple[int, str]:
    """Return the line at which bytes stop being JSON, and why."""
    if not raw.strip():
        return 1, "the file is empty; expected one JSON object"
    try:
        json.loads(raw.decode())
    except UnicodeDecodeError as error:
        return 1 + raw.count(b"\n", 0, error.start), not_utf8(error)
    except json.JSONDecodeError as error:
        return error.lineno, f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}"
    except RecursionError:
        return 1, "values are nested too deeply; write them in fewer levels"
    except ValueError:  # Python reads no number of more digits than this
        most = sys.get_int_max_str_digits()
        found = re.search(rb"[0-9]{%d}" % (most + 1), raw)
        line = 1 + raw.count(b"\n", 0, found.start() if found else 0)
        return line, f"a number has more than {most} digits; write a smaller number, or quote it if it is text"
    return 1, "not JSON: NaN, Infinity and half a character (\\ud800 to \\udfff without its other half) are not allowed"


def beyond_limits(raw: bytes) -> tuple[int, str] | None:
    """Return the line and the problem of JSON that is nested too deeply or has a huge number; None for other bytes."""
    try:
        json.loads(raw)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None
    except (ValueError, RecursionError):
        return json_problem(raw)
    return None


class _Repeating(dict[str, Any]):
    """An object that has a key twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.key = Counter(key for key, _ in pairs).most_common(1)[0][0]


def repeated_keys(raw: bytes | Raw) -> Iterator[tuple[str, str]]:
    """Yield the path and the problem of each object that has a key twice. Raises one of NOT_JSON."""
    found = False

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        found = True
        return _Repeating(pairs)

    data = json.loads(bytes(raw), object_pairs_hook=read, parse_int=str, parse_float=str)
    if found:
        yield from _repeats(data)


def _repeats(value: Any, *path: str | int) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Repeating):
        yield key_path(*path), f"duplicate key {quoted(value.key)}; keep one"
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in inside:
        yield from _repeats(each, *path, step)


_PATH = re.compile(r" - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)


def mismatches(raw: bytes | Raw, kind: type[Struct], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the problem of every field of the object `raw` that does not fit `kind`.

    path: of `raw` in its file. Raises one of NOT_JSON.
    """
    try:
        data = msgspec.json.decode(raw, type=dict[str, Raw])
    except msgspec.ValidationError as error:
        yield mismatch(error, path)
        return
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name, field_ in fields.items():
        where = f"{path}.{name}".lstrip(".")
        if name in data:
            try:
                msgspec.json.decode(data[name], type=field_.type)
            except msgspec.ValidationError as error:
                yield mismatch(error, where, [*_choices(field_.type)])
            except NOT_JSON:
                yield where, json_problem(bytes(data[name]))[1]
        elif field_.required:
            yield where, "the key is missing; write it, with its value"
    if kind.__struct_config__.forbid_unknown_fields:
        for name in data.keys() - fields:
            yield path, f"unknown key {quoted(name)}; {did_you_mean(name, fields)}"


def mismatch(error: msgspec.ValidationError, path: str, choices: Sequence[str] = ()) -> tuple[str, str]:
    """Return the path and the message of a wrong value. path: of the whole value. choices: the values it may have."""
    message = str(error)
    inside = _PATH.search(message)
    words = message[: inside.start()] if inside else message
    expected = re.sub(r"^Expected (.*), got (\S+)\Z", r"found \2; expected \1", words.replace("`", ""))
    if words.endswith(f"matching regex {SEEN!r}"):
        expected = "the text has no visible character; write it"
    if choices and (value := re.fullmatch(r"Invalid enum value '(.*)'", words, re.DOTALL)):
        expected = f"found {quoted(value[1])}; {did_you_mean(value[1], choices)}"
    return f"{path}{inside[1] if inside else ''}", expected[:1].lower() + expected[1:]


def _choices(annotation: Any) -> Iterator[str]:
    """Yield the values of the Literals in a type."""
    for each in get_args(annotation):
        if get_origin(annotation) is Literal:
            yield str(each)
        else:
            yield from _choices(each)


@dataclass
class SourceFolder:
    """A folder of files to import, and every problem found in them."""

    folder: Path
    problems: list[SourceProblem] = field(default_factory=list)

    def note(self, file: str, message: str, line: int = 0, path: str = "") -> None:
        """Add a problem of a file."""
        self.problems.append(SourceProblem(escaped(file), line, path, message))

    def has(self, file: str) -> bool:
        """Return True if something exists at this path."""
        return (self.folder / file).exists()

    def names(self, folder: str, ending: str) -> list[str]:
        """Return the sorted paths of the files with an ending in a folder. Note a problem if there are none."""
        inside = self.folder / folder
        if inside.is_symlink() or not inside.is_dir():
            self.note(folder, "there is no such folder; name the folder that contains it")
            return []
        names = sorted(path.name for path in inside.iterdir() if path.name.endswith(ending))
        if not names:
            self.note(folder, f"contains no *{ending} file; put one per model here")
        return [f"{folder}/{name}".removeprefix("./") for name in names]

    def raw(self, file: str) -> bytes | None:
        """Return the content of a plain file without a byte order mark. Note a problem and return None otherwise."""
        try:
            return plain_bytes(self.folder / file).removeprefix(BOM_UTF8)
        except NotPlainError as error:
            self.note(file, str(error))
            return None

    def rows(self, file: str, kind: type[StructT]) -> Iterator[tuple[int, StructT]]:
        """Yield the line number and the value of each row of a JSON Lines file. Note the rows that do not fit."""
        for line, raw in enumerate((self.raw(file) or b"").split(b"\n"), start=1):
            if raw.strip() and (row := self.decode(file, raw, kind, line)) is not None:
                yield line, row

    def decode(self, file: str, raw: bytes | Raw, kind: type[StructT], line: int = 0, path: str = "") -> StructT | None:
        """Return a JSON object as a `kind`. Note everything that does not fit and return None otherwise.

        line, path: of the object, if it is a part of the file.
        """
        try:
            try:
                read = msgspec.json.decode(raw, type=kind)
                # The whole object is checked here, so its parts need no check of their own.
                repeated = [] if path else [*repeated_keys(raw)]
                for where, message in repeated:
                    self.note(file, message, line, where)
                return None if repeated else read
            except msgspec.ValidationError:
                for where, message in mismatches(raw, kind, path):
                    self.note(file, message, line, where)
        except NOT_JSON:
            at, message = json_problem(bytes(raw))
            self.note(file, message, line or (0 if path else at), path)
        return None

    def table(self, file: str, kind: type[StructT]) -> Iterator[tuple[int, StructT]]:
        """Yield the line number and the value of each row of a CSV file whose header has the fields of `kind`.

        Note the rows that do not fit.
        """
        try:
            rows = csv.DictReader(io.StringIO((self.raw(file) or b"").decode()))
        except UnicodeDecodeError as error:
            self.note(file, not_utf8(error))
            return
        columns = [each.encode_name for each in msgspec.structs.fields(kind)]
        header = rows.fieldnames or ()
        if twice := sorted({name for name in columns if header.count(name) > 1}):
            self.note(file, f"the header has {', '.join(twice)} twice; keep one column", 1)
            return
        if missing := [name for name in columns if name not in header]:
            self.note(
                file, f"the header has no {', '.join(missing)}; it is the first line, with {', '.join(columns)}", 1
            )
            return
        for row in rows:
            try:
                yield rows.line_num, msgspec.convert({name: row[name] or "" for name in columns}, kind, strict=False)
            except msgspec.ValidationError as error:
                path, message = mismatch(error, "")
                self.note(file, message, rows.line_num, path.removeprefix("."))

    def note_other(self, file: str, line: int, noun: str, value: str, known: str) -> bool:
        """Note a row whose model, judge or baseline differs from that of the rows before it; return True if it does."""
        if value == (known or value):
            return False
        message = f"the {noun} is {quoted(value)}, but {quoted(known)} in earlier rows"
        self.note(file, f"{message}; import the rows of one {noun} at a time", line)
        return True

    def problems_once(self) -> list[SourceProblem]:
        """Return the problems sorted; of equal ones in many rows of a file, the first with the number of the others."""
        alike: dict[tuple[str, str, str], list[SourceProblem]] = {}
        for problem in sorted(set(self.problems)):
            alike.setdefault((problem.file, problem.path, problem.message), []).append(problem)
        return [
            msgspec.structs.replace(first, message=f"{first.message} (and in {plural(len(more), 'more row')})")
            if more
            else first
            for first, *more in alike.values()
        ]
