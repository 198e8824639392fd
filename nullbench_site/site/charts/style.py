"""What charts have in common: colours, the marks of contestants, words that stay in their place, scales, tables."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.text import ELLIPSIS, fitted

# How contestants are told apart: a colour and a shape each, the same in every chart of a site.
#
# The colours are those of Okabe and Ito (2008), Color universal design, which colour-blind readers can tell apart, in
# their order, made lighter or darker until each stands out from the page and from the others; black is left to texts.
# The shape is a second signal, and where contestants outnumber the colours it tells those of one colour apart.


COLOURS = ("orange", "sky", "green", "yellow", "blue", "vermillion", "purple")
"""Names of the CSS variables --nb-look-0 to --nb-look-6."""
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "triangle-left",
)  # fmt: skip
"""As Vega names them."""


@dataclass(frozen=True)
class Look:
    """colour: a place in COLOURS."""

    colour: int
    shape: str


def looks(boards: Iterable[Iterable[str]]) -> Mapping[str, Look]:
    """Contestant -> its look, of which as few as possible of those on its boards have the colour, then the shape.

    boards: the ids of those that share charts; their order in a board does not matter.
    """
    members = [sorted(set(board)) for board in boards]
    on_boards: dict[str, list[int]] = {}
    for number, board in enumerate(members):
        for model in board:
            on_boards.setdefault(model, []).append(number)
    used: list[Counter[int | str | Look]] = [Counter() for _ in members]
    made: dict[str, Look] = {}
    for model, numbers in on_boards.items():
        made[model] = look = _least_used(sum((used[number] for number in numbers), Counter()))
        for number in numbers:
            used[number].update((look.colour, look.shape, look))
    return made


def _least_used(used: Counter[int | str | Look]) -> Look:
    """The colour, then the shape with it, that is in use least often. used: colours, shapes and looks."""
    colour = min(range(len(COLOURS)), key=lambda place: used[place])
    return Look(colour, min(SHAPES, key=lambda shape: (used[Look(colour, shape)], used[shape])))


# Colours as names of CSS variables, so that one SVG serves the light and the dark page.
#
# vl-convert wants real colours; it gets a stand-in for each variable, which is replaced in the finished SVG.


INK, MUTED, HAIRLINE, ACCENT, GOAL, FLOOR, SURFACE = (f"#0000{n:02x}" for n in range(0xA1, 0xA8))
"""Stand-ins: text, quiet text, grid lines, the contestant, the goal, the null floor, the page itself."""
LOOKS = {name: f"#0000{0xB0 + place:02x}" for place, name in enumerate(COLOURS)}
"""Stand-ins of the colours that tell contestants apart, by their names."""

VARIABLES = {
    INK: "--nb-ink",
    MUTED: "--nb-muted",
    HAIRLINE: "--nb-hairline",
    ACCENT: "--nb-accent",
    GOAL: "--nb-gold",
    FLOOR: "--nb-rust",
    SURFACE: "--nb-surface",
} | {colour: f"--nb-look-{place}" for place, colour in enumerate(LOOKS.values())}


def themed(svg: str) -> str:
    """`svg` with the stand-ins replaced by CSS variables."""
    for stand_in, variable in VARIABLES.items():
        svg = svg.replace(stand_in, f"var({variable})")
    return svg


# How a contestant is marked in a chart: the colour and the shape that it has everywhere.


FONT = 13
"""The size of the words in a chart."""
NULL = "null"
"""The name of the colour that all null models share."""


def mark(look: Look, *, is_null: bool) -> dict[str, str]:
    """The fields of a row that tell contestants apart."""
    return {"colour": NULL if is_null else COLOURS[look.colour], "shape": look.shape}


# Words in a picture: how wide they are, and how they are broken or cut so that they stay in their place.


_WIDE = frozenset("ABCDEFGHKMNOPQRSTUVWXYZmw@%&")
_NARROW = frozenset("fijlrtI.,:;'|!()[] ")

# XML has no way to write these, and vl-convert ends the whole process at one of them.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def drawable(text: str) -> str:
    """`text` with the characters that no SVG can hold written out, as <U+001B>."""
    return _NOT_XML.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def width(text: str) -> float:
    """About how wide `text` is in a sans-serif font, in em; readers' fonts differ, so it is on the wide side."""
    return sum(_of(character) for character in text)


def _of(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.05
    return 0.74 if character in _WIDE else 0.36 if character in _NARROW else 0.58


def cut(text: str, room: float) -> str:
    """`text` on one line of at most `room` em; what does not fit ends in an ellipsis."""
    line = " ".join(drawable(text).split())
    return line if width(line) <= room else fitted(line, room, lambda character, _: _of(character)) or ELLIPSIS


def wrapped(text: str, room: float, lines: int) -> list[str]:
    """`text` on at most `lines` lines of at most `room` em, broken between words; at least one line, maybe empty."""
    words = drawable(text).split()
    broken: list[str] = []
    while words and len(broken) < lines - 1:
        taken = 1
        while taken < len(words) and width(" ".join(words[: taken + 1])) <= room:
            taken += 1
        broken.append(cut(" ".join(words[:taken]), room))
        words = words[taken:]
    return [*broken, cut(" ".join(words), room)] if words or not broken else broken


# A scale from numbers to places in a picture, with round numbers as its ticks.


_LEAST = 1e-12
"""What an axis takes for a span; smaller ones come of rounding."""
_DECADE = 10.0
_ROUND = (1.0, 2.0, 5.0)
_MOST = 6


@dataclass(frozen=True)
class ChartAxis:
    """Numbers between low and high put on 0 to 1; by their logarithms where is_log. 0 then stands at the left end."""

    low: float
    high: float
    is_log: bool
    ticks: Sequence[float]
    from_zero: float = 0.0
    """Where the logarithms begin: after the place of 0, where there is one."""

    def at(self, value: float) -> float:
        """Where `value` stands."""
        if not self.is_log:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return 0.0
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.from_zero + (1 - self.from_zero) * share


def linear(values: Sequence[float], low: float | None = None) -> ChartAxis:
    """The axis of numbers on one scale, whose ends are ticks. low: where it has to begin."""
    least, most = min(values) if low is None else low, max(values)
    span = most - least or abs(most)  # also of one value, whose ticks are no two alike in words
    step = _step(span if span > _LEAST else 1.0)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    last = max(last, first + 1)
    ticks = [step * n for n in range(first, last + 1)]
    return ChartAxis(ticks[0], ticks[-1], False, ticks)


WHOLE = 100.0
"""Where the scale of scores ends."""


def of_scores(values: Iterable[float]) -> ChartAxis:
    """The axis of scores from 0: to 100, or to the next round number above all `values` where these need half of it."""
    most = max(values, default=WHOLE)
    return linear([most if 0 < most <= WHOLE / 2 else WHOLE], low=0.0)


def across(axis: ChartAxis) -> list[dict[str, Any]]:
    """The parameters of a Vega-Lite spec that say where its axis of scores ends, and where its ticks are."""
    return [{"name": "top", "value": axis.high}, {"name": "ticks", "value": list(axis.ticks)}]


def below(title: str) -> dict[str, Any]:
    """The title of such an axis: one of a chart, as those of axes are the same in all charts of a kind."""
    how = {"orient": "bottom", "color": MUTED, "fontWeight": "normal", "fontSize": FONT, "offset": 6}
    return {"text": title, **how}


def extent(top: float, bottom: float = 0.0) -> str:
    """From where to where an axis of scores goes, in words; one that is zoomed says so."""
    return "0 to 100" if (bottom, top) == (0, WHOLE) else f"zoomed: {bottom:g} to {top:g} of 100"


def by_size(values: Sequence[float]) -> ChartAxis:
    """The axis of amounts, none below 0: by their logarithms where the largest is ten times the least above 0."""
    above = [value for value in values if value > 0]
    if not above or max(above) < _DECADE * min(above):
        return linear(values, low=0.0)
    low, high = min(above) / 1.25, max(above) * 1.25
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [lead * 10.0**exponent for exponent in exponents for lead in _ROUND]
    ticks = [tick for tick in ticks if low <= tick <= high]
    if len(ticks) > _MOST:
        ticks = [10.0**exponent for exponent in exponents if low <= 10.0**exponent <= high]
    while len(ticks) > _MOST:
        ticks = ticks[::2]
    has_zero = len(above) < len(values)
    return ChartAxis(low, high, True, [0.0, *ticks] if has_zero else ticks, 0.12 if has_zero else 0.0)


def _step(span: float) -> float:
    """The round step that makes five parts of a span, or a few less."""
    base = 10.0 ** math.floor(math.log10(span / 5))
    return next(lead * base for lead in (*_ROUND, 10.0) if lead * base * 5 >= span * (1 - 1e-9))


# The numbers behind a chart, as a table for readers who do not see it.


@dataclass(frozen=True)
class ChartTable:
    """caption: what the table holds. Every cell is in words; the first of a row names it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
