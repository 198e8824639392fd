"""The null floor of a board, of whichever protocol."""

from __future__ import annotations

import msgspec


class Floor(msgspec.Struct, kw_only=True):
    """The best null model and its score."""

    model: str
    overall: float
