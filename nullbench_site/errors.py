"""The errors a user meets. Each prints as one message and carries the exit code of the CLI.

NullbenchError
├── UsageError       a wrong option, name or folder                 exit 2
├── SpecError        spec files that break the rules, all at once   exit 2
├── RunError         a run folder that cannot be read or trusted    exit 2
├── StorageError     the disk refused; what was recorded stays      exit 3
└── StoppedEarly     stopped before the end, resumable              exit 3

The command line makes one message of any other error; --debug shows its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from nullbench_site.text import plural


class NullbenchError(Exception):
    """Something the user can put right; the CLI prints it without a traceback."""

    exit_code = 2


class UsageError(NullbenchError):
    """The command line or the folder it points at is not what the command needs."""


Rule = Literal[
    "files", "text", "credentials", "yaml", "schema", "names", "goals", "items", "private", "protocol", "judges",
    "contestants", "endpoints", "boards", "ledger",
]  # fmt: skip
"""What kind of rule a problem breaks. Programs know problems by these names: none is ever given to another kind."""

RULES: Mapping[Rule, str] = MappingProxyType(
    {
        "files": "Every spec stands in its place, and nothing else does",
        "text": "A file is readable text in which nothing is hidden or cut off",
        "credentials": "No credential stands in a spec",
        "yaml": "A file is YAML that every reader takes alike",
        "schema": "Keys and values are of their type",
        "names": "Ids and canaries are there once, and files are called by ids",
        "goals": "Goals name axes that there are",
        "items": "Items are whole, and each is there once",
        "private": "The text of a private item is hidden, and is the one that its hash names",
        "protocol": "Items, domains and templates are what their protocol needs",
        "judges": "Judges can be asked, and panels can vote",
        "contestants": "Contestants can be asked",
        "endpoints": "Endpoints are defined and sound, and prices have a day",
        "boards": "Boards can be scored",
        "ledger": "The ledger tells of what is there or was withdrawn, day by day",
    }
)


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong at one place of one spec file. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    message: str
    rule: Rule = field(default="schema", compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def breaking(rule: Rule, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Name the kind of rule of problems that have none yet."""
    return (replace(problem, rule=rule) if problem.rule == "schema" else problem for problem in problems)


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


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the name of a file or folder to an unexpected error about its content."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, NullbenchError):
            error.add_note(f"while reading {path}")
        raise
