"""Say what the judges of a board did: on boards about judges, the first sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.scoring.best_of_tables import BestOfFitRow
from nullbench_site.scoring.label_tables import JudgeLabelRow
from nullbench_site.site import words
from nullbench_site.site.trust import controls
from nullbench_site.site.views import BoardView, known
from nullbench_site.stats.labels import LEAST_LABELS
from nullbench_site.stats.trust import label_level


def judges_did(view: BoardView) -> Iterator[str]:
    """Yield what the judges of a board did, the most telling first: their picks, how they follow labels, the places
    they choose, the damage they notice. One sentence at least."""
    told = [*_picks(view), *_labels(view), *_places(view)]
    noticed = controls.blind_spots(view) if controls.rows_of(view) else ""
    yield from told or [noticed or _replied(view.judge_rows)]


def _title(view: BoardView, judge: str | None) -> str:
    return "all judges together" if judge is None else f"“{words.isolated(view.benchmark.judges[judge].title)}”"


def _picks(view: BoardView) -> Iterator[str]:
    """Yield how often the answer that each judge picks of many is right, and one at random."""
    fits: Sequence[BestOfFitRow] = known(view.results.best_of_fits)
    first = next(iter(fits), None)
    if first is None:
        return
    rows = {(row.model, row.judge, row.n_picked_of): row for row in known(view.results.best_of)}
    of_model = [fit for fit in fits if fit.model == first.model and fit.n_samples == first.n_samples]
    own = sorted(of_model, key=lambda fit: fit.judge is None)
    picked = [
        f"{_right(rows.get((fit.model, fit.judge, fit.n_samples)))} if {_title(view, fit.judge)} "
        f"{'pick' if fit.judge is None else 'picks'}"
        for fit in own
    ]
    random = _right(rows.get((first.model, first.judge, 1)))
    yield (
        f"The pick of {first.n_samples} answers of {view.title(first.model)} is right in {words.listed(picked)}; one "
        f"answer at random is right in {random}."
    )


def _right(row: Any) -> str:
    return words.ABSENT if row is None or row.gold is None else f"{words.number(row.gold)} %"


def _labels(view: BoardView) -> Iterator[str]:
    """Yield how far the marks of each judge follow labels: keys, or those of people."""
    rows: list[JudgeLabelRow] = [
        row
        for row in known(view.results.judge_labels)
        if row.judge is not None and row.answers == "contestants" and row.n_items >= LEAST_LABELS
    ]
    if not rows:
        return
    labels = getattr(view.board, "labels", None)
    called = "keys" if labels is not None and labels.board is not None else "labels"
    rows.sort(key=lambda row: -(-2.0 if row.label_correlation is None else row.label_correlation))
    told = [
        f"{_title(view, row.judge)} {_follows(row, called if place == 0 else 'them')}" for place, row in enumerate(rows)
    ]
    yield f"{words.listed(told)}."


def _follows(row: JudgeLabelRow, them: str) -> str:
    """Say how far a judge follows labels, by its class, with the correlation."""
    them = them if them == "them" else f"the {them}"
    if row.label_correlation is None:
        return f"gives marks that cannot be compared with {them}"
    figure = words.estimate(row.label_correlation, row.label_correlation_low, row.label_correlation_high, 2)
    figure = f"(correlation {figure})"
    if row.label_correlation_low is not None and row.label_correlation_low <= 0:
        return f"is not shown to follow {them} {figure}"
    how = {"high": "follows {} closely", "medium": "follows {}", "low": "follows {} weakly"}
    return f"{how[label_level(row.label_correlation) or 'low'].format(them)} {figure}"


def _places(view: BoardView) -> Iterator[str]:
    """Yield what judges of two answers do when these change places."""
    told = [
        f"{_title(view, row.judge)} chose the same place both times in {words.of(row.flips, row.pairs)} games"
        for row in view.judge_rows
        if getattr(row, "pairs", 0)
    ]
    if told:
        yield f"Asked in both orders, {words.listed(told)}."


def _replied(rows: Sequence[Any]) -> str:
    scored, unread = sum(row.scored for row in rows), sum(row.unparsed for row in rows)
    if not scored + unread:
        return "No judge has replied yet."
    return f"{words.of(scored, scored + unread)} verdicts of the judges could be read."
