"""The values of a line of JSON, read at once, are those that are read with places; so is what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.interop.json_places import BrokenError, object_of_line, values_of_line

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(st.text(max_size=3), _values, max_size=4).map(json.dumps)


def _with_places(line: str) -> dict[str, Any] | tuple[int, str]:
    try:
        return {name: value for name, (_, value) in object_of_line(line, "")[0].items()}
    except BrokenError as broken:
        return broken.at, broken.message


def _at_once(line: str) -> dict[str, Any] | tuple[int, str]:
    try:
        return values_of_line(line, "")
    except BrokenError as broken:
        return broken.at, broken.message


@given(_objects, st.integers(0, 200), st.text('{}[]",:\\eE+-.0123456789 tfnNI\t', max_size=3))
def test_a_line_is_read_alike_with_places_and_without(line: str, at: int, put: str) -> None:
    at %= len(line) + 1
    for each in (line, line[:at] + put + line[at:], line[:at] + put + line[at + 1 :]):
        assert repr(_at_once(each)) == repr(_with_places(each))


@pytest.mark.parametrize(
    "line",
    [
        "", " ", "[]", "1", '{"a": 1} x', '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 2}}', '{"a": NaN}', '{"a": 1e999}',
        f'{{"a": {"9" * 5000}}}', f'{{"a": {"[" * 100_000}}}', '{"a": "\\ud800"}', '\ufeff{"a": 1}', ' {"a":1}\r',
    ],
)  # fmt: skip
def test_so_are_lines_that_are_hardly_json(line: str) -> None:
    assert repr(_at_once(line)) == repr(_with_places(line))
