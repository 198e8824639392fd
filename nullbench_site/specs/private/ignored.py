"""Whether git leaves private files alone, so that no `git add` can publish them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def left_to_git(folder: Path, paths: Sequence[Path]) -> list[Path]:
    """Those of `paths` that the work tree around `folder` would take, or has taken already.

    Paths need not exist; those outside the work tree are not its own. None where there is no work tree.
    """
    tree = _work_tree(folder)
    if tree is None:
        return []
    absolute = {str(path.resolve()): path for path in paths if path.resolve().is_relative_to(tree)}
    if not absolute:
        return []
    import subprocess

    asked = "\0".join(absolute).encode(errors="surrogateescape")
    try:
        done = subprocess.run(
            # Settings of a work tree can name a program that git runs as it reads the index.
            ["git", "-c", "core.fsmonitor=false", "check-ignore", "-z", "--stdin"],  # noqa: S607 - wherever it is
            cwd=folder, input=asked, capture_output=True, check=False,
        )  # fmt: skip
    except OSError:
        return []
    if done.returncode not in (0, 1):  # what has .git is no work tree, or that of somebody else
        return []
    ignored = set(done.stdout.decode(errors="surrogateescape").split("\0"))
    return [path for name, path in absolute.items() if name not in ignored]


def _work_tree(folder: Path) -> Path | None:
    """The folder above that has .git: where there is none, no process has to be started."""
    here = folder.resolve()
    return next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), None)
