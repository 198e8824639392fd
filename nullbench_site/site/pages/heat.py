"""Tables of contestants by groups, on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nullbench_site.scoring.axes.results import GroupRow
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.oracle.results import OracleScores
from nullbench_site.scoring.rubric.results import RubricScores
from nullbench_site.site import paths
from nullbench_site.site.pages.rows import AnyScores, heat
from nullbench_site.site.views import AnyView

_SCORE_OF = {"axes": "goal_alignment", "rubric": "rubric_overall", "oracle": "oracle_overall"}


def by_domain(view: AnyView) -> dict[str, Any]:
    """Contestants by domains."""
    columns = [
        {"title": view.domains[domain].title, "link": paths.domain_url(view.board.id, domain)}
        for domain in view.in_domains
    ]
    return heat_table(view, "domain", columns, view.in_domains)


def by_difficulty(view: AnyView) -> dict[str, Any]:
    """Contestants by difficulties, from easy to hard."""
    columns = [{"title": name, "link": ""} for name in view.in_difficulties]
    return heat_table(view, "difficulty", columns, view.in_difficulties)


def by_category(view: AnyView, domain: str) -> dict[str, Any] | None:
    """Contestants, the best of the domain first, by its categories; None where it has only one."""
    categories = view.domains[domain].categories
    if len(categories) < 2:
        return None
    page = paths.domain_url(view.board.id, domain)
    columns = [{"title": category.title, "link": f"{page}#{category.id}"} for category in categories]
    groups = {category.id: view.in_categories[category.id] for category in categories}
    return heat_table(view, f"category of {view.domains[domain].title}", columns, groups, view.in_domains[domain])


def heat_table(
    view: AnyView,
    what: str,
    columns: list[dict[str, str]],
    groups: Mapping[str, Mapping[str, GroupRow | RubricScores | OracleScores]],
    models: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Contestants by groups, whose titles and links are `columns`.

    what: what a group is, for the caption. models: in which order; None for that of the board.
    """
    metric = METRICS[_SCORE_OF[view.board.protocol]]
    return {
        "caption": f"{metric.title} by contestant and {what}, {view.board.title}",
        "metric": metric,
        "columns": columns,
        "rows": [
            {
                "model": view.benchmark.models[model],
                "link": paths.model_url(model),
                "cells": [heat(_score(rows[model]) if model in rows else None) for rows in groups.values()],
            }
            for model in (view.rows if models is None else models)
        ],
    }


def _score(row: AnyScores) -> float | None:
    return row.goal_alignment if isinstance(row, GroupRow) else row.overall
