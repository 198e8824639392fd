"""The specs of the `graded` protocol: prompts of one turn or two, with optional reference answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from nullbench_site.answer_keys import AnyKey, right_answer
from nullbench_site.errors import Problem
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.protocol import PROMPT, REFERENCE, Column, ProtocolSpecs, Starter
from nullbench_site.specs.sources import Problems, SpecFile, SpecFiles, each_item
from nullbench_site.specs.types import (
    Category,
    DomainFile,
    Drawn,
    Item,
    JudgedBoardFile,
    PrivateText,
    PromptItem,
    PromptText,
    Prose,
)
from nullbench_site.text import did_you_mean, plural

TURNS = 2
References = Annotated[
    tuple[Prose, ...],
    Meta(
        min_length=1,
        max_length=TURNS,
        description="A right answer to each turn. Judges see them, and controls are made from them.",
    ),
]


class GradedText(PromptText, frozen=True, kw_only=True):
    """A line of a private file of the `graded` protocol."""

    references: References | None = None


class GradedItem(PromptItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt, or two turns, with optional reference answers."""

    text_type: ClassVar[type[PrivateText]] = GradedText
    references: References | None = None


class GradedCategory(Category, frozen=True, kw_only=True):
    """A group of prompts."""

    items: tuple[GradedItem, ...] = ()


class GradedDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `graded` protocol."""

    protocol: Literal["graded"]
    categories: Annotated[tuple[GradedCategory, ...], Meta(min_length=1)]


class GradedBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `graded` protocol. Its domains may be of `oracle` too: judges are shown a right answer."""

    protocol: Literal["graded"]
    judged: Annotated[
        Drawn | None, Meta(description="The answers that judges see, if not all. Then no contestant has a rank.")
    ] = None
    right_from: (
        Annotated[
            float,
            Meta(
                gt=0,
                le=1,
                description="For judges of short questions: the probability of yes from which an answer is right and "
                "has the grade 10; below it has 1. Without this, the grade is 1 + 9 x the value of the answer.",
            ),
        ]
        | None
    ) = None


@dataclass(frozen=True)
class GradedPlacedItem(PlacedItem):
    """A prompt with its text, which a private item has in a private file.

    references: one per turn, or none. source: the text that an item of `oracle` is about, or empty.
    """

    prompt: str = ""
    references: tuple[str, ...] = ()
    source: str = ""

    @property
    def cluster(self) -> str:
        """What standard errors cluster by: the source text, or without one the item."""
        return f"source {self.source}" if self.source else f"item {self.id}"

    @property
    def asked(self) -> str:
        """The prompt as judges see it: after its source."""
        return f"{self.source}\n\n{self.prompt}" if self.source else self.prompt

    @property
    def reference(self) -> str:
        """The reference answer to this turn; empty without one."""
        return self.references[self.turn - 1] if self.references else ""


def _data(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an item of one turn."""
    reference = fields.pop("reference", None)
    return fields if reference is None else {**fields, "references": [reference]}


@lru_cache(maxsize=4096)
def _right_answer(key: bytes) -> str | None:
    """Return an answer that a key marks as right; None if it does not name one. key: as JSON."""
    return right_answer(msgspec.json.decode(key, type=AnyKey))


class GradedSpecs(ProtocolSpecs):
    """The specs of the `graded` protocol."""

    board = GradedBoardFile
    domain = GradedDomainFile
    item = GradedItem
    placed = GradedPlacedItem
    has_questions = True
    starter = Starter(
        example="two-turns",
        domains=("conversations",),
        board={
            "question": "How good are the answers to these prompts?",
            "description": "Grades of 1 to 10, averaged over the prompts.",
            "construct": "capability",
            "panel": "rules-rubric",
        },
        columns=(
            PROMPT,
            Column("reference", "a right answer", names=REFERENCE),
        ),
        item=_data,
    )
    variables: ClassVar[Mapping[str, bool]] = {"prompt": True, "source": False}

    def places(self, kind: type[Item]) -> bool:
        """Return True for its own items, and for items with a key."""
        return kind is self.item or "key" in kind.__struct_fields__

    def place(self, benchmark: Benchmark, item: Any, category: Any, domain: Any, text: Any) -> GradedPlacedItem:
        """Return an item on a board; one of `oracle` with an answer that its key marks as right."""
        references, source = getattr(text, "references", None) or (), getattr(item, "source", None)
        if getattr(text, "key", None) is not None and text.turns is None:
            answer = _right_answer(msgspec.json.encode(text.key))
            references = () if answer is None else (answer,)
        source = "" if source is None else domain.sources[source]
        return GradedPlacedItem(item, category, domain, text.prompt or "", references, source, salt=text.salt)

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        domains = [source for source in files.domains if isinstance(source.spec, GradedDomainFile)]
        for _, item, problem in each_item(domains):
            yield from _fits(item, problem)
        for source in domains:
            for line in files.private.get(source.spec.id, ()):
                yield from _fits(line.text, line.document.problem)
        for board in files.boards:
            if isinstance(board.spec, GradedBoardFile) and board.spec.judged is not None:
                yield from _drawn(files, board, board.spec.judged)
            if isinstance(board.spec, GradedBoardFile) and board.spec.right_from is not None:
                yield from _right_or_wrong(files, board)


def _fits(text: Any, problem: Problems) -> Iterator[Problem]:
    """Check that no turn is without a grade, and that each turn or none has a reference answer."""
    turns = text.turns if isinstance(text.turns, int) else len(text.turns or ("",))
    if turns > TURNS:
        message = f"found {turns} turns; this protocol grades {TURNS} at most"
        yield problem(["turns"], f"{message}; remove the others")
    elif text.references is not None and len(text.references) != turns:
        counted = f"{len(text.references)} for {turns}"
        yield problem(["references"], f"expected one reference answer per turn, or none; found {counted}")


def _right_or_wrong(files: SpecFiles, board: SpecFile[Any]) -> Iterator[Problem]:
    """Check that a board with `right_from` has judges of short questions, and right answers to compare with."""
    asking = {judge.id for judge in files.all_judges if judge.asks_questions}
    named = {board.spec.panel, *(profile.panel for profile in board.spec.profiles.values())}
    if not any(asking.intersection(panel.judges) for panel in files.panels if panel.id in named):
        message = "`right_from` has no effect: no panel of the board has judges with `method: questions`"
        yield board.document.problem(["right_from"], f"{message}; remove it", at_key=True)
        return
    for _, item, problem in each_item(each for each in files.domains if each.spec.id in board.spec.domains):
        key = getattr(item, "key", None)
        known = getattr(item, "references", None) or (key and _right_answer(msgspec.json.encode(key)))
        if item.visibility != "private" and not known:
            message = f"item {item.id!r} has no right answer, and board {board.spec.id!r} has `right_from`"
            yield problem(["id"], f"{message}; add `references`, or remove `right_from`")


def _drawn(files: SpecFiles, board: SpecFile[Any], drawn: Drawn) -> Iterator[Problem]:
    """Check that a sample of answers names every contestant that is no null model, and has as many answers."""
    entered = files.of_board(board.spec.contestants)
    models = {model.spec.id: model.spec.kind for model in entered}
    for model in entered:
        if board.spec.id in model.spec.unanswered:
            message = f"a sample is drawn of all answers, but some of {model.spec.id!r} were not imported"
            yield board.document.problem(["contestants"], f"{message}; import the rest")
    for name in drawn.answers:
        if name not in models:
            message = f"board {board.spec.id!r} has no contestant {name!r}; {did_you_mean(name, models)}"
            yield board.document.problem(["judged", "answers", name], message)
    for name, kind in models.items():
        if kind != "null" and name not in drawn.answers:
            message = f"no answer of {name!r} is judged; add it with a number, or remove the contestant"
            yield board.document.problem(["judged", "answers"], message)
    domains = [domain for domain in files.domains if domain.spec.id in board.spec.domains]
    n_items = sum(1 for _ in each_item(domains))
    pools = [(["judged", "answers", name], n, n_items) for name, n in drawn.answers.items()]
    n_null = len(models.keys() - drawn.answers.keys())
    for steps, n, pool in [*pools, (["judged", "null_models"], drawn.null_models, n_items * n_null)]:
        if n > pool:
            yield board.document.problem(steps, f"found {n}, and there are {plural(pool, 'answer')}; lower it")


SPECS = GradedSpecs()
