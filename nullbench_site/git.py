"""Asking git, without a setting of the work tree that names a program, and without the network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(root: Path, *arguments: str) -> bytes | None:
    """What git prints in a folder; None where it refuses. Raises FileNotFoundError where it is not installed."""
    done = subprocess.run(git_command(root, *arguments), capture_output=True, check=False, env=git_environment())  # noqa: S603
    return done.stdout if done.returncode == 0 else None


def git_command(root: Path, *arguments: str) -> list[str]:
    """What is to be run in a folder."""
    # Settings of a work tree can name a program that git runs, and a partial clone would go to the network.
    return ["git", "-C", str(root), "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", *arguments]


def git_environment() -> dict[str, str]:
    """With which variables."""
    return {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
