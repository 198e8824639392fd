"""Files that ship with the program: the specs `init` starts from, the templates `render` uses, the base mkdocs.yml,
and what a benchmark's repository has in common with ours.

In the wheel they stand inside the package; in a checkout at the top level, where people look for them.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
"""The folder of the program."""


def packaged(name: str) -> Path:
    """The shipped file or folder `name`: one of those that pyproject.toml puts into the wheel."""
    inside = PACKAGE / "_packaged" / name
    return inside if inside.exists() else PACKAGE.parent / name


def data_text(name: str) -> str:
    """The text of `data/<name>`: what we write or say, apart from the code that does."""
    return (PACKAGE / "data" / name).read_text("utf-8")


def word_list(name: str) -> frozenset[str]:
    """The words of `data/words/<name>.txt`; a line that begins with # is a remark."""
    lines = data_text(f"words/{name}.txt").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
