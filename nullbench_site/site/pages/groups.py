"""Make tables of scores by domain and other groups, for one contestant and for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import claims, paths, words
from nullbench_site.site.charts.style import extent
from nullbench_site.site.differences import compared, to_next
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import interval_cell
from nullbench_site.site.pages.sentences import rank_head
from nullbench_site.site.pages.tables import axis_top, columns_of, layout_of
from nullbench_site.site.views import AnyRow, BoardView

# The scores of one contestant by groups.


def tables(view: BoardView, model: str) -> list[dict[str, Any]]:
    """Return a contestant's tables by group: by domain and, if there are several, by difficulty.

    On a board of one domain also by its categories.
    """
    by_group = [by_own_domain(view, model)]
    if len(view.domains) == 1 and len(view.in_categories) > 1:
        titles = {category.id: category.title for spec in view.domains.values() for category in spec.categories}
        by_group.append(table(view, model, "category", view.in_categories, titles))
    if len(view.in_difficulties) > 1:
        by_group.append(table(view, model, "difficulty", view.in_difficulties))
    return by_group


def by_own_domain(view: BoardView, model: str) -> dict[str, Any]:
    """Return the table of a contestant by domain."""
    return table(view, model, "domain", view.in_domains, {name: spec.title for name, spec in view.domains.items()})


def table(
    view: BoardView,
    model: str,
    what: str,
    groups: Mapping[str, Mapping[str, AnyRow]],
    titles: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a contestant's table. groups: group -> contestant -> its row there. titles: of groups, if not their ids.

    top, extent: where the axis of the intervals ends. link: the page of the group; evidence: its answers there by the
    explorer's hash.
    """
    layout = layout_of(view)
    own_rows = {group: own for group, rows in groups.items() if (own := rows.get(model)) is not None}
    intervals = {
        group: interval_cell(own, own.score, _floor(view, (what, group), groups[group]))
        for group, own in own_rows.items()
    }
    top = axis_top(intervals.values(), None)
    is_domain = what == "domain"
    evidence = f"#board={view.board.id}&model={model}"
    return {
        "what": what,
        "caption": f"Scores by {what} on {view.board.title}",
        "score": layout.in_part,
        "interval": layout.interval,
        "top": top,
        "extent": extent(top),
        "columns": columns_of(view, whole_board=False),
        "lines": [
            {
                "title": (titles or {}).get(group, group),
                "link": paths.domain_url(view.board.id, group) if is_domain else "",
                "row": own,
                "interval": intervals[group],
                "evidence": f"{evidence}&domain={group}" if is_domain else "",
            }
            for group, own in own_rows.items()
        ],
    }


def _floor(view: BoardView, group: tuple[str, str], rows: Mapping[str, AnyRow]) -> float | None:
    """Return the best null model's score in a group, 0-100; None without one. Computed once for all contestants."""
    if group not in view.floors:
        scores = (rows[model].score or 0.0 for model in view.nulls if model in rows)
        view.floors[group] = max(scores, default=None)
    return view.floors[group]


# All contestants by groups, on one scale.


def by_domain(view: BoardView) -> dict[str, Any]:
    """Return the scores of all contestants by domain."""
    columns = [
        {
            "title": view.domains[domain].title,
            "link": paths.domain_url(view.board.id, domain),
            "muted": adds_nothing(group),
        }
        for domain, group in zip(view.in_domains, view.results.domains, strict=True)
    ]
    return heat_table(view, "domain", columns, view.in_domains)


def domain_cards(view: BoardView) -> list[dict[str, Any]]:
    """Return a card for each domain of a board with several: its best set, and the first two with their difference.

    best: empty where nothing may be claimed. first: None if no contestant has a score there.
    """
    if len(view.domains) < 2:
        return []
    cards = []
    for group in view.results.domains:
        rows = compared(view, group)
        silent = rank_head(view, group)
        cards.append(
            {
                "title": view.domains[group.id].title,
                "link": paths.domain_url(view.board.id, group.id),
                "best": "" if silent else claims.some([view.title(model) for model in group.best_set]),
                "first": rows[0] if rows else None,
                "next": to_next(view, group.id).get(rows[0].model) if rows else None,
            }
        )
    return cards


def by_how_much(view: BoardView, group: Any) -> str:
    """Return the first sentences of a domain, and the difference of its first contestant to the next."""
    said, rows = opening(view, group).long, compared(view, group)
    following = to_next(view, group.id).get(rows[0].model) if rows else None
    if following is None or following.difference.value is None:
        return said
    apart = following.difference
    found = words.estimate(apart.value, apart.low, apart.high, signs=True)
    on = f", {following.on}" if following.on else ""
    return f"{said} From {view.title(apart.a)} to the next, {view.title(apart.b)}, it is {found} points{on}.".lstrip()


def adds_nothing(group: Any) -> bool:
    """Return True if the score of a part is not shown to add to that of the board; False where nothing is measured."""
    return group.added is not UNSET and group.added.low <= 0


def added_words(view: BoardView, group: Any) -> str:
    """Return a sentence on what the score of a part adds to that of the board; empty for a board of one part."""
    if len(view.results.domains) < 2:
        return ""
    if group.added is UNSET:
        return f"What this score adds to the overall score is {words.ABSENT}: too few contestants."
    by_itself, by_whole = words.number(group.added.by_itself, 2), words.number(group.added.by_whole, 2)
    found = f"of the differences between contestants here it explains {by_itself}, the overall score {by_whole}"
    if group.added.low > 0:
        return f"This score adds to the overall score: {found} (of 1)."
    return f"This score is not shown to add to the overall score: {found} (of 1)."


def by_difficulty(view: BoardView) -> dict[str, Any] | None:
    """Return the scores by difficulty, from easy to hard; None if there is only one."""
    if len(view.in_difficulties) < 2:
        return None
    columns = [{"title": name, "link": ""} for name in view.in_difficulties]
    return heat_table(view, "difficulty", columns, view.in_difficulties)


def by_category(view: BoardView, domain: str) -> dict[str, Any] | None:
    """Return the scores by category of a domain, its best contestant first; None if there is only one."""
    categories = view.domains[domain].categories
    if len(categories) < 2:
        return None
    page = paths.domain_url(view.board.id, domain)
    of = {group.id: group for group in view.results.categories}
    columns = [
        {"title": category.title, "link": f"{page}#{category.id}", "muted": adds_nothing(of[category.id])}
        for category in categories
    ]
    groups = {category.id: view.in_categories[category.id] for category in categories}
    return heat_table(view, f"category of {view.domains[domain].title}", columns, groups, view.in_domains[domain])


def heat_table(
    view: BoardView,
    what: str,
    columns: Sequence[Mapping[str, Any]],
    groups: Mapping[str, Mapping[str, AnyRow]],
    models: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Return the scores of contestants by groups, whose titles and links are `columns`.

    what: what a group is, for the caption. models: in which order; None for that of the board.
    """
    metric = METRICS[layout_of(view).in_part]
    return {
        "caption": f"{metric.title} by contestant and {what}, {view.board.title}",
        "metric": metric,
        "columns": columns,
        "rows": [
            {
                "model": view.benchmark.models[model],
                "link": paths.model_url(model),
                "scores": [rows[model].score if model in rows else None for rows in groups.values()],
            }
            for model in (view.rows if models is None else models)
        ],
    }
