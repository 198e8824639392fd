"""What the page of judges shows of an `axes` board beside what it shows of any."""

from __future__ import annotations

from typing import Any

from nullbench_site.protocols.axes.view import AxesView
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.pages.judges import SHOWN, JudgeColumn, judged
from nullbench_site.site.pages.page import InWords, metrics
from nullbench_site.site.pages.panel_words import (
    NOTHING,
    Matrix,
    MatrixRow,
    agreement,
    alpha_range,
    matrix_cell,
    severity,
)
from nullbench_site.site.protocol import Context
from nullbench_site.stats.scores import detection_rate
from nullbench_site.stats.trust import agreement_level

_ALL_ANSWERS = (
    "On all answers: refusals and null models, on which judges easily agree, can raise it; the tables below tell it on "
    "scored answers too."
)
SENSITIVITY = 0.9
"""The share of refusals that a judge finds in the example of what a gate finds."""
_COUNTS = METRICS["verdict_counts"]
_COLUMNS = (
    JudgeColumn("Invalid fields", _COUNTS, lambda row: InWords(words.number(row.invalid_fields, 0)), counts=True),
    JudgeColumn("Ratings", _COUNTS, lambda row: InWords(words.number(row.n_scores, 0)), counts=True),
)


def judges(view: AxesView) -> Context:
    """The section of the board."""
    return {
        "template": "axes/judges.md.j2",
        "own_scale": _own_scale(view),
        "severity": _severity(view),
        "gate": view.gate,
        "found": words.percent(detection_rate(view.gate, SENSITIVITY)),
        "smaller_gates": smaller_gates(view),
        "judged": judged(view, "Valid replies", _COLUMNS),
        "matrix": matrix(view),
        "by_part": [
            {
                "title": category.title,
                "domain": domain.title,
                "link": f"{paths.domain_url(view.board.id, domain.id)}#{category.id}",
                **agreement(view.agreement(category=category.id)),
            }
            for domain in view.domains.values()
            for category in domain.categories
        ],
        "by_axis": [
            {"title": view.axes[axis].title, "link": "", **agreement(view.agreement(axis=axis))}
            for axis in view.results.axes
        ],
        "models": _models(view),
        "metrics": metrics("alpha", "alpha_scored", "normalised", "judge_scale", "verdict_counts"),
    }


def _severity(view: AxesView) -> str:
    """Who is severe; means of different axes are not compared."""
    rows = view.results.judges
    per_reply = {round((row.n_scores + row.invalid_fields) / row.scored, 3) for row in rows if row.scored}
    if len(per_reply) > 1:
        return "Judges rate different axes here, so the means of their ratings do not say who is more severe."
    return severity({judge.id: judge.title for judge in view.judges}, {row.judge: row.mean for row in rows})


def agreement_words(row: Any) -> dict[str, str]:
    """The agreement on a category, as its section of the page of its domain says it."""
    return {
        name: f"{words.number(alpha, 3)} ({agreement_level(alpha) or absent})"
        for name, alpha, absent in (
            ("alpha", row.alpha, row.absent),
            ("alpha_scored", row.alpha_scored, row.absent_scored),
        )
    }


def _own_scale(view: AxesView) -> str:
    """What becomes of the order of the contestants when each judge's ratings are put on its own scale."""
    given: dict[str, list[tuple[float, float]]] = {}
    for row in view.results.judge_models:
        if row.mean is not None and row.normalised is not None:
            given.setdefault(row.model, []).append((row.mean, row.normalised))
    rated = {model: ratings for model, ratings in given.items() if len(ratings) == len(view.judges)}
    if len(rated) < 2 or len(view.judges) < 2:
        return ""
    raw, own = (
        sorted(rated, key=lambda model: (-sum(rating[scale] for rating in rated[model]), model)) for scale in (0, 1)
    )
    elsewhere = sum(before != after for before, after in zip(raw, own, strict=True))
    order = (
        "the contestants stand in the same order"
        if not elsewhere
        else f"{words.of(elsewhere, len(rated))} contestants stand elsewhere in the order"
    )
    return f"With every judge on its own scale (normalised), {order} of mean ratings as without."


def _models(view: AxesView) -> list[dict[str, Any]]:
    """What each judge gave each contestant, raw and on the judge's own scale."""
    by_pair = {(row.model, row.judge): row for row in view.results.judge_models}
    return [
        {
            "model": view.benchmark.models[model],
            "link": paths.model_url(model),
            "cells": [
                {"mean": words.number(pair.mean, 2), "normalised": words.number(pair.normalised, 2)}
                for judge in view.judges
                if (pair := by_pair.get((model, judge.id)))
            ],
        }
        for model in list(view.rows)[:SHOWN]
    ]


def matrix(view: AxesView) -> Matrix:
    """The agreement of a panel on each axis of each category, on all answers."""
    rows, named = [], []
    for domain in view.domains.values():
        for category in domain.categories:
            cells = []
            for axis in view.results.axes:
                if axis not in category.axes:
                    cells.append(NOTHING)
                    continue
                row = view.agreement(category=category.id, axis=axis)
                behind = f"{words.plural(row.units, 'unit')}, {agreement_level(row.alpha)}"
                cells.append(matrix_cell(row.alpha, row.absent, behind))
                if row.alpha is not None:
                    named.append((row.alpha, f"{view.axes[axis].short.lower()} in {category.title}"))
            rows.append(MatrixRow(category.title, f"{paths.domain_url(view.board.id, domain.id)}#{category.id}", cells))
    return Matrix(
        caption=f"Agreement α by category and axis, {view.board.title}",
        first="Category",
        columns=[view.axes[axis].short for axis in view.results.axes],
        rows=rows,
        says=f"{alpha_range(named)} {_ALL_ANSWERS}".strip(),
    )


def smaller_gates(view: AxesView) -> list[str]:
    """A sentence for each contestant with judges of its family: fewer are asked whether it refused or evaded."""
    return [
        f"{view.benchmark.models[model].title}: {gate.judges} of {view.gate.judges} judges may score it, "
        f"{gate.sample} are asked, {words.plural(gate.votes, 'vote')} decide."
        for model, gate in view.smaller_gates.items()
    ]
