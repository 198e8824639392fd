"""An error of the YAML parser -> the slip behind it, where it is, and what to do."""

from __future__ import annotations

import re

import yaml

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
    lines = text.split("\n")
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
