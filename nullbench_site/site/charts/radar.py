"""Radars: a profile against the board's median and its goal, if it has one.

Positions are on a circle of radius 1. Templates and cards draw them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, TypeAlias

from nullbench_site.site import words
from nullbench_site.site.charts.style import ChartTable, drawable, wrapped

WIDTH = 440
_RADIUS = 122
_MIDDLE = WIDTH / 2
_FONT = 13
_LINE = 16
_GAP = 10
"""Between the rim and a label."""
_ROOM = (_MIDDLE - _RADIUS - _GAP) / _FONT
_LINES = 2


@dataclass(frozen=True)
class Scale:
    """The values in the middle of a radar, at its rim and at its rings."""

    low: float
    high: float
    rings: tuple[float, ...]


LIKERT = Scale(1, 5, (2, 3, 4, 5))
POINTS = Scale(0, 100, (25, 50, 75, 100))


@dataclass(frozen=True)
class Spoke:
    """One axis of a radar. An absent value is None."""

    label: str
    value: float | None
    goal: float | None
    median: float | None


Place: TypeAlias = tuple[float, float]
"""A point on a circle of radius 1, y downwards."""


@cache
def _ends(spokes: int) -> Sequence[Place]:
    """Return the ends of the spokes, clockwise from the top."""
    angles = (2 * math.pi * place / spokes for place in range(spokes))
    return [(math.sin(angle), -math.cos(angle)) for angle in angles]


def position(value: float, place: int, spokes: int, scale: Scale) -> Place:
    """Return the position of a value on a spoke. A value below the scale is in the middle."""
    radius = max(0.0, (value - scale.low) / (scale.high - scale.low))
    x, y = _ends(spokes)[place]
    return radius * x, radius * y


def outline(values: Sequence[float | None], scale: Scale) -> Sequence[Place]:
    """Return the corners of a polygon of values; none if a value is absent."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ()
    return [position(value, place, len(known), scale) for place, value in enumerate(known)]


@dataclass(frozen=True)
class Text:
    """A line of text in a picture. what: `label` or `score`. side: of the text at which x is."""

    text: str
    what: str
    side: str
    x: float
    y: float


@dataclass(frozen=True)
class Picture:
    """A radar as a template draws it: polygons as SVG points, ends of spokes, points with texts, and labels."""

    width: int
    height: int
    middle: tuple[float, float]
    rings: Sequence[str]
    ends: Sequence[Place]
    outlines: Mapping[str, str]
    points: Sequence[tuple[Place, str]]
    labels: Sequence[Text]


@dataclass(frozen=True)
class Radar:
    """A large radar. name: of the contestant. metric: the id of the metric that explains its numbers."""

    name: str
    spokes: Sequence[Spoke]
    scale: Scale
    metric: str = ""

    @property
    def picture(self) -> Picture:
        """Return the drawing, in units from its upper left."""
        n, scale = len(self.spokes), self.scale
        labels = [_label(spoke, *position(scale.high, place, n, scale)) for place, spoke in enumerate(self.spokes)]
        _keep_apart(labels)
        top = min((label.top for label in labels), default=-_RADIUS)
        bottom = max((label.bottom for label in labels), default=_RADIUS)
        middle = math.ceil(max(-top, _RADIUS))

        def at(place: Place) -> Place:
            return round(_MIDDLE + _RADIUS * place[0], 1), round(middle + _RADIUS * place[1], 1)

        def polygon(values: Sequence[float | None]) -> str:
            return " ".join(f"{x:g},{y:g}" for x, y in map(at, outline(values, scale)))

        outlines = {
            "goal": polygon([spoke.goal for spoke in self.spokes]),
            "median": polygon([spoke.median for spoke in self.spokes]),
            "profile": polygon([spoke.value for spoke in self.spokes]),
        }
        return Picture(
            width=WIDTH,
            height=middle + math.ceil(max(bottom, _RADIUS)) + 4,
            middle=(_MIDDLE, middle),
            rings=[polygon([ring] * n) for ring in scale.rings],
            ends=[at(end) for end in outline([scale.high] * n, scale)],
            outlines={series: corners for series, corners in outlines.items() if corners},
            points=[
                (at(position(spoke.value, place, n, scale)), drawable(_words(spoke)))
                for place, spoke in enumerate(self.spokes)
                if spoke.value is not None
            ],
            labels=[row for label in labels for row in label.rows(middle)],
        )

    @property
    def table(self) -> ChartTable:
        """Return its numbers as a table."""
        beside = {"goal": [s.goal for s in self.spokes], "median": [s.median for s in self.spokes]}
        known = {name: values for name, values in beside.items() if any(value is not None for value in values)}
        return ChartTable(
            caption=f"Numbers behind the radar of {drawable(self.name)}",
            head=["", "value", *known],
            rows=[
                [drawable(spoke.label), words.number(spoke.value, 2), *(words.number(v[k], 2) for v in known.values())]
                for k, spoke in enumerate(self.spokes)
            ],
        )


@dataclass
class _Label:
    """The text at a spoke. y: the middle of the block, from the middle of the radar downwards."""

    lines: list[str]
    score: str
    side: str
    y: float

    @property
    def height(self) -> float:
        return _LINE * (len(self.lines) + 1)

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2

    @property
    def x(self) -> float:
        """Return the edge of the text next to the rim."""
        if self.side == "center":
            return 0.0
        nearest = 0.0 if self.top <= 0 <= self.bottom else min(abs(self.top), abs(self.bottom))
        x = math.sqrt(max(0.0, _RADIUS**2 - nearest**2)) + _GAP
        return x if self.side == "left" else -x

    def rows(self, middle: float) -> Iterator[Text]:
        # The baseline is about a quarter of the line's height above its lower edge.
        for number, text in enumerate([*self.lines, self.score]):
            y = middle + self.top + _LINE * (number + 0.78)
            what = "score" if number == len(self.lines) else "label"
            yield Text(text, what, self.side, round(_MIDDLE + self.x, 1), round(y, 1))


def _label(spoke: Spoke, x: float, y: float) -> _Label:
    """Return the text at the end of a spoke. x, y: the end on a circle of radius 1."""
    on_axis = abs(x) < 0.01
    lines = wrapped(spoke.label, 1.9 * _ROOM if on_axis else _ROOM, 1 if on_axis else _LINES)
    score = "n/a" if spoke.value is None else words.number(spoke.value, 1)
    label = _Label(lines, score, "center" if on_axis else "left" if x > 0 else "right", 0.0)
    label.y = y * (_RADIUS + _GAP) + (math.copysign(label.height / 2, y) if on_axis else 0)
    return label


def _keep_apart(labels: Sequence[_Label]) -> None:
    """Move the labels of each side up or down until none overlaps."""
    above = max((label.bottom for label in labels if label.side == "center" and label.y < 0), default=-math.inf)
    below = min((label.top for label in labels if label.side == "center" and label.y > 0), default=math.inf)
    for side in ("left", "right"):
        own = sorted((label for label in labels if label.side == side), key=lambda label: label.y)
        edge = above
        for label in own:
            label.y = max(label.y, edge + label.height / 2)
            edge = label.bottom
        if edge > below:
            edge = below
            for label in reversed(own):
                label.y = min(label.y, edge - label.height / 2)
                edge = label.top
    beside = min((label.top for label in labels if label.side != "center"), default=math.inf)
    for label in labels:
        if label.side == "center" and label.y < 0:
            label.y = min(label.y, beside - label.height / 2)


@dataclass(frozen=True)
class SmallRadar:
    """A small radar: polygons on a circle of radius 1, y downwards. A polygon with an absent value is empty.

    compared: the values that the profile is compared with, those of a goal or a median (`against`).
    """

    label: str
    score: str
    link: str
    values: Sequence[float | None]
    compared: Sequence[float | None]
    against: Literal["goal", "median"]
    scale: Scale

    @property
    def rings(self) -> str:
        """Return one path through all rings."""
        return _rings(len(self.values), self.scale)

    @cached_property
    def reference(self) -> str:
        return _polygon(self.compared, self.scale)

    @cached_property
    def profile(self) -> str:
        return _polygon(self.values, self.scale)


@cache
def _rings(spokes: int, scale: Scale) -> str:
    return "".join(f"M{_polygon([ring] * spokes, scale)}Z" for ring in scale.rings) if spokes else ""


def _polygon(values: Sequence[float | None], scale: Scale) -> str:
    return " ".join(f"{x:.3f},{y:.3f}" for x, y in outline(values, scale))


def radar_words(name: str, spokes: Sequence[Spoke], scale: Scale) -> str:
    """Return the text alternative of a radar, with every number."""
    parts = "; ".join(_words(spoke) for spoke in spokes)
    return f"Radar of {name} on a scale from {scale.low:g} to {scale.high:g}: {parts}."


def _words(spoke: Spoke) -> str:
    goal = "" if spoke.goal is None else f"goal {words.number(spoke.goal, 1)}, "
    beside = f"{goal}median {words.number(spoke.median, 1)}"
    return f"{spoke.label} {words.number(spoke.value, 1)} ({beside})"
