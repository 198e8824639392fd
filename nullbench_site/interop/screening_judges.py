"""Rank candidate judges by how well they agree with labels, before a panel is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.scoring.label_tables import JudgeLabelRow
from nullbench_site.scoring.recomputation import run_benchmark
from nullbench_site.scoring.tables import read_results
from nullbench_site.stats.labels import LEAST_LABELS
from nullbench_site.text import did_you_mean


class ScreenedJudge(msgspec.Struct, frozen=True):
    """A judge with its rank, 1 for the best. note: why it should not be chosen yet; empty if nothing speaks against it.

    agreement: with the labels of contestants that are no null models.
    """

    rank: int
    note: str
    agreement: JudgeLabelRow


def screened(entry: CatalogEntry, board: str) -> list[ScreenedJudge]:
    """Return the judges of a board in a run, best first.

    They are ranked by the lower end of the interval of their correlation with labels. Judges at chance come last.
    Raises UsageError for a board that the run has not, that has no labels, or that was not scored.
    """
    boards = run_benchmark(entry.path).boards
    if board not in boards:
        raise UsageError(f"run {entry.manifest.run} has no board {board!r}; {did_you_mean(board, boards)}")
    try:
        rows = read_results(entry.path, board).judge_labels
    except FileNotFoundError:
        rows = msgspec.UNSET
    if not rows:
        message = f"run {entry.manifest.run} compares no judge of board {board!r} with labels"
        raise UsageError(f"{message}; add `labels` to the board and build again")
    if not (judges := ranked(rows)):
        raise UsageError(f"the labels of board {board!r} are of null models only; label answers of other contestants")
    return judges


def ranked(rows: Sequence[JudgeLabelRow]) -> list[ScreenedJudge]:
    """Return the judges of a table, best first."""
    judges = [row for row in rows if row.judge is not None and row.answers == "contestants"]
    judges.sort(key=lambda row: (_at_chance(row) is not False, -_or_least(row.label_correlation_low), row.judge or ""))
    return [ScreenedJudge(rank, _note(row), row) for rank, row in enumerate(judges, start=1)]


def _or_least(value: float | None) -> float:
    return -inf if value is None else value


def _at_chance(row: JudgeLabelRow) -> bool | None:
    """Return whether a judge accepts wrong answers as often as right ones; None if that is not known."""
    if row.sensitivity is None or row.specificity is None:
        return None
    return row.sensitivity + row.specificity <= 1


def _note(row: JudgeLabelRow) -> str:
    if row.n_items < LEAST_LABELS:
        return f"labels of fewer than {LEAST_LABELS} items"
    if _at_chance(row):
        return "at chance: accepts wrong answers as often as right ones"
    low = row.label_correlation_low
    return "" if low is not None and low > 0 else "its correlation may be 0"


def table(judges: Sequence[ScreenedJudge]) -> list[list[str]]:
    """Return a heading and a row for each judge, as text."""
    rows = [["rank", "judge", "labels", "items", "sensitivity", "specificity", "correlation", "note"]]
    for each in judges:
        row = each.agreement
        figures = [
            _shown(getattr(row, name), getattr(row, f"{name}_low"), getattr(row, f"{name}_high"))
            for name in ("sensitivity", "specificity", "label_correlation")
        ]
        rows.append([str(each.rank), row.judge or "", str(row.n_labels), str(row.n_items), *figures, each.note])
    return rows


def _shown(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f} to {high:.2f})"
