"""specs/questions.yaml: what judges of short questions need to know about criteria."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from nullbench_site.specs.types.common import Canary, Id, Spec

CriterionNumber: TypeAlias = Annotated[int, Meta(ge=1, le=20)]


class QuestionsFile(Spec, frozen=True, kw_only=True):
    """specs/questions.yaml. Only judges with `method: questions` use it; without such a judge it changes nothing."""

    canary: Canary
    prohibitions: Annotated[
        dict[Id, Annotated[tuple[CriterionNumber, ...], Meta(min_length=1)]],
        Meta(
            description="Item -> the numbers, from 1, of its criteria that an empty response meets, such as `Uses no "
            "table`. Their mean multiplies that of the others."
        ),
    ]
