"""What pages say of judges that are not on the panel, by the kind of panel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from support.sites import Site

from nullbench_site.scoring.board_tables import Component, ScoreError
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site.pages import judges
from nullbench_site.site.views import BoardView


def _panel(site: Site, kind: str, **row: Any) -> BoardView:
    """The board with a panel of this kind, a first row changed so, and a study of it."""
    view = site.axes_views[0]
    first, *rest = view.results.leaderboard
    component = Component(component="judge", variance=81.0, sd=9.0, absent=None)
    errors = [
        ScoreError(
            error=error,
            over=over,
            error_points=points,
            one_more_item=points,
            one_more_judge=None,
            absent=None if points else "not a sample",
        )
        for error in ("absolute", "relative")
        for over, points in (("items", 2.0), ("items and judges", 7.0 if kind == "models" else None))
    ]
    changes = {"panel_kind": kind, "components": [component], "score_errors": errors}
    leaderboard = [msgspec.structs.replace(first, **row), *rest]
    return replace(view, results=msgspec.structs.replace(view.results, leaderboard=leaderboard, **changes))


ENDS = {"panel_low": 40.0, "panel_high": 60.0}


@pytest.mark.parametrize(
    ("kind", "metric", "columns"),
    [("models", "panel_interval", 2), ("mixed", "leave_one_out", 1)],
)
def test_only_of_models_asked_alike_is_it_said_how_scores_would_move_with_other_judges(
    small_site: Site, kind: str, metric: str, columns: int
) -> None:
    study = judges.crossed(_panel(small_site, kind, **ENDS))
    assert study is not None
    assert study["panel"] == metric
    assert ("judges like these" in study["says"]) is (kind == "models")
    assert ("one judge is left out" in study["says"]) is (kind == "mixed")
    assert [len(points) for points in study["errors"].values()] == [columns] * 4
    assert [name.endswith("with one more item") for name in study["errors"]] == [False, True] * 2
    assert study["unplanned"] == ("" if kind == "models" else "not a sample")
    assert not any("of 100" in text for text in (study["says"], METRICS[study["panel"]].sentence) if kind == "mixed")


def test_of_a_panel_of_one_the_page_says_that_nothing_is_measured_and_why(small_site: Site) -> None:
    view = _panel(small_site, "one", panel_low=None, panel_high=None, absent={"panel_low": "one judge"})
    study = judges.crossed(view)
    assert study is not None
    assert study["panel"] is None
    assert study["says"].endswith("not measured: one judge.")
