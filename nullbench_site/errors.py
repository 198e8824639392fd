"""The errors for users. Each prints as one message and has the exit code of the CLI.

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
    """An error that the user can fix; the CLI prints it without a traceback."""

    exit_code = 2


class UsageError(NullbenchError):
    """A wrong option, name or folder."""


Rule = Literal[
    "files", "text", "credentials", "yaml", "schema", "names", "goals", "items", "private", "protocol", "judges",
    "contestants", "endpoints", "boards", "ledger", "publication",
]  # fmt: skip
"""The kind of rule that a problem breaks. Programs use these names: a name never changes its meaning."""

RULES: Mapping[Rule, str] = MappingProxyType(
    {
        "files": "Every spec is in its folder, and nothing else is",
        "text": "Files are readable text without hidden characters",
        "credentials": "Specs contain no credentials",
        "yaml": "Files are unambiguous YAML or JSON",
        "schema": "Keys are known and values have their type",
        "names": "Ids and canaries are unique, and files are named by id",
        "goals": "Goals name existing axes",
        "items": "Items are complete and unique",
        "private": "Private texts are hidden and match their hashes",
        "protocol": "Items and domains follow the rules of their protocol",
        "judges": "Judges can run, and panels can vote",
        "contestants": "Contestants can run",
        "endpoints": "Endpoints are defined and valid, and prices have a date",
        "boards": "Boards can be scored, and their templates filled in",
        "ledger": "The ledger is in order and agrees with the specs",
        "publication": "Boards report what a comparative claim needs",
    }
)


@dataclass(frozen=True, order=True)
class Problem:
    """One problem at one position of a spec file. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    message: str
    rule: Rule = field(default="schema", compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def breaking(rule: Rule, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Set the kind of rule of problems that have none yet."""
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
    """Reading or writing failed: the disk is full, read-only or missing."""

    exit_code = 3


class StoppedEarly(NullbenchError):
    """The work stopped early; the next build resumes it."""

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
