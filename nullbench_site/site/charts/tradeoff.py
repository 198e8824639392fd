"""Scores against time, tokens or money. A line joins the contestants with the best trade-offs.

Positions are worked out here, in units from the upper left of the picture, to keep labels apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.charts.style import FONT, ChartTable, by_size, cut, extent, linear, width

WIDTH, HEIGHT = 440, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 428, 32, 286
_POINT, _NEAR = 7, 10
"""The radius of a point, and the distance of a label from other points."""
_ROOM = 14.0
"""The greatest width of a label, in em."""
_DISTANCES = range(0, 130, 10)
"""How far above or below its point a label may be; a line joins those that are far apart."""


@dataclass(frozen=True)
class Point:
    """A contestant. amount: what an answer takes, >= 0. mark: its colour and shape."""

    title: str
    score: float
    amount: float
    mark: Mapping[str, str]
    on_frontier: bool


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )  # fmt: skip


def tradeoff_data(
    points: Sequence[Point], floor: float | None, what: str, in_words: Callable[[float], str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the datasets of a chart. points: one or more, the most important first. what: the title of the amount."""
    across = by_size([point.amount for point in points])
    up = linear([*(point.score for point in points), *([] if floor is None else [floor])])
    digits = max(0, -math.floor(math.log10(up.ticks[1] - up.ticks[0]) + 1e-9))

    def x(amount: float) -> float:
        return round(_LEFT + 10 + (_RIGHT - _LEFT - 20) * across.at(amount), 1)

    def y(score: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * up.at(score), 1)

    rows = [
        {
            "title": point.title, "score": words.number(point.score), "amount": in_words(point.amount),
            "beside": "on the frontier" if point.on_frontier else "", **point.mark,
            "x": x(point.amount), "y": y(point.score),
        }
        for point in points
    ]  # fmt: skip
    line = list(_stairs([row for row in rows if row["beside"]]))
    return {
        "points": rows,
        "frontier": line,
        "labels": list(_labels(rows, line)),
        "across": [
            {"x": x(tick), "y": _BOTTOM, "top": _TOP, "text_y": _BOTTOM + 18, "text": in_words(tick)}
            for tick in across.ticks
        ],
        "up": [
            {"y": y(tick), "x": _LEFT, "right": _RIGHT, "text_x": _LEFT - 6, "text": words.number(tick, digits)}
            for tick in up.ticks
        ],
        "floor": [] if floor is None else [{"y": y(floor), "x": _LEFT, "right": _RIGHT}],
        "names": [
            {"x": 0, "y": 12, "side": "left", "text": f"score, {extent(up.high, up.low)}"},
            {"x": _RIGHT, "y": _BOTTOM + 38, "side": "right", "text": what},
        ],
        "size": [{"height": HEIGHT}],
    }  # fmt: skip


def _stairs(points: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the corners of the frontier, from the least amount to the largest."""
    corners: list[tuple[float, float]] = []
    for row in sorted(points, key=lambda row: (row["x"], -row["y"])):
        if corners:
            corners.append((row["x"], corners[-1][1]))
        corners.append((row["x"], row["y"]))
    yield from ({"place": place, "x": x, "y": y} for place, (x, y) in enumerate(corners))


def _labels(rows: Sequence[Mapping[str, Any]], line: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the labels of points, those of the frontier first. A label without a free place is only in the table."""
    taken: list[_Box] = []
    for one, other in pairwise(line):
        left, right = sorted((one["x"], other["x"]))
        top, bottom = sorted((one["y"], other["y"]))
        taken.append(_Box(left - 1, top - 1, right + 1, bottom + 1))
    for row in sorted(rows, key=lambda row: not row["beside"]):
        text = cut(row["title"], _ROOM)
        points = [_around(other) for other in rows if other is not row]
        for x, y, side in _places(row["x"], row["y"]):
            box = _box(x, y, side, text)
            inside = box.left >= _LEFT and box.right <= WIDTH and box.top >= 0 and box.bottom <= _BOTTOM
            if inside and not any(box.meets(other) for other in (*taken, *points)):
                taken.append(box)
                yield {
                    "text": text,
                    "x": round(x, 1),
                    "y": round(y, 1),
                    "side": side,
                    "to_x": row["x"],
                    "to_y": row["y"],
                }
                break


def _around(row: Mapping[str, Any]) -> _Box:
    return _Box(row["x"] - _NEAR, row["y"] - _NEAR, row["x"] + _NEAR, row["y"] + _NEAR)


def _places(x: float, y: float) -> Iterator[tuple[float, float, str]]:
    """Yield possible places of a label, the best first: x, the middle of its line, and the side of the text at x."""
    for far in _DISTANCES:
        yield x + _POINT + 3, y - far, "left"
        yield x - _POINT - 3, y - far, "right"
        yield x, y - _POINT - 9 - far, "center"
        yield x, y + _POINT + 9 + far, "center"
        yield x + 2, y - _POINT - 9 - far, "left"
        yield x - 2, y - _POINT - 9 - far, "right"
        yield x + 2, y + _POINT + 9 + far, "left"
        yield x - 2, y + _POINT + 9 + far, "right"


def _box(x: float, y: float, side: str, text: str) -> _Box:
    wide = FONT * width(text)
    left = x if side == "left" else x - wide if side == "right" else x - wide / 2
    return _Box(left - 2, y - 8, left + wide + 2, y + 8)


def tradeoff_table(what: str, datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """Return the table of a chart, with a column for the frontier if there is one."""
    points, beside = datasets["points"], ["beside"] if datasets["frontier"] else []
    return ChartTable(
        f"Score and {what}",
        ["Contestant", "Score", what.capitalize(), *(["Frontier"] if beside else [])],
        [[row[name] for name in ("title", "score", "amount", *beside)] for row in points],
    )


AMOUNTS = {
    "latency": "median response time",
    "tokens": "tokens per answer",
    "cost": "cost of 1,000 answers",
}
"""What scores are compared with, by kind of chart."""
