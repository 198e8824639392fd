"""The contestant behind every control: the reference answer of an item, whole or damaged."""

from __future__ import annotations

from msgspec import Struct

from nullbench_site.programs.damage import Kind, damage
from nullbench_site.programs.program import contestant


class Known(Struct, frozen=True):
    """A reference answer and what it is about: the source of its item, or nothing."""

    reference: str
    source: str = ""


class Damaging(Struct, frozen=True, forbid_unknown_fields=True):
    """What to do to it. damage: None for nothing; dose: see LADDERS."""

    damage: Kind | None = None
    dose: float = 1.0


@contestant(Known, params=Damaging)
def control(known: Known, params: Damaging) -> str:
    """The reference answer, damaged. ValueError where it offers no place for that."""
    if params.damage is None:
        return known.reference
    damaged = damage(known.reference, params.damage, params.dose, source=known.source)
    if damaged is None:
        raise ValueError(f"the reference answer offers no place for {params.damage!r} of dose {params.dose}")
    return damaged.text
