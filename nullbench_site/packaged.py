"""Files that ship with the program: the specs `init` starts from, the templates `render` uses, the base mkdocs.yml,
and what a benchmark's repository has in common with ours.

In the wheel they stand inside the package; in a checkout at the top level, where people look for them.
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
    """The shipped file or folder `name`: one of those that pyproject.toml puts into the wheel."""
    inside = PACKAGE / "_packaged" / name
    return inside if inside.exists() else PACKAGE.parent / name


def data_text(name: str) -> str:
    """The text of `data/<name>`: what we write or say, apart from the code that does."""
    return (PACKAGE / "data" / name).read_text("utf-8")


@cache
def data_parts(name: str) -> Mapping[str, str]:
    """The parts of `data/<name>`, as `text_parts`."""
    return text_parts(data_text(name))


def text_parts(text: str) -> Mapping[str, str]:
    """The parts of a text by their names: each begins behind a line `=== <name>`."""
    _, *parts = re.split(r"^=== (.+)\n", text, flags=re.MULTILINE)
    return MappingProxyType({name: part.rstrip("\n") for name, part in zip(parts[::2], parts[1::2], strict=True)})


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of `data/words/<name>.txt`; a line that begins with # is a remark."""
    return frozenset(word for line in word_lines(name) for word in line.split())


@cache
def word_lines(name: str) -> tuple[str, ...]:
    """The lines of `data/words/<name>.txt` without remarks: a phrase each."""
    lines = data_text(f"words/{name}.txt").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def word_pairs(name: str) -> Mapping[str, str]:
    """What takes the place of what by `data/words/<name>.txt`: "one / other" both ways, "one > other" one way.

    Of several entries for a phrase the first counts.
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
