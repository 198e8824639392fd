"""Execute untrusted Python with bubblewrap.

The code gets its own namespaces (no network, no other processes), no capabilities and an empty environment. It can read
the Python of this machine and its libraries, and write 16 MiB that are deleted afterwards. Time, memory, file size and
open files are limited. It cannot start processes. Its output is discarded. The seccomp filter is written here, because
libseccomp and its bindings are not on every machine.
"""

from __future__ import annotations

import json
import math
import os
import platform
import shutil
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from nullbench_site.checks import sandbox_program
from nullbench_site.errors import UsageError

Ending = Literal["finished", "raised", "tests-failed", "exited", "out-of-memory", "timed-out", "killed"]
_ENDINGS: dict[int, Ending] = {
    sandbox_program.FINISHED: "finished",
    sandbox_program.RAISED: "raised",
    sandbox_program.TESTS_FAILED: "tests-failed",
    sandbox_program.EXITED: "exited",
    sandbox_program.OUT_OF_MEMORY: "out-of-memory",
}
_SCRATCH_BYTES = 16 << 20
_SYSTEM_LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache")
_ADVICE = "leave out `run` to check the syntax only"


class SandboxUnavailableError(UsageError):
    """This machine cannot execute code safely."""


def execute(code: str, *, tests: str = "", seconds: float, megabytes: int) -> Ending:
    """Return how `code`, and then `tests` in the same module, ended. seconds: of processor time and of real time.

    Raises SandboxUnavailableError. Code can end its process with any status, so `finished` is only the code's claim;
    other results are not.
    """
    problem = sandbox_problem()
    if problem:
        raise SandboxUnavailableError(f"{problem}; {_ADVICE}")
    order = {"code": code, "tests": tests, "seconds": math.ceil(seconds), "bytes": megabytes << 20}
    try:
        status = _run(order, seconds, errors=subprocess.DEVNULL).returncode
    except subprocess.TimeoutExpired:
        return "timed-out"
    return _ENDINGS.get(status, "killed")


@cache
def sandbox_problem() -> str | None:
    """Return why code cannot be executed here, as a sentence without a full stop, or None."""
    if shutil.which("bwrap") is None:
        return "found no bwrap: on Linux, install the package bubblewrap; code of a response is executed only in it"
    if seccomp_filter(platform.machine()) is None:
        return f"code of a response is executed only on x86_64 and aarch64, not on {platform.machine()}"
    try:
        tried = _run({"code": "", "tests": "", "seconds": 10, "bytes": 512 << 20}, 20, errors=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return "bubblewrap did not start a sandbox within 20 seconds"
    if tried.returncode != sandbox_program.FINISHED:
        complaint = tried.stderr.decode(errors="replace").strip().split("\n")[-1][:200]
        return f"bubblewrap could not start a sandbox: {complaint or f'exit status {tried.returncode}'}"
    return None


def _run(order: dict[str, object], seconds: float, *, errors: int) -> subprocess.CompletedProcess[bytes]:
    """Run the sandbox. errors: the target of its stderr; untrusted code could write gigabytes to a pipe of ours."""
    program = Path(sandbox_program.__file__).read_text("utf-8")
    rules = seccomp_filter(platform.machine()) or b""
    reader, writer = os.pipe()
    try:
        with os.fdopen(writer, "wb") as filter_end:
            filter_end.write(rules)
        return subprocess.run(  # noqa: S603
            [*_sandbox(), "--seccomp", str(reader), "--", _executable(), "-I", "-S", "-B", "-c", program],
            input=json.dumps(order).encode(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            timeout=seconds,
            pass_fds=(reader,),
            env={},
            cwd="/",
            check=False,
        )
    finally:
        os.close(reader)


def _executable() -> str:
    return str(Path(sys.executable).resolve())


def _sandbox() -> Iterator[str]:
    yield shutil.which("bwrap") or "bwrap"
    yield from ("--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox")
    yield from ("--cap-drop", "ALL", "--clearenv", "--die-with-parent", "--new-session")
    for path in map(Path, _SYSTEM_LIBRARIES):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    standard = sysconfig.get_path("stdlib")
    libraries = Path(sysconfig.get_config_var("LIBDIR") or "/usr/lib")
    yield from ("--ro-bind", _executable(), _executable(), "--ro-bind", standard, standard)
    for name in {sysconfig.get_config_var("LDLIBRARY"), sysconfig.get_config_var("INSTSONAME")} - {None, ""}:
        yield from ("--ro-bind-try", str(libraries / name), str(libraries / name))
    for installed in ("site-packages", "dist-packages"):
        if (Path(standard) / installed).is_dir():
            yield from ("--tmpfs", f"{standard}/{installed}", "--remount-ro", f"{standard}/{installed}")
    yield from ("--size", str(_SCRATCH_BYTES), "--tmpfs", "/tmp", "--chdir", "/tmp", "--remount-ro", "/")  # noqa: S108


# Offsets of the fields in the data for a filter.
_CALL, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _NOT_PERMITTED, _NOT_THERE = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_A_THREAD = 0x00010000
_OTHER_NUMBERING = 0x40000000  # x32 calls on x86-64


class _Machine(msgspec.Struct, frozen=True):
    """The kernel's number of a machine, and of the calls that the filter checks on it."""

    audit: int
    clone: int
    clone3: int
    denied: Sequence[int]


# fork, vfork (not on ARM64), memfd_create, memfd_secret, shmget, msgget, semget, unshare, setns, mount, ptrace, bpf,
# io_uring_setup, userfaultfd, perf_event_open, keyctl, add_key, request_key, process_vm_readv, process_vm_writev
_MACHINES = {
    "x86_64": _Machine(0xC000003E, 56, 435, (57, 58, 319, 447, 29, 68, 64, 272, 308, 165, 101, 321, 425, 323, 298, 250,
                                             248, 249, 310, 311)),
    "aarch64": _Machine(0xC00000B7, 220, 435, (279, 447, 194, 186, 190, 97, 268, 40, 117, 280, 425, 282, 241, 219, 217,
                                               218, 270, 271)),
}  # fmt: skip


def seccomp_filter(machine: str) -> bytes | None:
    """Return the filter as BPF for `machine`, a name of `platform.machine()`; None for an unknown machine."""
    known = _MACHINES.get(machine)
    if known is None:
        return None
    program = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUALS, 1, 0, known.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _CALL),
        (_AT_LEAST, 0, 1, _OTHER_NUMBERING),
        (_RETURN, 0, 0, _KILL),
        # clone3 hides its flags from the filter. Without it, the C library uses clone, which shows them.
        (_EQUALS, 0, 1, known.clone3),
        (_RETURN, 0, 0, _NOT_THERE),
    ]
    for call in known.denied:
        program += [(_EQUALS, 0, 1, call), (_RETURN, 0, 0, _NOT_PERMITTED)]
    program += [
        (_EQUALS, 0, 3, known.clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_HAS_BITS, 1, 0, _A_THREAD),
        (_RETURN, 0, 0, _NOT_PERMITTED),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
