"""The data of the study of judging prompts: its candidates, its items, and how they are halved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from nullbench_site.extensions import registered
from nullbench_site.packaged import data_text
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.judging_prompts import prompt_file
from nullbench_site.specs.types import PREFIX as CONTROL
from nullbench_site.specs.types import FloorKind

RIGHT, WRONG = "right", "wrong"
"""The contestants of every study: the reference, and a damaged one or another item's answer. Those that must not win
have the names of FLOOR, and of the attacks in the data."""
HALF, WORSE = "half", "worse"
"""Half of the right response, and half of the wrong one, on the items of the half that reports."""
ORDER = ((RIGHT, HALF), (RIGHT, WRONG), (RIGHT, WORSE), (HALF, WORSE), (WRONG, WORSE))
"""Pairs of which the first response is better. Of half and wrong it is not known."""
PREFIX = "prompts-"
"""Before the id of a board, in the id of its study."""
QUESTIONS = "questions"
"""The method of judges that are asked short questions; the ending of the board's id and of the judge's."""


class StudiedPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A prompt with a form of reply. tokens: beyond the texts. defences: of the full prompt; others name their own."""

    prompt: str
    reply: str
    tokens: int
    defences: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return prompt_id(self.prompt, self.reply)


def prompt_id(prompt: str, reply: str) -> str:
    """Return the name of a prompt with a form of reply."""
    return f"{prompt}.{reply}"


class StudiedBoards(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board of a study: its own settings, and its prompts."""

    candidates: tuple[StudiedPrompt, ...]
    settings: dict[str, Any] = {}


class StudiedQuestions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The short questions of a protocol. tokens: of a question, beyond the texts. defences: those that it has.

    unless_shown: the method if no difference between questions and the chosen prompt is shown.
    """

    tokens: int
    defences: tuple[str, ...]
    unless_shown: Literal["questions", "verdict"]


class ProtocolStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of prompts/study.yaml of a protocol. boards: by the ending of their id. yes_from: of yes or no, the
    value from which a response counts as right."""

    most_tokens: int
    boards: dict[str, StudiedBoards]
    questions: StudiedQuestions | None = None
    yes_from: float | None = None

    @property
    def candidates(self) -> tuple[StudiedPrompt, ...]:
        return tuple(each for board in self.boards.values() for each in board.candidates)

    @property
    def has_baseline(self) -> bool:
        return any("baseline" in board.settings for board in self.boards.values())

    @property
    def has_few_items(self) -> bool:
        """Return True if the domains of a study have only its own items, because something answers all of them."""
        return self.has_baseline or self.questions is not None


@cache
def protocol_studies() -> Mapping[str, ProtocolStudy]:
    """Return the study of each protocol that has one."""
    files = {name: prompt_file(name, "study.yaml") for name in registered("protocols")}
    return {
        name: msgspec.yaml.decode(path.read_bytes(), type=ProtocolStudy)
        for name, path in files.items()
        if path.is_file()
    }


class QuestionAttack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attack on a judge that is asked short questions, as data. control: the control that is this attack, or None.

    of: what `each` is repeated for.
    """

    id: str
    letter: str
    means: str
    before: str = ""
    of: Literal["criteria", "sentences"] | None = None
    each: str = ""
    between: str = ""
    after: str = ""
    control: FloorKind | None = None

    @property
    def case(self) -> str:
        """Return the contestant or control of a board of questions that gives this response."""
        return self.id if self.control is None else f"{CONTROL}{self.control}"

    def text(self, task: str, criteria: Sequence[str], sentences: Sequence[str]) -> str:
        """Return the response. task: the prompt of the item. sentences: those of its wrong response."""
        about = {"criteria": criteria, "sentences": sentences, None: ()}[self.of]
        repeated = self.between.join(self.each.replace("{it}", each.strip().rstrip(".!?")) for each in about)
        return f"{self.before.replace('{task}', task)}{repeated}{self.after}"


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of data/judging-study.yaml. claims: in place of the criteria of an item without any."""

    version: int
    salt: str
    items: int
    attack_items: int
    claims: tuple[str, ...]
    question_attacks: tuple[QuestionAttack, ...]

    def order(self, item: str) -> str:
        """Return what items are sorted by: a hash, the same on every machine."""
        return sha256(f"{self.salt}\n{item}".encode())

    def selects(self, item: str) -> bool:
        """Return True if an item is in the half that chooses the prompt, False if in the half that reports it."""
        return int(self.order(item)[-1], 16) % 2 == 0


@cache
def study() -> Study:
    """Return the packaged study."""
    return msgspec.yaml.decode(data_text("judging-study.yaml"), type=Study)


def judge_id(judge: str, prompt: StudiedPrompt) -> str:
    """Return the id of a judge with a prompt."""
    return f"{judge}.{prompt.id}"


def asker_id(judge: str) -> str:
    """Return the id of a judge that is asked short questions."""
    return f"{judge}.{QUESTIONS}"
