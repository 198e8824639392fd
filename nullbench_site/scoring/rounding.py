"""The digits that results have, so that the last bits of a machine's arithmetic reach no file."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats

DIGITS = 6


def rounded(value: Any) -> Any:
    """`value` with every float in it rounded."""
    if value is None or value is msgspec.UNSET or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return round(float(value), DIGITS)
    if isinstance(value, msgspec.Struct):
        # Not `replace`, which looks every field up by name once more.
        return type(value)(**{name: rounded(getattr(value, name)) for name in value.__struct_fields__})
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return [rounded(inner) for inner in value]


def known(values: Floats) -> list[Any]:
    """`values` as lists, rounded, None for NaN."""
    digits: npt.NDArray[Any] = np.round(values, DIGITS)
    unknown = np.isnan(digits)
    if unknown.any():
        digits = digits.astype(object)
        digits[unknown] = None
    listed: list[Any] = digits.tolist()
    return listed
