"""What is wrong with files of another program: all of it at once, each with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nullbench_site.errors import NullbenchError
from nullbench_site.text import plural


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
        super().__init__("\n".join([*lines, f"{plural(len(self.problems), 'problem')}; nothing was written. {advice}"]))
