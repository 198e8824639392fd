"""The digits that results have, so that the last bits of a machine's arithmetic reach no file."""

from __future__ import annotations

from copy import copy
from types import NoneType
from typing import Any

import msgspec
import numpy as np
from msgspec import UnsetType
from msgspec.structs import astuple, force_setattr

from nullbench_site.stats.arrays import Floats

DIGITS = 6
_WITHOUT_DIGITS = frozenset({str, int, bool, NoneType, UnsetType})


def rounded(value: Any) -> Any:
    """`value` with every float in it rounded."""
    kind = type(value)
    if kind in _WITHOUT_DIGITS:
        return value
    if kind is float:
        return round(value, DIGITS)
    if isinstance(value, msgspec.Struct):
        # Most fields of most rows hold no float.
        digits = copy(value)
        for name, inner in zip(value.__struct_fields__, astuple(value), strict=True):
            if type(inner) not in _WITHOUT_DIGITS:
                force_setattr(digits, name, rounded(inner))
        return digits
    if isinstance(value, dict):
        return {key: inner if type(inner) in _WITHOUT_DIGITS else rounded(inner) for key, inner in value.items()}
    if isinstance(value, float):
        return round(float(value), DIGITS)
    return [inner if type(inner) in _WITHOUT_DIGITS else rounded(inner) for inner in value]


def significant(value: float | None, digits: int) -> float | None:
    """`value` with so many significant digits, for what a clock or a few numbers tell no better.

    With more of them every new answer would publish the figure of every contestant anew, and a run in git would hold
    it.
    """
    return None if value is None else float(f"{value:.{digits}g}")


def known(values: Floats) -> list[Any]:
    """`values` as lists, rounded, None for NaN. Equal numbers are one object: most rows of items hold the same few."""
    bits, which = np.unique(np.round(values, DIGITS).view(np.int64), return_inverse=True)  # which tell 0.0 from -0.0
    digits = bits.view(np.float64)
    objects: Any = digits.astype(object)
    objects[np.isnan(digits)] = None
    listed: list[Any] = objects[which.reshape(values.shape)].tolist()
    return listed
