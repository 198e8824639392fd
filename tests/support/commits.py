"""Git repositories of benchmarks: real commits, by nobody in particular, whatever git is set to on this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from nullbench_site.repository import Repository


def git(repository: Repository | Path, *arguments: str) -> str:
    identity = {f"GIT_{who}_{what}": "me@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    folder = repository if isinstance(repository, Path) else repository.root
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True,
        env={**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull},
    )  # fmt: skip
    return done.stdout.strip()


def commit(repository: Repository, *, branch: str = "", staged: bool = False) -> None:
    """Commit all that there is, or what is staged; on a new branch, where one is named."""
    if branch:
        git(repository, "checkout", "-q", "-b", branch)
    if not staged:
        git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "a change")
