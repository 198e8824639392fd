"""The judges: who they are, how far they agree, each one's scale, and what of their replies was valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.scoring.results import AgreementRow, JudgeRow
from nullbench_site.site import paths, words
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.site.pages.page import Page, metrics, panel_words
from nullbench_site.site.pages.usage import usage_words


def pages(site: SiteData) -> Iterator[Page]:
    """The one page about judges."""
    yield Page(
        url=paths.JUDGES,
        title="Judges",
        template="judges.md.j2",
        context={
            "boards": [_context(view) for view in site.views],
            "usage": [
                {"title": site.benchmark.judges[judge].title, **usage_words(used)}
                for judge, used in site.entry.manifest.usage.judges.items()
                if judge in site.benchmark.judges
            ],
            "metrics": metrics("alpha", "alpha_scored", "normalised"),
        },
        description="How far the judges agree, on what scale each rates, and how many of their replies were valid.",
    )


def _context(view: BoardView) -> dict[str, Any]:
    panel = view.benchmark.panels[view.board.panel]
    results = view.results
    return {
        "board": view.board,
        "panel": panel_words(view),
        "panel_title": panel.title,
        "overall": _agreement(view.agreement()),
        "gates": view.gates,
        "missing": any(row.missing for row in results.judges),
        "judges": [{"spec": view.benchmark.judges[row.judge], **_judge(row)} for row in results.judges],
        "categories": [
            {
                "title": category.title,
                "domain": view.benchmark.domains[domain].title,
                "link": f"{paths.domain_url(view.board.id, domain)}#{category.id}",
                **_agreement(view.agreement(category.id)),
            }
            for domain in view.board.domains
            for category in view.benchmark.domains[domain].categories
        ],
        "axes": [
            {"title": view.benchmark.axes[axis].title, **_agreement(view.agreement(axis=axis))} for axis in results.axes
        ],
        "models": _models(view),
    }


def _agreement(row: AgreementRow) -> dict[str, dict[str, str]]:
    """The two figures of a row: on all answers, and on those that were scored, null models aside."""
    figures = {
        "all": (row.alpha, row.label, row.absent, row.units),
        "scored": (row.alpha_scored, row.label_scored, row.absent_scored, row.units_scored),
    }
    return {
        name: {
            "alpha": words.number(alpha, 3, absent="–"),
            "label": label or f"not measured: {absent}",
            "mark": label or "absent",
            "units": words.number(units, 0),
        }
        for name, (alpha, label, absent, units) in figures.items()
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


def _models(view: BoardView) -> list[dict[str, Any]]:
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
