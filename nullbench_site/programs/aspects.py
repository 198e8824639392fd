"""The aspects that rule-based judges measure in a response to a source text."""

from __future__ import annotations

from typing import Literal

Dimension = Literal["scope", "causality", "hedging", "salience", "framing"]
Aspect = Literal[
    "facts",
    "numbers",
    "names",
    "scope",
    "causality",
    "hedging",
    "salience",
    "framing",
    "task",
    "readability",
    "concision",
]
