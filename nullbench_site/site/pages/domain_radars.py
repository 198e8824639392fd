"""Radars over the domains of a board of prompts: each contestant's overall score there, against the median."""

from __future__ import annotations

from typing import Any

from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import POINTS, Spoke, radar_data
from nullbench_site.site.pages.radars import SmallRadar, radar_words, small_radar
from nullbench_site.site.views import OracleView, RubricView
from nullbench_site.specs.types import ModelFile

_CORNERS = 3
"""How many domains a radar needs: fewer span no area."""


def radars(view: RubricView | OracleView) -> dict[str, Any]:
    """The small radars of all contestants; `drawn` says whether domains are enough for one."""
    return {
        "domains": [view.domains[domain].title for domain in view.in_domains],
        "drawn": len(view.in_domains) >= _CORNERS,
        "radars": [_small_radar(view, row.model, row.overall) for row in view.rows.values()],
    }


def radar(view: RubricView | OracleView, model: ModelFile) -> dict[str, Any] | None:
    """The radar of one contestant; None where domains are too few."""
    if len(view.in_domains) < _CORNERS:
        return None
    spokes = [
        Spoke(view.domains[domain].title, _overall(view, domain, model.id), None, view.medians.get(domain))
        for domain in view.in_domains
    ]
    return {
        "chart": Chart("radar", radar_data(spokes, model.title, POINTS)),
        "alt": radar_words(f"{model.title} on {view.board.title}", spokes, POINTS),
    }


def _small_radar(view: RubricView | OracleView, model: str, overall: float | None) -> SmallRadar:
    drawn = view.in_domains if len(view.in_domains) >= _CORNERS else {}
    return small_radar(
        view.title(model),
        words.number(overall),
        paths.model_url(model),
        [_overall(view, domain, model) for domain in drawn],
        [view.medians.get(domain) for domain in drawn],
        against="median",
        scale=POINTS,
    )


def _overall(view: RubricView | OracleView, domain: str, model: str) -> float | None:
    own = view.in_domains[domain].get(model)
    return None if own is None else own.overall
