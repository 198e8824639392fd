"""The page of an `oracle` board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.site import words
from nullbench_site.site.pages.board_facts import board_facts
from nullbench_site.site.pages.groups import by_difficulty, by_domain, heat_table
from nullbench_site.site.pages.oracle.rows import LAYOUT
from nullbench_site.site.pages.sentences import reading
from nullbench_site.site.pages.tables import board_table
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.oracle import key_title


def context(view: OracleView) -> dict[str, Any]:
    """What its page shows beside what the page of any board does."""
    return {
        "template": "oracle/board.md.j2",
        "facts": board_facts(view),
        "reading": [*reading(view, unsure="its answers show no spread"), *_by_accuracy(view)],
        "table": board_table(view, LAYOUT),
        "bundles": view.results.n_bundles,
        "private": words.of(view.n_private, len(view.items)) if view.n_private else "",
        "by_domain": by_domain(view),
        "by_difficulty": by_difficulty(view),
        "by_key": heat_table(
            view, "type of key", [{"title": key_title(kind), "link": ""} for kind in view.in_key_types],
            view.in_key_types,
        ),
    }  # fmt: skip


def _by_accuracy(view: OracleView) -> Iterator[str]:
    """Who would lead if invalid and failed answers did not count, where that is another one."""
    ranked = [(row, row.accuracy) for row in view.contestants if row.rank is not None and row.accuracy is not None]
    if not ranked:
        return
    (leader, share), (most, highest) = ranked[0], max(ranked, key=lambda pair: pair[1])
    if highest > share:
        gave = words.of(most.n_correct + most.n_wrong, view.n_wanted)
        yield (
            f"{view.title(most.model)}, with {gave} answers valid, would be first by accuracy, which is of valid "
            f"answers alone: {words.percent(highest)} against {words.percent(share)} for {view.title(leader.model)}."
        )
