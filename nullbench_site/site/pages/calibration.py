"""The section of a trust page on calibration: whether confidence agrees with accuracy, with reliability diagrams.

A diagram has the share of right answers by confidence, as bars against the diagonal. A template draws it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import CalibrationRow, ReliabilityRow
from nullbench_site.scoring.calibration import EVERY
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import words
from nullbench_site.site.charts.style import ChartTable
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.stats.calibration import CLIP

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


def picture(bars: Sequence[ReliabilityRow]) -> Mapping[str, Any]:
    """Return the drawing of the bars of one diagram, as a template draws it. Positions are from its upper left.

    ticks: of both axes: at x on the axis of confidence, at y on that of accuracy, and the share in words. chance: where
    the bars of a calibrated model end. ranges: 95 % intervals, as x, lower and upper y.
    """
    return {
        "width": WIDTH, "height": HEIGHT, "left": _LEFT, "right": _RIGHT, "top": _TOP, "bottom": _BOTTOM,
        "ticks": [(_x(share), _y(share), f"{words.number(100 * share, 0)}\N{NO-BREAK SPACE}%") for share in _TICKS],
        "chance": [_box(bar, *chance_range(bar)) for bar in bars],
        "bars": [_box(bar, 0.0, bar.share_right or 0.0, _bar_words(bar)) for bar in bars],
        "ranges": [
            (_x(bar.mean_confidence), _y(bar.share_right_low), _y(bar.share_right_high))
            for bar in bars
            if bar.share_right_low is not None and bar.share_right_high is not None
        ],
    }  # fmt: skip


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


_NAMED = 3


def shows(view: BoardView) -> Mapping[str, Any]:
    """Return the rows and the diagrams of a board by kind of confidence, and who has none and why."""
    rows: Sequence[CalibrationRow] = known(getattr(view.results, "calibration", UNSET))
    bars: Sequence[ReliabilityRow] = known(getattr(view.results, "reliability", UNSET))
    measured = [row for row in rows if row.n_answers]
    return {
        "kinds": [
            {
                "id": kind,
                "title": METRICS[kind].title,
                "rows": of_kind,
                "diagrams": list(_diagrams(view, of_kind, bars)),
            }
            for kind in dict.fromkeys(row.confidence_kind for row in measured)
            for of_kind in [[row for row in measured if row.confidence_kind == kind]]
        ],
        "unmeasured": list(_unmeasured(view, rows)),
        "clip": CLIP,
    }


def _diagrams(
    view: BoardView, rows: Sequence[CalibrationRow], bars: Sequence[ReliabilityRow]
) -> Iterator[Mapping[str, Any]]:
    """Yield the reliability diagram of each contestant. shape: in words, with figures."""
    for row in rows:
        own = [bar for bar in bars if _names(bar) == _names(row)]
        if row.part != EVERY or not own:
            continue
        title, kind = view.title(row.model), METRICS[row.confidence_kind].title
        shape = shape_words(row)
        yield {
            "title": title,
            "shape": shape,
            "alt": f"Reliability diagram of {title}, {kind}. {shape}",
            "picture": picture(own),
            "table": table(own, title),
        }


def _names(row: CalibrationRow | ReliabilityRow) -> tuple[str, str, str]:
    return row.model, row.confidence_kind, row.part


def shape_words(row: CalibrationRow) -> str:
    """Return the shape of a diagram as a sentence with the figures behind it."""
    shape = f"Shape not measured: {row.absent['shape']}" if row.shape is None else row.shape.capitalize()
    confident, right = words.percent(row.mean_confidence), words.percent(row.share_right)
    return f"{shape}. Confidence is {confident} on average, and {right} of {row.n_answers} answers are right."


def _unmeasured(view: BoardView, rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Yield who lacks a confidence, and why."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if not row.n_answers:
            lacking.setdefault((METRICS[row.confidence_kind].title, row.absent["brier"]), []).append(row.model)
    for (kind, why), models in lacking.items():
        yield f"{kind} of {_titles(view, models)}: not measured; {why}."
    measured = {row.model for row in rows}
    others = [model for model in view.rows if model not in measured]
    programs = [model for model in others if view.benchmark.models[model].backend == PROGRAMS]
    if programs:
        why = "programs have no token probabilities and state no confidence"
        yield f"{_titles(view, programs)}: does not apply; {why}."
    if models := [model for model in others if model not in programs]:
        yield f"{_titles(view, models)}: not measured; it takes answers with a confidence, marked by a key."


def _titles(view: BoardView, models: Sequence[str]) -> str:
    return words.listed(words.some_of([view.title(model) for model in models], _NAMED))
