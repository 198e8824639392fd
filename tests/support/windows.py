"""Commands as Windows runs them, as far as another system can tell: `python -m support.windows COMMAND ...`, one after
the other, each with a line that has its exit code.

What is as on Windows: our modules find no `fcntl`, `resource` or other module of POSIX, no name of `os` that Windows
lacks, and `sys.platform` "win32"; the lock is `msvcrt.locking`, made of what locks here; event loops take no signals;
files and folders in use are neither replaced, renamed nor deleted, and nothing is renamed onto what exists; stdout is
cp1252; a text file without an encoding is an error. What is not: paths, line ends of text files, consoles, processes,
and all of Python and of other packages.
"""

from __future__ import annotations

import asyncio
import builtins
import errno
import fcntl
import os
import shlex
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

OURS = "nullbench_site"
NOT_THERE = frozenset({"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"})
# What `os` has on POSIX alone.
LACKING = frozenset(
    {
        "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fork", "geteuid", "getuid",
        "killpg", "mkfifo", "nice", "posix_spawn", "pread", "pwrite", "setsid", "statvfs", "sysconf", "uname", "wait",
    }
)  # fmt: skip


class Module(types.ModuleType):
    """`module` without the names it lacks, and with others."""

    def __init__(self, module: types.ModuleType, lacking: frozenset[str] = frozenset(), **others: object) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(others, _module=module, _lacking=lacking)

    def __getattr__(self, name: str) -> Any:
        if name in self._lacking:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return getattr(self._module, name)


def locking(descriptor: int, mode: int, count: int) -> None:
    try:
        fcntl.flock(descriptor, mode)
    except BlockingIOError as error:
        raise PermissionError(errno.EACCES, "Permission denied") from error


MSVCRT = types.ModuleType("msvcrt")
MSVCRT.LK_NBLCK, MSVCRT.locking = fcntl.LOCK_EX | fcntl.LOCK_NB, locking
MODULES = {
    "os": Module(os, LACKING, name="nt"),
    "sys": Module(sys, platform="win32"),
    "msvcrt": MSVCRT,
}
imported = builtins.__import__


def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    if (globals or {}).get("__name__", "").partition(".")[0] == OURS and not level:
        if name in NOT_THERE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in MODULES:
            return MODULES[name]
    return imported(name, globals, locals, fromlist, level)


def in_use(path: Any) -> bool:
    """Whether this process has the file open, or one below the folder."""
    below = [Path(path), *Path(path).rglob("*")] if Path(path).is_dir() else [Path(path)]
    opened = []
    for descriptor in Path("/dev/fd").iterdir():
        try:
            opened.append(os.fstat(int(descriptor.name)))
        except OSError:  # that of the listing itself
            continue
    files = (file.stat() for file in below if file.is_file())
    return any(os.path.samestat(file, one) for file in files for one in opened)


def refusing(call: Callable[..., Any], *, onto: bool) -> Callable[..., Any]:
    """`call` where nothing it takes is in use; onto: whether the target may exist."""

    def checked(*paths: Any, **at: Any) -> Any:
        if not at:
            for path in paths:
                if in_use(path):
                    raise PermissionError(errno.EACCES, "it is being used by another process", str(path))
            if len(paths) > 1 and not onto and os.path.lexists(paths[1]):
                raise FileExistsError(errno.EEXIST, "Cannot create a file when that file already exists", str(paths[1]))
        return call(*paths, **at)

    return checked


def no_signals(*_: Any) -> None:
    raise NotImplementedError


def become_windows() -> None:
    builtins.__import__ = importing
    asyncio.SelectorEventLoop.add_signal_handler = no_signals
    asyncio.SelectorEventLoop.remove_signal_handler = no_signals
    os.rename = refusing(os.rename, onto=False)
    for name in ("replace", "unlink", "remove"):
        setattr(os, name, refusing(getattr(os, name), onto=True))
    sys.stdout.reconfigure(encoding="cp1252")
    warnings.filterwarnings("error", category=EncodingWarning, module=OURS)


def main() -> None:
    become_windows()
    from nullbench_site.cli import main as nullbench

    for command in sys.argv[1:]:
        sys.argv = ["nullbench-site", *shlex.split(command)]
        try:
            nullbench()
        except SystemExit as ended:
            sys.stdout.write(f"ended {ended.code}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
