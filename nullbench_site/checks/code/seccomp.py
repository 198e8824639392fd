"""A filter of system calls for the sandbox: no new processes, no memory that limits do not count, no kernel tools."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

# Where the fields stand in what the kernel shows a filter.
_CALL, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _NOT_PERMITTED, _NOT_THERE = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_A_THREAD = 0x00010000
_OTHER_NUMBERING = 0x40000000  # x32 calls on x86-64


@dataclass(frozen=True)
class _Machine:
    """The kernel's number of a machine, and those of the calls the filter knows on it."""

    audit: int
    clone: int
    clone3: int
    denied: Sequence[int]


# fork, vfork (not on ARM64), memfd_create, memfd_secret, shmget, msgget, semget, unshare, setns, mount, ptrace, bpf,
# io_uring_setup, userfaultfd, perf_event_open, keyctl, add_key, request_key, process_vm_readv, process_vm_writev
_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        56,
        435,
        (57, 58, 319, 447, 29, 68, 64, 272, 308, 165, 101, 321, 425, 323, 298, 250, 248, 249, 310, 311),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        220,
        435,
        (279, 447, 194, 186, 190, 97, 268, 40, 117, 280, 425, 282, 241, 219, 217, 218, 270, 271),
    ),
}


def seccomp_filter(machine: str) -> bytes | None:
    """The filter as BPF for `machine`, as `platform.machine()` names it; None for one it has no numbers of."""
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
        # The C library falls back to clone, which shows what it makes; clone3 does not.
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
