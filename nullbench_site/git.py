"""Asking git, without a setting of the work tree that names a program, and without the network; the commit of specs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec

_FOLLOWED = ("specs", "answers")
"""Of the repository, what the records of a run follow from."""
IMPORTED = "the run was imported"
"""Why a run has no commit whose records came from elsewhere."""


def git(root: Path, *arguments: str, given: bytes = b"", refuses_from: int = 1) -> bytes | None:
    """What git prints in a folder; None where it refuses, which its exit code says. given: on its standard input.

    Raises FileNotFoundError where it is not installed.
    """
    done = subprocess.run(  # noqa: S603
        git_command(root, *arguments), input=given, capture_output=True, check=False, env=git_environment()
    )
    return done.stdout if 0 <= done.returncode < refuses_from else None


def git_command(root: Path, *arguments: str) -> list[str]:
    """What is to be run in a folder."""
    # Settings of a work tree can name a program that git runs, and a partial clone would go to the network.
    return ["git", "-C", str(root), "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", *arguments]


def git_environment() -> dict[str, str]:
    """With which variables."""
    return {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commit that was checked out when a run was begun, never where it is from; or the reason why there is none.

    dirty: whether specs or brought answers were not as in that commit.
    """

    commit: str | None = None
    dirty: bool | None = None
    absent: str | None = None


def source_of(specs: Path) -> Source:
    """The commit of the repository that a folder of specs stands in."""
    root = specs.parent
    try:
        commit = git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if commit is None:
            return Source(absent="there is no git repository with a commit")
        if not git(root, "ls-files", "-z", "--", f"{specs.name}/benchmark.yaml"):
            return Source(absent="git does not track the specs")
        changed = git(root, "status", "--porcelain", "-z", "--untracked-files=all", "--", *_FOLLOWED)
    except FileNotFoundError:
        return Source(absent="git is not installed")
    return Source(commit.decode().strip(), None if changed is None else bool(changed))
