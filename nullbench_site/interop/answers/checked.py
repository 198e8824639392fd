"""What there is to say of a submission: findings with their places, what it answers, and whether it can be taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from nullbench_site.specs.types import Provenance
from nullbench_site.text import plural

Level: TypeAlias = Literal["error", "warning", "note"]


class Finding(msgspec.Struct, frozen=True):
    """One thing that was found. An error: the submission cannot be taken. Lines and columns count from 1."""

    level: Level
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.level}: {self.message}"


class Coverage(msgspec.Struct, frozen=True):
    """How many of a board's items have every answer that it asks for; private: by hash alone."""

    board: str
    answered: int
    of: int
    private: int


class Checked(msgspec.Struct, frozen=True):
    """What `submit check --json` prints. sha256: of the file of answers; answers: how many; response_ids: how many of
    them have one; null where nobody looked at them, since the model file does not hold.

    taken: whether nothing of it is in the way of taking it. more: findings that are not told one by one.
    """

    model: str
    title: str
    family: str
    provenance: Provenance | None
    sha256: str | None
    answers: int | None
    response_ids: int | None
    boards: tuple[Coverage, ...]
    findings: tuple[Finding, ...]
    more: int
    taken: bool

    def lines(self) -> Iterator[str]:
        """A line a finding, and what it comes to."""
        yield from map(str, self.findings)
        if self.more:
            yield f"{plural(self.more, 'more finding')}"
        for board in self.boards:
            hidden = f", {board.private} of them private and by their hashes alone" if board.private else ""
            yield f"{board.board}: {board.answered} of {plural(board.of, 'item')} answered{hidden}"
        if self.sha256 is None or self.answers is None:
            yield f"{self.model}: its answers were not looked at"
        else:
            ids = f"{self.response_ids} of {plural(self.answers, 'answer')} with a response id"
            yield f"{self.model}: {ids}; file {self.sha256[:19]}; provenance claimed: {self.provenance or 'nothing'}"
        errors = sum(finding.level == "error" for finding in self.findings)
        yield "it can be taken" if self.taken else f"it cannot be taken: {plural(errors, 'error')}"
