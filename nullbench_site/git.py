"""Asking git, without a setting of the work tree that names a program, and without the network."""

from __future__ import annotations

import os
from pathlib import Path


def git(root: Path, *arguments: str, given: bytes = b"", refuses_from: int = 1) -> bytes | None:
    """What git prints in a folder; None where it refuses, which its exit code says. given: on its standard input.

    Raises FileNotFoundError where it is not installed.
    """
    import subprocess  # noqa: PLC0415 - most commands start no process

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
