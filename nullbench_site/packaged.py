"""Files that ship with the program: the specs `init` starts from, the templates `render` uses, the base mkdocs.yml,
and what a benchmark's repository has in common with ours.

In the wheel they stand inside the package; in a checkout at the top level, where people look for them.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def packaged(name: str) -> Path:
    """The shipped file or folder `name`: one of those that pyproject.toml puts into the wheel."""
    inside = _PACKAGE / "_packaged" / name
    return inside if inside.exists() else _PACKAGE.parent / name
