"""What the page of judges shows of an `axes` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.protocols.axes.results import AxesJudgeRow
from nullbench_site.site import paths, words
from nullbench_site.site.pages import judging
from nullbench_site.site.pages.judging import agreement
from nullbench_site.site.pages.matrix import by_category_and_axis
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.views import AxesView

_SHOWN = 50
"""How many contestants the table of what each judge gave has; the best."""


def context(view: AxesView) -> dict[str, Any]:
    """What the page of judges shows of this board."""
    results = view.results
    titles = {judge.id: judge.title for judge in view.judges}
    categories = [category.id for domain in view.board.domains for category in view.domains[domain].categories]
    return {
        "template": "axes/judges.md.j2",
        "says": [
            *judging.agreed(view.agreement(), len(view.judges)),
            judging.severity(titles, {row.judge: row.mean for row in results.judges}, "mean {}"),
            _own_scale(view),
            judging.replied(results.judges),
        ],
        "who": judging.who(view),
        "tally": judging.tally([view.agreement(category) for category in categories]),
        "overall": agreement(view.agreement()),
        "matrix": by_category_and_axis(view),
        "gates": view.gates,
        "missing": any(row.missing for row in results.judges),
        "judges": [{"spec": view.benchmark.judges[row.judge], **_judge(row)} for row in results.judges],
        "categories": [
            {
                "title": category.title,
                "domain": view.domains[domain].title,
                "link": f"{paths.domain_url(view.board.id, domain)}#{category.id}",
                **agreement(view.agreement(category.id)),
            }
            for domain in view.board.domains
            for category in view.domains[domain].categories
        ],
        "axes": [
            {"title": view.benchmark.axes[axis].title, **agreement(view.agreement(axis=axis))} for axis in results.axes
        ],
        "models": _models(view),
        "shown": words.of(min(_SHOWN, len(view.rows)), len(view.rows)) if len(view.rows) > _SHOWN else "",
        "metrics": metrics("alpha", "alpha_scored", "normalised", "judge_scale", "verdict_counts"),
    }


def _own_scale(view: AxesView) -> str:
    """What becomes of the order of the contestants when each judge's ratings are put on its own scale."""
    given: dict[str, list[tuple[float, float]]] = {}
    for row in view.results.judge_models:
        if row.mean is not None and row.normalised is not None:
            given.setdefault(row.model, []).append((row.mean, row.normalised))
    judged = {model: ratings for model, ratings in given.items() if len(ratings) == len(view.judges)}
    if len(judged) < 2 or len(view.judges) < 2:
        return ""
    raw, own = (
        sorted(judged, key=lambda model: (-sum(rating[scale] for rating in judged[model]), model)) for scale in (0, 1)
    )
    elsewhere = sum(before != after for before, after in zip(raw, own, strict=True))
    order = (
        "the contestants stand in the same order"
        if not elsewhere
        else (f"{words.of(elsewhere, len(judged))} contestants stand elsewhere in the order")
    )
    return f"With every judge on its own scale (normalised), {order} of mean ratings as without."


def _judge(row: AxesJudgeRow) -> dict[str, Any]:
    replies = row.scored + row.unparsed + row.errored
    return {
        "valid": words.of(row.scored, replies),
        "unparsed": words.number(row.unparsed, 0),
        "errored": words.number(row.errored, 0),
        "repaired": words.number(row.repaired, 0),
        "missing": words.number(row.missing, 0),
        "invalid_fields": words.number(row.invalid_fields, 0),
        "n_scores": words.number(row.n_scores, 0),
        "mean": words.number(row.mean, 2),
        "sd": words.number(row.sd, 2),
        "spread": judging.spread(row.mean, row.sd),
    }


def _models(view: AxesView) -> list[dict[str, Any]]:
    """What each judge gave each contestant, raw and on the judge's own scale."""
    by_pair = {(row.model, row.judge): row for row in view.results.judge_models}
    return [
        {
            "model": view.benchmark.models[row.model],
            "link": paths.model_url(row.model),
            "cells": [
                {"mean": words.number(pair.mean, 2), "normalised": words.number(pair.normalised, 2)}
                for judge in view.judges
                if (pair := by_pair.get((row.model, judge.id)))
            ],
        }
        for row in view.results.leaderboard[:_SHOWN]
    ]
