"""YAML that is written reads back as what it was written from."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from nullbench_site.specs.document import read_document
from nullbench_site.specs.yaml_text import yaml_text

# What specs refuse is left out: control characters.
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc"], include_characters="\t\n\r")
TEXTS = st.text(LETTERS, max_size=60) | st.text("ab \n\t:#-|>'\"\\{}[]&*!%@`?,.0123456789~eExX_\r\u2028\ufeff")
HOSTILE = (
    "null", "~", "true", "No", "1", "012", "1e3", "0x1F", ".nan", "2024-01-02", "12:30:45", "<<", "=", "- a", "a: b",
    "a #b", " lead", "trail ", "\n", "\n\n", "a\n", "\na", " a\n b", "a\n b\n  c", "a\n\n\nb", "a \nb", "\ta\n\tb",
    "a\r\nb", "a\u2028b\nc", "\ufeffa\nb", "\uffff", "---\na", "...\nb", "%YAML 1.2\n", "&a *a",
    "'", "!!python/object:os.system x", '"', "\\", "{{ a }}\n{% b %}", "```\ncode: [\n```", "a" * 300,
    "word " * 100 + "\nmore " * 50, "\U0001f600\nx",
)  # fmt: skip


@pytest.mark.parametrize("text", ["\x00", "\x1b[31m", "a\x85b"])
def test_a_control_character_is_written_as_what_it_is_and_then_refused(text: str) -> None:
    assert yaml.safe_load(yaml_text({"text": text})) == {"text": text}
    _, problems = read_document("x.yaml", yaml_text({"text": text}).encode())
    assert ["control character" in problem.message for problem in problems] == [True]


def read_back(data: Any) -> Any:
    document, problems = read_document("x.yaml", yaml_text(data).encode())
    assert problems == []
    return document.data


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_reads_back_as_itself_here_and_elsewhere(text: str) -> None:
    data = {"outer": [{"text": text, "list": [text, text]}]}
    assert read_back(data) == data
    assert yaml.safe_load(yaml_text(data)) == data


@given(text=TEXTS)
@example(text="x" * 119 + " y")
def test_any_text_reads_back_as_itself(text: str) -> None:
    data = {"a": text, "b": [text, {"c": text}]}
    assert read_back(data) == data


@given(data=st.dictionaries(TEXTS, TEXTS | st.booleans() | st.integers(-(10**15), 10**15), max_size=4))
def test_any_mapping_reads_back_as_itself_whatever_its_keys(data: dict[str, Any]) -> None:
    if data:
        assert read_back(data) == data


@pytest.mark.parametrize("value", [0.5, 1.0, 1e-07, 1e22, 123456.789, -3.25])
def test_a_fraction_reads_back_as_itself(value: float) -> None:
    assert read_back({"a": value}) == {"a": value}


def test_a_text_of_several_lines_stands_as_a_block() -> None:
    assert yaml_text({"prompt": "One line.\n  Two."}) == "prompt: |-\n  One line.\n    Two.\n"
