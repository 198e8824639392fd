"""Commands as they behave when their messages go to a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.commands import environment


def on_a_terminal(command: Sequence[str], folder: Path | None = None, **variables: str) -> tuple[str, str]:
    """What a command that succeeds prints to stdout, a pipe, and to stderr, a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, cwd=folder, env=environment(**variables), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    with process:
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side was closed
                break
            if not part:
                break
            said += part
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, said
    return out, said.decode()
