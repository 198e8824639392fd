"""Reliability diagrams: the share of right answers by confidence, as bars against the diagonal. A template draws them.

Positions are in units from the upper left of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nullbench_site.scoring.board_tables import ReliabilityRow
from nullbench_site.site import words
from nullbench_site.site.charts.style import ChartTable

WIDTH, HEIGHT = 340, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 310, 30, 240
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_EDGE = 1.5
"""Between a bar and the end of its bin."""


@dataclass(frozen=True)
class Box:
    """A rectangle. words: what it shows."""

    x: float
    y: float
    width: float
    height: float
    words: str = ""


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Tick:
    """A tick of both axes, a share in words, at x on the axis of confidence and at y on that of accuracy."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Picture:
    """A diagram as a template draws it. chance: where the bars of a calibrated model end. ranges: 95 % intervals."""

    width: int
    height: int
    left: float
    right: float
    top: float
    bottom: float
    ticks: Sequence[Tick]
    chance: Sequence[Box]
    bars: Sequence[Box]
    ranges: Sequence[Line]


def picture(bars: Sequence[ReliabilityRow]) -> Picture:
    """Return the drawing of the bars of one diagram."""
    return Picture(
        WIDTH, HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM,
        ticks=[Tick(_x(share), _y(share), f"{words.number(100 * share, 0)}\N{NO-BREAK SPACE}%") for share in _TICKS],
        chance=[_box(bar, *chance_range(bar)) for bar in bars],
        bars=[_box(bar, 0.0, bar.share_right or 0.0, _bar_words(bar)) for bar in bars],
        ranges=[
            Line(_x(bar.mean_confidence), _y(bar.share_right_low), _x(bar.mean_confidence), _y(bar.share_right_high))
            for bar in bars
            if bar.share_right_low is not None and bar.share_right_high is not None
        ],
    )  # fmt: skip


def chance_range(bar: ReliabilityRow) -> tuple[float, float]:
    """Return the lowest and the highest share of right answers that chance explains in a calibrated model, 0-1."""
    return max(0.0, bar.mean_confidence - bar.chance_gap), min(1.0, bar.mean_confidence + bar.chance_gap)


def table(bars: Sequence[ReliabilityRow], title: str) -> ChartTable:
    """Return the numbers of a diagram."""
    rows = [
        [
            _bin_words(bar),
            words.number(bar.n_answers, 0),
            words.percent(bar.mean_confidence),
            f"{words.percent(bar.share_right)} {_hundred(bar.share_right_low, bar.share_right_high)}".rstrip(),
            _hundred(*chance_range(bar)),
        ]
        for bar in bars
    ]
    heads = ["Confidence", "Answers", "Mean confidence", "Right", "Right if calibrated"]
    return ChartTable(f"Right answers of {title} by confidence", heads, rows)


def _hundred(low: float | None, high: float | None) -> str:
    return words.interval(words.hundredths(low), words.hundredths(high))


def _bin_words(bar: ReliabilityRow) -> str:
    return f"{words.number(100 * bar.bin_low, 0)}–{words.number(100 * bar.bin_high, 0)}\N{NO-BREAK SPACE}%"


def _bar_words(bar: ReliabilityRow) -> str:
    answers = words.plural(bar.n_answers, "answer")
    return f"{_bin_words(bar)}: {words.percent(bar.share_right)} of {answers} right"


def _box(bar: ReliabilityRow, low: float, high: float, text: str = "") -> Box:
    left, right = _x(bar.bin_low) + _EDGE, _x(bar.bin_high) - _EDGE
    return Box(left, _y(high), round(right - left, 1), round(_y(low) - _y(high), 1), text)


def _x(share: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * share, 1)


def _y(share: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * share, 1)
