"""Text of one YAML file -> plain data that still knows where each value stands.

YAML is read by the rules of YAML 1.2's core schema, not 1.1's: `no` and `2024-01-02` stay text, only `true` and
`false` are booleans. What two readers could take differently (`012`, `.nan`, `<<`, tags, repeated keys) is a problem,
not a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from nullbench_site.errors import Problem

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"
Path: TypeAlias = "tuple[str | int, ...]"

MAX_BYTES = 4 * 1024 * 1024
MAX_VALUES = 500_000
"""Values after aliases are written out; the shipped specs have about 10,000 in all."""

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)?\.?[0-9]+(?:[eE][-+]?[0-9]+)?\Z|[-+]?[0-9]+\.\Z")
_AMBIGUOUS = re.compile(r"[-+]?0[0-9_]+\Z|0[xob][0-9a-fA-F_]+\Z|[-+]?[0-9]+(?:_[0-9]+)+\Z|[-+]?\.(?:inf|nan)\Z", re.I)
_NUMBER_STARTS = frozenset("+-.0123456789")
# Shapes of credentials that providers hand out; a spec names an environment variable instead.
_SECRET = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{20,}|sk_live_[A-Za-z0-9]{16,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{30,}|xox[abp]-[0-9A-Za-z-]{20,})"
)


class _Loader(yaml.CSafeLoader):
    """libyaml's composer without implicit types: scalars come as written, with their places."""


_Loader.yaml_implicit_resolvers = {}


@dataclass(frozen=True)
class Document:
    """The data of one file, and its tree of nodes to look places up in."""

    file: str
    data: Data
    root: yaml.Node | None
    first_line: int = 1

    def problem(self, path: Sequence[str | int], message: str, *, at_key: bool = False) -> Problem:
        """A problem at the value (or the key) that `path` leads to, or at the nearest place above it."""
        line, column = self._place(path, at_key)
        return Problem(self.file, line, column, message)

    def _place(self, path: Sequence[str | int], at_key: bool) -> tuple[int, int]:
        node = self.root
        mark = node.start_mark if node is not None else None
        for depth, step in enumerate(path):
            found = _child(node, step)
            if found is None:
                break
            key, node = found
            wants_key = at_key and depth == len(path) - 1
            mark = key.start_mark if wants_key and key is not None else node.start_mark
        return (self.first_line + mark.line, mark.column + 1) if mark else (self.first_line, 1)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def read_document(file: str, raw: bytes, *, first_line: int = 1) -> tuple[Document | None, list[Problem]]:
    """The document in `raw`, or None, and every problem of its text."""
    text, problems = _decode(file, raw)
    if text is None:
        return None, problems
    problems += _secrets(file, text)
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        return None, [*problems, _syntax_problem(file, error, first_line)]
    except yaml.YAMLError as error:
        return None, [*problems, Problem(file, first_line, 1, f"this is not readable as YAML: {error}")]
    except RecursionError:
        return None, [*problems, Problem(file, first_line, 1, "values are nested too deeply to be a spec")]
    if root is None:
        return None, [*problems, Problem(file, first_line, 1, "the file is empty; it should hold a mapping of keys")]
    builder = _Builder(file, text, first_line)
    try:
        data = builder.value(root)
    except _TooLarge as error:
        return None, [*problems, builder.problem_at(root, str(error))]
    problems += builder.problems
    return Document(file, data, root, first_line), problems


def _decode(file: str, raw: bytes) -> tuple[str | None, list[Problem]]:
    if len(raw) > MAX_BYTES:
        size = f"{len(raw) / 1_048_576:.1f} MB"
        advice = f"the limit is {MAX_BYTES // 1_048_576} MB. Split it, or keep the items in a .jsonl file beside it"
        return None, [Problem(file, 1, 1, f"the file is {size}; {advice}")]
    try:
        return raw.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        found = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file with the encoding UTF-8"
        return None, [Problem(file, line, column, found)]


def _secrets(file: str, text: str) -> Iterator[Problem]:
    for match in _SECRET.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        message = (
            "this looks like an API key; specs are public. Put it in an environment variable and name the variable"
        )
        yield Problem(file, line, column, f"{message}, and revoke the key if the file was ever pushed")


def _syntax_problem(file: str, error: yaml.MarkedYAMLError, first_line: int) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + first_line, mark.column + 1) if mark else (first_line, 1)
    said = " ".join(part for part in (error.context, error.problem) if part) or "a syntax error"
    if "token" in said and mark is not None and _is_tab(error, mark):
        said = "a tab; YAML is indented with spaces"
    elif "undefined alias" in said:
        said += "; an alias (*name) needs its anchor (&name) before it"
    elif "single document" in said:
        said = "a second document begins here ('---'); a spec file holds one"
    return Problem(file, line, column, said)


def _is_tab(error: yaml.MarkedYAMLError, mark: yaml.Mark) -> bool:
    return "\\t" in str(error) or "'\t'" in str(error) or (mark.buffer or "")[mark.pointer : mark.pointer + 1] == "\t"


class _TooLarge(Exception):
    """Writing the aliases out would make more values than a spec can have."""


class _Builder:
    """Turns nodes into data, counting values as it goes so that aliases cannot explode."""

    def __init__(self, file: str, text: str, first_line: int) -> None:
        self.file, self.text, self.first_line = file, text, first_line
        self.problems: list[Problem] = []
        self.count = 0
        self.open: set[int] = set()

    def problem_at(self, node: yaml.Node, message: str) -> Problem:
        mark = node.start_mark
        return Problem(self.file, mark.line + self.first_line, mark.column + 1, message)

    def value(self, node: yaml.Node) -> Data:
        self.count += 1
        if self.count > MAX_VALUES:
            raise _TooLarge(
                f"more than {MAX_VALUES:,} values once its aliases are written out; write them without aliases"
            )
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if not node.tag.startswith("tag:yaml.org,2002:"):
            self.problems.append(self.problem_at(node, "tags (!...) are not allowed; write the value plainly"))
        if id(node) in self.open:
            raise _TooLarge("an alias that contains itself; write the value out")
        self.open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node)
            return [self.value(child) for child in node.value]
        finally:
            self.open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode) -> Data:
        result: dict[str, Data] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(self.problem_at(key_node, "a key must be plain text, not a list or a mapping"))
                continue
            key: str = key_node.value
            if key in result:
                message = f"the key {shown(key)} stands twice in this mapping; the second would silently win. Keep one"
                self.problems.append(self.problem_at(key_node, message))
            elif key == "<<" and not key_node.style:
                self.problems.append(self.problem_at(key_node, "merge keys (<<) are not supported; write the keys out"))
            else:
                result[key] = self.value(value_node)
        return result

    def _scalar(self, node: yaml.ScalarNode) -> Data:
        written: str = node.value
        if self.text[node.start_mark.index : node.start_mark.index + 1] == "!":
            self.problems.append(self.problem_at(node, "tags (!...) are not allowed; write the value plainly"))
        if node.style or (written and written[0] not in _NUMBER_STARTS and len(written) > 5):
            return written
        if written in _CONSTANTS:
            return _CONSTANTS[written]
        if written[0] not in _NUMBER_STARTS:
            return written
        if _INTEGER.match(written):
            if len(written) < 18:
                return int(written)
        elif _AMBIGUOUS.match(written):
            message = f"{shown(written)} is read as different values by different programs"
            advice = "write a plain decimal number, or put it in quotes if it is text"
            self.problems.append(self.problem_at(node, f"{message}; {advice}"))
            return written
        elif _FLOAT.match(written):
            return float(written)
        else:
            return written
        self.problems.append(self.problem_at(node, f"the number {shown(written)} is too large; quote it if it is text"))
        return written


def shown(value: object, limit: int = 60) -> str:
    """`value` as it may stand in a message: quoted, one line, control characters escaped, cut."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
