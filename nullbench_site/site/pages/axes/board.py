"""The page of an `axes` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.protocols.axes.results import GroupRow
from nullbench_site.scoring.results import Group
from nullbench_site.site import paths, words
from nullbench_site.site.pages.axes.rows import LAYOUT, aggregation_words
from nullbench_site.site.pages.board_facts import board_facts
from nullbench_site.site.pages.rows import so_far
from nullbench_site.site.pages.sentences import reading
from nullbench_site.site.pages.tables import board_table
from nullbench_site.site.views import AxesView


def context(view: AxesView) -> dict[str, Any]:
    """What its page shows beside what the page of any board does."""
    return {
        "template": "axes/board.md.j2",
        "aggregation": aggregation_words(view),
        "facts": board_facts(view),
        "table": board_table(view, LAYOUT),
        "reading": reading(view, unsure="a standard error needs two source texts in a group"),
        "domains": [
            {
                "title": view.domains[group.id].title,
                "link": paths.domain_url(view.board.id, group.id),
                "best": ", ".join(_best(view, group)),
            }
            for group in view.results.domains
        ],
    }


def _best(view: AxesView, group: Group[GroupRow]) -> tuple[str, str]:
    """The best score in a domain among the contestants that lack nothing, and whose it is."""
    whole = [row for row in group.rows if row.n_items == group.n_items and not so_far(view, view.rows[row.model])]
    if not whole:
        return words.ABSENT, "no contestant has every answer and verdict yet"
    return f"best {words.number(whole[0].goal_alignment)}", view.title(whole[0].model)
