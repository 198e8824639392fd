"""Contestants by domain and other groups: tables, the heatmap, and what was asked in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

from nullbench_site.protocols.axes.results import GroupRow
from nullbench_site.protocols.oracle.results import OracleScores
from nullbench_site.protocols.rubric.results import RubricScores
from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import AnyScores, IntervalCell, Told, heat, interval_cell, sureness
from nullbench_site.site.views import AnyView, BoardView, OracleView, RubricView
from nullbench_site.site.views.board import is_private
from nullbench_site.specs.types import Difficulty

# What the page of the method says of the prompts of a board: how many of what.


def sizes(view: RubricView | OracleView) -> str:
    """Prompts, domains and categories, in words."""
    return (
        f"{words.plural(len(view.items), 'prompt')} in {words.plural(len(view.domains), 'domain')} "
        f"and {words.plural(len(view.in_categories), 'category', 'categories')}"
    )


def domains(view: RubricView | OracleView) -> list[dict[str, Any]]:
    """The domains with their categories, and how many prompts each has."""
    private = Counter(placed.domain.id for placed in view.items if is_private(placed.item))
    return [
        {
            "spec": spec,
            "link": paths.domain_url(view.board.id, domain),
            "n_items": sum(len(category.items) for category in spec.categories),
            "n_private": private[domain],
            "categories": ", ".join(category.title for category in spec.categories),
        }
        for domain, spec in view.domains.items()
    ]


def difficulties(view: RubricView | OracleView) -> list[dict[str, Any]]:
    """The difficulties from easy to hard, and how many prompts each has."""
    counts = Counter(placed.item.difficulty for placed in view.items)
    private = Counter(placed.item.difficulty for placed in view.items if is_private(placed.item))
    return [
        {"title": name, "n_items": counts[name], "n_private": private[name]}
        for name in get_args(Difficulty)
        if counts[name]
    ]


RowT = TypeVar("RowT", bound=AnyScores)


@dataclass(frozen=True)
class Line:
    """A contestant in one group. link: the page of the group, evidence: its answers there by the explorer's hash."""

    title: str
    link: str
    score: Told
    sureness: str
    interval: IntervalCell | None
    cells: Sequence[Told]
    evidence: str


@dataclass(frozen=True)
class Table:
    """Scores by group. score, interval, columns: the metrics in the header, the last of the `cells` of a line."""

    what: str
    caption: str
    score: Metric
    interval: Metric
    columns: Sequence[Metric]
    lines: Sequence[Line]


@dataclass(frozen=True)
class Columns(Generic[RowT]):
    """What such tables of a protocol show: its score with its interval, and further metrics with what they say."""

    score: str
    interval: str
    overall: Callable[[RowT], float | None]
    absent: str
    cells: Mapping[str, Callable[[RowT], Told]]


def table(
    view: BoardView,
    model: str,
    what: str,
    groups: Mapping[str, Mapping[str, RowT]],
    columns: Columns[RowT],
    *,
    titles: Mapping[str, str] | None = None,
) -> Table:
    """The table of a contestant. groups: group -> contestant -> its row there. titles: where ids are none to read."""
    return Table(
        what=what,
        caption=f"Scores by {what} on {view.board.title}",
        score=METRICS[columns.score],
        interval=METRICS[columns.interval],
        columns=[METRICS[name] for name in columns.cells],
        lines=list(_lines(view, model, groups, columns, what=what, titles=titles or {})),
    )


def _lines(
    view: BoardView,
    model: str,
    groups: Mapping[str, Mapping[str, RowT]],
    columns: Columns[RowT],
    *,
    what: str,
    titles: Mapping[str, str],
) -> Iterator[Line]:
    is_domain = what == "domain"
    evidence = f"#board={view.board.id}&model={model}"
    for group, rows in groups.items():
        own = rows.get(model)
        if own is None:
            continue
        score = columns.overall(own)
        yield Line(
            title=titles.get(group, group),
            link=paths.domain_url(view.board.id, group) if is_domain else "",
            score=Told(words.number(score), own.absent.get(columns.absent, "")),
            sureness=sureness(own),
            interval=interval_cell(own, score, _floor(view, (what, group), rows, columns.overall)),
            cells=[cell(own) for cell in columns.cells.values()],
            evidence=f"{evidence}&domain={group}" if is_domain else "",
        )


def _floor(
    view: BoardView, group: tuple[str, str], rows: Mapping[str, RowT], overall: Callable[[RowT], float | None]
) -> float | None:
    """The score of the best null model in a group, 0-100; None without one. Worked out once for all contestants."""
    if group not in view.floors:
        scores = (overall(rows[model]) or 0.0 for model in view.nulls if model in rows)
        view.floors[group] = max(scores, default=None)
    return view.floors[group]


# Tables of contestants by groups, on one scale.

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
