"""What an importer of a format is, and how it says what is wrong with the files: all of it at once, with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from nullbench_site.errors import NullbenchError, Problem, UsageError
from nullbench_site.extensions import does_not_fit, load, registered
from nullbench_site.runs.records import Ended
from nullbench_site.text import did_you_mean, plural


class SourceProblem(msgspec.Struct, frozen=True, order=True):
    """One thing wrong in one file. place: of the value in the file, `runs.C01[0].content`, or empty for all of it."""

    file: str
    place: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.place, self.message) if part)


class ImportRefused(NullbenchError):
    """The files to be imported are broken; `problems` is complete, by file and place. Nothing was written."""

    def __init__(self, problems: Sequence[SourceProblem] | Sequence[Problem], advice: str) -> None:
        self.problems: tuple[SourceProblem | Problem, ...] = tuple(sorted(set(problems)))
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


class Importer(msgspec.Struct, frozen=True):
    """A format of whole benchmarks that `nullbench-site import` knows.

    Packages register theirs, or an AnswersImporter, in the group `nullbench_site.importers`.

    help: what `import <format> --help` says; its first line stands in the list of formats. make: the repository `into`,
    which must be new or empty, from the files in `source`; lenient: without what is broken, instead of refusing all.
    It raises UsageError for folders that will not do, ImportRefused with every problem of every file, StorageError.
    """

    help: str
    make: Callable[[Path, Path, bool], Import]


class BroughtAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that a contestant gave elsewhere, to an item, by its id, or to a prompt, by its words.

    places: line and column of the values by the key they have in the file; "": of what names the item. ended: as in
    Response. seconds and tokens: None where nobody counted. response_id: by which the endpoint knows it.
    """

    item: str | None
    prompt: str | None = None
    text: str
    places: Mapping[str, tuple[int, int]]
    sample: int = 0
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    ended: Ended = "stop"
    response_id: str | None = None


class BroughtFile(msgspec.Struct, frozen=True):
    """What a file of answers holds, and what is wrong with it. generator: whom it says the answers are of.

    lines: how many it has, so that what is missing is told behind the last.
    """

    answers: Sequence[BroughtAnswer]
    problems: Sequence[Problem] = msgspec.field(default_factory=tuple)
    generator: str | None = None
    lines: int = 0


class AnswersImporter(msgspec.Struct, frozen=True):
    """A format of answers that `nullbench-site import` takes into the repository it works in.

    help: as of Importer. read: the answers in a file, given its name for messages and its bytes; it raises nothing.
    """

    help: str
    read: Callable[[str, bytes], BroughtFile]


def formats() -> list[str]:
    """The formats somebody has registered an importer for."""
    return list(registered("importers"))


def importer(name: str) -> Importer | AnswersImporter:
    """The importer of a format. Raises UsageError for one that nobody registered, or that is none."""
    if name not in registered("importers"):
        raise UsageError(f"no importer is called {name!r}; {did_you_mean(name, formats())}")
    registered_as = load("importers", name)
    if not isinstance(registered_as, Importer | AnswersImporter):
        raise does_not_fit("importers", name, TypeError("it is no importer"))
    return registered_as
