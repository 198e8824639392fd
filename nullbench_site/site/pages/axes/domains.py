"""The domains of an `axes` board: the overview of them, and the page of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.scoring.axes.results import Group, GroupRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import LIKERT, Spoke, radar_data
from nullbench_site.site.pages.axes.rows import group_rows
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.radars import radar_words, small_radar
from nullbench_site.site.pages.rows import heat
from nullbench_site.site.views import AxesView
from nullbench_site.specs.types import AxesCategory, AxesDomainFile, DomainFile


def overview(view: AxesView) -> dict[str, Any]:
    """Contestants by domains: one table on one scale."""
    return {
        "template": "axes/domains.md.j2",
        "domains": [
            {"title": view.domains[g.id].title, "link": paths.domain_url(view.board.id, g.id)}
            for g in view.results.domains
        ],
        "rows": [
            {
                "model": view.benchmark.models[row.model],
                "link": paths.model_url(row.model),
                "cells": [
                    heat(of_domain[row.model].goal_alignment if row.model in of_domain else None)
                    for of_domain in view.in_domains.values()
                ],
            }
            for row in view.results.leaderboard
        ],
    }


def contexts(view: AxesView) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
    """Each domain of the board, and what its page shows beside what the page of any domain does."""
    for group in view.results.domains:
        yield view.domains[group.id], _context(view, view.domains[group.id], group)


def _context(view: AxesView, domain: AxesDomainFile, group: Group) -> dict[str, Any]:
    groups = {category.id: category for category in view.results.categories}
    return {
        "template": "axes/domain.md.j2",
        "n_items": words.plural(group.n_items, "item"),
        "rows": group_rows(view, group.rows),
        "metrics": metrics("rank", "goal_alignment", "ci", "quality", "refusal_rate", "scored"),
        "categories": [_category(view, category, groups[category.id]) for category in domain.categories],
    }


def _category(view: AxesView, category: AxesCategory, group: Group) -> dict[str, Any]:
    goal = view.benchmark.goals[category.goal]
    axes = [view.benchmark.axes[axis] for axis in category.axes]
    targets = [float(goal.alignment_target[axis.id]) for axis in axes]
    agreement = view.agreement(category.id)
    best = next((row for row in group.rows if not view.is_null(row.model)), None)
    return {
        "spec": category,
        "goal": goal,
        "axes": [{"axis": axis, "target": goal.alignment_target[axis.id]} for axis in axes],
        "n_items": words.plural(group.n_items, "item"),
        "alpha": f"{words.number(agreement.alpha, 3)} ({agreement.label or agreement.absent})",
        "alpha_scored": f"{words.number(agreement.alpha_scored, 3)} "
        f"({agreement.label_scored or agreement.absent_scored})",
        "rows": group_rows(view, group.rows),
        "radar": best and _radar(view, best, group.rows, category, targets),
        "small": [
            small_radar(
                view.title(row.model),
                words.number(row.goal_alignment),
                paths.model_url(row.model),
                [row.axes.get(axis.id) for axis in axes],
                targets,
                against="goal",
                scale=LIKERT,
            )
            for row in group.rows
        ],
    }


def _radar(
    view: AxesView, best: GroupRow, rows: Sequence[GroupRow], category: AxesCategory, targets: Sequence[float]
) -> dict[str, Any]:
    name = view.title(best.model)
    spokes = [
        Spoke(view.benchmark.axes[axis].short, best.axes.get(axis), target, view.median_axis(rows, axis))
        for axis, target in zip(category.axes, targets, strict=True)
    ]
    return {
        "name": name,
        "chart": Chart("goal-radar", radar_data(spokes, name, LIKERT)),
        "alt": radar_words(name, spokes, LIKERT),
        "spokes": spokes,
    }
