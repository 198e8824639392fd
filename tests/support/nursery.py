"""Processes of the command line that are forked from one that has imported everything, instead of started anew.

Most of the time of a short command goes to starting Python, importing, and taking apart what was imported. The nursery
is a process of its own that has no thread and has run no command, so that what is forked from it is as good as new. A
child is handed over to the process of the tests, which waits for it, signals it and reads its exit code as of others.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
ROOT = Path(__file__).parents[2]
_COUNT = 4
"""Bytes of a number on its way."""


class Forked(subprocess.Popen[str]):
    """A process of the command line, on Linux. arguments: those after the program's name."""

    def __init__(self, arguments: Sequence[str | Path], **options: Any) -> None:
        super().__init__([sys.executable, "-m", "nullbench_site", *map(os.fspath, arguments)], **options)

    def _execute_child(self, args: list[str], *rest: Any) -> None:
        """What `subprocess` calls once the pipes are made: their inner ends go to the nursery."""
        cwd, env, ends = rest[4], rest[5], rest[9:15]
        streams = [own if end == -1 else end for own, end in enumerate((ends[0], ends[3], ends[5]))]
        request = json.dumps({"argv": args[3:], "cwd": os.fspath(cwd), "env": env}).encode()
        nursery = _nursery()
        try:
            _adopt(True)
            socket.send_fds(nursery, [len(request).to_bytes(_COUNT, "big") + request], streams)
            if not (pid := nursery.recv(_COUNT)):
                raise ChildProcessError("the nursery of processes has ended; what it said of that stands above")
            self.pid = int.from_bytes(pid, "big")
        finally:
            _adopt(False)
            self._close_pipe_fds(*ends)
        self._child_created = True


def _adopt(whether: bool) -> None:
    """Whether a process below this one becomes its child when the parent between them ends."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, int(whether), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot take over the children of others")


@cache
def _nursery() -> socket.socket:
    """The line to the nursery of this process, which ends with it."""
    ours, theirs = socket.socketpair()
    # Warnings of a fork beside threads are about those of numpy, which then has none.
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    with theirs:
        fd = theirs.fileno()
        process = subprocess.Popen([sys.executable, __file__, str(fd)], pass_fds=[fd], cwd=ROOT, env=env)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(requests: socket.socket) -> None:
    """Fork a child for each request. Returns in the child alone, which then is the process that was asked for."""
    while True:
        head, streams, _, _ = socket.recv_fds(requests, _COUNT, 3)
        if not head:
            os._exit(0)
        length, body = int.from_bytes(head, "big"), b""
        while len(body) < length:
            body += requests.recv(length - len(body))
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:
            child = os.fork()
            if child == 0:
                for own, fd in enumerate(streams):
                    os.dup2(fd, own)
                for fd in (*streams, reading, writing, requests.detach()):
                    os.close(fd)
                _become(**json.loads(body))
                return
            os.write(writing, child.to_bytes(_COUNT, "big"))
            os._exit(0)
        os.waitpid(between, 0)
        requests.sendall(os.read(reading, _COUNT))
        for fd in (*streams, reading, writing):
            os.close(fd)


def _become(argv: list[str], cwd: str, env: dict[str, str]) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = cwd
    sys.argv = [str(ROOT / "nullbench_site" / "__main__.py"), *argv]


def _import() -> None:
    """What commands import: all of ours, and what takes long of others."""
    import nullbench_site

    names = [module.name for module in pkgutil.walk_packages(nullbench_site.__path__, "nullbench_site.")]
    others = ("aiohttp", "altair", "jinja2", "mkdocs.commands.build", "numpy", "openai")
    for name in (*names, *others):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    os.fsync = os.fstat  # as in the process of the tests
    gc.freeze()


class _Leave:
    """Ends a child once all is done that it wanted done at its end: taking apart what it never used takes long."""

    code = 0

    def __call__(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(self.code)


if __name__ == "__main__":
    leave = _Leave()
    atexit.register(leave)  # before all others, and so called after them
    sys.path[0] = str(ROOT)
    _import()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    try:
        runpy.run_module("nullbench_site", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        leave.code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    except BaseException:
        leave.code = 1
        raise
