"""The labels of a board's answers: the keys of another board, or specs/labels/<name>.csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from nullbench_site.specs.types.common import Count, Id, Spec

_LABELS_FILE = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9][a-z0-9._-]*\.csv$(?!\n)",
        description="A .csv file in specs/labels/: item, contestant, rater, value, probability.",
    ),
]


class Labels(Spec, frozen=True, kw_only=True):
    """Where the labels of a board's answers are. They are in no score; pages compare the judges with them.

    A rater who finds several values right writes them with | between them. A label is the mean over raters of the mean
    of their values, moved to 0-100.
    """

    board: Annotated[
        Id | None, Meta(description="A board whose keys mark the same answers to the same items. Or: file.")
    ] = None
    file: Annotated[_LABELS_FILE | None, Meta(description="The file of the labels. Or: board.")] = None
    low: Annotated[float, Meta(description="The lowest value of the file.")] = 0.0
    high: Annotated[float, Meta(description="The highest value of the file.")] = 1.0
    use: Annotated[
        Count | None,
        Meta(
            description="With `board`: correct scores by this many labels of each contestant, drawn at random. The "
            "other keys show how right the corrected scores are. Default: all."
        ),
    ] = None
    right_from: Annotated[
        float, Meta(gt=0, le=100, description="An answer is right, or accepted, from this score of 100.")
    ] = 50.0
    epsilon: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="What a rater may be better by before a judge cannot replace raters: 0.2 for experts, 0.1 for "
            "crowd workers.",
        ),
    ] = 0.2


class Drawn(Spec, frozen=True, kw_only=True):
    """A random sample of the answers of a board, which judges see. They see no other answer of a contestant."""

    answers: Annotated[
        Mapping[Id, Count],
        Meta(description="By contestant: how many of its answers. One for each that is no null model."),
    ]
    null_models: Annotated[Count, Meta(description="How many answers of all other contestants together.")]
    seed: Annotated[int, Meta(ge=0, description="Another seed draws other answers.")] = 0


class Label(Spec, frozen=True, kw_only=True):
    """What one rater says about an answer. probability: with which the answer was drawn."""

    item: str
    contestant: str
    rater: str
    value: float
    probability: float
