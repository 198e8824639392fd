"""The page of a board: the home page for the first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import UNSET

from nullbench_site.site import controls, paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.charts import board_charts
from nullbench_site.site.pages.differences import best_of_variants, differences
from nullbench_site.site.pages.groups import by_difficulty, by_part
from nullbench_site.site.pages.page import Page, section
from nullbench_site.site.pages.sentences import failures, floor_words, reading, ungated_floor
from nullbench_site.site.pages.tables import Part, board_table, group_floor, parts
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import BoardView
from nullbench_site.stats.trust import agreement_level


def pages(site: SiteData) -> Iterator[Page]:
    """A page for each board, each with links to the others."""
    boards = [{"id": view.board.id, "title": view.board.title, "link": view.url} for view in site.views]
    for view in site.views:
        part = pages_of(view.board.protocol).board(view)
        context = {"template": "board.md.j2", **_shared(site, view, part), **part}
        yield Page(
            url=view.url,
            title=view.board.title,
            template=context["template"],
            context={**section(view, context), "boards": boards},
            description=view.board.description,
            card=paths.board_card(view.board.id),
        )


def _shared(site: SiteData, view: BoardView, part: Mapping[str, Any]) -> dict[str, Any]:
    """What the page of a board of any protocol shows."""
    floor = view.results.floor
    several = {"domain": len(view.in_domains) > 1, "difficulty": len(view.in_difficulties) > 1}
    return {
        "facts": facts(view, part.get("further_facts", ())),
        "reading": [*reading(view), *part.get("further_reading", ()), *_unseen(view)],
        "table": board_table(view),
        "by_part": by_part(view),
        "by_difficulty": by_difficulty(view),
        "private": words.of(view.n_private, len(view.items)) if view.n_private else "",
        "floor": floor and {"score": words.number(floor.overall), "title": view.title(floor.model)},
        "differences": differences(view),
        "variants": best_of_variants(view),
        "ungated_floor": ungated_floor(view),
        "ungated": [
            {
                "title": view.title(null.model),
                "link": paths.model_url(null.model),
                "on": words.number(view.rows[null.model].overall),
                "off": floor_words(null),
            }
            for null in view.results.ungated
            if null.model in view.rows
        ],
        "failures": failures(view),
        "judged": view.panel is not None,
        "parts": [(f"{each.kind}:{each.id}", each.title) for each in parts(view) if several[each.kind]],
        "charts": board_charts(site, view),
    }


def _unseen(view: BoardView) -> list[str]:
    """What no judge sees, beside scores that are there."""
    sentence = controls.blind_spots(view)
    return [sentence] if sentence and (view.n_ranked or controls.rows_of(view)) else []


Fact: TypeAlias = tuple[str, str]
"""A value, and what it is of."""


def facts(view: BoardView, further: Sequence[Fact] = ()) -> list[Fact]:
    """The figures above a board's table that give the size of its evidence. further: those of its protocol."""
    made = [
        _entrants(view, view.rows),
        _counted(len(view.domains), "domain"),
        _counted(view.results.n_items, "item"),
        *further,
    ]
    if view.results.same_end is not UNSET:
        end = "where all contestants score 0, or all 100"
        made.append((words.percent(view.results.same_end), f"of items {end}"))
    if view.panel is not None:
        made += [(str(len(view.judges)), view.judges_called), _agreement(view)]
    if view.floor is not None:
        made.append((words.number(view.floor), "null floor"))
    if view.results.ceiling is not UNSET:
        made.append((words.number(view.results.ceiling.overall), "ceiling, the reference answers"))
    return made


def facts_of_part(view: BoardView, part: Part) -> list[Fact]:
    """The same figures of a part of a board, without those that only the whole board has."""
    floor = group_floor(view, part.group.rows)
    made = [_entrants(view, [row.model for row in part.group.rows]), _counted(part.group.n_items, "item")]
    if view.panel is not None:
        made.append((str(len(view.judges)), view.judges_called))
    return made if floor is None else [*made, (words.number(floor), "null floor")]


def _entrants(view: BoardView, models: Collection[str]) -> Fact:
    nulls = sum(view.is_null(model) for model in models)
    return str(len(models) - nulls), f"contestants and {words.plural(nulls, 'null model')}"


def _counted(n: int, noun: str) -> Fact:
    return str(n), noun if n == 1 else f"{noun}s"


def _agreement(view: BoardView) -> Fact:
    alpha = view.agreement()
    label = f"agreement α on scored answers, {agreement_level(alpha.alpha_scored) or alpha.absent_scored}"
    if alpha.alpha is not None:
        label += f"; {words.number(alpha.alpha, 2)} on all"
    return words.number(alpha.alpha_scored, 2), label
