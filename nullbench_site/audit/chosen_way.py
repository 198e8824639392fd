"""How a judge is asked: what a study of judging prompts chose for it, read from specs/screening/JUDGE.yaml."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.endpoints.model_files import catalogue
from nullbench_site.specs.judging_prompts import FULL, prompts_of, replies_of, reply_tokens
from nullbench_site.specs.listing import SCREENING
from nullbench_site.specs.types import Method, QuestionValue


class _Named(msgspec.Struct, frozen=True):
    name: str


class _Asked(msgspec.Struct, frozen=True):
    method: Method


class _Board(msgspec.Struct, frozen=True):
    protocol: str
    choice: _Named | None = None
    value: QuestionValue | None = None
    method: _Asked | None = None


class Screening(msgspec.Struct, frozen=True):
    """What is read of a file specs/screening/JUDGE.yaml."""

    judge: str
    model: str
    boards: tuple[_Board, ...]


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How a judge is asked: by short questions, or by a prompt with a form of reply. source: the file that says so.

    prompt, reply: None if the judge's boards have different ones, so that only questions are the same for all.
    """

    method: Method
    prompt: str | None
    reply: str | None
    value: QuestionValue | None
    source: str

    def fields(self, protocols: Collection[str]) -> dict[str, str]:
        """Return the fields of judges.yaml. protocols: of the judge's boards."""
        if self.method == "questions" or self.prompt is None or self.reply is None:
            return {"method": self.method, **({} if self.value in (None, "relative") else {"value": str(self.value)})}
        default = all(replies_of(name, self.prompt)[0] == self.reply for name in protocols)
        return {"prompt": self.prompt, **({} if self.prompt == FULL and default else {"reply": self.reply})}

    def tokens(self, protocols: Collection[str]) -> int:
        """Return the limit on output tokens of a model that does not think first."""
        if self.method == "questions" or self.prompt is None:
            return 1
        return reply_tokens(sorted(protocols), self.prompt, self.reply)

    @property
    def by_verdict(self) -> Way | None:
        """Return the chosen prompt, without short questions; None if it is not the same on all boards."""
        return None if self.prompt is None else msgspec.structs.replace(self, method="verdict")


def screenings(specs: Path) -> Iterator[tuple[str, Screening]]:
    """Yield the results of studies in a folder of specs, by the name of their file.

    Raises UsageError for a file that cannot be read.
    """
    folder = specs / SCREENING
    for path in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
        name = f"specs/{SCREENING}/{path.name}"
        try:
            yield name, msgspec.yaml.decode(path.read_bytes(), type=Screening)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            advice = "write it again with `nullbench-site screen-judges --prompts`, or remove it"
            raise UsageError(f"{name}: {' '.join(str(error).split())}; {advice}") from error


def way_of(screening: Screening, protocols: Collection[str], source: str) -> Way | None:
    """Return how a study says that a judge of boards of these protocols is asked; None unless it says one way for all.

    Short questions are chosen only if they are for each of the protocols.
    """
    boards = {board.protocol: board for board in screening.boards if board.choice is not None}
    if not protocols or not boards.keys() >= {*protocols}:
        return None
    own = [boards[name] for name in protocols]
    asked = all(board.method is not None and board.method.method == "questions" for board in own)
    names = {board.choice.name for board in own if board.choice is not None}
    if len(names) > 1 and not asked:
        return None
    prompt, _, reply = min(names).rpartition(".")
    for name in protocols if len(names) == 1 else ():
        if prompt not in (FULL, *prompts_of(name)) or reply not in replies_of(name, prompt):
            raise UsageError(f"{source}: {name} has no prompt {prompt!r} with the reply {reply!r}; measure again")
    values = {board.value for board in own}
    return Way(
        method="questions" if asked else "verdict",
        prompt=prompt if len(names) == 1 else None,
        reply=reply if len(names) == 1 else None,
        value=values.pop() if len(values) == 1 else None,
        source=source,
    )


def chosen_way(own: Path, shipped: Path, model: str, protocols: Collection[str], *, is_local: bool) -> Way | None:
    """Return how a model that judges is asked: as its study says, in a folder of specs or in the shipped one.

    is_local: its endpoint is on this machine. Such a model, and one of the catalogue, is asked as the shipped study of
    the largest model of the catalogue says, if none is about itself. Others have no choice: None. Raises UsageError for
    a file that cannot be read.
    """
    sizes = {each.name: each.size for each in catalogue().values()}
    of_shipped = list(screenings(shipped))
    for source, screening in (*screenings(own), *of_shipped):
        if screening.model == model:
            return way_of(screening, protocols, source)
    measured = [(sizes[each.model], source, each) for source, each in of_shipped if each.model in sizes]
    if not measured or not (is_local or model in sizes):
        return None
    _, source, screening = max(measured, key=lambda found: found[0])
    return way_of(screening, protocols, source)
