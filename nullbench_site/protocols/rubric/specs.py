"""The specs of the `rubric` protocol: prompts with an ideal answer, criteria and checks; a panel, and G-Eval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import Meta, field

from nullbench_site.checks.registry import AnyCheck
from nullbench_site.errors import Problem
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import PROMPT, REFERENCE, Column, ProtocolSpecs, Starter
from nullbench_site.specs.sources import SpecFile, SpecFiles, Steps, each_item
from nullbench_site.specs.types import (
    PROFILES,
    Category,
    DomainFile,
    Id,
    JudgedBoardFile,
    JudgedProfile,
    Line,
    PrivateText,
    PromptItem,
    PromptText,
    Prose,
    Spec,
)
from nullbench_site.text import did_you_mean

GEvalMetric = Literal["correctness", "coherence", "instruction-following"]
Weight = Annotated[float, Meta(ge=0, le=1e6)]
Criteria = Annotated[
    tuple[Line, ...], Meta(min_length=1, max_length=20, description="What judges look for, one by one.")
]
Checks = Annotated[
    tuple[AnyCheck, ...], Meta(min_length=1, max_length=10, description="The first is the item's type of check.")
]


class RubricText(PromptText, frozen=True, kw_only=True):
    """A line of a private file of the `rubric` protocol."""

    ideal: Annotated[Prose, Meta(description="An answer that deserves full marks.")]
    criteria: Criteria
    checks: Checks | None = None


class RubricItem(PromptItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt, its ideal answer, criteria and optional checks. With several turns, these
    are for the last.

    A private item has a hash instead; its text is in a private file.
    """

    text_type: ClassVar[type[PrivateText]] = RubricText
    ideal: Annotated[Prose | None, Meta(description="An answer that deserves full marks.")] = None
    criteria: Criteria | None = None
    checks: Checks | None = None


class RubricCategory(Category, frozen=True, kw_only=True):
    """A group of prompts."""

    items: tuple[RubricItem, ...] = ()


class RubricDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `rubric` protocol."""

    protocol: Literal["rubric"]
    categories: Annotated[tuple[RubricCategory, ...], Meta(min_length=1)]


class GEval(Spec, frozen=True, kw_only=True):
    """G-Eval as in DeepEval: one judge gives scores of 0-1, in addition to the marks of the panel."""

    judge: Annotated[Id, Meta(description="The judge that G-Eval asks.")]
    metrics: Annotated[tuple[GEvalMetric, ...], Meta(min_length=1, description="What G-Eval asks about.")] = get_args(
        GEvalMetric
    )
    coverage: Annotated[
        float,
        Meta(gt=0, le=1, description="G-Eval counts if this share of a contestant's answers has a score."),
    ] = 0.9


class Composite(Spec, frozen=True, kw_only=True):
    """The weights of the judge mean and the G-Eval mean in the composite. A mean that is absent has no weight."""

    judge: Annotated[Weight, Meta(description="The weight of the judge mean.")] = 1.0
    geval: Annotated[Weight, Meta(description="The weight of the G-Eval mean.")] = 1.0
    judge_decimals: Annotated[
        Annotated[int, Meta(ge=0, le=10)] | None,
        Meta(description="Round each judge's mean to this many decimals first, as some published boards do."),
    ] = None


class RubricProfile(JudgedProfile, frozen=True, kw_only=True):
    """The settings of a `rubric` board that `--profile` replaces."""

    geval: GEval | None = None


class RubricBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `rubric` protocol. Prompts are sent unchanged."""

    protocol: Literal["rubric"]
    composite: Composite = Composite()
    geval: GEval | None = None
    profiles: Annotated[Mapping[Id, RubricProfile], PROFILES] = field(default_factory=dict)


@dataclass(frozen=True)
class RubricPlacedItem(PlacedItem):
    """A prompt with its text, which a private item has in a private file."""

    item: RubricItem
    category: RubricCategory
    prompt: str = ""
    ideal: str = ""
    criteria: tuple[str, ...] = ()
    checks: tuple[AnyCheck, ...] = ()


class RubricSpecs(ProtocolSpecs):
    """The specs of the `rubric` protocol."""

    board = RubricBoardFile
    domain = RubricDomainFile
    item = RubricItem
    placed = RubricPlacedItem
    parts: ClassVar[Mapping[str, str]] = {"criteria": "criterion", "checks": "check"}
    has_questions = True
    starter = Starter(
        example="practical",
        domains=("practical-reasoning",),
        board={
            "question": "How good are the answers to these prompts?",
            "description": "Marks of 1 to 5 by an ideal answer and criteria, averaged over the prompts.",
            "construct": "capability",
            "panel": "rules-rubric",
        },
        columns=(
            PROMPT,
            Column("ideal", "an ideal answer", required=True, names=REFERENCE),
            Column("criteria", "criteria with | between them", required=True, many=True, names=("criterion", "rubric")),
        ),
    )

    def further_judges(self, part: Any) -> Iterable[tuple[str, str, str]]:
        return [] if part.geval is None else [("geval", part.geval.judge, "G-Eval")]

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        for source in files.boards:
            board = source.spec
            if isinstance(board, RubricBoardFile):
                yield from _composite(source, board)
                yield from _geval(files, source, [], board.geval)
                yield from questions_can_be_asked(files, source, [], board.panel, board.geval)
                for name, profile in board.profiles.items():
                    yield from _geval(files, source, ["profiles", name], profile.geval)
                    merged = profile.panel or board.panel, profile.geval or board.geval
                    yield from questions_can_be_asked(files, source, ["profiles", name], *merged)


def _composite(source: SpecFile[Any], board: RubricBoardFile) -> Iterator[Problem]:
    composite = board.composite
    if composite.judge == 0 and composite.geval > 0 and board.geval is None:
        message = "only G-Eval has a weight, but the board has no `geval`"
        yield source.document.problem(["composite", "judge"], f"{message}; raise the weight of judge, or add `geval`")
    if composite.judge + composite.geval == 0:
        message = "the weights of judge and geval are both 0; raise one of them"
        yield source.document.problem(["composite"], message)


def _geval(files: SpecFiles, source: SpecFile[Any], steps: Steps, geval: GEval | None) -> Iterator[Problem]:
    """Check that the judge of G-Eval exists and that no metric is listed twice."""
    if geval is None:
        return
    judges = {judge.id: judge for judge in files.all_judges}
    if geval.judge not in judges:
        message = f"unknown judge {geval.judge!r}; {did_you_mean(geval.judge, judges)}"
        yield source.document.problem([*steps, "geval", "judge"], message)
    for place, metric in enumerate(geval.metrics):
        if metric in geval.metrics[:place]:
            message = f"metric {metric!r} is listed twice; remove one"
            yield source.document.problem([*steps, "geval", "metrics", place], message)


def questions_can_be_asked(
    files: SpecFiles, source: SpecFile[Any], steps: Steps, panel: str, geval: GEval | None
) -> Iterator[Problem]:
    """Check the items and the weights of a board whose panel answers short questions."""
    asking = {judge.id for judge in files.all_judges if judge.asks_questions}
    judges = next((each.judges for each in files.panels if each.id == panel), ())
    if not asking.intersection(judges):
        return
    written = getattr(source.document, "data", None)
    if geval is not None and not (isinstance(written, dict) and "composite" in written):
        message = "the composite of short questions and G-Eval needs written weights; add `composite` with both"
        yield source.document.problem([*steps, "panel"], message)
    prohibited = {} if files.questions is None else files.questions.spec.prohibitions
    domains = [domain for domain in files.domains if domain.spec.id in source.spec.domains]
    for _, item, problem in each_item(domains):
        if item.criteria and len(set(prohibited.get(item.id, ()))) >= len(item.criteria):
            message = f"all criteria of {item.id!r} are prohibitions, which an empty response meets"
            yield problem(["criteria"], f"{message}; add a criterion about what the answer has to say")


SPECS = RubricSpecs()
