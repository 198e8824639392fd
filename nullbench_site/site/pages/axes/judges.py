"""What the page of judges shows of an `axes` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.scoring.axes.results import JudgeRow
from nullbench_site.site import paths, words
from nullbench_site.site.pages.agreement import agreement
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.views import AxesView


def context(view: AxesView) -> dict[str, Any]:
    """What the page of judges shows of this board."""
    results = view.results
    return {
        "template": "axes/judges.md.j2",
        "overall": agreement(view.agreement()),
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
        "metrics": metrics("alpha", "alpha_scored", "normalised"),
    }


def _judge(row: JudgeRow) -> dict[str, str]:
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
        for row in view.results.leaderboard
    ]
