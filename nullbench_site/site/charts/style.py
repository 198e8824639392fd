"""Shared parts of charts: colours, marks of contestants, text widths, axes and tables."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.text import ELLIPSIS, fitted

# Each contestant has a colour and a shape, the same in every chart of a site.
#
# The colours are those of Okabe and Ito (2008), Color universal design, which colour-blind readers can distinguish.
# They are made lighter or darker until each has enough contrast with the page and the others. Black is left to texts.
# The shape is a second signal; it also distinguishes contestants of one colour.


COLOURS = ("orange", "sky", "green", "yellow", "blue", "vermillion", "purple")
"""Names of the CSS variables --nb-look-0 to --nb-look-6."""
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "triangle-left",
)  # fmt: skip
"""The names of Vega."""


@dataclass(frozen=True)
class Look:
    """The colour and shape of a contestant. colour: an index of COLOURS."""

    colour: int
    shape: str


def looks(boards: Iterable[Iterable[str]]) -> Mapping[str, Look]:
    """Return the look of each contestant. Contestants of one board share colours, then shapes, as little as possible.

    boards: the ids of contestants that share charts, in any order.
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
    """Return the least used colour with the least used shape. used: colours, shapes and looks."""
    colour = min(range(len(COLOURS)), key=lambda place: used[place])
    return Look(colour, min(SHAPES, key=lambda shape: (used[Look(colour, shape)], used[shape])))


# Colours are CSS variables, so one SVG serves light and dark pages. vl-convert needs real colours: it gets a stand-in
# for each variable, which is replaced in the finished SVG.


INK, MUTED, HAIRLINE, ACCENT, GOAL, FLOOR, SURFACE = (f"#0000{n:02x}" for n in range(0xA1, 0xA8))
"""Stand-ins of text, quiet text, grid lines, the contestant, the goal, the null floor and the page."""
LOOKS = {name: f"#0000{0xB0 + place:02x}" for place, name in enumerate(COLOURS)}
"""Stand-ins of the colours of contestants, by name."""

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
    """Replace the stand-ins in an SVG by CSS variables."""
    for stand_in, variable in VARIABLES.items():
        svg = svg.replace(stand_in, f"var({variable})")
    return svg


LIGHT = {
    "--nb-ink": "#1b1f24", "--nb-muted": "#59636e", "--nb-hairline": "#dfe3e8", "--nb-accent": "#0b6e99",
    "--nb-gold": "#9a6b00", "--nb-rust": "#b04214", "--nb-surface": "#ffffff", "--nb-look-0": "#c48400",
    "--nb-look-1": "#2197d6", "--nb-look-2": "#00805c", "--nb-look-3": "#4a4500", "--nb-look-4": "#08408a",
    "--nb-look-5": "#cf4a00", "--nb-look-6": "#c469a0",
}  # fmt: skip
"""The CSS variables on a light page, for charts outside the site."""


def light(spec: str) -> str:
    """Replace the stand-ins in the JSON of a spec by the colours of a light page."""
    for stand_in, variable in VARIABLES.items():
        spec = spec.replace(stand_in, LIGHT[variable])
    return spec


FONT = 13
"""The font size in a chart."""
NULL = "null"
"""The colour of all null models."""


def mark(look: Look, *, is_null: bool) -> dict[str, str]:
    """Return the colour and shape of a contestant as fields of a row."""
    return {"colour": NULL if is_null else COLOURS[look.colour], "shape": look.shape}


# Texts in a picture: their width, and how they are wrapped or cut.


_WIDE = frozenset("ABCDEFGHKMNOPQRSTUVWXYZmw@%&")
_NARROW = frozenset("fijlrtI.,:;'|!()[] ")

# XML does not allow these characters, and vl-convert aborts the process at one of them.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def drawable(text: str) -> str:
    """Replace characters that SVG does not allow: <U+001B>."""
    return _NOT_XML.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def width(text: str) -> float:
    """Estimate the width of a text in a sans-serif font, in em, rather too wide than too narrow."""
    return sum(_of(character) for character in text)


def _of(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.05
    return 0.74 if character in _WIDE else 0.36 if character in _NARROW else 0.58


def cut(text: str, room: float) -> str:
    """Return a text on one line of at most `room` em, cut with an ellipsis."""
    line = " ".join(drawable(text).split())
    return line if width(line) <= room else fitted(line, room, lambda character, _: _of(character)) or ELLIPSIS


def wrapped(text: str, room: float, lines: int) -> list[str]:
    """Wrap a text into 1 to `lines` lines of at most `room` em."""
    words = drawable(text).split()
    broken: list[str] = []
    while words and len(broken) < lines - 1:
        taken = 1
        while taken < len(words) and width(" ".join(words[: taken + 1])) <= room:
            taken += 1
        broken.append(cut(" ".join(words[:taken]), room))
        words = words[taken:]
    return [*broken, cut(" ".join(words), room)] if words or not broken else broken


# Axes with round numbers as ticks.


_LEAST = 1e-12
"""The least span of an axis; smaller ones are rounding errors."""
_DECADE = 10.0
_ROUND = (1.0, 2.0, 5.0)
_MOST = 6


@dataclass(frozen=True)
class ChartAxis:
    """An axis from low to high, mapped to 0-1. is_log: on a logarithmic scale, with 0 at the left end."""

    low: float
    high: float
    is_log: bool
    ticks: Sequence[float]
    from_zero: float = 0.0
    """Where the logarithmic scale begins, after the place of 0."""

    def at(self, value: float) -> float:
        """Return the position of a value."""
        if not self.is_log:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return 0.0
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.from_zero + (1 - self.from_zero) * share


def linear(values: Sequence[float], low: float | None = None) -> ChartAxis:
    """Return a linear axis that ends at ticks. low: where it has to begin."""
    least, most = min(values) if low is None else low, max(values)
    span = most - least or abs(most)  # also for a single value
    step = _step(span if span > _LEAST else 1.0)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    last = max(last, first + 1)
    ticks = [step * n for n in range(first, last + 1)]
    return ChartAxis(ticks[0], ticks[-1], False, ticks)


WHOLE = 100.0
"""The end of the scale of scores."""


def of_scores(values: Iterable[float]) -> ChartAxis:
    """Return the axis of scores from 0 to 100, or to the next round number if all values are below 50."""
    most = max(values, default=WHOLE)
    return linear([most if 0 < most <= WHOLE / 2 else WHOLE], low=0.0)


def across(axis: ChartAxis) -> list[dict[str, Any]]:
    """Return the end and the ticks of an axis of scores as parameters of a Vega-Lite spec."""
    return [{"name": "top", "value": axis.high}, {"name": "ticks", "value": list(axis.ticks)}]


def below(title: str) -> dict[str, Any]:
    """Return the title below a chart. Titles of axes cannot differ between charts of a kind."""
    how = {"orient": "bottom", "color": MUTED, "fontWeight": "normal", "fontSize": FONT, "offset": 6}
    return {"text": title, **how}


def extent(top: float, bottom: float = 0.0) -> str:
    """Return the extent of an axis of scores in words."""
    return "0 to 100" if (bottom, top) == (0, WHOLE) else f"zoomed: {bottom:g} to {top:g} of 100"


def by_size(values: Sequence[float]) -> ChartAxis:
    """Return the axis of amounts >= 0, logarithmic if the largest is ten times the smallest above 0."""
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
    """Return the round step that splits a span into at most five parts."""
    base = 10.0 ** math.floor(math.log10(span / 5))
    return next(lead * base for lead in (*_ROUND, 10.0) if lead * base * 5 >= span * (1 - 1e-9))


@dataclass(frozen=True)
class ChartTable:
    """The numbers of a chart in words, for readers who cannot see it. The first cell of a row is its name."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
