"""The errors a user meets. Each prints as one message and carries the exit code of the CLI.

NullbenchError
├── UsageError       a wrong option, name or folder                 exit 2
├── SpecError        spec files that break the rules, all at once   exit 2
├── RunError         a run folder that cannot be read or trusted    exit 2
├── StorageError     the disk refused; what was recorded stays      exit 3
└── StoppedEarly     stopped before the end, resumable              exit 3

Anything else is a bug and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nullbench_site.text import plural


class NullbenchError(Exception):
    """Something the user can put right; the CLI prints it without a traceback."""

    exit_code = 2


class UsageError(NullbenchError):
    """The command line or the folder it points at is not what the command needs."""


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong at one place of one spec file. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class SpecError(NullbenchError):
    """One or more spec files break the rules; `problems` is in file order and complete."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        lines = [str(problem) for problem in self.problems]
        super().__init__("\n".join([*lines, f"{plural(len(self.problems), 'problem')} in the specs"]))


class RunError(NullbenchError):
    """A run folder is damaged, incomplete, or of a format this version cannot read."""


class StorageError(NullbenchError):
    """Reading or writing failed for a reason outside the program: full, read-only, missing."""

    exit_code = 3


class StoppedEarly(NullbenchError):
    """The work stopped before its end and the next build goes on from there."""

    exit_code = 3
