"""What is published of the items and answers of a board, whichever its protocol.

A protocol adds what is peculiar to it in a class of its own, by `BoardEvidence`. What a private item asks, what was
answered to it and what judges said of that is taken away here, before that class could tell of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType
from msgspec.structs import fields, replace

from nullbench_site.runs.records import CheckResult, Response, Score
from nullbench_site.scoring.results import ItemRow
from nullbench_site.site.views import BoardView
from nullbench_site.specs.benchmark import PlacedItem

MOST_REASONING = 2_000
"""Characters of what a model thought that are published; the record has all. Thoughts can be longer than the rest."""

ScoreT = TypeVar("ScoreT")
SampleT = TypeVar("SampleT")
VerdictT = TypeVar("VerdictT", bound="Verdict")
ViewT = TypeVar("ViewT", bound=BoardView)
PlacedT = TypeVar("PlacedT", bound=PlacedItem)
RowT = TypeVar("RowT", bound=ItemRow)


class CallDetails(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What endpoints tell of a call, where it is told: programs tell nothing, and their shards stay small.

    reasoning: its beginning; reasoning_length: of all of it, where that is more. The rest as in a record.
    """

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    served_model: str | None = None
    ended: str = "stop"
    reasoning: str = ""
    reasoning_length: int | None = None

    def __post_init__(self) -> None:
        if (length := len(self.reasoning)) > MOST_REASONING:
            self.reasoning, self.reasoning_length = self.reasoning[:MOST_REASONING], length


class Said(CallDetails, kw_only=True, omit_defaults=True):
    """What a contestant answered at one turn. text: absent where it is not in the data."""

    state: str
    text: str | UnsetType = UNSET
    error: str | UnsetType | None = UNSET
    seconds: float | UnsetType | None = UNSET
    started_at: str | UnsetType = UNSET
    key: str | UnsetType = UNSET


class Sample(Said, kw_only=True, omit_defaults=True):
    """One answer of a contestant. hidden: it is private, and what could tell of its text is not there. before: what it
    answered at earlier turns; the answer itself is that to the last turn that it was asked.
    """

    sample: int
    hidden: bool = False
    before: list[Said] = []


class Verdict(CallDetails, kw_only=True, omit_defaults=True):
    """What one judge said of an answer; of a private one its scores alone."""

    judge: str
    state: str
    scores: dict[str, Score]
    invalid: dict[str, str] | UnsetType = UNSET
    rationale: str | UnsetType = UNSET
    raw: str | UnsetType | None = UNSET
    error: str | UnsetType | None = UNSET
    seconds: float | UnsetType | None = UNSET
    key: str | UnsetType = UNSET
    repaired: str | None = None


class Answer(msgspec.Struct, Generic[ScoreT, SampleT]):
    """What a contestant answered to an item. score: over its samples; null where none can be worked out yet."""

    score: ScoreT | None
    samples: list[SampleT]


class ListedScore(msgspec.Struct):
    """A score as a list of answers shows it.

    score: 0-100. apart: how far judges are apart, in the unit of the board. failed: types of checks.
    """

    state: str
    score: float | None = None
    apart: float | None = None
    failed: Sequence[str] = ()


class Apart(msgspec.Struct):
    """The disagreement of judges on an answer: highest less lowest score, in which unit, and how much it can be."""

    unit: str
    most: float


class Titles(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What the explorer calls things on a board, by id. A protocol that has more of them adds fields."""

    checks: dict[str, str] = {}


class ItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An item as it was asked; of a private one its hash alone."""

    category: str
    difficulty: str
    visibility: str | UnsetType = UNSET
    hash: str | UnsetType | None = UNSET
    salt: str | UnsetType | None = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    turns: tuple[str, ...] | UnsetType = UNSET


class ScoreShown(msgspec.Struct):
    """The score of an answer: 0-100."""

    state: str
    score: float | None


class SampleShown(Sample, kw_only=True, omit_defaults=True):
    """An answer with what each judge said of it."""

    verdicts: list[Verdict]


class BoardEvidence(Generic[ViewT, PlacedT, RowT]):
    """What the evidence of a board says. The class of a protocol puts its own in the place of what follows here.

    item_type, score_type, sample_type: what is published of an item, of the score of an answer, and of each sample; an
    item has the fields of `ItemShown`, of which a private one leaves some out. verdict_type: what is read of a
    Judgment, and what `sample_fields` adds to it. titles_type: what `titles` gives.
    states: how answers can end, and what that is called; the last is that of an answer without a score yet. apart: how
    disagreement is measured; None where no judges score.
    """

    item_type: ClassVar[type[msgspec.Struct]] = ItemShown
    score_type: ClassVar[type[msgspec.Struct]] = ScoreShown
    sample_type: ClassVar[type[Sample]] = SampleShown
    verdict_type: ClassVar[type[Verdict]] = Verdict
    titles_type: ClassVar[type[Titles]] = Titles
    states: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "scored": "scored",
            "refused": "refused or evaded",
            "errored": "failed",
            "unparsed": "verdict not readable",
            "unjudged": "not judged yet",
        }
    )
    apart: ClassVar[Apart | None] = None

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "verdict"):  # which was asked once, and what it gave is published no more
            advice = "name the fields that are read in verdict_type, and add the rest in sample_fields"
            raise TypeError(f"{cls.__qualname__}.verdict is not called; {advice}")

    def __init__(self, view: ViewT) -> None:
        self.view = view
        self.rows: dict[tuple[str, str], Any] = {(row.model, row.item): row for row in view.results.items}
        self.private = {placed.id for placed in view.benchmark.items(view.board) if placed.private}
        names = self.score_type.__struct_fields__
        self._score = attrgetter(*("ended" if name == "state" else name for name in names))

    def titles(self) -> Titles:
        """What the explorer has to know of the board, beside the names that all boards have."""
        return Titles()

    def begins(self, placed: PlacedT) -> str:
        """A text by which readers know a public item."""
        return getattr(placed, "prompt", "")

    def item_fields(self, placed: PlacedT) -> dict[str, Any]:
        """The protocol's own fields of a public item."""
        return {"prompt": self.begins(placed)}

    def bare_fields(self, placed: PlacedT) -> dict[str, Any]:
        """Those that tell nothing of its text, so that a private one has them too."""
        return {}

    def cell(self, row: RowT) -> ListedScore:
        """The score of an answer, for a list."""
        return ListedScore(row.ended, row.score, row.disagreement)

    def score(self, row: RowT) -> msgspec.Struct:
        """The same beside the answer itself: what `score_type` has of the row."""
        return self.score_type(*self._score(row))

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        """The protocol's own fields of a sample. verdicts: by the wording in which judges were asked.

        Of a hidden sample nothing of the response is left but its state and how its checks ended, and of verdicts their
        scores.
        """
        return {"verdicts": [verdict for of_wording in verdicts.values() for verdict in of_wording]}

    @classmethod
    def types(cls) -> tuple[Any, Any]:
        """Those of an item and of an answer."""
        return cls.item_type, Answer[cls.score_type, cls.sample_type]  # type: ignore[name-defined]

    def item(self, placed: PlacedT) -> msgspec.Struct | dict[str, Any]:
        """An item as it was put to contestants and judges; of a private one its hash and no text."""
        item = placed.item
        known = {
            "category": placed.category.title,
            "difficulty": item.difficulty,
            **self.bare_fields(placed),
            "visibility": item.visibility,
            "hash": item.hash,
        }
        if placed.private:
            return known
        turns = {"turns": placed.turns} if placed.turns else {}
        return self.item_type(**known, salt=item.salt, tags=item.tags, **self.item_fields(placed), **turns)

    def beginning(self, placed: PlacedT) -> str:
        """What a list shows of an item; of a private one nothing."""
        return "" if placed.private else self.begins(placed)

    def listed(self, model: str, item: str) -> ListedScore:
        """The answer of a contestant in a list."""
        row = self.rows.get((model, item))
        if row is None:
            return ListedScore(list(self.states)[-1])
        cell = self.cell(row)
        return replace(cell, failed=()) if item in self.private else cell

    def answer(
        self,
        model: str,
        item: str,
        samples: Sequence[tuple[Sequence[Response], Mapping[str | None, Sequence[Verdict]]]],
    ) -> msgspec.Struct:
        """A contestant's answers to an item, turn by turn, with what was said of each, by wording and judge."""
        row = self.rows.get((model, item))
        return Answer(
            None if row is None else self.score(row),
            [self.sample(turns[-1], verdicts, turns[:-1]) for turns, verdicts in samples],
        )

    def sample(
        self,
        response: Response,
        verdicts: Mapping[str | None, Sequence[Verdict]],
        before: Sequence[Response] = (),
    ) -> Sample:
        """One of them; without a word of one that is private. before: the answers at earlier turns."""
        hidden = response.item in self.private or response.hidden is not None
        if hidden:
            verdicts = {wording: [_bare(verdict) for verdict in given] for wording, given in verdicts.items()}
        known = {} if hidden else _public(response)
        own = self.sample_fields(_redacted(response) if hidden else response, verdicts, hidden=hidden)
        turns = [] if hidden else [Said(state=each.state, **_public(each)) for each in before]
        return self.sample_type(
            sample=response.sample, state=response.state, hidden=hidden, before=turns, **known, **own
        )


def _redacted(response: Response) -> Response:
    checks = tuple(CheckResult("hidden", "", check.outcome) for check in response.checks)
    return replace(
        response, key="", text="", error=None, reasoning="", started_at="", seconds=0.0, served_model=None,
        input_tokens=None, cached_input_tokens=None, output_tokens=None, cost_usd=None, checks=checks,
    )  # fmt: skip


_WORDS = {field.name: field.default for field in fields(Verdict) if field.default is not NODEFAULT}
"""All that a verdict may go without, as it stands in one that does."""


def _bare(verdict: VerdictT) -> VerdictT:
    """Its judge, state and scores, and what its protocol adds."""
    return replace(verdict, **_WORDS)


_PUBLIC = sorted({*Said.__struct_fields__} & {*Response.__struct_fields__} - {"state"})
_published = attrgetter(*_PUBLIC)


def _public(response: Response) -> dict[str, Any]:
    known = dict(zip(_PUBLIC, _published(response), strict=True))
    if not response.text and not response.started_at and response.seconds is None:
        del known["text"]  # a record that nobody here asked for, of which verdicts alone were published
    return known
