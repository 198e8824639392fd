"""specs/boards/<id>.yaml: what every board has, and what those of each protocol add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, field

from nullbench_site.specs.types.answerers import Decoding
from nullbench_site.specs.types.common import (
    Canary,
    Construct,
    Contestants,
    Id,
    Line,
    Prose,
    Samples,
    Spec,
    Title,
)

PROFILES = Meta(description="By the name that --profile takes.")


class Bootstrap(Spec, frozen=True, kw_only=True):
    """How rank intervals and tie groups are drawn."""

    resamples: Annotated[int, Meta(ge=100, le=100_000)] = 2000
    seed: Annotated[int, Meta(ge=0)] = 0


class Profile(Spec, frozen=True, kw_only=True):
    """What `--profile` puts in the place of the board's own."""

    contestants: Contestants | None = None
    samples: Samples | None = None
    decoding: Decoding | None = None


class JudgedProfile(Profile, frozen=True, kw_only=True):
    """The same on a board that judges score."""

    panel: Id | None = None


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

    @property
    def construct_weights(self) -> Mapping[Construct, float] | None:
        """What each construct counts on a board of several, empty without weights; None of a board that has no such."""
        return None


class JudgedBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board that judges score."""

    panel: Id
    profiles: Annotated[Mapping[Id, JudgedProfile], PROFILES] = field(default_factory=dict)
