"""Make the page of comparison: up to four contestants of the reader's choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from nullbench_site.extensions import protocol_folder
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import claims, paths
from nullbench_site.site.differences import repeated_alpha
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import Page, panel_words, section
from nullbench_site.site.pages.panel_words import difference_with_other_judges
from nullbench_site.site.pages.sentences import outcome
from nullbench_site.site.pages.trust_marks import low_marks, silence, silence_of_panel
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.reporting_minimum import missing
from nullbench_site.site.score_vectors import score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.site.wording import first_wording_only


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page of comparison."""
    yield Page(
        url=paths.COMPARE,
        title="Compare",
        template="compare.md.j2",
        context={
            "data": _data(site),
            "boards": [section(view, {"first_only": first_wording_only(view)}) for view in site.views],
            "constructs": sorted({view.board.construct for view in site.views}),
        },
        description="Up to four contestants, one versus another: their differences, and how sure these are.",
    )


def _data(site: SiteData) -> dict[str, Any]:
    """Return what the script needs before it loads scores."""
    on_boards = {model for view in site.views for model in view.rows}
    return {
        "boards": [_board(view) for view in site.views],
        "phrases": msgspec.to_builtins(claims.table()),
        "silent": claims.SILENT_FROM,
        "marks": claims.MARKS,
        "contestants": {
            model.id: {
                "title": claims.named(model),
                "vendor": model.vendor or "",
                "kind": model.kind,
                "colour": "null" if model.kind == "null" else site.looks[model.id].colour,
                "shape": site.looks[model.id].shape,
            }
            for model in site.benchmark.models.values()
            if model.id in on_boards
        },
        "metrics": {
            metric: {"title": METRICS[metric].title, "sentence": METRICS[metric].sentence}
            for metric in ("paired_difference",)
        },
    }


def _board(view: BoardView) -> dict[str, Any]:
    return {
        "id": view.board.id,
        "title": view.board.title,
        "opening": opening(view).short,
        "pairs": {
            f"{a} {b}": f"{outcome(difference)} {view.robustness(a, b)}"
            for (a, b), difference in view.differences.items()
            if not silence(view, (view.rows[a], view.rows[b]))
        },
        "robust": view.robustness_of_parts,
        "silence": silence_of_panel(view),
        "asked": view.asked,
        "other_judges": {
            f"{a} {b}": said for a, b in view.differences if (said := difference_with_other_judges(view, a, b))
        },
        "marks": {model: _low_marks(view, model) for model in view.rows},
        "lacks": {model: lacks for model, row in view.rows.items() if (lacks := missing(view, row))},
        "panel": panel_words(view),
        "critical": view.results.pair_critical,
        "test": view.results.pair_test,
        "alpha": _alpha(view, view.results.pair_critical),
        "domains": [
            {
                "id": group.id,
                "title": view.benchmark.domains[group.id].title,
                "critical": group.pair_critical,
                "alpha": _alpha(view, group.pair_critical, group.id),
            }
            for group in view.results.domains
        ],
        "radar": _radar(view),
        "contestants": list(view.rows),
        "protocol": view.board.protocol if (protocol_folder(view.board.protocol) / "compare.js").is_file() else None,
        **pages_of(view.board.protocol).compared(view),
    }


def _alpha(view: BoardView, critical: float | None, domain: str | None = None) -> float | None:
    """Return 1 - the level of the intervals of differences, if a build stopped the board; None for 95 %."""
    if view.results.stopped is msgspec.UNSET:
        return None
    items = (place for place in score_vectors(view).items.items if domain is None or place.domain == domain)
    return repeated_alpha(view, critical, len({place.cluster for place in items}))


def _low_marks(view: BoardView, model: str) -> str:
    """Count a contestant's low trust marks: a digit for the board and one for each domain."""
    row = view.rows[model]
    parts = (rows.get(model, row) for rows in view.in_domains.values())
    return "".join(map(str, low_marks(view, row, *parts)))


def _radar(view: BoardView) -> dict[str, Any] | None:
    """Return the spokes of a board's radars and their scale; None if there are too few."""
    radar_spec = view.radar_spec
    if not radar_spec.drawn:
        return None
    goals = radar_spec.goals or {}
    spokes = [{"id": spoke, "label": label, "goal": goals.get(spoke)} for spoke, label in radar_spec.spokes.items()]
    low, high = radar_spec.scale.low, radar_spec.scale.high
    named = {
        "caption": radar_spec.caption,
        "head": radar_spec.spoke,
        "field": radar_spec.field,
        "parts": radar_spec.parts,
    }
    return {"low": low, "high": high, "spokes": spokes, **named}
