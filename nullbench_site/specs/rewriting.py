"""Change one item, one list entry or the canary of a spec file and keep every other byte.

ruamel.yaml writes only the item, with its comments and style. It would reformat other items of a whole file.
"""

from __future__ import annotations

import io
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import yaml

from nullbench_site.specs.document import FORBIDDEN, Document, read_document
from nullbench_site.specs.listing import listing
from nullbench_site.specs.yaml_text import yaml_text

if TYPE_CHECKING:  # imported inside functions, because only `hide` and `reveal` need it
    from ruamel.yaml import YAML

_PLAIN = re.compile(r"[a-z][a-z0-9._-]*")
_NOT_PLAIN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_ENDLESS = 2**30


def with_item(document: Document, steps: tuple[str | int, ...], data: Mapping[str, Any]) -> str | None:
    """Return the text of the document with `data` as the item at `steps`; None if that is not possible.

    Keys that `data` lacks are removed with their comments, which may describe hidden text. An item in braces becomes
    one line of JSON.
    """
    node = document.node(steps)
    if not isinstance(node, yaml.MappingNode):
        return None
    text, start, end = document.text, node.start_mark.index, node.end_mark.index
    if node.flow_style:
        return text[:start] + item_line(data) + text[end:]
    column = node.start_mark.column
    end -= _after(text[start:end], column)
    kept = "".join(part for name, part in _parts(node, text, end) if name in data)
    newline = "\r\n" if "\r\n" in text else "\n"
    before: Any = document.data
    for step in steps:
        before = before[step]
    written = _written(_dedented(kept, column), before, data)
    if written is None:
        return None
    lines = written.splitlines()
    block = "".join((line and " " * column + line) + newline for line in lines).lstrip(" ")
    return text[:start] + block + text[end:]


def with_entry(document: Document, steps: tuple[str | int, ...], entry: str | Mapping[str, Any]) -> str | None:
    """Return the text of the document with an id or a mapping added to the list at `steps`; None if not possible."""
    node = document.node(steps)
    if not isinstance(node, yaml.SequenceNode):
        return None
    text, written = document.text, _entry(entry, in_line=bool(node.flow_style), column=node.start_mark.column)
    if node.flow_style:
        end = node.value[-1].end_mark.index if node.value else node.start_mark.index + 1
        return f"{text[:end]}{', ' if node.value else ''}{written}{text[end:]}"
    last = _end(node.value[-1])
    line = last - 1 if text[last - 1] == "\n" else text.find("\n", last)  # a block text ends after its line
    newline = "\r\n" if "\r\n" in text else "\n"
    end = len(text) if line == -1 else line + 1
    before = "" if text[:end].endswith("\n") else newline
    written = written.replace("\n", newline)
    return f"{text[:end]}{before}{' ' * node.start_mark.column}- {written}{newline}{text[end:]}"


def with_value(document: Document, steps: tuple[str | int, ...], value: str) -> str | None:
    """Return the text of the document with an id in place of the text at `steps`; None if not possible."""
    node = document.node(steps)
    if not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">"):
        return None
    return f"{document.text[: node.start_mark.index]}{value}{document.text[node.end_mark.index :]}"


def _entry(entry: str | Mapping[str, Any], *, in_line: bool, column: int) -> str:
    """Return an entry of a list without its mark. column: of the list, in which further lines are indented."""
    if isinstance(entry, str):
        return entry if _PLAIN.fullmatch(entry) and entry not in _NOT_PLAIN else json.dumps(entry)
    if in_line:
        return item_line(entry)
    lines = yaml_text(entry).splitlines()
    return "\n".join([lines[0], *(line and f"{' ' * (column + 2)}{line}" for line in lines[1:])])


def missing_canaries(specs: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield each YAML spec without a canary, and its bytes with a new one as first key.

    Skip files that are not valid YAML, and templates, as a canary would change every request.
    """
    for path in listing(specs).specs:
        raw = path.read_bytes()
        document = read_document(path.name, raw)[0] if path.suffix == ".yaml" else None
        if document is None or not isinstance(document.data, dict) or "canary" in document.data:
            continue
        canary = f"nullbench-canary:{uuid4()}"
        written = (BOM_UTF8 if raw.startswith(BOM_UTF8) else b"") + _with_first(document, canary).encode()
        again, problems = read_document(path.name, written)
        if again is not None and not problems and again.data == {"canary": canary, **document.data}:
            yield path, written


def _with_first(document: Document, canary: str) -> str:
    root = document.node(())
    if not isinstance(root, yaml.MappingNode) or not root.value:
        return document.text
    text, mark = document.text, root.value[0][0].start_mark
    newline = "\r\n" if "\r\n" in text else "\n"
    behind = ", " if root.flow_style else newline + " " * mark.column
    return f'{text[: mark.index]}canary: "{canary}"{behind}{text[mark.index :]}'


def item_line(data: Mapping[str, Any]) -> str:
    """Return an item as a line of JSON, with invisible characters escaped."""
    written = json.dumps(data, ensure_ascii=False)
    return FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def _after(text: str, column: int) -> int:
    """Return the number of trailing characters after the item: blank lines, and comments to its left."""
    lines = text.splitlines(keepends=True)
    kept = 0
    for line in reversed(lines[1:]):
        bare = line.strip()
        if bare and not (bare.startswith("#") and len(line) - len(line.lstrip(" ")) < column):
            break
        kept += len(line)
    return kept


def _parts(node: yaml.MappingNode, text: str, end: int) -> list[tuple[str, str]]:
    """Return the keys of an item, each with its lines and the comment lines above it."""
    starts = [node.start_mark.index]
    for key, value in node.value[:-1]:
        last = max(_end(value), key.end_mark.index)  # an alias has the marks of its anchor
        starts.append(last if text[last - 1] == "\n" else text.index("\n", last) + 1)
    names = [key.value for key, _ in node.value]
    parts = [text[one:other] for one, other in zip(starts, [*starts[1:], end], strict=True)]
    parts[0] = " " * node.start_mark.column + parts[0]
    return [*zip(names, parts, strict=True)]


def _end(node: yaml.Node) -> int:
    """Return the end of the last scalar of a value. The end mark of a collection is after the comments that follow."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end


def _dedented(text: str, column: int) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line[column:] if not line[:column].strip(" ") else line.lstrip(" ") for line in lines)


def _written(text: str, before: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """Return the mapping in `text` with the values of `data`; None if it is not valid alone, as with an alias."""
    from ruamel.yaml.error import YAMLError

    writer = _round_trip()
    try:
        item = writer.load(text)
    except YAMLError:
        return None
    for place, (name, value) in enumerate(data.items()):
        if name not in item:
            item.insert(place, name, _styled(value))
        elif before[name] != value:
            item[name] = _styled(value)
    out = io.StringIO()
    writer.dump(item, out)
    return out.getvalue()


def _round_trip() -> YAML:
    from ruamel.yaml import YAML

    writer = YAML()
    writer.preserve_quotes = True
    writer.width = _ENDLESS
    writer.indent(mapping=2, sequence=4, offset=2)
    return writer


def _styled(value: Any, *, inside: bool = False) -> Any:
    """Return `value` with its style: one line per entry for a list, a block for a long text, JSON for other values."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    if isinstance(value, str):
        if not inside and _is_block(value):
            return LiteralScalarString(value)
        return value if _PLAIN.fullmatch(value) and value not in _NOT_PLAIN else DoubleQuotedScalarString(value)
    if isinstance(value, dict):
        mapping = CommentedMap({key: _styled(each, inside=True) for key, each in value.items()})
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        sequence = CommentedSeq([_styled(each, inside=True) for each in value])
        if inside:
            sequence.fa.set_flow_style()
        return sequence
    return value


def _is_block(text: str) -> bool:
    """Return True if the text is long or has several lines, and can be written as a block."""
    worth = "\n" in text or (len(text) > 60 and " " in text)
    return (
        worth and text[:1].strip() != "" and not text.endswith("\n") and "\r" not in text and not FORBIDDEN.search(text)
    )
