"""Tables of contestants by groups, on one scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.scoring.oracle.results import OracleScores
from nullbench_site.scoring.rubric.results import RubricScores
from nullbench_site.site import paths
from nullbench_site.site.pages.rows import heat
from nullbench_site.site.views import OracleView, RubricView


def by_domain(view: RubricView | OracleView) -> dict[str, Any]:
    """Contestants by domains."""
    columns = [
        {"title": view.domains[domain].title, "link": paths.domain_url(view.board.id, domain)}
        for domain in view.in_domains
    ]
    return heat_table(view, "domain", columns, view.in_domains)


def by_difficulty(view: RubricView | OracleView) -> dict[str, Any]:
    """Contestants by difficulties, from easy to hard."""
    columns = [{"title": name, "link": ""} for name in view.in_difficulties]
    return heat_table(view, "difficulty", columns, view.in_difficulties)


def heat_table(
    view: RubricView | OracleView,
    what: str,
    columns: list[dict[str, str]],
    groups: Mapping[str, Mapping[str, RubricScores | OracleScores]],
) -> dict[str, Any]:
    """Contestants by groups, whose titles and links are `columns`. what: what a group is, for the caption."""
    return {
        "caption": f"Overall score by contestant and {what}, {view.board.title}",
        "columns": columns,
        "rows": [
            {
                "model": view.benchmark.models[model],
                "link": paths.model_url(model),
                "cells": [heat(rows[model].overall if model in rows else None) for rows in groups.values()],
            }
            for model in view.rows
        ],
    }
