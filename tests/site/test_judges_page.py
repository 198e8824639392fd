"""What pages say of judges: their biases, those off the panel, and a bridge before anybody has crossed it."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import yaml
from support import pairwise_boards
from support.boards import view
from support.pages import parse
from support.sites import Site

from nullbench_site.scoring.board_tables import BiasRow, Component, ScoreError
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site.pages import judges
from nullbench_site.site.pages.judges import retiring
from nullbench_site.site.pages.panel_words import judge_biases
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.render import tree_files
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import Bridge, Judge

ITEMS = tuple(f"i{number}" for number in range(30))


@pytest.fixture(scope="module")
def board() -> BoardView:
    """A judge that chooses the first answer on 20 of 30 items, whatever it is; on the others, the contestant."""
    games = [
        pairwise_boards.game(item, value, position=place)
        for number, item in enumerate(ITEMS)
        for place, value in ((0, 1.0), (1, 1.0 if number < 20 else 2.0))
    ]
    found: BoardView = view(
        pairwise_boards.benchmark(ITEMS, orders="both"), [*pairwise_boards.answers(ITEMS, "base", "m"), *games]
    )
    return found


def test_each_kind_of_bias_has_its_rows_and_counts_those_whose_interval_excludes_0(board: BoardView) -> None:
    shown = judge_biases(board)
    assert shown is not None
    assert [line.head[0] for line in shown["lines"] if line.head] == [
        "Position", "Flips", "Verbosity", "Headers", "Lists", "Bold", "Self-preference", "Severity",
    ]  # fmt: skip
    assert shown["says"].startswith("1 of 1 intervals exclude 0.")
    assert [line.row.kind for line in shown["lines"] if line.away] == ["position"]


def test_without_an_interval_the_page_says_so(board: BoardView) -> None:
    row = BiasRow(kind="lists", judge="anna", value=None, low=None, high=None, n_answers=0, absent="no text")
    shown = judge_biases(replace(board, results=msgspec.structs.replace(board.results, biases=[row])))
    assert shown is not None
    assert shown["says"] == "No bias of these judges has an interval: the table says why."


def test_results_without_biases_have_no_part(board: BoardView) -> None:
    assert judge_biases(replace(board, results=msgspec.structs.replace(board.results, biases=msgspec.UNSET))) is None


def test_the_page_of_judges_says_what_the_place_does_to_the_first_contestant(board: BoardView) -> None:
    """The rates of NullModel on AlpacaEval 2.0; the root of 68.245 * 85.747 is 76.497."""
    rates = {"first_win_rate": 68.244535, "second_win_rate": 85.747246, "debiased_win_rate": 78.240605}
    rows: list[Any] = [msgspec.structs.replace(row, **rates) for row in board.results.leaderboard if row.model == "m"]
    changed = replace(board, results=msgspec.structs.replace(board.results, leaderboard=rows))
    said = pages_of("pairwise").judges(changed)["by_place"].replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith(
        "The win rate of m is 68.2 % shown first and 85.7 % shown second; without position bias, 78.2 %."
    )
    assert "The geometric mean of the two rates is 76.5;" in said


# Judges that are not on the panel


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


# A bridge before anybody has crossed it


def test_a_bridge_that_nobody_has_crossed_is_not_measured_and_hostile_titles_are_text(small_site: Site) -> None:
    data = small_site.data
    title = '<img src=x onerror=alert(1)>"{{ 7*7 }}'
    new = Judge(
        id="new", title=title, description="", backend="offline", model="new", family="news", retires="2027-01-31",
        bridges=Bridge(judge="support"),
    )  # fmt: skip
    judges = {**data.benchmark.judges, "new": new}
    judges["form"] = msgspec.structs.replace(judges["form"], retires="2027-01-31")
    changed = dataclasses.replace(data, benchmark=dataclasses.replace(data.benchmark, judges=judges))
    assert retiring(changed.views[0]) == "Form retires on 2027-01-31."
    made = tree_files(changed, small_site.repository.root, small_site.repository.cache)
    page = next(content for name, content in made if name == "docs/judges/small/index.md")
    assert isinstance(page, bytes)
    html = next(yaml.safe_load_all(page.decode()))["html"]
    assert "<img" not in html
    assert f"{title} will replace Support" in parse(html).text
    assert "has marks of both judges" in parse(html).text
