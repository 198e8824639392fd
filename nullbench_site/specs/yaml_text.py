"""Data -> YAML that people can edit and that reads back as the same data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import yaml

_WIDTH = 120
# Every YAML parser reads a plain word as text, except words that some parsers read as booleans.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ()/_.-]*[A-Za-z0-9)]")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
# Control characters, other line ends and invisible characters are written as escapes.
_ESCAPED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_EDGES = " \n"
_IN_LINE = 6


class _Dumper(yaml.CSafeDumper):
    """Write texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        style = None
    elif "\n" in text and text[0] not in _EDGES and text[-1] not in _EDGES and not _ESCAPED.search(text):
        style = "|"
    else:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)


def yaml_text(data: Any) -> str:
    """Return YAML that people can edit and that reads back as the same data, with keys in the given order."""
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)


def spec_text(schema: str, data: Mapping[str, Any]) -> str:
    """Return a new spec file with a fresh canary. schema: for editors, relative to the file."""
    parts = (
        f"{key}: [{', '.join(value)}]\n" if _is_ids(value) else yaml_text({key: value}) for key, value in data.items()
    )
    canary = f"nullbench-canary:{uuid4()}"
    return f'# yaml-language-server: $schema={schema}\ncanary: "{canary}"\n{"".join(parts)}'


def _is_ids(value: object) -> bool:
    """Return True for a short list of plain words, which fits one line."""
    return (
        isinstance(value, list)
        and 0 < len(value) <= _IN_LINE
        and all(isinstance(each, str) and _PLAIN.fullmatch(each) and each not in _WORDS for each in value)
    )
