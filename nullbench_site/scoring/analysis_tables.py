"""The tables of results about other choices of judges, wordings and items, and about resampled items."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Choice: TypeAlias = Literal[
    "judge alone", "without judge", "wording alone", "length controlled", "items before", "items from"
]
"""What an analysis changes; everything else is as on the board."""


class AnalysisRow(msgspec.Struct, kw_only=True):
    """A contestant in an analysis: its score, 0-100, with its 95 % interval and its range of ranks, as in `Row`."""

    model: str
    overall: float
    ci_low: float | None
    ci_high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None


class Analysis(msgspec.Struct, kw_only=True):
    """The board under another choice. Its contestants are those with a score on every item under that choice.

    of: the judge, the wording or the date that the choice is about; empty for length control. n_items: how many items
    it uses. rows: highest score first, null models included; these have no rank.
    """

    choice: Choice
    of: str
    n_items: int
    rows: list[AnalysisRow]


class ResampledRanks(msgspec.Struct, kw_only=True):
    """How often the first contestants of a board have each of its first ranks when items are drawn again.

    shares: for each of `models`, in the order of the board, the share of the draws in which it has rank 1, 2, ...
    """

    draws: int
    models: list[str]
    shares: list[list[float]]
