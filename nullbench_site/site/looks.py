"""How contestants are told apart: a colour and a shape each, the same in every chart of a site.

The colours are those of Okabe and Ito (2008), Color universal design, which colour-blind readers can tell apart; black
is left to texts. Where contestants outnumber the colours the shape tells those of one colour apart, and a label stands
by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

COLOURS = ("blue", "vermillion", "green", "purple", "orange", "sky", "yellow")
"""Names of the CSS variables --nb-look-0 to --nb-look-6."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
"""As Vega names them."""


@dataclass(frozen=True)
class Look:
    """colour: a place in COLOURS."""

    colour: int
    shape: str


def looks(models: Iterable[str]) -> Mapping[str, Look]:
    """Contestant -> its look. models: ids; their order does not matter."""
    n = len(COLOURS)
    return {model: Look(place % n, SHAPES[place // n % len(SHAPES)]) for place, model in enumerate(sorted(set(models)))}
