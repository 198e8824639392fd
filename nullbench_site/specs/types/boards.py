"""specs/benchmark.yaml and specs/ledger.yaml; what every board has, to which each protocol adds."""

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
    """The random flips of signs that test all differences together: at least how many, and their seed."""

    resamples: Annotated[int, Meta(ge=100, le=100_000)] = 2000
    seed: Annotated[int, Meta(ge=0)] = 0


class Profile(Spec, frozen=True, kw_only=True):
    """What `--profile` puts in the place of the board's own."""

    contestants: Contestants | None = None
    samples: Samples | None = None
    decoding: Decoding | None = None


CONTROLS_KEY = Meta(
    description="Answers known to be right, or damaged in a known way, that measure the panel; or the word none."
)


class JudgedProfile(Profile, frozen=True, kw_only=True):
    """What `--profile` puts in the place of the board's own, where judges score."""

    panel: Id | None = None
    controls: Annotated[Controls | Literal["none"], CONTROLS_KEY] | None = None


class Declaration(Spec, frozen=True, kw_only=True):
    """A class of trust that nothing here can measure, and who says so."""

    level: Literal["high", "medium", "low"]
    source: Annotated[Line, Meta(description="Where the claim can be checked: a paper, an address.")]


class BoardFile(Spec, frozen=True, kw_only=True):
    """specs/boards/<id>.yaml, of whichever protocol: one leaderboard."""

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
        """What each construct counts on a board of several, empty without weights; None of a board that has no such."""
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
    """One thing that happened to one spec."""

    date: Day
    kind: Annotated[
        Id,
        Meta(description="board, domain, category, item, template, contestant, judge, panel, or what a protocol adds."),
    ]
    id: Annotated[Id, Meta(description="Of a spec that is there, or that an entry says was withdrawn.")]
    what: Deed
    reason: Line
    by: Annotated[Name, Meta(description="Who answers for it: a person, a group, a bot.")]


class LedgerFile(Spec, frozen=True, kw_only=True):
    """specs/ledger.yaml: entries are added at its end, and none is ever edited or taken out. Changes no score."""

    canary: Canary
    entries: Annotated[tuple[LedgerEntry, ...], Meta(min_length=1, description="Oldest first.")]
