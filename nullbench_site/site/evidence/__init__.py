"""The published evidence of a board: its items, answers and verdicts.

A protocol adds its own fields in a subclass of `BoardEvidence`. The texts of private items are removed here, before
that class sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType
from msgspec.structs import fields, replace

from nullbench_site.runs.records import CheckResult, Response, Score
from nullbench_site.scoring.results import ItemRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, difficulty_of
from nullbench_site.specs.benchmark import PlacedItem

MOST_REASONING = 2_000
"""Published characters of a model's reasoning. The record has all of it."""

ScoreT = TypeVar("ScoreT")
SampleT = TypeVar("SampleT")
VerdictT = TypeVar("VerdictT", bound="Verdict")
ViewT = TypeVar("ViewT", bound=BoardView)
PlacedT = TypeVar("PlacedT", bound=PlacedItem)
RowT = TypeVar("RowT", bound=ItemRow)


class CallDetails(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What an endpoint reports about a call. Fields without a value are left out.

    reasoning: its beginning. reasoning_length: of all of it, if that is more. The other fields are as in a record.
    """

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    served_model: str | None = None
    ended: str = "stop"
    finish_reason: str = ""
    reasoning: str = ""
    reasoning_length: int | None = None

    def __post_init__(self) -> None:
        if (length := len(self.reasoning)) > MOST_REASONING:
            self.reasoning, self.reasoning_length = self.reasoning[:MOST_REASONING], length


class Said(CallDetails, kw_only=True, omit_defaults=True):
    """The answer to one turn. text: absent if the data does not have it."""

    state: str
    text: str | UnsetType = UNSET
    error: str | UnsetType | None = UNSET
    seconds: float | UnsetType | None = UNSET
    started_at: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    confidence: float | None = None
    stated_confidence: float | None = None


class Sample(Said, kw_only=True, omit_defaults=True):
    """One answer of a contestant, to the last turn it was asked. before: its answers to earlier turns.

    hidden: the item is private, so the answer has no text. template: the wording of the prompt, if there are several.
    """

    sample: int
    template: str | UnsetType = UNSET
    hidden: bool = False
    before: list[Said] = []


class Verdict(CallDetails, kw_only=True, omit_defaults=True):
    """The verdict of one judge on an answer; for a private item only its scores."""

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


class AnswerShown(msgspec.Struct, Generic[ScoreT, SampleT]):
    """The answers of a contestant to an item. score: over its samples; null if there is none yet.

    sum: how the score follows from the marks of judges; absent if it is no mean of them.
    """

    score: ScoreT | None
    samples: list[SampleT]
    sum: str | UnsetType = UNSET


class ListedScore(msgspec.Struct):
    """The score of an answer in a list.

    score: 0-100. apart: how far the judges are apart, in the unit of the board. failed: types of checks.
    """

    state: str
    score: float | None = None
    apart: float | None = None
    failed: Sequence[str] = ()


class Apart(msgspec.Struct):
    """How disagreement of judges on an answer (highest less lowest score) is measured: its unit and its maximum."""

    unit: str
    most: float


class Titles(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Titles by id that the explorer shows. Protocols add fields."""

    checks: dict[str, str] = {}


class ItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An item as it was asked; for a private one only its hash."""

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
    """An answer with the verdict of each judge."""

    verdicts: list[Verdict]


class BoardEvidence(Generic[ViewT, PlacedT, RowT]):
    """The evidence of a board. Protocols override the types and the methods up to `sample_fields`.

    item_type, score_type, sample_type: the published types of an item, of the score of an answer and of a sample. An
    item has the fields of `ItemShown`. verdict_type: the fields read from a Judgment. titles_type: of `titles`.
    states: the states of an answer and their titles; the last is that of an answer without a score yet. apart: how
    disagreement is measured; None if no judges score. unrecorded: whether scores have no records of answers. marked:
    what each judge gives, as in `marks`; scale: its lowest and highest value.
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
    unrecorded: ClassVar[bool] = False
    marked: ClassVar[str] = "score"
    scale: ClassVar[tuple[int, int]] = 0, 100

    def __init__(self, view: ViewT) -> None:
        self.view = view
        self.rows: dict[tuple[str, str], Any] = {(row.model, row.item): row for row in view.results.items}
        self.private = {placed.id for placed in view.benchmark.items(view.board) if placed.private}
        self.elsewhere = {each.id for each in view.benchmark.items(view.board) if each.item.visibility == "elsewhere"}
        names = self.score_type.__struct_fields__
        self._score = attrgetter(*("ended" if name == "state" else name for name in names))

    def titles(self) -> Titles:
        """Return the titles that the explorer needs."""
        return Titles()

    def begins(self, placed: PlacedT) -> str:
        """Return the text that a list shows of a public item."""
        return getattr(placed, "prompt", "")

    def item_fields(self, placed: PlacedT) -> dict[str, Any]:
        """Return the protocol's fields of a public item."""
        return {"prompt": self.begins(placed)}

    def bare_fields(self, placed: PlacedT) -> dict[str, Any]:
        """Return the fields that a private item has too: they tell nothing about its text."""
        return {}

    def cell(self, row: RowT) -> ListedScore:
        """Return the score of an answer for a list."""
        return ListedScore(row.ended, row.score, row.disagreement)

    def score(self, row: RowT) -> msgspec.Struct:
        """Return the score of an answer: the fields of `score_type`."""
        return self.score_type(*self._score(row))

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        """Return the protocol's fields of a sample. verdicts: by the wording in which judges were asked.

        A hidden sample has only the state of the response, the outcomes of its checks, and the scores of verdicts.
        """
        return {"verdicts": [verdict for of_wording in verdicts.values() for verdict in of_wording]}

    def marks(self, sample: Any) -> Iterable[Score | None]:
        """Return what judges gave a sample, if the score is the mean of it."""
        return ()

    @classmethod
    def types(cls) -> tuple[Any, Any]:
        """Return the types of an item and of an answer."""
        return cls.item_type, AnswerShown[cls.score_type, cls.sample_type]  # type: ignore[name-defined]

    def item(self, placed: PlacedT) -> msgspec.Struct | dict[str, Any]:
        """Return an item as it was asked; for a private one its hash and no text."""
        item = placed.item
        known = {
            "category": placed.category.title,
            "difficulty": difficulty_of(placed),
            **self.bare_fields(placed),
            "visibility": item.visibility,
            "hash": item.hash,
        }
        if placed.private:
            return known
        turns = {"turns": placed.turns} if placed.turns else {}
        return self.item_type(**known, salt=item.salt, tags=item.tags, **self.item_fields(placed), **turns)

    def beginning(self, placed: PlacedT) -> str:
        """Return the text that a list shows of an item; empty for a private one."""
        return "" if placed.private else self.begins(placed)

    def listed(self, model: str, item: str) -> ListedScore:
        """Return the answer of a contestant for a list."""
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
        """Return a contestant's answers to an item. samples: the responses to each turn, and verdicts by wording."""
        row = self.rows.get((model, item))
        shown = [self.sample(turns[-1], verdicts, turns[:-1]) for turns, verdicts in samples]
        counted = [sample for sample in shown if sample.sample < self.view.board.samples]
        marks = [float(mark) for sample in counted for mark in self.marks(sample) if mark is not None]
        cell = ListedScore("") if row is None else self.cell(row)
        found = mean_in_words(cell.score, marks, *self.scale) if cell.state == "scored" else ""
        return AnswerShown(
            None if row is None else self.score(row),
            shown,
            f"Score {found}, from the {self.marked} by each judge" if found else UNSET,
        )

    def sample(
        self,
        response: Response,
        verdicts: Mapping[str | None, Sequence[Verdict]],
        before: Sequence[Response] = (),
    ) -> Sample:
        """Return one sample, without texts if it is private. before: the answers to earlier turns."""
        is_imported = response.item in self.elsewhere
        hidden = response.item in self.private or (response.hidden is not None and not is_imported)
        if hidden:
            verdicts = {wording: [_bare(verdict) for verdict in given] for wording, given in verdicts.items()}
        known = {} if hidden else _public(response)
        own = self.sample_fields(_redacted(response) if hidden else response, verdicts, hidden=hidden)
        turns = [] if hidden else [Said(state=each.state, **_public(each)) for each in before]
        template = response.template if len(self.view.board.wordings) > 1 else UNSET
        return self.sample_type(
            sample=response.sample, template=template, state=response.state, hidden=hidden, before=turns, **known, **own
        )


def mean_in_words(score: float | None, marks: Sequence[float], lowest: int, highest: int) -> str:
    """Return the sum that makes a score, 0-100, from marks of a scale; empty if the score is not their mean.

    A single mark of the same scale is the score, which needs no sum.
    """
    plain = (lowest, highest) == (0, 100)
    if (
        score is None
        or len(marks) <= plain
        or abs(100 * (fmean(marks) - lowest) / (highest - lowest) - score) > _ROUNDED
    ):
        return ""
    if len(marks) > _LISTED:
        mean = f"{fmean(marks):.4g}"
    else:
        mean = " + ".join(f"{mark:.4g}" for mark in marks)
        mean = f"({mean}) / {len(marks)}" if len(marks) > 1 else mean
    scaled = mean if plain else f"100 × ({mean} − {lowest}) / {highest - lowest}"
    return f"{words.number(score)} = {scaled}"


_LISTED = 12
"""The most marks that a sum lists; of more it has the mean."""
_ROUNDED = 1e-5
"""How far a score of the results may be from its sum: results have six decimals."""


def _redacted(response: Response) -> Response:
    checks = tuple(CheckResult("hidden", "", check.outcome, cause=check.cause) for check in response.checks)
    return replace(
        response, key="", text="", error=None, finish_reason="", reasoning="", started_at="", seconds=0.0,
        served_model=None, input_tokens=None, cached_input_tokens=None, output_tokens=None, cost_usd=None,
        checks=checks, confidence=None, stated_confidence=None,
    )  # fmt: skip


_WORDS = {field.name: field.default for field in fields(Verdict) if field.default is not NODEFAULT}
"""The optional fields of a verdict with their defaults."""


def _bare(verdict: VerdictT) -> VerdictT:
    """Return a verdict without its texts."""
    return replace(verdict, **_WORDS)


_PUBLIC = sorted({*Said.__struct_fields__} & {*Response.__struct_fields__} - {"state"})
_published = attrgetter(*_PUBLIC)


def _public(response: Response) -> dict[str, Any]:
    known = dict(zip(_PUBLIC, _published(response), strict=True))
    if not response.text and not response.started_at and response.seconds is None:
        del known["text"]  # an imported record of which only verdicts were published
    return known
