"""Show the biases of a board's judges: each kind with its intervals, and scores corrected for length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.scoring.board_tables import BiasKind, BiasRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known

_SHOWN = 50
"""How many contestants the table of corrected scores has; the best."""
_KINDS: Mapping[BiasKind, tuple[str, str]] = {
    "position": ("Position", "points for the answer shown first, less those for the one shown second"),
    "flips": ("Flips", "% of games in both orders that went to the same place twice"),
    "verbosity": ("Verbosity", "points for an answer twice as long"),
    "headers": ("Headers", "points for an answer with headers, at the same length"),
    "lists": ("Lists", "points for an answer with a list, at the same length"),
    "bold": ("Bold", "points for an answer with bold passages, at the same length"),
    "self-preference": ("Self-preference", "points more than other judges give to a family, less the same for others"),
    "severity": ("Severity", "points more than the other judges give to the same answers"),
}
_ALWAYS: tuple[BiasKind, ...] = ("flips",)
"""Kinds that cannot be below 0, so that their intervals never include less than it."""


@dataclass(frozen=True)
class BiasLine:
    """A row of the table.

    head: the title of its kind and its unit, in the first row of the kind; rows: how many rows the kind has. judge: in
    words. away: whether the interval excludes 0.
    """

    head: tuple[str, str] | None
    rows: int
    judge: str
    row: BiasRow
    away: bool


def judge_biases(view: BoardView) -> dict[str, Any] | None:
    """Return what the trust page shows of the biases of the judges; None without judges, or in older runs."""
    biases, corrected = known(view.results.biases), known(view.results.length_corrected)
    if not biases:
        return None
    scores = [(view.title(row.model), row) for row in corrected]
    if all(row.corrected is None for _, row in scores):
        scores = []
    return {
        "says": _summary(biases),
        "lines": list(_lines(view, biases)),
        "corrected": scores[:_SHOWN],
        "shown": words.of(_SHOWN, len(scores)) if len(scores) > _SHOWN else "",
        "uncorrected": "" if scores else next((row.absent for row in corrected if row.absent), ""),
    }


def _away(row: BiasRow) -> bool:
    """Return True if the interval of a bias excludes 0."""
    return row.kind not in _ALWAYS and row.low is not None and row.high is not None and not row.low <= 0 <= row.high


def _summary(rows: Sequence[BiasRow]) -> str:
    tested = [row for row in rows if row.low is not None and row.kind not in _ALWAYS]
    if not tested:
        return "No bias of these judges has an interval: the table says why."
    away = sum(_away(row) for row in tested)
    return (
        f"{words.of(away, len(tested))} intervals exclude 0. Each is a 95\N{NO-BREAK SPACE}% interval by itself: "
        "without any bias, about one in 20 would exclude 0 by chance."
    )


def _lines(view: BoardView, rows: Sequence[BiasRow]) -> Iterator[BiasLine]:
    titles = {judge.id: judge.title for judge in view.judges}
    for kind, head in _KINDS.items():
        own = [row for row in rows if row.kind == kind]
        for place, row in enumerate(own):
            who = titles.get(row.judge or "", row.judge or "")
            if row.judge is None:
                who = "the panel" if row.absent is None or row.value is not None or len(own) > 1 else "all judges"
            if row.family is not None and row.value is not None:
                who += f", family {row.family}"
            yield BiasLine(None if place else head, len(own), who, row, _away(row))
