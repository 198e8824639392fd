"""The limits by which a judge passes the screening."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from nullbench_site.specs.types.common import Spec

_Share: TypeAlias = Annotated[float, Meta(gt=0, lt=1)]


class ScreeningLimits(Spec, frozen=True, kw_only=True):
    """The limits by which `screen-judges --prompts` lets a judge pass. They are in the specs of each study."""

    skill: Annotated[
        _Share,
        Meta(
            description="The lower end of the interval of its accuracy (pairs, yes or no) or of its rank correlation "
            "within items (marks, questions) must be above this."
        ),
    ] = 0.6
    valid: Annotated[_Share, Meta(description="The least share of responses with valid replies.")] = 0.8
    position: Annotated[_Share, Meta(description="The largest share of decided pairs in which one position wins.")] = (
        0.75
    )
    floor: Annotated[
        _Share,
        Meta(description="The least share of items on which the right response is above each of the five controls."),
    ] = 0.8
    floor_low: Annotated[_Share, Meta(description="The lower end of the interval of that must be above this.")] = 0.5
    unanswerable: Annotated[
        _Share, Meta(description="The largest share of questions to which it says yes about the empty response.")
    ] = 0.2
