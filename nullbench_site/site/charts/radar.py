"""The radar of a profile against the board's median and, where there is one, its goal.

All places are worked out here, by `position` and `outline` on a circle of radius 1: in units of the picture for large
radars, which the page's template and Vega draw the same, as they are for small ones and for cards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from nullbench_site.site import words
from nullbench_site.site.charts.style import ACCENT, GOAL, HAIRLINE, INK, MUTED, Table, wrapped

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
    """What stands in the middle of a radar, what at its rim, and where its rings are."""

    low: float
    high: float
    rings: tuple[float, ...]


LIKERT = Scale(1, 5, (2, 3, 4, 5))
POINTS = Scale(0, 100, (25, 50, 75, 100))


@dataclass(frozen=True)
class Spoke:
    """One axis of a radar; None where a value is absent, and for the goal where there is none."""

    label: str
    value: float | None
    goal: float | None
    median: float | None


Place: TypeAlias = tuple[float, float]
"""On a circle of radius 1 around the middle, y downwards."""


@cache
def _ends(spokes: int) -> Sequence[Place]:
    """Where spokes end: clockwise from the top."""
    angles = (2 * math.pi * place / spokes for place in range(spokes))
    return [(math.sin(angle), -math.cos(angle)) for angle in angles]


def position(value: float, place: int, spokes: int, scale: Scale) -> Place:
    """Where `value` (in the middle below the scale) stands on spoke `place` of `spokes`."""
    radius = max(0.0, (value - scale.low) / (scale.high - scale.low))
    x, y = _ends(spokes)[place]
    return radius * x, radius * y


def outline(values: Sequence[float | None], scale: Scale) -> Sequence[Place]:
    """The corners of a polygon of values; none where a value is absent, rather than one in the middle."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ()
    return [position(value, place, len(known), scale) for place, value in enumerate(known)]


def radar_data(spokes: Sequence[Spoke], name: str, scale: Scale) -> dict[str, list[dict[str, Any]]]:
    """The datasets of a radar, in units of the picture from its upper left. name: whose profile it is."""
    n = len(spokes)
    labels = [_label(spoke, *position(scale.high, place, n, scale)) for place, spoke in enumerate(spokes)]
    _keep_apart(labels)
    top = min((label.top for label in labels), default=-_RADIUS)
    bottom = max((label.bottom for label in labels), default=_RADIUS)
    middle = math.ceil(max(-top, _RADIUS))
    height = middle + math.ceil(max(bottom, _RADIUS)) + 4

    def at(place: Place) -> dict[str, float]:
        return {"x": round(_MIDDLE + _RADIUS * place[0], 1), "y": round(middle + _RADIUS * place[1], 1)}

    def closed(values: Sequence[float | None]) -> Iterator[dict[str, float]]:
        corners = outline(values, scale)
        yield from ({"place": number, **at(corner)} for number, corner in enumerate([*corners, *corners[:1]]))

    outlines = {
        "goal": [spoke.goal for spoke in spokes],
        "median": [spoke.median for spoke in spokes],
        "profile": [spoke.value for spoke in spokes],
    }
    points = [
        {
            "axis": s.label,
            "score": None if s.value is None else round(s.value, 2),
            "goal": s.goal,
            "median": None if s.median is None else round(s.median, 2),
            "of": name,
            **({"x": None, "y": None} if s.value is None else at(position(s.value, place, n, scale))),
        }
        for place, s in enumerate(spokes)
    ]
    return {
        "grid": [{"ring": ring, **corner} for ring in scale.rings for corner in closed([ring] * n)],
        "tips": [{**tip, "middle_x": _MIDDLE, "middle_y": middle} for tip in list(closed([scale.high] * n))[:-1]],
        "lines": [{"series": name, **corner} for name, values in outlines.items() for corner in closed(values)],
        "points": points,
        "labels": [row for label in labels for row in label.rows(middle)],
        "size": [{"height": height}],
    }


@dataclass
class _Label:
    """The words beside a spoke, around the middle of the radar: y downwards, `y` the middle of the block."""

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
        """Beside the rim where the block comes nearest to the middle."""
        if self.side == "center":
            return 0.0
        nearest = 0.0 if self.top <= 0 <= self.bottom else min(abs(self.top), abs(self.bottom))
        x = math.sqrt(max(0.0, _RADIUS**2 - nearest**2)) + _GAP
        return x if self.side == "left" else -x

    def rows(self, middle: float) -> Iterator[dict[str, Any]]:
        # A line of text stands on its baseline, a quarter of its height above its lower edge.
        for number, text in enumerate([*self.lines, self.score]):
            y = middle + self.top + _LINE * (number + 0.78)
            yield {
                "text": text,
                "what": "score" if number == len(self.lines) else "label",
                "side": self.side,
                "x": round(_MIDDLE + self.x, 1),
                "y": round(y, 1),
            }


def _label(spoke: Spoke, x: float, y: float) -> _Label:
    """The words at the end of a spoke; x, y: its end on a circle of radius 1."""
    on_axis = abs(x) < 0.01
    lines = wrapped(spoke.label, 1.9 * _ROOM if on_axis else _ROOM, 1 if on_axis else _LINES)
    score = "n/a" if spoke.value is None else words.number(spoke.value, 1)
    label = _Label(lines, score, "center" if on_axis else "left" if x > 0 else "right", 0.0)
    label.y = y * (_RADIUS + _GAP) + (math.copysign(label.height / 2, y) if on_axis else 0)
    return label


def _keep_apart(labels: Sequence[_Label]) -> None:
    """Move the labels of each side up and down until none stands on another."""
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
class Picture:
    """A radar as a template draws it: corners of polygons as SVG wants them, and rows of texts and points."""

    width: int
    height: int
    rings: Sequence[str]
    tips: Sequence[Mapping[str, Any]]
    outlines: Mapping[str, str]
    points: Sequence[Mapping[str, Any]]
    labels: Sequence[Mapping[str, Any]]


def picture(datasets: Mapping[str, list[dict[str, Any]]]) -> Picture:
    """The picture of the datasets of a radar."""
    return Picture(
        width=WIDTH,
        height=datasets["size"][0]["height"],
        rings=list(_polygons(datasets["grid"], "ring").values()),
        tips=datasets["tips"],
        outlines=_polygons(datasets["lines"], "series"),
        points=[point for point in datasets["points"] if point["x"] is not None],
        labels=datasets["labels"],
    )


def _polygons(rows: Sequence[Mapping[str, Any]], by: str) -> dict[str, str]:
    polygons: dict[str, list[str]] = {}
    for row in rows:
        polygons.setdefault(row[by], []).append(f"{row['x']:g},{row['y']:g}")
    return {name: " ".join(corners[:-1]) for name, corners in polygons.items()}


def table(datasets: Mapping[str, list[dict[str, Any]]]) -> Table:
    """The numbers behind a radar."""
    points = datasets["points"]
    columns = [name for name in ("goal", "median") if any(point[name] is not None for point in points)]
    return Table(
        caption=f"Numbers behind the radar{' of ' + points[0]['of'] if points else ''}",
        head=["", "value", *columns],
        rows=[[point["axis"], *(words.number(point[name], 2) for name in ("score", *columns))] for point in points],
    )


def template(*, goals: bool) -> dict[str, Any]:
    """The Vega-Lite spec of a radar without its data. goals: whether hovering tells them."""
    import altair as alt

    x, y = alt.X("x:Q", axis=None, scale=None), alt.Y("y:Q", axis=None, scale=None)
    grid = (
        alt.Chart(alt.NamedData("grid"))
        .mark_line(color=HAIRLINE, strokeWidth=1)
        .encode(x=x, y=y, detail="ring:N", order="place:Q")
    )
    spokes = (
        alt.Chart(alt.NamedData("tips")).mark_rule(color=HAIRLINE).encode(x=x, y=y, x2="middle_x:Q", y2="middle_y:Q")
    )
    lines = alt.Chart(alt.NamedData("lines")).encode(x=x, y=y, order="place:Q")
    goal = lines.transform_filter("datum.series == 'goal'").mark_line(color=GOAL, strokeDash=[5, 3], strokeWidth=1.6)
    median = lines.transform_filter("datum.series == 'median'").mark_line(
        color=MUTED, strokeDash=[1, 3], strokeWidth=1.6
    )
    profile = lines.transform_filter("datum.series == 'profile'").mark_line(
        color=ACCENT, strokeWidth=2, fill=ACCENT, fillOpacity=0.14
    )
    points = (
        alt.Chart(alt.NamedData("points"))
        .transform_filter("datum.score != null")
        .mark_circle(color=ACCENT, size=36, opacity=1)
        .encode(x=x, y=y, tooltip=["of:N", "axis:N", "score:Q", *(["goal:Q"] if goals else []), "median:Q"])
    )
    layers: list[Any] = [grid, spokes, goal, median, profile, points]
    for side in ("left", "center", "right"):
        for what, colour in (("label", INK), ("score", MUTED)):
            layers.append(
                alt.Chart(alt.NamedData("labels"))
                .transform_filter(f"datum.side == '{side}' && datum.what == '{what}'")
                .mark_text(align=side, baseline="alphabetic", color=colour, fontSize=_FONT)
                .encode(x=x, y=y, text="text:N")
            )
    chart = alt.layer(*layers).properties(width=WIDTH, padding=0, background="transparent")
    return dict(chart.configure_view(stroke=None).to_dict())


@dataclass(frozen=True)
class SmallRadar:
    """A radar drawn by a template: points of polygons on a circle of radius 1, y downwards.

    rings: a path through all of them. reference: the polygon that the profile is held against, of the kind `against`.
    A polygon that would not be whole is empty.
    """

    label: str
    score: str
    link: str
    rings: str
    reference: str
    against: Literal["goal", "median"]
    profile: str


def small_radar(
    label: str,
    score: str,
    link: str,
    values: Sequence[float | None],
    reference: Sequence[float | None],
    *,
    against: Literal["goal", "median"],
    scale: Scale,
) -> SmallRadar:
    """A small radar; a polygon with an absent value is not drawn at all rather than through the middle."""
    return SmallRadar(
        label=label,
        score=score,
        link=link,
        rings=_rings(len(values), scale),
        reference=_polygon(reference, scale),
        against=against,
        profile=_polygon(values, scale),
    )


@cache
def _rings(spokes: int, scale: Scale) -> str:
    return "".join(f"M{_polygon([ring] * spokes, scale)}Z" for ring in scale.rings) if spokes else ""


def _polygon(values: Sequence[float | None], scale: Scale) -> str:
    return " ".join(f"{x:.3f},{y:.3f}" for x, y in outline(values, scale))


def radar_words(name: str, spokes: Sequence[Spoke], scale: Scale) -> str:
    """The text alternative of a radar: every number in it."""
    parts = [f"{spoke.label} {words.number(spoke.value, 1)} ({_beside(spoke)})" for spoke in spokes]
    return f"Radar of {name} on a scale from {scale.low:g} to {scale.high:g}: {'; '.join(parts)}."


def _beside(spoke: Spoke) -> str:
    goal = "" if spoke.goal is None else f"goal {words.number(spoke.goal, 1)}, "
    return f"{goal}median {words.number(spoke.median, 1)}"
