"""What the page of judges says of a judge that is to succeed another: how it marks the same answers, and who would
stand elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from nullbench_site.judging.bridges import BoardBridge, bridges_of
from nullbench_site.scoring.board_tables import BridgeRank, BridgeRow
from nullbench_site.scoring.bridges import SCORE
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.views import BoardView

_SHOWN = 30
"""How many contestants whose rank would be another the page shows; the best of those of the panel as it is."""


def bridges(view: BoardView) -> list[dict[str, Any]]:
    """One each that the specs have of the board, measured or not.

    moves: those whose rank, or its range, would be another; more: how many others.
    """
    return [_bridge(view, bridge) for bridge in bridges_of(view.benchmark, view.board)]


def retiring(view: BoardView) -> str:
    """Which judges of the panel retire, and when; empty where none does."""
    days = [f"{judge.title} retires on {judge.retires}" for judge in view.judges if judge.retires is not None]
    return f"{words.listed(days)}." if days else ""


def _bridge(view: BoardView, bridge: BoardBridge) -> dict[str, Any]:
    judge, other = bridge.judge.title, view.benchmark.judges[bridge.spec.judge].title
    rows = [row for row in _of(view.results.bridges, bridge) if isinstance(row, BridgeRow)]
    ranks = [row for row in _of(view.results.bridge_ranks, bridge) if isinstance(row, BridgeRank)]
    moved = [row for row in ranks if row.model in view.rows and _before(row) != _after(row)]
    n_items = words.of(len(bridge.items), len(view.items))
    asked = f"{judge} is to take the place of {other}, and marks the answers to {n_items} items"
    if not rows:
        sentences = [f"{asked}. What that would change was not measured: the run has no answer that both have marked."]
    else:
        apart = f"{asked}. Its marks are in no score of the board."
        sentences = [apart, *_score(rows, judge, other), _moved(ranks, moved)]
    return {
        "id": bridge.judge.id,
        "judge": judge,
        "other": other,
        "sentences": sentences,
        "shifts": [_shift(view, row) for row in rows],
        "moves": [_move(view, row) for row in moved[:_SHOWN]],
        "more": words.plural(len(moved) - _SHOWN, "contestant") if len(moved) > _SHOWN else "",
    }


def _of(rows: Any, bridge: BoardBridge) -> list[Any]:
    pair = bridge.judge.id, bridge.spec.judge
    return [] if rows is UNSET else [row for row in rows if (row.judge, row.other) == pair]


def _score(rows: list[BridgeRow], judge: str, other: str) -> Iterator[str]:
    row = next((row for row in rows if row.mark == SCORE and row.shift is not None), None)
    if row is None or row.shift is None:
        return
    ends = "" if row.absent else words.interval(row.low, row.high, signs=True)
    answers = words.plural(row.n_answers, "answer")
    if round(row.shift, 1):
        side = "higher" if row.shift > 0 else "lower"
        sentence = (
            f"Alone it scores the same {answers} {words.number(abs(row.shift))} points {side} than {other}, on average"
        )
    else:
        sentence = f"Alone {judge} scores the same {answers} as {other} does, on average"
    if row.absent and row.shift:
        yield f"{sentence}; how sure that is cannot be said: {row.absent}."
        return
    same = ends and row.low is not None and row.high is not None and row.low <= 0 <= row.high
    yield f"{sentence} {ends}".rstrip() + ("; that cannot be told from no shift." if same else ".")


def _moved(ranks: list[BridgeRank], moved: list[BridgeRank]) -> str:
    if not ranks:
        return "How it would move ranks was not measured: nobody has every verdict of both."
    count = sum(row.rank != row.rank_after for row in ranks)
    on = "On these items"
    if not moved:
        return f"{on} it would move no rank and no range of ranks of {words.plural(len(ranks), 'contestant')}."
    ranges = f"; ranges of ranks of {words.number(len(moved) - count, 0)} more" if len(moved) > count else ""
    return f"{on} it would move the ranks of {words.of(count, len(ranks))} contestants{ranges}."


def _shift(view: BoardView, row: BridgeRow) -> dict[str, str]:
    """A mark, and how much higher the new judge gives it. absent: why that is not told."""
    digits = 1 if row.mark == SCORE else 2
    ends = "" if row.absent else words.interval(row.low, row.high, digits, signs=True)
    return {
        "mark": _title(view, row.mark),
        "answers": words.number(row.n_answers, 0),
        "before": words.number(row.before, digits),
        "after": words.number(row.after, digits),
        "shift": f"{words.signed(row.shift, digits)} {ends}".rstrip(),
        "absent": row.absent or "",
    }


def _title(view: BoardView, mark: str) -> str:
    if mark == SCORE:
        return "Score by this judge alone, 0 to 100"
    if mark in view.benchmark.axes:
        return view.benchmark.axes[mark].title
    return METRICS[mark].title if mark in METRICS else mark.replace("_", " ").capitalize()


def _move(view: BoardView, row: BridgeRank) -> dict[str, str]:
    return {
        "title": view.title(row.model),
        "link": paths.model_url(row.model),
        "rank_before": words.rank_range(*_before(row)),
        "rank": words.rank_range(*_after(row)),
        "score_before": words.number(row.overall),
        "score": words.number(row.overall_after),
    }


def _before(row: BridgeRank) -> tuple[int | None, int | None, int | None]:
    return row.rank, row.rank_low, row.rank_high


def _after(row: BridgeRank) -> tuple[int | None, int | None, int | None]:
    return row.rank_after, row.rank_low_after, row.rank_high_after
