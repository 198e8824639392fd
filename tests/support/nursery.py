"""Processes of the command line that are forked from one that has imported everything, instead of started anew.

Most of the time of a short command goes to starting Python, importing, and taking apart what was imported. The nursery
is a process of its own that has no thread and has run no command, so that what is forked from it is as good as new. A
child is handed over to the process of the tests, which waits for it, signals it and reads its exit code as of others.
What is registered by entry points is read while our modules are imported: a child with other folders in its PYTHONPATH
comes from a nursery that has imported the packages of others only.
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
    """A process of the command line, on Linux. arguments: those after the program's name. env: with a PYTHONPATH."""

    def __init__(self, arguments: Sequence[str | Path], **options: Any) -> None:
        super().__init__([sys.executable, "-m", "nullbench_site", *map(os.fspath, arguments)], **options)

    def _execute_child(self, args: list[str], *rest: Any) -> None:
        """What `subprocess` calls once the pipes are made: their inner ends go to the nursery."""
        cwd, env, ends = rest[4], rest[5], rest[9:15]
        streams = [own if end == -1 else end for own, end in enumerate((ends[0], ends[3], ends[5]))]
        request = json.dumps({"argv": args[3:], "cwd": os.fspath(cwd), "env": env}).encode()
        nursery = _nursery(whole=env["PYTHONPATH"] == str(ROOT))
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
def _nursery(*, whole: bool) -> socket.socket:
    """The line to a nursery of this process, which ends with it. whole: whether it has imported our modules."""
    ours, theirs = socket.socketpair()
    # Warnings of a fork beside threads are about those of numpy, which then has none.
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    with theirs:
        fd = theirs.fileno()
        command = [sys.executable, __file__, str(fd), *(["whole"] if whole else [])]
        process = subprocess.Popen(command, pass_fds=[fd], cwd=ROOT, env=env)

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
    sys.path[:1] = dict.fromkeys([cwd, *env["PYTHONPATH"].split(os.pathsep)])
    sys.argv = [str(ROOT / "nullbench_site" / "__main__.py"), *argv]


_OTHERS = (
    "aiohttp", "altair", "click", "jinja2", "jsonschema", "latex2mathml.converter", "material.plugins.search.plugin",
    "mkdocs.commands.build", "msgspec", "numpy", "openai", "PIL.Image", "rich.progress", "ruamel.yaml",
    "scipy.optimize", "scipy.special", "vl_convert", "yaml",
)  # fmt: skip
"""What takes long to import of what commands import of others."""


def _import(*, whole: bool) -> None:
    for name in _OTHERS:
        importlib.import_module(name)
    if whole:
        import nullbench_site

        sys.path[0] = str(ROOT / "tests")
        importlib.import_module("support.kept")
        sys.path[0] = str(ROOT)
        for module in pkgutil.walk_packages(nullbench_site.__path__, "nullbench_site."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
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
    _import(whole="whole" in sys.argv)
    _serve(socket.socket(fileno=int(sys.argv[1])))
    try:
        runpy.run_module("nullbench_site", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        leave.code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    except BaseException:
        leave.code = 1
        raise
