"""Show a board under other choices of judges, wordings and items, and how often ranks come up in resampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import Analysis
from nullbench_site.site import paths, words
from nullbench_site.site.pages.page import rank_words, score_words
from nullbench_site.site.pages.sentences import silence
from nullbench_site.site.views import AnyRow, BoardView, known

_ROWS = 200
"""The most contestants whose table is on the page of the board; that of more has its own page."""
_NAMED = 3
"""How many contestants the sentence on a choice names."""


@dataclass(frozen=True)
class Choice:
    """The board under another choice: its name in links, its title, the row of each contestant, and a sentence."""

    name: str
    title: str
    rows: Mapping[str, AnyRow] = field(repr=False)
    says: str


def what_if(view: BoardView) -> dict[str, Any] | None:
    """Return the table of contestants by choice; None if the results have no other choice."""
    found = known(view.results.analyses)
    if not found:
        return None
    choices = [_choice(view, analysis) for analysis in found]
    ranks = not silence(view)
    shown = [row for row in view.rows.values() if row.score is not None and any(row.model in of.rows for of in choices)]
    return {
        "link": paths.what_if_url(view.board.id) if len(shown) > _ROWS else "",
        "choices": choices,
        "ranks": ranks,
        "nulls": any(view.is_null(row.model) for row in shown),
        "rows": [
            (row.model, [_cell(row, ranks, row.score), *(_cell(of.rows.get(row.model), ranks) for of in choices)])
            for row in shown
        ],
        "caption": f"Scores on {view.board.title} under other choices",
        "domains": [view.domains[group.id].title for group in view.results.domains],
    }


def _choice(view: BoardView, analysis: Analysis) -> Choice:
    judges = view.benchmark.judges
    judge = words.isolated(judges[analysis.of].title) if analysis.of in judges else analysis.of
    title = {
        "judge alone": f"{judge} alone",
        "without judge": f"without {judge}",
        "wording alone": f"wording {analysis.of} alone",
        "length controlled": "with length control",
        "items before": f"items before {analysis.of}",
        "items from": f"items from {analysis.of} on",
    }[analysis.choice]
    rows = {row.model: row for row in analysis.rows if row.model in view.rows}
    named = [f"{view.title(model)} scores {score_words(_scored(row))}" for model, row in [*rows.items()][:_NAMED]]
    order = [row.model for row in view.rows.values() if row.rank is not None and row.model in rows]
    pairs = [rows[a].overall > rows[b].overall for a, b in pairwise(order)]
    kept = f"{words.of(sum(pairs), len(pairs))} pairs of neighbours keep their order"
    said = f"{title[0].upper()}{title[1:]}, on {words.plural(analysis.n_items, 'item')}: {words.listed(named)}; {kept}."
    return Choice(f"{analysis.choice} {analysis.of}".strip().replace(" ", "-"), title, rows, said)


@dataclass(frozen=True)
class _Score:
    score: float
    ci_low: float | None
    ci_high: float | None


def _scored(row: AnyRow) -> _Score:
    return _Score(row.overall, row.ci_low, row.ci_high)


def _cell(row: AnyRow | None, ranks: bool, score: float | None = None) -> dict[str, str] | None:
    """Return a contestant under a choice, in words and as numbers; None if that choice leaves it out.

    ranks: whether the board may say which rank it has.
    """
    if row is None:
        return None
    score = row.overall if score is None else score
    rank = "" if row.rank is None or not ranks else f"rank {rank_words(row)}"
    numbers = ",".join("" if value is None else f"{value:.12g}" for value in (score, row.ci_low, row.ci_high))
    interval = words.interval(row.ci_low, row.ci_high)
    return {"score": words.number(score), "interval": interval, "rank": rank, "numbers": numbers}


def same_order(view: BoardView, a: str, b: str) -> str:
    """Say in how many analyses `a` scores more than `b`, as on the board; empty without an analysis of both."""
    both = [{row.model: row.overall for row in of.rows} for of in known(view.results.analyses)]
    held = [scores[a] > scores[b] for scores in both if a in scores and b in scores]
    return words.of(sum(held), len(held)) if held else ""


def resampled(view: BoardView) -> dict[str, Any] | None:
    """Return how often contestants have each rank in resampling; None if not computed, or of a silent board."""
    found = view.results.resampled
    if found is UNSET or silence(view):
        return None
    rows = [(model, shares) for model, shares in zip(found.models, found.shares, strict=True) if model in view.rows]
    return {
        "rows": rows,
        "ranks": range(1, len(found.shares[0]) + 1),
        "draws": found.draws,
        "caption": f"How often each rank comes up on {view.board.title}",
        "rest": view.n_ranked - len(rows),
    }
