"""Files that ship with the program: specs for `init`, templates for `render`, the base mkdocs.yml, word lists.

In the wheel they are inside the package; in a checkout, at the top level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

PACKAGE = Path(__file__).parent
"""The folder of the program."""


def packaged(name: str) -> Path:
    """Return a shipped file or folder, as listed in pyproject.toml for the wheel."""
    inside = PACKAGE / "_packaged" / name
    return inside if inside.exists() else PACKAGE.parent / name


def data_text(name: str) -> str:
    """Return the text of `data/<name>`."""
    return (PACKAGE / "data" / name).read_text("utf-8")


@cache
def data_parts(name: str) -> Mapping[str, str]:
    """Return the parts of `data/<name>`, as `text_parts`."""
    return text_parts(data_text(name))


def text_parts(text: str) -> Mapping[str, str]:
    """Return the parts of a text by name: each begins after a line `=== <name>`."""
    _, *parts = re.split(r"^=== (.+)\n", text, flags=re.MULTILINE)
    return MappingProxyType({name: part.rstrip("\n") for name, part in zip(parts[::2], parts[1::2], strict=True)})


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the words of `data/words/<name>.txt`; lines that begin with # are comments."""
    return frozenset(word for line in word_lines(name) for word in line.split())


@cache
def word_lines(name: str) -> tuple[str, ...]:
    """Return the lines of `data/words/<name>.txt` without comments."""
    lines = data_text(f"words/{name}.txt").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def word_pairs(name: str) -> Mapping[str, str]:
    """Return the replacements of `data/words/<name>.txt`: "one / other" both ways, "one > other" one way.

    The first entry for a phrase wins.
    """
    pairs: dict[str, str] = {}
    for line in word_lines(name):
        one, swapped, other = line.partition(" / ")
        if not swapped:
            one, _, other = line.partition(" > ")
        pairs.setdefault(one, other)
        if swapped:
            pairs.setdefault(other, one)
    return MappingProxyType(pairs)
