"""The two programs that build the generated tree, as anyone would run them: as processes, on a copy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from support.commands import environment


def _run(*argv: str, folder: Path) -> str:
    """Run to the end; fails where the program does."""
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environment(NO_MKDOCS_2_WARNING="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def mkdocs(tree: Path, folder: Path) -> Path:
    """The site that `mkdocs build --strict` makes of the tree."""
    shutil.copytree(tree, folder / "tree")
    _run(sys.executable, "-m", "mkdocs", "build", "--strict", folder=folder / "tree")
    return folder / "tree" / "site"


def zensical(tree: Path, folder: Path) -> Path:
    """The site that `zensical build` makes of the tree."""
    shutil.copytree(tree, folder / "tree")
    said = _run(str(Path(sys.executable).parent / "zensical"), "build", "--strict", folder=folder / "tree")
    assert "No issues found" in said, said
    return folder / "tree" / "site"
