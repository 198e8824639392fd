"""Correction of several tests for their number."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

NameT = TypeVar("NameT", bound=Hashable)


def holm(ps: Mapping[NameT, float]) -> dict[NameT, float]:
    """Return adjusted p of several tests, by name. Reject those of at most 0.05: the chance of any error stays so.

    Equal p keep the order of `ps`.
    Source: Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    adjusted: dict[NameT, float] = {}
    highest = 0.0
    for place, name in enumerate(sorted(ps, key=lambda name: ps[name])):
        highest = max(highest, min(1.0, (len(ps) - place) * ps[name]))
        adjusted[name] = highest
    return adjusted
