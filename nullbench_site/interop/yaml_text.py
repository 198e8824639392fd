"""Plain data -> YAML that reads back as the same data, whatever the texts hold, and that people can edit."""

from __future__ import annotations

import re
from typing import Any

import yaml

_WIDTH = 120
# A plain word is text to every reader of YAML, unless it is one of the words that some take for a truth value.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ()/_.-]*[A-Za-z0-9)]")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
# Control characters, line ends of other kinds, and what is invisible: these are written as escapes.
_ESCAPED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_EDGES = " \n"


class _Dumper(yaml.CSafeDumper):
    """Texts of several lines stand as blocks."""

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
    """The YAML of lists, mappings, texts, numbers and truth values, keys in the order they come."""
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)
