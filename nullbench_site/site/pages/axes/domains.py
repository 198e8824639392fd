"""The page of a domain of an `axes` board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.protocols.axes.results import GroupRow
from nullbench_site.protocols.axes.specs import AxesCategory, AxesDomainFile
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import Group
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import LIKERT, Spoke, radar_data, radar_words, small_radar
from nullbench_site.site.pages.axes.rows import LAYOUT
from nullbench_site.site.pages.groups import by_category
from nullbench_site.site.pages.items import item_table
from nullbench_site.site.pages.tables import group_table
from nullbench_site.site.views import AxesView
from nullbench_site.specs.types import DomainFile

_FIRST = 24
"""How many contestants stand in a category's own table and radars; a board may have a thousand."""


def contexts(view: AxesView) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
    """Each domain of the board, and what its page shows beside what the page of any domain does."""
    for group in view.results.domains:
        yield view.domains[group.id], _context(view, view.domains[group.id], group)


def _context(view: AxesView, domain: AxesDomainFile, group: Group[GroupRow]) -> dict[str, Any]:
    groups = {category.id: category for category in view.results.categories}
    by_categories = by_category(view, domain.id)
    return {
        "template": "axes/domain.md.j2",
        "n_items": words.plural(group.n_items, "item"),
        "table": group_table(view, LAYOUT, group.rows, domain.title, domain.id),
        "by_category": by_categories,
        "all": "contestants" if by_categories is None else "categories",
        "data": f"data/v1/boards/{view.board.id}.json",
        "axis": METRICS["axis"],
        "sections": domain.categories,
        "categories": [_category(view, domain.id, category, groups[category.id]) for category in domain.categories],
        "item_table": item_table(view, domain),
    }


def _category(view: AxesView, domain: str, category: AxesCategory, group: Group[GroupRow]) -> dict[str, Any]:
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
        "table": group_table(view, LAYOUT, group.rows, category.title, domain, first=_FIRST),
        "cut": f"The first {words.of(_FIRST, len(group.rows))} contestants" if len(group.rows) > _FIRST else "",
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
            for row in group.rows[:_FIRST]
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
        "chart": Chart("goal-radar", radar_data(spokes, name, LIKERT), metric="axis"),
        "alt": radar_words(name, spokes, LIKERT),
        "spokes": spokes,
    }
