"""What a panel gave many responses, as arrays. A formula is worked out once for all responses it is the same for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.scores import AXIS_MAX

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Formula: TypeAlias = Callable[[Iterable[object]], float | None]


@dataclass(frozen=True, slots=True)
class Votes:
    """given[response, judge, score]: the scores `names`, then a rating an axis; NaN where no valid one was given."""

    names: tuple[str, ...]
    given: Floats

    def of(self, name: str) -> Floats:
        """(responses, judges) of one score."""
        return self.given[:, :, self.names.index(name)]

    @property
    def ratings(self) -> Floats:
        """(responses, judges, axes) 1-5, the axes in the order of the response's category."""
        return self.given[:, :, len(self.names) :]


@dataclass(frozen=True, slots=True)
class RatingPatterns:
    """Ratings of 1-5 by how they fell, not by who gave them: of many responses few patterns come.

    counts: (patterns, 5), how many judges gave 1, 2, 3, 4, 5. which: (responses, axes), the pattern of each.
    """

    counts: Ints
    which: Ints

    def each(self, formula: Formula) -> Floats:
        """(responses, axes) of `formula` on the ratings, NaN where it is undefined."""
        values = [formula(np.repeat(np.arange(1, AXIS_MAX + 1), row).tolist()) for row in self.counts]
        return np.array(values, dtype=np.float64)[self.which]


def rating_patterns(given: Floats) -> RatingPatterns:
    """The patterns in `given`, (responses, judges, axes) of 1-5 or NaN."""
    base = given.shape[1] + 1
    # A pattern is the number whose digits, in this base, are its counts: no count reaches the base.
    digit = np.array([0, *(base**place for place in range(AXIS_MAX))])
    ratings = np.nan_to_num(given).astype(np.int64)
    numbers, which = np.unique(digit[ratings].sum(axis=1), return_inverse=True)
    counts = numbers[:, np.newaxis] // digit[1:] % base
    return RatingPatterns(counts, which.reshape(given.shape[0], given.shape[2]))


def mean_of_each(given: Floats, mean: Formula) -> Floats:
    """(responses,) of `mean` over the judges of `given`, (responses, judges); NaN where it is undefined.

    A mean knows its values, whole numbers, by their sum and how many they are.
    """
    known = ~np.isnan(given)
    total, n = np.where(known, given, 0).sum(axis=1), known.sum(axis=1)
    radix = given.shape[1] + 1
    cases, which = np.unique(total * radix + n, return_inverse=True)
    values = [_mean_of(mean, *divmod(int(case), radix)) for case in cases]
    return np.array(values, dtype=np.float64)[which]


@lru_cache(maxsize=1 << 16)
def _mean_of(mean: Formula, total: int, n: int) -> float | None:
    """The mean of any n whole numbers with that sum."""
    return mean([total, *[0] * (n - 1)] if n else [])
