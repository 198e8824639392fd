"""The score of each contestant on each item, and what the page of comparison says without a script."""

from __future__ import annotations

import json
from statistics import fmean
from typing import Any

import msgspec
import pytest
from support.boards import benchmark, category, domain, item
from support.pages import links
from support.sites import Site

from nullbench_site.protocols.axes.metrics import AxesResults
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.protocols.axes.specs import AxesBoardFile
from nullbench_site.protocols.oracle.pages import OracleView
from nullbench_site.site.score_vectors import ScoreVectors, score_vectors
from nullbench_site.site.views import BoardView

SITES = ("small", "shipped", "rubric", "axes_and_oracle")


@pytest.fixture(params=SITES)
def site(request: pytest.FixtureRequest) -> Site:
    built: Site = request.getfixturevalue(f"{request.param}_site")
    return built


def _vectors(site: Site, view: BoardView) -> tuple[dict[str, Any], dict[str, list[float | None]]]:
    """The published items of a board, and the published scores of each contestant."""
    folder = f"boards/{view.board.id}"
    scores = {model: site.json(f"{folder}/scores/{model}.json") for model in view.rows}
    for model, own in scores.items():
        assert (own["board"], own["model"]) == (view.board.id, model)
    return site.json(f"{folder}/items.json"), {model: own["overall"] for model, own in scores.items()}


def _overall(items: dict[str, Any], scores: list[float | None]) -> float:
    groups: dict[int, list[float]] = {}
    for place, score in zip(items["items"], scores, strict=True):
        if score is not None:
            groups.setdefault(place["group"], []).append(score)
    weights = items["weights"]
    total = sum(weights[group] for group in groups)
    return sum(weights[group] * fmean(own) for group, own in groups.items()) / total


# --- score vectors ------------------------------------------------------------------------------------------------


def test_the_scores_of_items_come_to_the_scores_of_the_board_and_of_its_domains(site: Site) -> None:
    for view in site.data.views:
        items, scores = _vectors(site, view)
        for model, row in view.rows.items():
            if row.overall is None:
                assert set(scores[model]) == {None} or view.results.silenced
                continue
            assert _overall(items, scores[model]) == pytest.approx(row.overall, abs=1e-5)
        for group in view.results.domains:
            places = [n for n, place in enumerate(items["items"]) if place["domain"] == group.id]
            assert len(places) == group.n_items
            for own in group.rows:
                known = [score for n in places if (score := scores[own.model][n]) is not None]
                shown = own.goal_alignment if isinstance(view, AxesView) else own.overall  # type: ignore[union-attr]
                assert (fmean(known) if known else None) == (shown and pytest.approx(shown, abs=1e-5))


def test_the_items_stand_in_the_order_of_the_specs_with_their_groups(site: Site) -> None:
    for view in site.data.views:
        items, _ = _vectors(site, view)
        expected = [
            (placed.id, placed.domain.id, placed.category.id, placed.item.difficulty, placed.private)
            for placed in view.benchmark.items(view.board)
        ]
        names = ("id", "domain", "category", "difficulty", "private")
        assert [tuple(place[name] for name in names) for place in items["items"]] == expected
        assert sum(items["weights"]) == pytest.approx(1)
        assert {place["group"] for place in items["items"]} == set(range(len(items["weights"])))


def test_clusters_are_what_the_standard_errors_of_the_board_are_clustered_by(site: Site) -> None:
    for view in site.data.views:
        items, _ = _vectors(site, view)
        placed = list(view.benchmark.items(view.board))
        clusters = [place["cluster"] for place in items["items"]]
        assert all(type(cluster) is int for cluster in clusters)
        if isinstance(view, AxesView):
            texts = [one.item.source for one in view.benchmark.items(view.board)]
            assert len(set(clusters)) == len(set(texts)) == len(set(zip(clusters, texts, strict=True)))
        elif isinstance(view, OracleView):
            shared = [one.item.source or one.item.bundle or one.id for one in view.items]
            assert len(set(clusters)) == len(set(shared)) == len(set(zip(clusters, shared, strict=True)))
        else:
            assert len(set(clusters)) == len(placed)


def test_a_private_item_is_marked_and_only_its_place_and_scores_are_told(rubric_site: Site) -> None:
    (view,) = rubric_site.data.views
    items, _ = _vectors(rubric_site, view)
    private = [place for place in items["items"] if place["private"]]
    assert len(private) == 2
    for place in private:
        assert set(place) == {"id", "domain", "category", "difficulty", "cluster", "group", "private"}


def test_an_item_without_a_score_is_null_and_a_contestant_off_the_board_has_no_file(small_site: Site) -> None:
    view = small_site.data.views[0]
    assert isinstance(view, AxesView)
    gone = view.results.items[0]
    results = msgspec.structs.replace(
        view.results,
        items=[row for row in view.results.items[1:] if row.model != "lead-2" or row.item != gone.item],
        leaderboard=[row for row in view.results.leaderboard if row.model != "textrank-2"],
    )
    vectors = score_vectors(AxesView(view.benchmark, view.board, results))
    place = [item.id for item in vectors.items.items].index(gone.item)
    assert vectors.of_model[gone.model][place] is None
    assert sum(score is None for score in vectors.of_model[gone.model]) == 1
    assert "textrank-2" not in vectors.of_model
    assert len(vectors.of_model) == 3


def _weighted(groups: Any) -> ScoreVectors:
    made = benchmark(
        domain("a", category("a1", item("q1"), item("q2", "one text")), category("a2", "q3")),
        domain("b", category("b1", item("q4", "one text")), construct="capability"),
        domain("c", category("c1", "q5")),
        groups=groups,
        construct_weights={"alignment": 0.4, "capability": 0.6},
    )
    board = made.boards["main"]
    assert isinstance(board, AxesBoardFile)
    results = AxesResults(
        run="r", board="main", protocol="axes", panel="p", complete=False, n_items=5, axes=[], floor=None,
        leaderboard=[], domains=[], categories=[], difficulties=[], items=[], judges=[], judge_models=[], agreement=[],
    )  # fmt: skip
    return score_vectors(AxesView(made, board, results))


def test_groups_share_the_weight_of_their_construct() -> None:
    by_domain, by_category = _weighted("domain").items, _weighted("category").items
    assert [place.group for place in by_domain.items] == [0, 0, 0, 1, 2]
    assert by_domain.weights == pytest.approx([0.2, 0.6, 0.2])
    assert [place.group for place in by_category.items] == [0, 0, 1, 2, 3]
    assert by_category.weights == pytest.approx([0.4 / 3, 0.4 / 3, 0.6, 0.4 / 3])
    assert [place.cluster for place in by_domain.items] == [0, 1, 2, 1, 3]


# --- the page -----------------------------------------------------------------------------------------------------


def test_without_a_script_the_boards_that_hold_each_against_the_next_are_listed(site: Site) -> None:
    page = site.content("compare/")
    assert "You need JavaScript to choose contestants" in page.one("noscript").text
    several = [view for view in site.data.views if view.n_ranked > 1]
    assert [*links(page.one("nav", class_="nb-tabs"))] == [
        f"../{view.url}" + "#hangs-on" * (view in several) for view in site.data.views
    ]
    for view in several:
        assert site.rows(view.url, "Each contestant and the next")


def test_the_script_is_told_of_every_board_and_contestant_with_its_look(site: Site) -> None:
    data = json.loads(site.content("compare/").one("script", class_="nb-compare-data").raw)
    assert [board["id"] for board in data["boards"]] == [view.board.id for view in site.data.views]
    for view, board in zip(site.data.views, data["boards"], strict=True):
        assert board["contestants"] == list(view.rows)
        assert [entry["id"] for entry in board["domains"]] == list(view.board.domains)
        for model in view.rows:
            own = data["contestants"][model]
            look = site.data.looks[model]
            assert own["title"] == view.title(model)
            assert (own["colour"], own["shape"]) == ("null" if view.is_null(model) else look.colour, look.shape)
