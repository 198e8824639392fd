"""Contestants beside each other: up to four that a reader chooses, by script, and the neighbours on each board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from math import nan
from typing import Any

import msgspec

from nullbench_site.extensions import protocol_folder
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.rounding import DIGITS
from nullbench_site.site import claims, paths, words
from nullbench_site.site.claims import Significance
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, metrics, panel_words, rank_words
from nullbench_site.site.pages.panel_words import difference_with_other_judges
from nullbench_site.site.pages.tables import layout_of
from nullbench_site.site.pages.trust import low_marks
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.score_vectors import ScoreVectors, score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.stats.estimate import Estimate, paired_difference

_NEIGHBOURS = 30
"""How many rows of a board the page shows without a script."""
_SHARED_FIGURES = ("rank", "refusal_rate", "median_response_time_ms", "median_response_length", "paired_difference")


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of comparison."""
    yield Page(
        url=paths.COMPARE,
        title="Compare",
        template="compare.md.j2",
        context={
            "data": _data(site),
            "root": ROOT,
            "boards": [_neighbours(view) for view in site.views],
            "metrics": metrics("rank", "paired_difference"),
        },
        description="Up to four contestants beside each other: where they differ, and how sure that is.",
    )


def _data(site: SiteData) -> dict[str, Any]:
    """What the script needs to know before it asks for scores."""
    on_boards = {model for view in site.views for model in view.rows}
    layouts = [layout_of(view) for view in site.views]
    named = {name for layout in layouts for name in (layout.overall, layout.failed)} | set(_SHARED_FIGURES)
    return {
        "boards": [_board(view) for view in site.views],
        "phrases": msgspec.to_builtins(claims.table()),
        "silent": claims.SILENT_FROM,
        "contestants": {
            model.id: {
                "title": claims.named(model),
                "vendor": model.vendor or "",
                "kind": model.kind,
                "colour": "null" if model.kind == "null" else site.looks[model.id].colour,
                "shape": site.looks[model.id].shape,
            }
            for model in site.benchmark.models.values()
            if model.id in on_boards
        },
        "metrics": {
            metric.id: {"title": metric.title, "explanation": metric.explanation}
            for metric in metrics(*sorted(named)).values()
        },
    }


def _board(view: BoardView) -> dict[str, Any]:
    layout = layout_of(view)
    return {
        "id": view.board.id,
        "title": view.board.title,
        "judged": view.panel is not None,
        "robust": [f"{a} {b}" for a, b in view.differences if view.holds(a, b)],
        "other_judges": {
            f"{a} {b}": said for a, b in view.differences if (said := difference_with_other_judges(view, a, b))
        },
        "marks": {model: _low_marks(view, model) for model in view.rows},
        "panel": panel_words(view),
        "score": layout.overall,
        "failed": layout.failed,
        "alpha": view.results.pair_alpha,
        "domains": [
            {"id": group.id, "title": view.benchmark.domains[group.id].title, "alpha": group.pair_alpha}
            for group in view.results.domains
        ],
        "radar": _radar(view),
        "contestants": list(view.rows),
        "ranked": view.n_ranked,
        "protocol": view.board.protocol if (protocol_folder(view.board.protocol) / "compare.js").is_file() else None,
        **pages_of(view.board.protocol).compared(view),
    }


def _low_marks(view: BoardView, model: str) -> str:
    """How many trust marks of a contestant are low: a digit for the board, and one for each of its domains."""
    row = view.rows[model]
    parts = (rows.get(model, row) for rows in view.in_domains.values())
    return "".join(map(str, low_marks(view, row, *parts)))


def _radar(view: BoardView) -> dict[str, Any] | None:
    """The spokes of the radars of a board and their scale; None where there are too few."""
    compass = view.compass
    if not compass.drawn:
        return None
    goals = compass.goals or {}
    spokes = [{"id": spoke, "label": label, "goal": goals.get(spoke)} for spoke, label in compass.spokes.items()]
    low, high, rings = compass.scale.low, compass.scale.high, compass.scale.rings
    named = {"caption": compass.caption, "head": compass.spoke, "field": compass.field, "parts": compass.parts}
    return {"low": low, "high": high, "rings": rings, "spokes": spokes, **named}


def _neighbours(view: BoardView) -> dict[str, Any]:
    """The first contestants of a board, each against the next."""
    vectors = score_vectors(view)
    ranked = [row for row in view.rows.values() if row.rank is not None]
    rows = [
        {
            "rank": rank_words(row),
            "title": view.title(row.model),
            "link": paths.model_url(row.model),
            "score": words.number(row.overall),
            "next": view.title(other.model),
            "verdict": _verdict(view, vectors, row.model, other.model),
            "other_judges": difference_with_other_judges(view, row.model, other.model),
            "compare": compare_link(view, [row.model, other.model]),
        }
        for row, other in islice(pairwise(ranked), _NEIGHBOURS)
    ]
    return {
        "board": view.board,
        "panel": panel_words(view),
        "link": view.url,
        "rows": rows,
        "cut": len(ranked) - 1 > _NEIGHBOURS,
    }


def compare_link(view: BoardView, models: Sequence[str]) -> str:
    """The address of a comparison on a board; the first is the one that the others are held against."""
    return f"{paths.COMPARE}?board={view.board.id}&m={','.join(models)}"


def _verdict(view: BoardView, vectors: ScoreVectors, model: str, other: str) -> str:
    """How far `model`, which stands higher, is from `other`, as far as that may be said."""
    estimate = difference(vectors, model, other)
    if estimate.value is None:
        return "no shared item"
    low, high = (estimate.low, estimate.high) if estimate.reason is None else (None, None)
    phrases = claims.phrases(
        _outcome(view, vectors, model, other, estimate),
        robust=view.holds(model, other),
        low_marks=max(low_marks(view, view.rows[each])[0] for each in (model, other)),
    )
    return (phrases.higher if estimate.value >= 0 else phrases.lower).format(
        by=f"{words.number(abs(round(estimate.value, DIGITS)))} {words.interval(low, high)}".rstrip(),
        signed=f"{words.signed(round(estimate.value, DIGITS), 1)} {words.interval(low, high, signs=True)}".rstrip(),
    )


def _outcome(view: BoardView, vectors: ScoreVectors, model: str, other: str, estimate: Estimate) -> Significance:
    """How the difference of two came out beside those of all others on the board."""
    if vectors.parts[model] == vectors.parts[other]:
        return "same"
    if estimate.value == 0:
        return "equal"
    alpha = view.results.pair_alpha
    if estimate.p is None or alpha is None:
        return "unknown"
    return "significant" if estimate.p < alpha else "insignificant"


def difference(vectors: ScoreVectors, model: str, other: str) -> Estimate:
    """How much more `model` scores than `other` on the whole board."""
    ours, theirs = (
        [nan if part is None else part for part in vectors.parts[contestant]] for contestant in (model, other)
    )
    items = vectors.items.items
    return paired_difference(
        ours,
        theirs,
        [item.group for item in items],
        [item.cluster for item in items],
        scale=SCALE,
        weights=vectors.items.weights,
    )
