"""The page of a contestant and the list of contestants: what they say follows from the figures, and leads to them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from support.oracle_boards import keyed
from support.pages import Element
from support.sites import Site, changed, figures, showing

from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.scoring.board_tables import Floor
from nullbench_site.site import paths, words
from nullbench_site.site.pages import models
from nullbench_site.site.pages.models import above_the_floor, neighbours
from nullbench_site.site.pages.sentences import standing, ungated_floor
from nullbench_site.site.pages.usage import prices_words
from nullbench_site.specs.types import Prices

LEAD = "lead-2"


def _context(view: AxesView, small_site: Site, model: str = LEAD) -> dict[str, Any]:
    pages = models.pages(showing(view, small_site))
    page = next(page for page in pages if page.url == paths.model_url(model))
    found: dict[str, Any] = page.context["boards"][0]
    return found


def _table(page: Element, caption: str) -> Element:
    (table,) = (table for table in page.all("table") if table.one("caption").text == caption)
    return table


# --- what it is -----------------------------------------------------------------------------------------------------


def test_one_line_says_what_a_contestant_is(view: AxesView) -> None:
    told = {
        "kind": "model", "vendor": "Acme", "open_weights": True, "parameters_b": 70.0, "released": "2026-08",
        "license": "MIT", "backend": "openai", "model": "acme-70b", "runtime": "vLLM 1.2",
    }  # fmt: skip
    spec = msgspec.structs.replace(view.benchmark.models[LEAD], **told)
    about = "Acme · open weights · 70B · released 2026-08 · asked for as acme-70b · run by vLLM 1.2 · MIT"
    assert models.about(spec) == about


def test_prices_stand_with_their_day_and_source() -> None:
    prices = Prices(input=0.15, output=12.5, cached_input=0.075, date="2026-11-12", source="a\u202elist")
    assert prices_words(prices) == (
        "$0.15 in, $0.075 from the cache, $12.50 out per million tokens (2026-11-12, a\N{REPLACEMENT CHARACTER}list)"
    )


def test_under_the_title_stand_the_run_and_the_rank_on_each_board(small_site: Site) -> None:
    page = small_site.content(paths.model_url("textrank-2"))
    said = " ".join(line.text for line in page.all("p", class_="nb-what"))
    assert f"run {small_site.entry.manifest.run}" in said
    for view in small_site.axes_views:
        row = view.rows["textrank-2"]
        rank = words.rank_range(row.rank, row.rank_low, row.rank_high)
        assert f"rank {rank} of {view.n_ranked} with this panel on {view.board.title}" in said


# --- sentences ------------------------------------------------------------------------------------------------------


def test_the_first_sentence_says_the_rank_and_why_nothing_is_claimed(view: AxesView) -> None:
    said = standing(view, view.rows[LEAD])
    assert said.startswith("We name no winner yet: ")
    assert said.endswith("Rank 1–2 of 2 with this panel.")


def test_on_a_silent_board_nothing_is_said_of_whether_a_contestant_is_above_the_floor(view: AxesView) -> None:
    for above in (True, False):
        found = changed(view, {LEAD: {"above_null_floor": above}})
        assert standing(found, found.rows[LEAD]) == standing(view, view.rows[LEAD])


def test_a_null_model_is_said_to_be_one_and_an_unranked_one_gets_no_standing(view: AxesView) -> None:
    null = view.nulls[0]
    assert standing(view, view.rows[null]).startswith("A null model: it answers without reading the question")
    aware = msgspec.structs.replace(view.benchmark.models[null], aware=True)
    knows = replace(view, benchmark=replace(view.benchmark, models={**view.benchmark.models, null: aware}))
    assert standing(knows, view.rows[null]).startswith("A source-aware null model: it reads the request but does not")
    assert "source-aware null model" in models.about(aware)
    found = changed(view, {LEAD: {"rank": None}})
    assert standing(found, found.rows[LEAD]) == ""


def test_a_floor_that_the_refusal_gates_make_zero_is_said_to_be_so_and_what_it_would_be_without(view: AxesView) -> None:
    null = view.nulls[0]
    results = msgspec.structs.replace(
        view.results, floor=Floor(model=null, overall=0.0), ungated=[Floor(model=null, overall=23.44)]
    )
    gated = replace(view, results=results)
    without = f"With refusal gates off the floor would be 23.4 ({view.title(null)})."
    built = "The floor is 0 by construction: the answers of null models count as refused or evaded."
    assert ungated_floor(gated) == f"{built} {without}"
    assert "With refusal gates off it would score 23.4." in standing(gated, view.rows[null])
    risen = replace(view, results=msgspec.structs.replace(results, floor=Floor(model=null, overall=5.0)))
    assert ungated_floor(risen) == without
    ungated = replace(view, results=msgspec.structs.replace(results, ungated=[]))
    assert ungated_floor(ungated) == ""
    assert "gates" not in standing(ungated, view.rows[null])


def test_on_a_silent_board_the_floor_stands_beside_a_score_and_no_comparison_with_it(
    view: AxesView, small_site: Site
) -> None:
    facts = dict.fromkeys(("overall", "ci_low", "ci_high"), view.floor + 2)
    found = _context(changed(view, {LEAD: facts}), small_site)["margin"]
    assert found == f"null floor {words.number(view.floor)}"


# --- figures --------------------------------------------------------------------------------------------------------


def test_axes_stand_from_most_above_the_median_to_most_below(view: AxesView, small_site: Site) -> None:
    lines = _context(view, small_site)["axes"]
    assert {line["axis"].id for line in lines} == set(view.results.axes)
    apart = [line["apart"] for line in lines if line["apart"] is not None]
    assert apart == sorted(apart, reverse=True)
    row = view.rows[LEAD]
    for line in lines:
        mean, median = row.axes.get(line["axis"].id), view.medians[line["axis"].id]
        if mean is not None and median is not None:
            assert line["apart"] == mean - median
            assert f"--a:{25 * (mean - 1):.1f};" in line["places"]


def test_an_axis_that_was_not_measured_stands_last_without_a_drawing(view: AxesView, small_site: Site) -> None:
    axes: dict[str, float | None] = dict.fromkeys(view.rows[LEAD].axes, 5.0)
    missing = next(iter(axes))
    found = changed(view, {LEAD: {"axes": {**axes, missing: None}}})
    last = _context(found, small_site)["axes"][-1]
    assert (last["axis"].id, last["mean"], last["places"]) == (missing, None, "")


def test_every_score_of_a_domain_leads_to_the_answers_behind_it(small_site: Site) -> None:
    page = small_site.content(paths.model_url(LEAD))
    for view in (view for view in small_site.axes_views if LEAD in view.rows):
        table = _table(page, f"Scores by domain on {view.board.title}")
        rows = table.one("tbody").all("tr")
        assert len(rows) == len(view.in_domains)
        for (domain, of_domain), row in zip(view.in_domains.items(), rows, strict=True):
            link = row.one("a", class_="nb-to-evidence")
            assert link.text.startswith(words.number(of_domain[LEAD].goal_alignment))
            wanted = paths.evidence_url(view.board.id, model=LEAD, domain=domain)
            assert link.attributes["href"] == paths.relative(wanted, paths.model_url(LEAD))


def test_every_figure_has_an_explanation_and_a_link_to_its_formula(small_site: Site) -> None:
    explained = {element.attributes.get("id") for element in small_site.content(paths.GLOSSARY).walk()}
    shown = [
        row.one("a", class_="nb-head")
        for table in small_site.content(paths.model_url(LEAD)).all("table", class_="nb-figures")
        for row in table.all("tr")
    ]
    assert len(shown) > 15
    for figure in shown:
        assert figure.attributes["title"]
        assert figure.attributes["href"].partition("#")[2] in explained, figure.text


def test_grades_stand_by_turn(shipped_site: Site) -> None:
    (view,) = (view for view in shipped_site.data.views if view.board.id == "two-turns")
    for row in view.contestants:
        shown = figures(shipped_site.data, row.model, view.board.id)
        for name, grade in (("score", row.mean_grade), ("turn_1", row.turn_1), ("turn_2", row.turn_2)):
            assert shown[name] == (words.number(grade, 2), row.absent.get(name, "from 1 to 10"))
        assert shown["n_invalid"] == (words.number(row.n_invalid, 0), "")


def test_what_was_refused_can_be_read_where_something_was(view: AxesView, small_site: Site) -> None:
    assert _context(view, small_site)["refused_link"] == ""
    refused = {"n_refused": 3, "n_scored": 3, "refused_answer": 3, "refused_prompt": 2}
    refusing = changed(view, {LEAD: refused})
    assert _context(refusing, small_site)["refused_link"] == "evidence/#board=small&model=lead-2&state=refused"
    assert figures(showing(refusing, small_site), LEAD)["refused_by"] == (
        "3 answers",
        "3 refused, 2 evaded; 2 of them both",
    )


def test_the_judges_agreement_is_told_on_the_board_and_on_the_contestants_answers(
    view: AxesView, small_site: Site
) -> None:
    spreads = [row.spread for row in view.results.items if row.model == LEAD and row.spread is not None]
    facts = {name: value for name, (value, _) in figures(showing(view, small_site), LEAD).items()}
    assert facts["spread"] == words.number(float(np.mean(spreads)))
    alpha = view.agreement().alpha_scored
    assert facts["alpha_scored"] == ("not measured" if alpha is None else f"α {words.number(alpha, 2)}")


def test_all_marks_of_trust_stand_with_their_reasons(small_site: Site) -> None:
    page = small_site.content(paths.model_url(LEAD))
    rows = _table(page, f"Trust in the score on {small_site.axes_views[0].board.title}").rows()
    assert len(rows) == 5
    assert all(said.startswith(("high", "medium", "low", "not measured (", "does not apply")) for _, said in rows)


def test_a_program_is_said_to_have_taken_nothing(small_site: Site) -> None:
    assert "No cost: it is a program, which makes no call." in small_site.content(paths.model_url(LEAD)).text


# --- neighbours -----------------------------------------------------------------------------------------------------


def test_a_null_model_is_near_null_models_alone(view: AxesView) -> None:
    found = neighbours(view)
    assert [other.model for other in found[LEAD]] == ["textrank-2"]
    assert found.keys() == view.rows.keys()
    null, other = view.nulls
    assert other in [neighbour.model for neighbour in found[null]]


def test_the_distance_is_over_all_axes_of_all_domains(view: AxesView) -> None:
    squares = [
        (rows[LEAD].axes[axis] - rows["textrank-2"].axes[axis]) ** 2  # type: ignore[operator]
        for rows in view.in_domains.values()
        for axis in rows[LEAD].axes
        if rows[LEAD].axes[axis] is not None
    ]
    assert neighbours(view)[LEAD][0].distance == pytest.approx(np.sqrt(np.mean(squares)))


def test_a_neighbour_is_linked_and_can_be_compared_with(small_site: Site) -> None:
    page = small_site.content(paths.model_url(LEAD))
    view = small_site.axes_views[0]
    links = {link.attributes["href"] for link in _table(page, f"Nearest fingerprints on {view.board.title}").all("a")}
    here = paths.model_url(LEAD)
    assert paths.relative(paths.model_url("textrank-2"), here) in links
    assert "../../compare/?board=small&m=lead-2,textrank-2" in links


def test_a_board_of_one_contestant_has_no_neighbour(view: AxesView) -> None:
    rows = [row for row in view.results.leaderboard if row.model == LEAD]
    alone = replace(view, results=msgspec.structs.replace(view.results, leaderboard=rows))
    assert neighbours(alone) == {LEAD: []}


# --- the list -------------------------------------------------------------------------------------------------------


def test_the_list_draws_the_first_and_links_the_rest(small_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = next(models.pages(small_site.data)).context["boards"][0]
    monkeypatch.setattr(models, "_DRAWN", 1)
    few = next(models.pages(small_site.data)).context["boards"][0]
    rows = small_site.axes_views[0].results.leaderboard
    assert (len(whole["tiles"]), whole["rest"]) == (len(rows), [])
    assert len(few["tiles"]) == 1


@pytest.mark.parametrize("name", ["small", "mixed", "axes_and_oracle", "shipped"])
def test_no_tile_of_the_list_is_blank_even_of_a_board_without_radars(name: str, request: pytest.FixtureRequest) -> None:
    site: Site = request.getfixturevalue(f"{name}_site")
    sections = site.content(paths.MODELS).all("div", class_="nb-smalls")
    addresses = [[tile.attributes["href"].strip("/") for tile in each.all("a")] for each in sections]
    assert len(sections) == len(site.data.views)
    for view in site.data.views:
        ranked = [row.model for row in view.results.leaderboard]
        (tiles,) = (each.all("a") for each, own in zip(sections, addresses, strict=True) if own == ranked[: len(own)])
        for row, tile in zip(view.results.leaderboard, tiles, strict=False):
            profiles, bars = tile.all("polygon", class_="nb-profile"), tile.all("span", class_="nb-interval")
            assert profiles or bars or (row.ci_low is None and "not measured" in tile.text)
            whole = all(view.on_spoke(row.model, spoke) is not None for spoke in view.radar_spec.spokes)
            assert not bars or not (view.radar_spec.drawn and whole)


def test_the_profile_of_a_board_of_one_domain_is_over_its_categories(shipped_site: Site) -> None:
    view = next(view for view in shipped_site.data.views if view.board.id == "facts-best-of")
    assert (len(view.domains), view.radar_spec.parts) == (1, "categories")
    assert list(view.radar_spec.spokes) == [group.id for group in view.results.categories]
    row = view.results.categories[0].rows[0]
    assert view.on_spoke(row.model, view.results.categories[0].id) == row.score
    assert view.radar_spec.scale.high >= max(row.score or 0 for group in view.results.categories for row in group.rows)


# --- the floor ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("above", "beside"), [(True, "40.0 above the null floor"), (False, "not above the null floor"), (None, "")]
)
def test_a_margin_over_the_floor_is_printed_only_of_a_contestant_that_is_above_it(
    above: bool | None, beside: str
) -> None:
    view = keyed({"high": 180, "low": 100})
    found = changed(view, {"low": {"above_null_floor": above, "overall": 40.0 + (view.floor or 0.0)}})
    assert above_the_floor(found, found.rows["low"]) == beside


def test_a_contestant_that_is_not_above_the_floor_names_the_judges_that_put_it_there(
    view: AxesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nullbench_site.site.pages.trust_marks.SILENT_FROM", 6)
    judge = view.judges[0]
    found = changed(view, {LEAD: {"above_null_floor": False, "below_floor_alone": [judge.id]}})
    assert standing(found, found.rows[LEAD]).endswith(f"With {judge.title} alone, a null model scores as much or more.")
    for above in (True, None):
        found = changed(view, {LEAD: {"above_null_floor": above, "below_floor_alone": [judge.id]}})
        assert "null model" not in standing(found, found.rows[LEAD])
