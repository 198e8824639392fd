"""Types of arrays for signatures, and functions that turn arguments into arrays of a checked shape and content."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


def finite(name: str, values: npt.ArrayLike, *, ndim: int) -> Floats:
    """Return `values` as float64 with `ndim` dimensions. ValueError for another shape, a NaN or an infinity."""
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        array = array.reshape(array.shape if array.ndim == ndim else (0,) * ndim)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; leave out or score missing values before this call")
    return array


def labels(name: str, values: npt.ArrayLike, *, size: int) -> Ints:
    """Return integer labels, shape (`size`,), recoded as 0..k-1 in the order of the labels.

    ValueError for other input.
    """
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be {size} integers, got shape {array.shape} of {array.dtype}")
    if not size or array.dtype != np.int64 or int(array.max()) - (lowest := int(array.min())) > 2 * size:
        return np.unique(array, return_inverse=True)[1].astype(np.int64)
    place = array - lowest  # a small range needs no sorting
    used = np.bincount(place) > 0
    recoded: Ints = place if used.all() else (np.cumsum(used) - 1)[place]
    return recoded


def group_shares(weights: npt.ArrayLike | None, groups: int) -> Floats:
    """Return the share of each of `groups` groups in a mean over groups. The shares sum to 1.

    weights: > 0, one per group; None for equal shares.
    """
    share = np.ones(groups) if weights is None else finite("weights", weights, ndim=1)
    if share.size != groups or not (share > 0).all():
        raise ValueError(f"weights must be {groups} numbers > 0, got {share.tolist()}")
    shares: Floats = share / share.sum()
    return shares
