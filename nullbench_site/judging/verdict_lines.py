"""Read replies whose verdict is on the last line, such as `Mark: 4` or `Verdict: tie`.

Only the last lines count, and only in exactly this form. A judge quotes what it judges, so another line of the form
with another value makes the reply invalid.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import msgspec

_LINE = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63}): ([A-Za-z0-9]{1,10})")


class VerdictLines(msgspec.Struct, frozen=True):
    """What the last lines of a reply state. values: name -> value. invalid: name -> why. before: the text above."""

    values: Mapping[str, str]
    invalid: Mapping[str, str]
    before: str


def verdict_lines(text: str, expected: Mapping[str, Collection[str]]) -> VerdictLines:
    """Return the values on the last lines of a text that are not empty, each of the form `name: value`.

    expected: name -> the values it may have, both as they must be written. Takes time linear in the length of the text.
    """
    lines = [stripped for line in text.splitlines() if (stripped := line.strip())]
    start = len(lines)
    while start and _named(lines[start - 1], expected) is not None:
        start -= 1
    given: dict[str, list[str]] = {name: [] for name in expected}
    for line in lines[start:]:
        name, value = _named(line, expected) or ("", "")
        given[name].append(value)
    above: dict[str, set[str]] = {name: set() for name in expected}
    for line in lines[:start]:
        found = _named(line, expected)
        if found is not None and found[1] in expected[found[0]]:
            above[found[0]].add(found[1])
    values: dict[str, str] = {}
    invalid: dict[str, str] = {}
    for name, allowed in expected.items():
        stated = list(dict.fromkeys(given[name]))
        others = sorted(above[name].difference(stated))
        if not stated:
            invalid[name] = f"the reply does not end in a line '{name}: ...'"
        elif len(stated) > 1 or others:
            invalid[name] = f"several lines that differ: {', '.join([*stated, *others])}"
        elif stated[0] not in allowed:
            invalid[name] = f"'{stated[0]}' is none of {', '.join(allowed)}"
        else:
            values[name] = stated[0]
    return VerdictLines(values, invalid, "\n".join(lines[:start]))


def bare_or_line(text: str, name: str, allowed: Collection[str]) -> str | None:
    """Return the value of a reply that is nothing but a value, or nothing but a line `name: value`; None otherwise."""
    bare = text.strip()
    value = bare.removeprefix(f"{name}: ")
    return value if value in allowed else None


def _named(line: str, expected: Mapping[str, Collection[str]]) -> tuple[str, str] | None:
    found = _LINE.fullmatch(line)
    return (found[1], found[2]) if found is not None and found[1] in expected else None
