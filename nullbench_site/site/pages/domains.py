"""The list of domains, and a page for each with its categories' boards and radars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.scoring.results import Group, GroupRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import Spoke, radar_data
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.site.pages.page import Page, group_rows, metrics, panel_words, radar_words, small_radar
from nullbench_site.specs.types import Category


def pages(site: SiteData) -> Iterator[Page]:
    """The list and a page for each domain of each board."""
    yield Page(
        url=paths.DOMAINS,
        title="Domains",
        template="domains.md.j2",
        context={"boards": [_overview(view) for view in site.views]},
        description="Goal alignment of every contestant in every domain.",
    )
    for view in site.views:
        for group in view.results.domains:
            domain = view.benchmark.domains[group.id]
            yield Page(
                url=paths.domain_url(view.board.id, group.id),
                title=f"{domain.title} - {view.board.title}",
                template="domain.md.j2",
                context=_context(view, group),
                description=domain.description,
            )


def _overview(view: BoardView) -> dict[str, Any]:
    """Contestants by domains: one table on one scale."""
    return {
        "title": view.board.title,
        "panel": panel_words(view),
        "domains": [
            {"title": view.benchmark.domains[g.id].title, "link": paths.domain_url(view.board.id, g.id)}
            for g in view.results.domains
        ],
        "rows": [
            {
                "model": view.benchmark.models[row.model],
                "link": paths.model_url(row.model),
                "cells": [_heat(view.group_row(view.results.domains, g.id, row.model)) for g in view.results.domains],
            }
            for row in view.results.leaderboard
        ],
    }


def _heat(row: GroupRow | None) -> dict[str, Any]:
    """A cell of the overview: the score in words, and its shade from 0 to 10."""
    if row is None or row.goal_alignment is None:
        return {"score": "–", "shade": 0}
    return {"score": words.number(row.goal_alignment, 0), "shade": round(row.goal_alignment / 10)}


def _context(view: BoardView, group: Group) -> dict[str, Any]:
    domain = view.benchmark.domains[group.id]
    groups = {category.id: category for category in view.results.categories}
    return {
        "board": view.board,
        "domain": domain,
        "panel": panel_words(view),
        "n_items": words.plural(group.n_items, "item"),
        "rows": group_rows(view, group.rows),
        "metrics": metrics("rank", "goal_alignment", "ci", "quality", "refusal_rate", "scored"),
        "categories": [_category(view, category, groups[category.id]) for category in domain.categories],
    }


def _category(view: BoardView, category: Category, group: Group) -> dict[str, Any]:
    goal = view.benchmark.goals[category.goal]
    axes = [view.benchmark.axes[axis] for axis in category.axes]
    targets = [float(goal.alignment_target[axis.id]) for axis in axes]
    agreement = view.agreement(category.id)
    best = next((row for row in group.rows if view.benchmark.models[row.model].kind != "null"), None)
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
                view.benchmark.models[row.model].title,
                words.number(row.goal_alignment),
                paths.model_url(row.model),
                [row.axes.get(axis.id) for axis in axes],
                targets,
            )
            for row in group.rows
        ],
    }


def _radar(
    view: BoardView, best: GroupRow, rows: Sequence[GroupRow], category: Category, targets: Sequence[float]
) -> dict[str, Any]:
    name = view.benchmark.models[best.model].title
    spokes = [
        Spoke(view.benchmark.axes[axis].short, best.axes.get(axis), target, view.median_axis(rows, axis))
        for axis, target in zip(category.axes, targets, strict=True)
    ]
    return {
        "name": name,
        "chart": Chart("radar", radar_data(spokes, name)),
        "alt": radar_words(name, spokes),
        "spokes": spokes,
    }
