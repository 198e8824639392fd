"""The text of one YAML file -> plain data with the position of each value.

YAML follows the core schema of version 1.2: `no` and `2024-01-02` are text, only `true` and `false` are booleans.
Values that readers interpret differently (`012`, `.nan`, `<<`, tags, duplicate keys) are problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import isinf
from typing import TypeAlias

import msgspec
import yaml

from nullbench_site.errors import Problem, Rule
from nullbench_site.text import not_utf8, quoted

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"
Path: TypeAlias = "tuple[str | int, ...]"

MAX_BYTES = 4 * 1024 * 1024
MAX_VALUES = 500_000
"""Values with aliases expanded; the shipped specs have about 10,000 in total."""
MAX_DEPTH = 40
"""Levels of nesting; a spec has about a dozen. Without a limit, libyaml's composer overflows the C stack."""
MAX_INTEGER = 2**53
"""The largest integer that every JSON reader keeps exact."""

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_AMBIGUOUS = re.compile(r"[-+]?0[0-9_]+\Z|0[xob][0-9a-fA-F_]+\Z|[-+]?[0-9]+(?:_[0-9]+)+\Z|[-+]?\.(?:inf|nan)\Z", re.I)
_NUMBER_STARTS = frozenset("+-.0123456789")
_COMMENT = re.compile(r"[ \t]+#")
"""A comment after a plain value. Without the space, # is part of the value."""
_TAG = re.compile(r"(?:&\S+\s+)?!")
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
# Control characters, which YAML forbids, and invisible ones that some programs treat as line ends.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_KEYS = {
    **dict.fromkeys(("sk-", "glpat-", "nvapi-", "pplx-", "xai-"), "[A-Za-z0-9_-]{20,}"),
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_", "gsk_"), "[A-Za-z0-9]{30,}"),
    **dict.fromkeys(("xoxa-", "xoxb-", "xoxp-"), "[0-9A-Za-z-]{20,}"),
    "sk_live_": "[A-Za-z0-9]{16,}",
    "AKIA": "[0-9A-Z]{16}",
    "AIza": "[0-9A-Za-z_-]{30,}",
    "github_pat_": "[A-Za-z0-9_]{30,}",
}
"""How API keys of known providers begin -> the pattern of the rest."""
_SECRET = re.compile(rf"\b(?:{'|'.join(map(''.join, _KEYS.items()))})")


_CONFLICT = re.compile("^<{7} ", re.MULTILINE)
_SIDES = "unresolved merge conflict; keep one side, and delete the lines <<<<<<<, ======= and >>>>>>>"


class _Unbounded(Exception):
    """The document is nested too deep, has too many values, or has an alias that contains itself."""

    def __init__(self, message: str, node: yaml.Node | None = None) -> None:
        super().__init__(message)
        self.node = node


_TOO_DEEP = f"values are nested more than {MAX_DEPTH} deep"


class _Loader(yaml.CSafeLoader):
    """The composer of libyaml without implicit types: scalars keep their text and position."""

    depth = 0

    def descend_resolver(self, current_node: yaml.Node | None, current_index: object) -> None:
        """Count the depth; the composer calls this before each value."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Unbounded(_TOO_DEEP, current_node)

    def ascend_resolver(self) -> None:
        """Undo `descend_resolver`; the composer calls this after each value."""
        self.depth -= 1


_Loader.yaml_implicit_resolvers = {}


class Document(msgspec.Struct, frozen=True, dict=True):
    """The data of one file, and its text to look up positions."""

    file: str
    data: Data
    text: str
    commented: Sequence[Path] = ()
    """Paths of unquoted texts with a comment after them on the line."""

    @cached_property
    def _root(self) -> yaml.Node | None:
        """Return the root node.

        It is composed only when a position is needed: nodes take twenty times the memory of the text.

        """
        return yaml.compose(self.text, Loader=_Loader)

    def problem(self, path: Sequence[str | int], message: str, *, at_key: bool = False) -> Problem:
        """Return a problem at the value (or the key) that `path` leads to, or at the nearest parent."""
        line, column = self._place(path, at_key)
        return Problem(self.file, line, column, message)

    def node(self, path: Sequence[str | int]) -> yaml.Node | None:
        """Return the node that `path` leads to, with its start and end marks; None if there is none."""
        node = self._root
        for step in path:
            child = _child(node, step)
            if child is None:
                return None
            node = child[1]
        return node

    def _place(self, path: Sequence[str | int], at_key: bool) -> tuple[int, int]:
        node = self._root
        mark = node.start_mark if node is not None else None
        for depth, step in enumerate(path):
            child = _child(node, step)
            if child is None:
                break
            key, node = child
            wants_key = at_key and depth == len(path) - 1
            mark = key.start_mark if wants_key and key is not None else node.start_mark
        return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def read_document(file: str, raw: bytes) -> tuple[Document | None, list[Problem]]:
    """Return the document in `raw`, or None, and every problem of its text."""
    text, problems = read_text(file, raw)
    if text is None:
        return None, problems
    try:
        root = yaml.compose(text, Loader=_Loader)
        if root is None:
            message = "the file is empty; expected a mapping of keys"
            return None, [*problems, Problem(file, 1, 1, message, "yaml")]
        builder = _Builder(file, text)
        data = builder.value(root)
    except yaml.MarkedYAMLError as error:
        return None, [*problems, _syntax_problem(file, text, error)]
    except yaml.YAMLError as error:
        return None, [*problems, Problem(file, 1, 1, f"invalid YAML: {error}", "yaml")]
    except _Unbounded as error:
        return None, [*problems, _problem_at(file, error.node, str(error))]
    return Document(file, data, text, tuple(builder.commented)), [*problems, *builder.problems]


def read_text(file: str, raw: bytes, *, noun: str = "file", line: int = 1) -> tuple[str | None, list[Problem]]:
    """Return the text in `raw`, or None, and every problem of its characters.

    noun: what `raw` is, in messages. line: the number of its first line.
    """
    if len(raw) > MAX_BYTES:
        advice = "split it, or keep the items in a .jsonl file, one a line"
        message = f"the {noun} has more than {MAX_BYTES // 1_048_576} MB; {advice}"
        return None, [Problem(file, line, 1, message, "text")]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8-sig")  # the object is `raw` without a byte order mark
        return None, [_problem_after(file, before, not_utf8(error), line)]
    if forbidden := FORBIDDEN.search(text):
        code = f"U+{ord(forbidden[0]):04X}"
        message = f"invisible character {code}; remove it, or save the file as UTF-8"
        return None, [_problem_after(file, text[: forbidden.start()], message, line)]
    return text, list(_secrets(file, text, line))


def _problem_at(file: str, node: yaml.Node | None, message: str) -> Problem:
    if node is None:
        return Problem(file, 1, 1, message, "yaml")
    return Problem(file, node.start_mark.line + 1, node.start_mark.column + 1, message, "yaml")


def _problem_after(file: str, before: str, message: str, first_line: int = 1, rule: Rule = "text") -> Problem:
    """Return a problem at the position after the text `before`."""
    return Problem(file, first_line + before.count("\n"), len(before) - before.rfind("\n"), message, rule)


def _secrets(file: str, text: str, first_line: int) -> Iterator[Problem]:
    # Most texts have none of the beginnings, and that check is much faster.
    for match in _SECRET.finditer(text) if any(begin in text for begin in _KEYS) else ():
        message = (
            "this looks like an API key; specs are public. Put it in an environment variable and name the variable"
        )
        advice = "and revoke the key if the file was ever pushed"
        yield _problem_after(file, text[: match.start()], f"{message}, {advice}", first_line, "credentials")


def _syntax_problem(file: str, text: str, error: yaml.MarkedYAMLError) -> Problem:
    if conflict := _CONFLICT.search(text):
        return _problem_after(file, text[: conflict.start()], _SIDES, rule="yaml")
    line, column, message = slip(text, error)
    return Problem(file, line, column, message, "yaml")


class _Builder:
    """Convert nodes to data, counting the values so that aliases cannot explode."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.problems: list[Problem] = []
        self.count = 0
        self.open: set[int] = set()
        self.path: list[str | int] = []
        self.has_comments = " #" in text or "\t#" in text
        self.commented: list[Path] = []

    def value(self, node: yaml.Node) -> Data:
        self.count += 1
        if self.count > MAX_VALUES:
            raise _Unbounded(
                f"more than {MAX_VALUES:,} values, with aliases expanded; split the file, or use no aliases"
            )
        self._refuse_tag(node)
        if isinstance(node, yaml.ScalarNode):
            scalar = self._scalar(node)
            if self.has_comments and not node.style and isinstance(scalar, str):
                self._note_comment(node)
            return scalar
        if id(node) in self.open:
            raise _Unbounded("an alias that contains itself; write the value out", node)
        if len(self.open) >= MAX_DEPTH:
            raise _Unbounded(_TOO_DEEP, node)
        self.open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node)
            return [self._inside(place, child) for place, child in enumerate(node.value)]
        finally:
            self.open.discard(id(node))

    def _inside(self, step: str | int, node: yaml.Node) -> Data:
        self.path.append(step)
        value = self.value(node)
        self.path.pop()
        return value

    def _note_comment(self, node: yaml.ScalarNode) -> None:
        if _COMMENT.match(self.text, node.end_mark.index):
            self.commented.append(tuple(self.path))

    def _report(self, node: yaml.Node, message: str) -> None:
        self.problems.append(_problem_at(self.file, node, message))

    def _refuse_tag(self, node: yaml.Node) -> None:
        # A standard tag on a plain value leaves no trace in the node, so check the text too.
        if node.tag not in _PLAIN_TAGS or _TAG.match(self.text, node.start_mark.index):
            self._report(node, "tags (!...) are not allowed; remove the tag")

    def _refuse_control(self, node: yaml.ScalarNode) -> None:
        """Report a control character written as an escape."""
        if control := CONTROL.search(node.value):
            message = f"control character U+{ord(control[0]):04X}; remove it"
            self._report(node, message)

    def _mapping(self, node: yaml.MappingNode) -> Data:
        result: dict[str, Data] = {}
        is_entry = bool(self.path) and isinstance(self.path[-1], int) and not node.flow_style
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._report(
                    key_node, "a key must be plain text, not a list or a mapping; put a text with braces in quotes"
                )
                continue
            self._refuse_tag(key_node)
            self._refuse_control(key_node)
            key: str = key_node.value
            if key in result:
                if is_entry and key == next(iter(result)):  # the rest would be as many problems of one cause
                    message = f"a '- ' is missing here, or the key {quoted(key)} is there twice"
                    self._report(key_node, f"{message}; each entry of a list begins with '- '")
                    break
                self._report(key_node, f"duplicate key {quoted(key)}; keep one")
            elif key == "<<" and not key_node.style:
                self._report(key_node, "merge keys (<<) are not supported; write the keys out")
            else:
                result[key] = self._inside(key, value_node)
        return result

    def _scalar(self, node: yaml.ScalarNode) -> Data:
        written: str = node.value
        if node.style == '"':
            self._refuse_control(node)
        if node.style or (written and written[0] not in _NUMBER_STARTS and len(written) > 5):
            return written
        if written in _CONSTANTS:
            return _CONSTANTS[written]
        if written[0] not in _NUMBER_STARTS:
            return written
        if _INTEGER.match(written):
            if len(written) < 18 and abs(number := int(written)) <= MAX_INTEGER:
                return number
        elif _AMBIGUOUS.match(written):
            message = f"{quoted(written)} is ambiguous: programs read it as different values"
            self._report(node, f"{message}; write a plain decimal number, or put it in quotes if it is text")
            return written
        elif _FLOAT.match(written):
            if not isinf(fraction := float(written)):
                return fraction
        else:
            return written
        self._report(node, f"the number {quoted(written)} is too large; quote it if it is text")
        return written


# (part of a message of libyaml, True if the problem is at the start of the value, our message)
_SLIPS = (
    ("scanning a quoted scalar.*end of stream", True, "this quote is never closed"),
    ("tab character", False, "a tab; indent YAML with spaces"),
    ("cannot start any token", False, "a value cannot begin with {here}; put it in quotes"),
    ("scanning an (alias|anchor)", True, "a value cannot begin with {here}; put it in quotes"),
    ("undefined alias", False, "undefined alias; an alias (*name) needs its anchor (&name) before it"),
    ("single document", False, "a second document begins here ('---'); a spec file has only one"),
    ("duplicate anchor", False, "duplicate anchor; define each anchor (&name) once"),
    ("expected node content", False, "expected a value"),
    ("incompatible YAML document", False, "unsupported version of YAML; remove the %YAML line"),
    ("Unicode character escape", False, "invalid Unicode escape; write the character itself"),
    ("unknown escape character", False, "unknown escape after \\; write two, or put the text in single quotes"),
    (
        "mapping values are not allowed",
        False,
        "unexpected second ': ' in a value; quote the whole value, or indent this key like its neighbours",
    ),
    (
        "could not find expected ':'",
        True,
        "expected 'key: value'; put a space after the colon, and indent the lines of a longer text",
    ),
    (
        "did not find expected key",
        False,
        "unexpected text after the value of {key}; quote the whole value, or indent it as a block",
    ),
    (
        "did not find expected '-' indicator",
        False,
        "expected '- ' of the next entry; indent all entries of a list alike, and the keys of an entry alike",
    ),
    ("(?<=did not find )expected ',' or .*", False, "{slip} here; the {opened} is still open"),
)
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""What ends a line of YAML."""
_KEY = re.compile(r"^[ -]*([\w.-]+):", re.MULTILINE)
_HEAD = r"[ ]*(?:- +)*"
_WITH_VALUE = re.compile(rf"{_HEAD}(?P<key>[\w.-]+): +[^\s\"'#|>&*]")
_GLUED = re.compile(rf"(?P<head>{_HEAD})(?P<key>[\w.-]+):[^\s:/]")
_BARE_KEY = re.compile(rf"{_HEAD}(?P<key>[\w.-]+)\Z")
_DASH = "a '- ' is missing here; each entry of a list begins with one, and its further keys are indented alike"


def slip(text: str, error: yaml.MarkedYAMLError) -> tuple[int, int, str]:
    """Return line, column and message of a syntax error."""
    mark, began = error.problem_mark or error.context_mark, error.context_mark
    message = " ".join(part for part in (error.context, error.problem) if part) or "a syntax error"
    if mark is None:
        return 1, 1, message
    lines = _BREAK.split(text)
    if known := _known(lines, message, mark, began):
        return known
    if "cannot start any token" in message and text[mark.index] == "\t":
        message = "a tab character"
    for of_libyaml, where_it_began, ours in _SLIPS:
        if found := re.search(of_libyaml, message):
            mark = began if where_it_began and began is not None else mark
            opened = "" if began is None else f"{text[began.index : began.index + 1]!r} of line {began.line + 1}"
            keys = _KEY.findall(text[: mark.index])
            here, key = repr(text[mark.index : mark.index + 1]), repr(keys[-1]) if keys else "a key"
            message = ours.format(slip=found[0], here=here, opened=opened, key=key)
            break
    shown = text.splitlines()
    if mark.line >= len(shown):  # libyaml reports the end of a text on a line that may not exist
        return len(shown), len(shown[-1]) + 1, message
    return mark.line + 1, mark.column + 1, message


def _known(lines: list[str], message: str, mark: yaml.Mark, began: yaml.Mark | None) -> tuple[int, int, str] | None:
    """Return a slip that the lines around an error show, or None."""
    if "mapping values are not allowed" in message:
        return _second_colon(lines, mark)
    if "could not find expected ':'" in message and began is not None:
        line = lines[began.line]
        if glued := _GLUED.match(line):
            return _glued(began.line, glued)
        if _is_in_list(lines, began):
            return began.line + 1, began.column + 1, _DASH
    if "did not find expected key" in message and lines[mark.line][mark.column :].startswith("- "):
        advice = "is indented alike and begins with '- ', also the first"
        return mark.line + 1, mark.column + 1, f"this entry of a list does not fit those above it; each {advice}"
    if "did not find expected '-' indicator" in message:
        return mark.line + 1, mark.column + 1, _DASH
    return None


def _second_colon(lines: list[str], mark: yaml.Mark) -> tuple[int, int, str] | None:
    """Return the slip behind a second ': ': in a value, after a key without a space, or of a key that is indented."""
    line = lines[mark.line]
    value = _WITH_VALUE.match(line)
    if value and value.end() <= mark.column:
        return mark.line + 1, mark.column + 1, f"quote the value of {value['key']!r}: it contains a colon"
    above = next((n for n in range(mark.line - 1, -1, -1) if lines[n].strip()), None)
    if above is None:
        return None
    if glued := _GLUED.match(lines[above]):
        return _glued(above, glued)
    key, before = _BARE_KEY.match(line[: mark.column]), _WITH_VALUE.match(lines[above])
    if key and before:
        message = f"{key['key']!r} is indented more than {before['key']!r} above it; indent keys alike"
        return mark.line + 1, key.start("key") + 1, message
    return mark.line + 1, mark.column + 1, "quote this text, or write it as a block after '|-': it contains a colon"


def _glued(line: int, found: re.Match[str]) -> tuple[int, int, str]:
    return line + 1, len(found["head"]) + 1, f"a space is missing after '{found['key']}:'"


def _is_in_list(lines: list[str], mark: yaml.Mark) -> bool:
    """Return True if the nearest line above that is not indented more is an entry of a list at this column."""
    for line in reversed(lines[: mark.line]):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and indent <= mark.column:
            return indent == mark.column and line.lstrip(" ").startswith("- ")
    return False
