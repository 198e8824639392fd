"""The interface of importers: their input, their report, and their refusal of broken files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from nullbench_site.errors import NullbenchError, UsageError
from nullbench_site.extensions import does_not_fit, load, registered
from nullbench_site.repository import Repository
from nullbench_site.runs.records import Ended
from nullbench_site.text import did_you_mean, plural


class SourceProblem(msgspec.Struct, frozen=True, order=True):
    """One problem in an imported file.

    line: 1-based, or 0 for the whole file. path: the key path of the value, such as `runs.C01[0].content`, or "".
    """

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(filter(None, (place, self.path, self.message)))


class ImportRefused(NullbenchError):
    """The imported files are broken and nothing was written. `problems` is complete and sorted."""

    def __init__(self, problems: Iterable[SourceProblem], advice: str) -> None:
        self.problems = tuple(sorted(set(problems)))
        counted = plural(len(self.problems), "problem")
        super().__init__("\n".join([*map(str, self.problems), f"{counted}; nothing was written. {advice}"]))


class ImportReport(Protocol):
    """The report of an import: a msgspec Struct, which `--json` prints."""

    @property
    def directory(self) -> str:
        """Return the path of the new repository."""
        ...

    @property
    def run(self) -> str:
        """Return the name of its run."""
        ...

    @property
    def skipped(self) -> Sequence[str]:
        """Return the broken data that were left out, one line each."""
        ...

    def lines(self) -> Iterable[str]:
        """Return the lines to print between the skipped data and the place of the run."""
        ...


class Importer(msgspec.Struct, frozen=True):
    """A format of whole benchmarks for `nullbench-site import`.

    Packages register an Importer, a TableImporter, an AnswersImporter or a LabelsImporter in the entry point group
    `nullbench_site.importers`.

    help: the text of `import <format> --help`; the list of formats shows its first line.
    make(source, into, lenient): make the repository `into`, a new or empty folder, from the files in `source`. If
    lenient, leave out broken data instead of refusing everything. It raises UsageError for unusable folders,
    ImportRefused with every problem of every file, and StorageError.
    """

    help: str
    make: Callable[[Path, Path, bool], ImportReport]


class TableImporter(msgspec.Struct, frozen=True):
    """A format of tables of scores for `nullbench-site import`, which makes a board of a table.

    help: as in Importer. make(file, options): make or update the board; the options are those of the command, by name.
    It raises UsageError for unusable tables and folders, ImportRefused if the specs would break a rule, and
    StorageError.
    """

    help: str
    make: Callable[[str, Mapping[str, Any]], ImportReport]


class LabelsReport(msgspec.Struct, frozen=True):
    """What an import of labels did. n: labels of the sheet; n_left: its rows without a value; n_added: new labels."""

    file: str
    n: int
    n_left: int
    n_added: int

    def lines(self) -> Sequence[str]:
        """Return the lines to print."""
        left = f"; {plural(self.n_left, 'row')} without a value left out" if self.n_left else ""
        return [f"{plural(self.n, 'label')}, {self.n_added} of them new{left}", f"wrote {self.file}"]


class LabelsImporter(msgspec.Struct, frozen=True):
    """A format of labels for `nullbench-site import`, which adds them to the current repository.

    help: as in Importer. make(repository, file, options): add the labels; the options are those of the command, by
    name. It raises ImportRefused, UsageError, SpecError and StorageError.
    """

    help: str
    make: Callable[[Repository, Path, Mapping[str, Any]], LabelsReport]


class FileAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a file: to an item by its id, or else to a prompt by its text.

    line: 1-based line of the answer in its file, or 0. ended, reasoning: as in Response. seconds and tokens: None if
    unknown. response_id: the endpoint's id of the response. model: whose answer it is, if a file has several.
    """

    item: str | None
    prompt: str | None = None
    text: str
    line: int
    sample: int = 0
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    ended: Ended = "stop"
    reasoning: str = ""
    response_id: str | None = None
    model: str | None = None


class AnswersFile(msgspec.Struct, frozen=True):
    """The answers of a file and its problems. generator: the model that the file names. lines: how many it has."""

    answers: Sequence[FileAnswer]
    problems: Sequence[SourceProblem] = ()
    generator: str | None = None
    lines: int = 0


class AnswersImporter(msgspec.Struct, frozen=True):
    """A format of answers for `nullbench-site import`, which adds them to the current repository.

    help: as in Importer. read(name, raw): return the answers in a file, given its name for messages and its bytes; it
    raises nothing.
    """

    help: str
    read: Callable[[str, bytes], AnswersFile]


def formats() -> list[str]:
    """Return the names of all registered formats."""
    return list(registered("importers"))


def importer(name: str) -> Importer | TableImporter | AnswersImporter | LabelsImporter:
    """Return the importer of a format. Raises UsageError for an unknown format and for an invalid entry point."""
    if name not in registered("importers"):
        raise UsageError(f"unknown format {name!r}; {did_you_mean(name, formats())}")
    registered_as = load("importers", name)
    if not isinstance(registered_as, Importer | TableImporter | AnswersImporter | LabelsImporter):
        kinds = "an Importer, a TableImporter, an AnswersImporter or a LabelsImporter"
        raise does_not_fit("importers", name, TypeError(f"it is not {kinds}"))
    return registered_as
