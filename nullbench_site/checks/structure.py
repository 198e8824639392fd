"""The structure of a text: code blocks, lists and tables of Markdown, and how far JSON goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)")
_MARK = re.compile(
    r"([ \t]*)(?:#{1,6}[ \t]+)?(?:\*\*)?(?:([-*+\u2022\u2023\u25aa\u25cf\u00b7])|[0-9]{1,3}\\?[.)])[ \t]+(?=\S)"
)
_RULE_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")


class Fence(msgspec.Struct, frozen=True):
    """A fenced code block: the first word after the fence in lower case, and the code without the fence's indent."""

    label: str
    code: str


class Listing(msgspec.Struct, frozen=True):
    """The first level of a list, its marks removed, and the texts around it."""

    items: tuple[str, ...]
    before: str
    after: str


class MarkdownTable(msgspec.Struct, frozen=True):
    """The cells of a Markdown table, header first; rows may have other numbers of cells than the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def lines_of(text: str) -> list[str]:
    """The lines of `text`, whichever line ends it has."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split_fences(lines: Sequence[str]) -> tuple[list[int | None], list[Fence]]:
    """The numbers of the lines outside code blocks, None in the place of each block; and the blocks.

    A block that is never closed goes to the end.
    """
    outside: list[int | None] = []
    fences: list[Fence] = []
    opening: re.Match[str] | None = None
    code: list[str] = []
    for at, line in enumerate(lines):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening is None:
            if mark:
                opening, code = mark, []
                outside.append(None)
            else:
                outside.append(at)
        elif mark and _closes(mark, opening):
            fences.append(_fence(opening, code))
            opening = None
        else:
            code.append(line)
    if opening is not None:
        fences.append(_fence(opening, code))
    return outside, fences


def _closes(mark: re.Match[str], opening: re.Match[str]) -> bool:
    return not mark.group(3).strip() and mark.group(2).startswith(opening.group(2))


def _fence(opening: re.Match[str], code: Sequence[str]) -> Fence:
    indent = len(opening.group(1))
    label = opening.group(3).strip("{}. \t").split(maxsplit=1)
    body = [line[:indent].lstrip() + line[indent:] for line in code] if indent else code
    return Fence(label[0].casefold() if label else "", "\n".join(body))


def list_mark(line: str) -> re.Match[str] | None:
    """The bullet or number that `line` opens with; group 2 is the bullet, None for a number."""
    return _MARK.match(line)


def listing(lines: Sequence[str]) -> Listing | None:
    """The list in `lines`; deeper lists and following lines belong to their items. None where no line has a mark.

    Bullets under numbers without indent belong to the numbers, and the other way around: the first mark decides.
    """
    marks = [list_mark(line) for line in lines]
    levels = [_level(mark) for mark in marks if mark]
    if not levels:
        return None
    top = min(levels)
    topmost = [(at, mark) for at, mark in enumerate(marks) if mark and _level(mark) == top]
    numbered = topmost[0][1].group(2) is None
    starts = [(at, mark.end()) for at, mark in topmost if (mark.group(2) is None) == numbered]
    last = _end_of_item(lines, starts[-1][0])
    ends = [at for at, _ in starts[1:]] + [last]
    items = tuple(
        "\n".join([lines[start][mark:], *lines[start + 1 : end]]).strip()
        for (start, mark), end in zip(starts, ends, strict=True)
    )
    return Listing(items, "\n".join(lines[: starts[0][0]]).strip(), "\n".join(lines[last:]).strip())


def _level(mark: re.Match[str]) -> int:
    """How deep a mark stands; a single space more is no deeper."""
    return len(mark.group(1).expandtabs(4)) // 2


def _end_of_item(lines: Sequence[str], start: int) -> int:
    """The line after the item that begins at `start`: a line without indent behind an empty one is not part of it."""
    for at in range(start + 1, len(lines)):
        if lines[at][:1].strip() and not lines[at - 1].strip():
            return at
    return len(lines)


def tables(lines: Sequence[str]) -> tuple[list[MarkdownTable], list[str]]:
    """The tables in `lines`, and the lines outside them."""
    inside: list[MarkdownTable] = []
    outside: list[str] = []
    at = 0
    while at < len(lines):
        if at + 1 < len(lines) and "|" in lines[at] and _is_rule(lines[at + 1]):
            end = at + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            inside.append(MarkdownTable(_cells(lines[at]), tuple(map(_cells, lines[at + 2 : end]))))
            at = end
        else:
            outside.append(lines[at])
            at += 1
    return inside, outside


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and all(_RULE_CELL.fullmatch(cell) for cell in _cells(line))


def _cells(line: str) -> tuple[str, ...]:
    bare = line.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return tuple(cell.strip() for cell in _parted(bare))


def _parted(bare: str) -> Iterator[str]:
    if "\\" not in bare and "`" not in bare:
        yield from bare.split("|")
        return
    start, in_code, escaped = 0, False, False
    for at, char in enumerate(bare):
        if char == "|" and not escaped and not in_code:
            yield bare[start:at]
            start = at + 1
        elif char == "`" and not escaped:
            in_code = not in_code
        escaped = char == "\\" and not escaped
    yield bare[start:]
