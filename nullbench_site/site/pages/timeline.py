"""The score of a contestant over runs: a small table, and a line through its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.history import BoardRun, Standing, comparable

_SHOWN = 12
"""How many runs the table and the line go back."""
_WIDTH, _HEIGHT, _EDGE = 320.0, 96.0, 10.0
"""Of the drawing; the edge keeps dots inside."""
_SPAN = 10.0
"""The least height of the drawing, in points of score: a tenth of a point is no mountain."""


@dataclass(frozen=True)
class Dot:
    """A score in the drawing, y downwards; low and high are the ends of its interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Spark:
    """lines: points of the polylines that join comparable runs. bottom, top: the scores at the edges, in words."""

    width: float
    height: float
    dots: Sequence[Dot]
    lines: Sequence[str]
    bottom: str
    top: str


@dataclass(frozen=True)
class _Entry:
    run: BoardRun
    standing: Standing
    joined: bool


def timeline(runs: Sequence[BoardRun], model: str, board: str) -> dict[str, Any]:
    """What the page of a contestant says of the runs it stood in. runs: of one board, oldest first."""
    entries: list[_Entry] = []
    for run in runs:
        standing = run.standings.get(model)
        if standing is not None:
            joined = bool(entries) and comparable(entries[-1].run.entry.manifest, run.entry.manifest)
            entries.append(_Entry(run, standing, joined))
    shown = entries[-_SHOWN:]
    return {
        "sentences": [*_sentences(runs, entries), *_damaged(runs)],
        "rows": [_row(entry, first=entry is entries[0]) for entry in reversed(shown)] if len(entries) > 1 else [],
        "spark": _spark(shown) if len(entries) > 1 else None,
        "caption": f"Runs on {board}",
    }


def _sentences(runs: Sequence[BoardRun], entries: Sequence[_Entry]) -> list[str]:
    if len(entries) > 1:
        sentences = ["A line joins runs of the same version or the same specs: they asked and judged the same."]
        if len(entries) > _SHOWN:
            sentences.append(f"Shown are the last {_SHOWN} of {len(entries)} runs.")
        return sentences
    if sum(not run.damage for run in runs) > 1:
        return ["It stands on this board for the first time: there is no history yet."]
    return ["First run: no history yet."]


def _damaged(runs: Sequence[BoardRun]) -> list[str]:
    return [f"Run {run.entry.manifest.run} is left out: {run.damage}." for run in runs if run.damage]


def _row(entry: _Entry, *, first: bool) -> dict[str, str]:
    manifest, own = entry.run.entry.manifest, entry.standing
    return {
        "date": entry.run.date,
        "run": manifest.run,
        "version": manifest.version,
        "rank": words.rank_range(own.rank, own.rank_low, own.rank_high),
        "of": words.number(entry.run.n_ranked, 0),
        "score": words.number(own.overall),
        "sureness": words.interval(own.ci_low, own.ci_high),
        "note": "" if entry.joined or first else "other questions or judges than before",
    }


def _spark(entries: Sequence[_Entry]) -> Spark | None:
    """None where fewer than two runs have a score."""
    known = [(entry, entry.standing.overall) for entry in entries if entry.standing.overall is not None]
    if len(known) < 2:
        return None
    ends = [_ends(entry.standing, score) for entry, score in known]
    bottom, top = _range(min(low for low, _ in ends), max(high for _, high in ends))
    step = (_WIDTH - 2 * _EDGE) / (len(known) - 1)

    def y(score: float) -> float:
        return round(_EDGE + (_HEIGHT - 2 * _EDGE) * (top - score) / (top - bottom), 1)

    dots = [
        Dot(round(_EDGE + step * place, 1), y(score), y(low), y(high))
        for place, ((_, score), (low, high)) in enumerate(zip(known, ends, strict=True))
    ]
    lines: list[list[str]] = []
    before: _Entry | None = None
    for dot, (entry, _) in zip(dots, known, strict=True):
        if before is None or not comparable(before.run.entry.manifest, entry.run.entry.manifest):
            lines.append([])
        lines[-1].append(f"{dot.x},{dot.y}")
        before = entry
    joined = [" ".join(line) for line in lines if len(line) > 1]
    return Spark(_WIDTH, _HEIGHT, dots, joined, words.number(bottom, 0), words.number(top, 0))


def _ends(standing: Standing, score: float) -> tuple[float, float]:
    low, high = standing.ci_low, standing.ci_high
    return (score if low is None else low, score if high is None else high)


def _range(low: float, high: float) -> tuple[float, float]:
    """The scores at the lower and the upper edge: whole numbers within 0-100, at least a few points apart."""
    middle, half = (low + high) / 2, max(high - low, _SPAN) / 2
    bottom = min(max(0.0, float(int(middle - half))), 100 - _SPAN)
    return bottom, max(min(100.0, float(int(middle + half) + 1)), bottom + _SPAN)
