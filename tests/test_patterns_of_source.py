"""No pattern of ours has a possessive quantifier or an atomic group: Python 3.11.2, which Debian 12 ships, compiles
them wrongly (CPython issues 101955 and 106052).

Every string of the source, and every piece of an f-string, is taken for a pattern, if it can be one.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]
SOURCES = sorted((REPOSITORY / "nullbench_site").rglob("*.py"))
SCHEMAS = sorted((REPOSITORY / "specs" / "schema").glob("*.json"))
# Without any of these a string need not be parsed.
SIGNS = ("++", "*+", "?+", "}+", "(?>")
# Formulas add behind braces.
LATEX = r"\frac"


def operations(parsed: Any) -> Iterator[str]:
    """The names of the operations of a parsed pattern, which is nested lists and tuples."""
    if isinstance(parsed, (list, tuple, re._parser.SubPattern)):
        for part in parsed:
            yield from operations(part)
    else:
        yield str(parsed)


def is_refused(pattern: str) -> bool:
    """`pattern` may be the rest of one, which begins with a quantifier. re.error for what is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        parsed = re._parser.parse(f"x{pattern}" if pattern[:1] in ("*", "+", "?") else pattern)
    return not {"POSSESSIVE_REPEAT", "ATOMIC_GROUP"}.isdisjoint(operations(parsed))


def strings(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and text of each string, and of each piece of an f-string, and whether it is handed to `re` as it stands."""
    tree = ast.parse(source)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    to_re = {call.args[0] for call in calls if ast.unparse(call.func).startswith("re.")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value, node in to_re


def refused_lines(source: str) -> list[int]:
    lines = []
    for line, text, to_re in strings(source):
        if LATEX in text or not any(sign in text for sign in SIGNS):
            continue
        try:
            if is_refused(text):
                lines.append(line)
        except re.error:
            assert not to_re, f"line {line}: {text!r} is handed to re and cannot be parsed"
    return lines


def test_no_pattern_of_the_source_is_possessive_or_atomic():
    refused = {path.name: lines for path in SOURCES if (lines := refused_lines(path.read_text("utf-8")))}
    assert refused == {}


def test_no_pattern_of_a_schema_is_possessive_or_atomic():
    def patterns(node: Any) -> Iterator[str]:
        for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from patterns(value)
        if isinstance(node, dict) and isinstance(node.get("pattern"), str):
            yield node["pattern"]

    found = [pattern for path in SCHEMAS for pattern in patterns(json.loads(path.read_text("utf-8")))]
    assert len(found) > 100
    assert not any(map(is_refused, found))


@pytest.mark.parametrize(
    "line",
    [
        r're.compile(r"a++")', r're.compile("(?>a|b)")', r'P = ("a", "(?:b{2,3}+)")', r're.sub(f"{A}*+b", "", t)',
        r're.compile(rf"{B}?+")', r're.compile(A + "++")', r'Meta(pattern=r"\s*+x")', r're.match(rf"{local}++", text)',
    ],
)  # fmt: skip
def test_every_way_to_write_one_is_seen(line: str):
    assert refused_lines(f"A = 'a'\nB = f'(?:{{A}}b)'\n{line}\n") == [3]


@pytest.mark.parametrize("line", [r're.compile("[*+]+?")', r're.compile(r"\++")', 'a = "to 1+ or more"'])
def test_what_only_looks_like_one_is_none(line: str):
    assert refused_lines(line) == []
