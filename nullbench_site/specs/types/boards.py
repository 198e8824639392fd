"""specs/boards/<id>.yaml: what every board has, and what those of each protocol add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from msgspec import Meta, field

from nullbench_site.specs.types.answerers import Decoding
from nullbench_site.specs.types.common import (
    Canary,
    Construct,
    Contestants,
    Id,
    Line,
    PositiveNumber,
    Prose,
    Samples,
    Spec,
    Title,
)

GEvalMetric = Literal["correctness", "coherence", "instruction-following"]
Weight = Annotated[float, Meta(ge=0, le=1e6)]
_PROFILES = Meta(description="By the name that --profile takes.")


class Aggregation(Spec, frozen=True, kw_only=True):
    """From items to one number: the unweighted mean over groups of the mean goal alignment in the group."""

    groups: Literal["domain", "category"] = "domain"
    construct_weights: Annotated[
        dict[Construct, PositiveNumber],
        Meta(
            description="Needed, and sums to 1, where a board's domains are of more than one construct.",
            extra_json_schema={"propertyNames": {"enum": list(get_args(Construct))}},
        ),
    ] = field(default_factory=dict)


class Bootstrap(Spec, frozen=True, kw_only=True):
    """How rank intervals and tie groups are drawn."""

    resamples: Annotated[int, Meta(ge=100, le=100_000)] = 2000
    seed: Annotated[int, Meta(ge=0)] = 0


class GEval(Spec, frozen=True, kw_only=True):
    """Scores of 0-1 that DeepEval's G-Eval takes from one judge, beside those of the panel."""

    judge: Id
    metrics: Annotated[tuple[GEvalMetric, ...], Meta(min_length=1)] = get_args(GEvalMetric)
    coverage: Annotated[
        float,
        Meta(gt=0, le=1, description="The share of a contestant's answers that have to have a score for it to count."),
    ] = 0.9


class Composite(Spec, frozen=True, kw_only=True):
    """How much the judges' mean and the G-Eval mean count in the composite; one that is absent counts nothing."""

    judge: Weight = 1.0
    geval: Weight = 1.0
    judge_decimals: Annotated[
        Annotated[int, Meta(ge=0, le=10)] | None,
        Meta(description="Round each judge's mean to so many decimals first, as some published boards do."),
    ] = None


class Profile(Spec, frozen=True, kw_only=True):
    """What `--profile` puts in the place of the board's own."""

    contestants: Contestants | None = None
    samples: Samples | None = None
    decoding: Decoding | None = None


class JudgedProfile(Profile, frozen=True, kw_only=True):
    """The same on a board that judges score."""

    panel: Id | None = None


class RubricProfile(JudgedProfile, frozen=True, kw_only=True):
    """The same on a `rubric` board."""

    geval: GEval | None = None


class BoardFile(Spec, frozen=True, kw_only=True):
    """specs/boards/<id>.yaml, of whichever protocol: one leaderboard."""

    canary: Canary
    id: Id
    title: Title
    question: Line
    description: Prose
    construct: Construct
    protocol: Literal["axes", "rubric", "oracle"]
    domains: Annotated[tuple[Id, ...], Meta(min_length=1)]
    contestants: Contestants = "all"
    samples: Samples = 1
    decoding: Decoding = Decoding()
    bootstrap: Bootstrap = Bootstrap()
    profiles: Annotated[Mapping[Id, Profile], _PROFILES] = field(default_factory=dict)


class JudgedBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board that judges score."""

    panel: Id
    profiles: Annotated[Mapping[Id, JudgedProfile], _PROFILES] = field(default_factory=dict)


class AxesBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `axes` protocol."""

    protocol: Literal["axes"]
    template: Id
    aggregation: Aggregation = Aggregation()


class RubricBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `rubric` protocol. Prompts are asked as they stand."""

    protocol: Literal["rubric"]
    composite: Composite = Composite()
    geval: GEval | None = None
    profiles: Annotated[Mapping[Id, RubricProfile], _PROFILES] = field(default_factory=dict)


class OracleBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board of the `oracle` protocol: answers are right or wrong by a key, and no judge has a part in it."""

    protocol: Literal["oracle"]
