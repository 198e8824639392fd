"""specs/benchmark.yaml, specs/ledger.yaml, and the fields of every board. Protocols add further fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, field

from nullbench_site.specs.types.answerers import Decoding
from nullbench_site.specs.types.common import (
    Canary,
    Construct,
    Contestants,
    Day,
    Id,
    Line,
    Name,
    Prose,
    Samples,
    Spec,
    Title,
    Version,
    WebAddress,
)
from nullbench_site.specs.types.controls import Controls


class BenchmarkFile(Spec, frozen=True, kw_only=True):
    """specs/benchmark.yaml: what the whole benchmark is."""

    canary: Canary
    id: Id
    title: Title
    version: Version
    description: Prose
    license: Name
    homepage: WebAddress | None = None


PROFILES = Meta(description="By the name that --profile takes.")


class Bootstrap(Spec, frozen=True, kw_only=True):
    """The random sign flips of the joint test of all differences: their least number and their seed."""

    resamples: Annotated[int, Meta(ge=100, le=100_000)] = 2000
    seed: Annotated[int, Meta(ge=0)] = 0


class Profile(Spec, frozen=True, kw_only=True):
    """The fields of a board that `--profile` replaces."""

    contestants: Contestants | None = None
    samples: Samples | None = None
    decoding: Decoding | None = None


CONTROLS_KEY = Meta(description="Reference answers, whole or damaged, that test the panel; or the word none.")


class JudgedProfile(Profile, frozen=True, kw_only=True):
    """The fields of a judged board that `--profile` replaces."""

    panel: Id | None = None
    controls: Annotated[Controls | Literal["none"], CONTROLS_KEY] | None = None


class Declaration(Spec, frozen=True, kw_only=True):
    """A level of trust that cannot be measured here, and its source."""

    level: Literal["high", "medium", "low"]
    source: Annotated[Line, Meta(description="Where the claim can be checked: a paper, an address.")]


class BoardFile(Spec, frozen=True, kw_only=True):
    """specs/boards/<id>.yaml: one leaderboard of any protocol."""

    canary: Canary
    id: Id
    title: Title
    question: Line
    description: Prose
    construct: Construct
    protocol: str
    domains: Annotated[tuple[Id, ...], Meta(min_length=1)]
    contestants: Contestants = "all"
    samples: Samples = 1
    decoding: Decoding = Decoding()
    bootstrap: Bootstrap = Bootstrap()
    profiles: Annotated[Mapping[Id, Profile], PROFILES] = field(default_factory=dict)
    declared: Annotated[
        Mapping[Literal["contamination"], Declaration],
        Meta(description="Trust in imported responses, such as to items newer than a model's training data."),
    ] = field(default_factory=dict)

    @property
    def construct_weights(self) -> Mapping[Construct, float] | None:
        """The weight of each construct, empty without weights; None if the protocol has no weights."""
        return None


class JudgedBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board that judges score."""

    panel: Id
    invalid_limit: Annotated[
        float,
        Meta(ge=0, le=1, description="The board makes no comparative claim if more of a judge's verdicts are invalid."),
    ] = 0.2
    controls: Annotated[Controls | Literal["none"], CONTROLS_KEY] = Controls()
    profiles: Annotated[Mapping[Id, JudgedProfile], PROFILES] = field(default_factory=dict)


Deed = Literal["added", "changed", "withdrawn"]


class LedgerEntry(Spec, frozen=True, kw_only=True):
    """One change of one spec."""

    date: Day
    kind: Annotated[
        Id,
        Meta(description="board, domain, category, item, template, contestant, judge, panel, or what a protocol adds."),
    ]
    id: Annotated[Id, Meta(description="An existing spec, or one that an entry withdraws.")]
    what: Deed
    reason: Line
    by: Annotated[Name, Meta(description="Who is responsible: a person, a group or a bot.")]


class LedgerFile(Spec, frozen=True, kw_only=True):
    """specs/ledger.yaml: the log of changes. Add entries at the end; never edit or remove one. It changes no score."""

    canary: Canary
    entries: Annotated[tuple[LedgerEntry, ...], Meta(min_length=1, description="Oldest first.")]
