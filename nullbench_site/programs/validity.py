"""How far judges that are programs go with judges that are models: measured figures, of data/validity.yaml."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from nullbench_site.packaged import data_text

Value = Annotated[float, Meta(ge=-1, le=1)]


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """Correlations with the mean mark of the other judges, each with the ends of its 95 % interval."""

    by_response: tuple[Value, Value, Value]
    by_response_ranked: tuple[Value, Value, Value]
    within_prompts: tuple[Value, Value, Value]
    by_model: tuple[Value, Value, Value]
    by_model_ranked: tuple[Value, Value, Value]


class Measured(Struct, frozen=True, forbid_unknown_fields=True):
    """One measurement. programs: their revision. figures: by program, and of their mean under `mean`.

    prompts: how many, and developed_on: on how many others the programs were developed.
    """

    programs: str
    date: str
    source: str
    judges: tuple[str, ...]
    models: int
    prompts: int
    developed_on: int
    answers: int
    figures: dict[str, Figure]


@cache
def measured() -> Measured:
    """The figures that ship with the programs."""
    return msgspec.yaml.decode(data_text("validity.yaml"), type=Measured)


def figures_of(judges: frozenset[str], revision: str | None) -> Measured | None:
    """The figures of a panel of just these programs in this revision; None where they were not measured so."""
    known = measured()
    return known if revision == known.programs and judges == known.figures.keys() - {"mean"} else None
