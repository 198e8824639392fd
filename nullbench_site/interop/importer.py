"""What an importer of a format is, and how it says what is wrong with the files: all of it at once, with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nullbench_site.errors import NullbenchError, UsageError
from nullbench_site.extensions import load, registered
from nullbench_site.text import did_you_mean, plural


@dataclass(frozen=True, order=True)
class SourceProblem:
    """One thing wrong in one file. place: of the value in the file, `runs.C01[0].content`, or empty for all of it."""

    file: str
    place: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.place, self.message) if part)


class ImportRefused(NullbenchError):
    """The files to be imported are broken; `problems` is complete, by file and place. Nothing was written."""

    def __init__(self, problems: Sequence[SourceProblem], advice: str) -> None:
        self.problems = tuple(sorted(set(problems)))
        lines = [str(problem) for problem in self.problems]
        counted = plural(len(self.problems), "problem")
        super().__init__("\n".join([*lines, f"{counted}; nothing was written. {advice}"]))


class Import(Protocol):
    """What an import made: a msgspec Struct, which is what `--json` prints."""

    @property
    def directory(self) -> str:
        """The repository that was made."""
        ...

    @property
    def run(self) -> str:
        """The name of its run."""
        ...

    @property
    def skipped(self) -> Sequence[str]:
        """What was broken and left out, a line each."""
        ...

    def lines(self) -> Iterable[str]:
        """What to say of it, between what was skipped and where the run is."""
        ...


@dataclass(frozen=True)
class Importer:
    """A format that `nullbench-site import` knows. Packages register theirs in the group `nullbench_site.importers`.

    help: what `import <format> --help` says; its first line stands in the list of formats. make: the repository `into`,
    which must be new or empty, from the files in `source`; lenient: without what is broken, instead of refusing all.
    It raises UsageError for folders that will not do, ImportRefused with every problem of every file, StorageError.
    """

    help: str
    make: Callable[[Path, Path, bool], Import]


def formats() -> list[str]:
    """The formats somebody has registered an importer for."""
    return list(registered("importers"))


def importer(name: str) -> Importer:
    """The importer of a format. Raises UsageError for one that nobody registered."""
    if name not in registered("importers"):
        raise UsageError(f"no importer is called {name!r}; {did_you_mean(name, formats())}")
    registered_as: Importer = load("importers", name)
    return registered_as
