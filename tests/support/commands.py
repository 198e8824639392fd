"""The command line as its users meet it: real processes of `python -m nullbench_site`.

Most are forked from one that has imported all of it: see `nursery`. Those are new that a test wants something of before
Python starts, and those of `argv`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.kept import KEPT
from support.nursery import Forked

import nullbench_site

ROOT = Path(nullbench_site.__file__).parent.parent
PATIENCE_S = 240.0
"""No command takes that long: it hangs, and the test says so before its own time is over."""
_UNWANTED = frozenset({"NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "SOURCE_DATE_EPOCH"})


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """The one line of its error; fails where there is a traceback, more than one message, or none."""
        assert "Traceback" not in self.err, self.err
        told = [line for line in self.err.splitlines() if line.startswith("Error:")]
        assert len(told) == 1, self.err
        assert self.err.rstrip().endswith(told[0]), f"something follows the error: {self.err}"
        return told[0]


def environment(**more: str) -> dict[str, str]:
    """The environment of the tests, but for what changes how a program prints."""
    kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def argv(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "nullbench_site", *arguments]


def nullbench(folder: Path, *arguments: str, before: Callable[[], None] | None = None, **variables: str) -> Finished:
    """Run one command in `folder` to its end. before: called in the child, to take something away from it."""
    with _started(folder, *arguments, before=before, stdin=None, **variables) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except BaseException:
            process.kill()
            raise
    return Finished(process.returncode, out, err)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command that goes on while the test does; the test ends it. It asks programs itself, so as to take its time."""
    return _started(folder, *arguments, stdin=subprocess.DEVNULL, **{KEPT: ""})


def _started(
    folder: Path, *arguments: str, stdin: int | None, before: Callable[[], None] | None = None, **variables: str
) -> subprocess.Popen[str]:
    options: dict[str, Any] = {"cwd": folder, "env": environment(**variables), "text": True, "stdin": stdin}
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": before}
    places = options["env"]["PYTHONPATH"].split(os.pathsep)
    read_at_the_start = any(name.startswith(("PYTHON", "LC_", "LANG")) for name in variables if name != "PYTHONPATH")
    read_at_the_start |= any(Path(place, "sitecustomize.py").exists() for place in places)
    if sys.platform == "linux" and before is None and not read_at_the_start:
        return Forked(arguments, **options)
    return subprocess.Popen(argv(*arguments), **options)


def probe(folder: Path, code: str, *arguments: str) -> Finished:
    """Run Python `code` in `folder` with `arguments` as its command line."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=environment(), capture_output=True, text=True,
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    return Finished(done.returncode, done.stdout, done.stderr)


@contextmanager
def model_served(folder: Path) -> Iterator[tuple[str, str]]:
    """Install the small model in a folder and serve it; yield its address and the line that says so."""
    folder.mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nullbench_site", "-C", str(folder), "model", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{port}/v1", next(line for line in server.stdout if line.startswith("serving "))
        finally:
            server.terminate()
