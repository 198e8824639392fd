"""Run git safely: never a program that settings of the work tree name, and never the network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec

_FOLLOWED = ("specs", "answers")
"""The folders of the repository that the records of a run depend on."""
IMPORTED = "the run was imported"
"""The reason why an imported run has no commit."""


def git(root: Path, *arguments: str, given: bytes = b"", refuses_from: int = 1) -> bytes | None:
    """Return what git prints in a folder; None if it fails. given: its standard input.

    refuses_from: the first exit code that counts as failure. Raises FileNotFoundError if git is not installed.
    """
    done = subprocess.run(  # noqa: S603
        git_command(root, *arguments), input=given, capture_output=True, check=False, env=git_environment()
    )
    return done.stdout if 0 <= done.returncode < refuses_from else None


def git_command(root: Path, *arguments: str) -> list[str]:
    """Return the command line of git in a folder."""
    # Settings of a work tree can name a program for git to run, and a partial clone would use the network.
    return ["git", "-C", str(root), "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", *arguments]


def git_environment() -> dict[str, str]:
    """Return the environment of git."""
    return {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commit that was checked out when a run began, or the reason why there is none.

    dirty: whether specs or imported answers differed from that commit.
    """

    commit: str | None = None
    dirty: bool | None = None
    absent: str | None = None


def source_of(specs: Path) -> Source:
    """Return the commit of the repository that contains a folder of specs."""
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
