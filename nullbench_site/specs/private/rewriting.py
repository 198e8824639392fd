"""One item of a domain file written anew; every other byte of the file stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from nullbench_site.specs.document import FORBIDDEN, Document

_PLAIN = re.compile(r"[a-z][a-z0-9._-]*")
_NOT_PLAIN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def with_item(document: Document, steps: tuple[str | int, ...], data: Mapping[str, Any]) -> str | None:
    """The text of the document with `data` in the place of the item at `steps`; None where there is no mapping.

    Comments inside the item go with it: they may speak of what it hides.
    """
    node = document.node(steps)
    if not isinstance(node, yaml.MappingNode):
        return None
    start, end = node.start_mark.index, node.end_mark.index
    if node.flow_style:
        return document.text[:start] + item_line(data) + document.text[end:]
    column = node.start_mark.column
    newline = "\r\n" if "\r\n" in document.text else "\n"
    kept = _after(document.text[start:end], column)
    block = newline.join(line and " " * column + line for line in _block(data)).lstrip(" ")
    return document.text[:start] + block + newline + document.text[end - kept : end] + document.text[end:]


def item_line(data: Mapping[str, Any]) -> str:
    """An item as a line of JSON."""
    return _json(data)


def _after(text: str, column: int) -> int:
    """How many characters at the end of an item's block are not its own: blank lines, and comments left of it."""
    lines = text.splitlines(keepends=True)
    kept = 0
    for line in reversed(lines[1:]):
        bare = line.strip()
        if bare and not (bare.startswith("#") and len(line) - len(line.lstrip(" ")) < column):
            break
        kept += len(line)
    return kept


def _block(data: Mapping[str, Any]) -> Iterator[str]:
    for name, value in data.items():
        if isinstance(value, str) and _is_block(value):
            yield f"{name}: |-"
            yield from (line and f"  {line}" for line in value.split("\n"))
        elif isinstance(value, list):
            yield f"{name}:"
            yield from (f"  - {_scalar(entry)}" for entry in value)
        else:
            yield f"{name}: {_scalar(value)}"


def _is_block(text: str) -> bool:
    """Whether a block of lines reads back as the text, and is worth it: of several lines, or long."""
    worth = "\n" in text or (len(text) > 60 and " " in text)
    return (
        worth and text[:1].strip() != "" and not text.endswith("\n") and "\r" not in text and not FORBIDDEN.search(text)
    )


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value not in _NOT_PLAIN:
        return value
    return _json(value)


def _json(value: Any) -> str:
    """JSON is YAML; what must not stand in a spec as it is stands there as an escape."""
    written = json.dumps(value, ensure_ascii=False)
    return FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
