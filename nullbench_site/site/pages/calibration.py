"""The section of a trust page on calibration: whether confidence agrees with accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import CalibrationRow, ReliabilityRow
from nullbench_site.scoring.calibration import EVERY
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import words
from nullbench_site.site.charts import reliability
from nullbench_site.site.charts.style import ChartTable
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.stats.calibration import CLIP

_NAMED = 3


@dataclass(frozen=True)
class Diagram:
    """The reliability diagram of a contestant. shape: in words, with figures."""

    title: str
    shape: str
    alt: str
    picture: reliability.Picture
    table: ChartTable


@dataclass(frozen=True)
class Kind:
    """One kind of confidence, with the rows that have it. id: of the metric that is its mean."""

    id: str
    title: str
    rows: Sequence[CalibrationRow]
    diagrams: Sequence[Diagram]


def shows(view: BoardView) -> Mapping[str, Any]:
    """Return the rows and the diagrams of a board by kind of confidence, and who has none and why."""
    rows: Sequence[CalibrationRow] = _table(view, "calibration")
    bars: Sequence[ReliabilityRow] = _table(view, "reliability")
    measured = [row for row in rows if row.n_answers]
    return {
        "kinds": [
            Kind(kind, METRICS[kind].title, of_kind, list(_diagrams(view, of_kind, bars)))
            for kind in dict.fromkeys(row.confidence_kind for row in measured)
            for of_kind in [[row for row in measured if row.confidence_kind == kind]]
        ],
        "unmeasured": list(_unmeasured(view, rows)),
        "clip": CLIP,
    }


def _table(view: BoardView, name: str) -> Any:
    found = getattr(view.results, name, UNSET)
    return () if found is UNSET else found


def _diagrams(view: BoardView, rows: Sequence[CalibrationRow], bars: Sequence[ReliabilityRow]) -> Iterator[Diagram]:
    for row in rows:
        own = [bar for bar in bars if _names(bar) == _names(row)]
        if row.part != EVERY or not own:
            continue
        title, kind = view.title(row.model), METRICS[row.confidence_kind].title
        shape = shape_words(row)
        yield Diagram(
            title=title,
            shape=shape,
            alt=f"Reliability diagram of {title}, {kind}. {shape}",
            picture=reliability.picture(own),
            table=reliability.table(own, title),
        )


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
