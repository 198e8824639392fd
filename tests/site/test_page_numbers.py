"""The numbers on the pages are those of the results, and the sentences say what the numbers say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from support.sites import Site, changed, each_of, figures, showing, shown_cells

from nullbench_site.protocols.axes.pages import smaller_gates
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.protocols.axes.specs import baseline_axes
from nullbench_site.site import words
from nullbench_site.site.charts.radar import LIKERT, SmallRadar
from nullbench_site.site.gather import shown_metrics
from nullbench_site.site.pages import boards, judges, models, trust_marks
from nullbench_site.site.pages.page import interval_cell, panel_words, sureness
from nullbench_site.site.pages.panel_words import MEANS, with_other_judges
from nullbench_site.site.pages.tables import board_table, group_table
from nullbench_site.site.protocol import pages_of
from nullbench_site.stats.trust import agreement_level

site = each_of("small", "shipped")


def _board_urls(site: Site) -> dict[str, str]:
    return {view.board.id: view.url for view in site.axes_views}


def _ends(row: dict[str, str]) -> str:
    return words.interval(float(row["ci_low"]), float(row["ci_high"])) if row["ci_low"] else ""


def test_the_board_shows_each_row_of_the_leaderboard_in_its_order(site: Site) -> None:
    for view in site.axes_views:
        shown = site.content(_board_urls(site)[view.board.id]).all("table")[0].rows()
        heads = [metric.id for metric, _ in board_table(view).columns]
        for line, row in zip(shown, site.csv(f"boards/{view.board.id}.csv"), strict=True):
            rank, name, score, *_ = line
            shown_as = dict(zip(heads, line[4:], strict=True))
            ranks = (int(row[name]) if row[name] else None for name in ("rank", "rank_low", "rank_high"))
            assert rank.split(" in a tie group")[0] == words.rank_range(*ranks)
            assert name.startswith(view.benchmark.models[row["model"]].title)
            assert score == f"{words.number(float(row['overall']))} {_ends(row)}".rstrip()
            assert shown_as["quality"] == words.number(float(row["quality"]))
            assert shown_as["refusal_rate"] == words.percent(float(row["refusal_rate"])).replace("\u00a0", " ")
            assert shown_as["scored"] == f"{row['n_scored']} of {int(row['n_items']) * view.board.samples}"


def test_the_null_floor_stands_under_the_board_with_its_model(site: Site) -> None:
    for view in site.axes_views:
        floor = view.results.floor
        said = site.content(_board_urls(site)[view.board.id]).one("tfoot").text
        assert f"{words.number(floor.overall)} {words.interval(floor.low, floor.high)}".rstrip() + ":" in said
        assert f"({view.benchmark.models[floor.model].title})" in said


def test_an_interval_is_drawn_from_its_low_end_to_its_high_end_with_its_score_and_the_floor(site: Site) -> None:
    for view in site.axes_views:
        table = site.content(_board_urls(site)[view.board.id]).all("table")[0]
        drawings = table.all("span", class_="nb-interval")
        sure = [row for row in view.results.leaderboard if row.ci_low is not None]
        for drawing, row in zip(drawings, sure, strict=True):
            low, high, at = row.ci_low, row.ci_high, row.overall
            outer = row.panel_low, row.panel_high
            kind = view.results.panel_kind
            wide = (
                ""
                if kind not in MEANS or None in outer or UNSET in outer
                else f";--ol:{outer[0]:.1f};--oh:{outer[1]:.1f}"
            )
            assert drawing.attributes["style"] == f"--a:{at:.1f};--l:{low:.1f};--h:{high:.1f}{wide}"
            said = with_other_judges(kind, *outer) if wide else ""
            assert drawing.text == drawing.attributes["title"] == f"{words.interval(low, high)}; {said}".rstrip("; ")
        assert table.attributes["style"] == f"--f:{view.results.floor.overall:.1f};"


def test_a_fingerprint_tells_every_axis_in_its_table_and_in_the_words_of_its_radar(site: Site) -> None:
    for view in site.axes_views:
        for row in view.results.leaderboard:
            page = site.content(f"models/{row.model}/")
            titles = {view.axes[axis].title for axis in view.results.axes}
            tables = [
                {cells[0].removesuffix(" one judge"): cells[1] for cells in table.rows()}
                for table in page.all("table", class_="nb-board")
            ]
            place = [v.board.id for v in site.axes_views if row.model in v.rows].index(view.board.id)
            cells = [cells for cells in tables if titles <= cells.keys()][place]
            said = " ".join(figure.attributes["aria-label"] for figure in page.all("div", role="img"))
            for axis in view.results.axes:
                mean = row.axes.get(axis)
                assert cells[view.axes[axis].title].startswith(words.number(mean, 2))
                if axis in baseline_axes(view.benchmark):
                    assert f"{view.axes[axis].short} {words.number(mean, 1)} (goal " in said


def test_the_judges_page_says_what_other_judges_would_leave_of_the_first_score_and_what_scores_vary_by(
    site: Site,
) -> None:
    content = site.below("judges/")
    tables = {table.one("caption").text: table for table in content.all("table")}
    for view in site.axes_views:
        rows = tables[f"Components of variance on {view.board.title}"].rows()
        for cells, row in zip(rows, view.results.components, strict=True):
            assert cells[1:] == [f"not measured: {row.absent}" if row.absent else words.number(row.sd, 2)]
        errors = tables[f"How far scores on {view.board.title} would move, in points"].rows()
        assert [cells[1:] for cells in errors] == [
            [words.number(points, 3)]
            for row in view.results.score_errors
            if row.over == "items"
            for points in (row.error_points, row.one_more_item)
            if isinstance(points, float)
        ]
        assert judges.other_judges(view) in content.text


def test_the_judges_page_shows_agreement_by_category_with_its_label(site: Site) -> None:
    tables = [t for t in site.below("judges/").all("table") if t.one("caption").text == "Agreement by category"]
    for table, view in zip(tables, site.axes_views, strict=True):
        alphas = {row.category: row for row in view.results.agreement if row.category and row.axis is None}
        titles = {c.title: c.id for d in view.board.domains for c in view.benchmark.domains[d].categories}
        assert len(table.rows()) == len(alphas)
        for name, _, alpha, label, alpha_scored, label_scored, units in table.rows():
            row = alphas[titles[name]]
            assert (alpha, alpha_scored) == tuple(
                words.number(value, 3, absent="–") for value in (row.alpha, row.alpha_scored)
            )
            assert label == (agreement_level(row.alpha) or f"not measured: {row.absent}")
            assert label_scored == (agreement_level(row.alpha_scored) or f"not measured: {row.absent_scored}")
            assert units == f"{row.units_scored} of {row.units}"


def test_the_method_explains_every_metric_and_prints_its_formula_as_mathml(site: Site) -> None:
    page = site.content("glossary/")
    for metric in shown_metrics(site.data):
        section = page.one("section", id=f"metric-{metric.id}")
        assert section.one("h3").text.startswith(metric.title)
        assert metric.sentence in section.text
        assert len(section.all("math")) == bool(metric.formula)


def test_the_foot_of_every_page_names_the_run_and_its_digest(site: Site) -> None:
    manifest = site.entry.manifest
    for url in site.pages:
        if url.startswith("runs/2") and url != f"runs/{manifest.run}/":
            continue  # of an older run
        foot = site.content(url).one("p", class_="nb-foot").text
        assert manifest.run in foot, url
        assert manifest.digest[:12] in foot, url


def test_the_runs_page_shows_each_run_with_its_digests_and_how_to_verify_it(site: Site) -> None:
    text = site.content("runs/").text
    assert site.entry.manifest.digest in text
    assert site.entry.manifest.spec_digest in text
    assert f"nullbench-site verify {site.entry.manifest.run}" in text


# --- sentences ------------------------------------------------------------------------------------------------------


def _reading(view: AxesView, small_site: Site) -> str:
    page = next(boards.pages(showing(view, small_site))).context
    return " ".join([page["answer"], *page["missing"], *page["reading"]])


def test_a_board_of_few_items_gives_scores_and_claims_nothing(view: AxesView, small_site: Site) -> None:
    """Few items, one wording, no test of contamination: three marks."""
    clear = {"lead-2": {"tie_group": 1, "overall": 90.0}, "textrank-2": {"tie_group": 2, "overall": 80.5}}
    said = _reading(changed(view, clear), small_site)
    assert said.startswith("With this panel, Lead-2 scores highest, 90.0 [")
    assert " We name no winner yet: " in said


def test_contestants_not_above_the_floor_are_named_unless_the_board_is_silent(
    view: AxesView, small_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "best null" not in _reading(changed(view, {"lead-2": {"above_null_floor": False}}), small_site)
    monkeypatch.setattr(trust_marks, "SILENT_FROM", 6)
    one = changed(view, {"textrank-2": {"above_null_floor": False}})
    assert "TextRank-2 (provisional) is not distinguishable from the best null model." in _reading(one, small_site)
    under = changed(view, {"textrank-2": {"above_null_floor": False, "overall": view.floor}})
    assert "TextRank-2 (provisional) scores no higher than the best null model." in _reading(under, small_site)
    both = changed(view, {name: {"above_null_floor": False} for name in ("lead-2", "textrank-2")})
    assert "Lead-2 and TextRank-2 (provisional) are not distinguishable" in _reading(both, small_site)
    none = changed(view, {name: {"above_null_floor": True} for name in ("lead-2", "textrank-2")})
    assert "Every ranked contestant scores above" in _reading(none, small_site)


def test_without_null_models_nothing_is_said_of_a_floor(view: AxesView, small_site: Site) -> None:
    rows = [row for row in view.results.leaderboard if view.benchmark.models[row.model].kind != "null"]
    bare = msgspec.structs.replace(
        view.results,
        leaderboard=rows,
        floor=None,
        ungated=[],
        domains=[msgspec.structs.replace(group, rows=[]) for group in view.results.domains],
    )
    page = next(boards.pages(showing(AxesView(view.benchmark, view.board, bare), small_site)))
    assert "null model gets" not in " ".join(page.context["reading"])
    assert "null floor" not in dict(page.context["facts"])


def test_a_board_on_which_nobody_is_ranked_says_so(view: AxesView, small_site: Site) -> None:
    names = [row.model for row in view.results.leaderboard]
    unranked = changed(view, {name: {"rank": None, "rank_low": None, "rank_high": None} for name in names})
    assert _reading(unranked, small_site).startswith(
        "No contestant has every answer and every verdict yet, so there is no ranking."
    )
    assert {row.rank for row in board_table(unranked).rows} == {"–"}


def test_a_board_without_a_judged_answer_has_no_table(view: AxesView, small_site: Site) -> None:
    empty = msgspec.structs.replace(
        view.results,
        leaderboard=[],
        floor=None,
        ungated=[],
        domains=[msgspec.structs.replace(group, rows=[]) for group in view.results.domains],
    )
    page = next(boards.pages(showing(AxesView(view.benchmark, view.board, empty), small_site)))
    assert page.context["answer"] == "No answer on this board is judged yet."
    assert page.context["table"].rows == []


def test_the_board_says_at_a_name_how_many_of_its_answers_failed(view: AxesView) -> None:
    rows = {row.model.id: list(row.remarks) for row in board_table(changed(view, {"lead-2": {"n_errored": 6}})).rows}
    assert rows.pop("lead-2") == ["6 answers failed"]
    assert list(rows.values()) == [[], [], []]


def test_only_groups_of_more_than_one_are_banded_and_neighbours_differ(
    view: AxesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_marks, "SILENT_FROM", 6)
    names = [row.model for row in view.results.leaderboard]
    pairs = changed(view, dict(zip(names, [{"tie_group": n} for n in (1, 1, 2, 2)], strict=True)))
    assert [row.band for row in board_table(pairs).rows] == ["nb-tie", "nb-tie", "nb-tie-other", "nb-tie-other"]
    single = changed(view, dict(zip(names, [{"tie_group": n} for n in (1, 2, 3, 3)], strict=True)))
    assert [row.band for row in board_table(single).rows] == ["", "", "nb-tie", "nb-tie"]
    none = changed(view, {name: {"tie_group": None} for name in names})
    assert {row.band for row in board_table(none).rows} == {""}


def _fingerprint(view: AxesView, small_site: Site, model: str = "lead-2") -> dict[str, Any]:
    pages = models.pages(showing(view, small_site))
    page = next(page for page in pages if page.url == f"models/{model}/")
    found: dict[str, Any] = page.context["boards"][0]
    return found


def test_a_contestant_whose_every_answer_is_refused_is_said_to_be_so(view: AxesView, small_site: Site) -> None:
    refused = changed(view, {"lead-2": {"refusal_rate": 1.0}})
    (said,) = _fingerprint(refused, small_site)["sentences"]
    assert "calls every answer refused or evaded" in said


def test_a_contestant_without_every_item_is_not_ranked_and_the_page_says_how_far_it_is(
    view: AxesView, small_site: Site
) -> None:
    partial = changed(
        view, {"lead-2": {"overall": None, "rank": None, "rank_low": None, "rank_high": None, "n_scored": 4}}
    )
    fingerprint = _fingerprint(partial, small_site)
    assert fingerprint["sentences"] == ["Lead-2 is not ranked: 4 of 6 answers so far."]
    assert fingerprint["rank"] == "–"


def test_refusals_are_told_apart_by_gate_and_losses_by_kind(view: AxesView, small_site: Site) -> None:
    lost = {"n_scored": 3, "n_refused": 1, "n_errored": 1, "n_unparsed": 1, "refused_answer": 1, "refused_prompt": 0}
    facts = figures(showing(changed(view, {"lead-2": lost}), small_site), "lead-2")
    assert facts["scored"] == ("3 of 6", "1 refused or evaded, 1 failed, 1 without a readable verdict")
    assert facts["refusal_rate"][1] == "1 refused, 0 evaded"


def test_what_is_absent_says_why(view: AxesView, small_site: Site) -> None:
    facts = figures(showing(view, small_site), "lead-2")
    assert facts["qpr"] == ("not measured", "the memory size is unknown")


def test_a_contestant_without_an_answer_has_no_times_and_no_lengths(view: AxesView, small_site: Site) -> None:
    nothing = dict.fromkeys(("median_response_time_ms", "throughput_rps", "median_response_length"))
    facts = figures(showing(changed(view, {"lead-2": nothing}), small_site), "lead-2")
    assert {name: facts[name] for name in nothing} == dict.fromkeys(nothing, ("not measured", ""))


def test_a_model_at_an_endpoint_is_told_by_the_name_it_was_asked_for(view: AxesView) -> None:
    lead = view.benchmark.models["lead-2"]
    assert "backend offline" in models.about(lead)
    live = msgspec.structs.replace(lead, backend="openai", model="gpt-9-2026-01-01")
    assert "asked for as gpt-9-2026-01-01" in models.about(live)
    assert "backend" not in models.about(live)


def test_a_row_without_numbers_is_shown_as_not_measured(view: AxesView) -> None:
    nothing: dict[str, Any] = {
        "overall": None, "se": None, "ci_low": None, "ci_high": None, "quality": None, "refusal_rate": None,
    }  # fmt: skip
    table = board_table(changed(view, {"lead-2": nothing}))
    row = table.rows[0]
    assert (row.row.score, sureness(row.row), row.interval) == (None, "", None)
    shown = shown_cells(table, "lead-2")
    assert shown["quality"] == "not measured"
    assert row.values.startswith(",,,,")
    assert interval_cell(view.results.leaderboard[0], None, None) is None


def test_a_part_shows_ranges_of_ranks_and_who_may_be_first_and_no_rank_without_a_range(
    view: AxesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_marks, "SILENT_FROM", 6)
    group = view.results.domains[0]
    ranges = [(1, 1, 2), (2, 1, 2), (3, 3, 4), (4, 3, 4)]
    rows = [
        msgspec.structs.replace(row, rank=rank, rank_low=low, rank_high=high)
        for row, (rank, low, high) in zip(group.rows, ranges, strict=True)
    ]
    best = [row.model for row in rows[:2]]
    table = group_table(view, msgspec.structs.replace(group, rows=rows, best_set=best), "Gardens", "gardens")
    assert [(row.rank, row.band, row.tied) for row in table.rows] == [
        ("1–2", "nb-tie", "may be the first"), ("1–2", "nb-tie", "may be the first"), ("3–4", "", ""), ("3–4", "", "")
    ]  # fmt: skip
    bare = [msgspec.structs.replace(row, rank_low=None, rank_high=None) for row in rows]
    table = group_table(view, msgspec.structs.replace(group, rows=bare, best_set=[]), "Gardens", "gardens")
    assert {(row.rank, row.band, row.tied) for row in table.rows} == {("–", "", "")}
    assert group_table(view, msgspec.structs.replace(group, rows=[]), "Gardens", "gardens").says == ""


def test_a_small_radar_with_an_absent_axis_has_no_profile(view: AxesView) -> None:
    def drawn(*values: float | None) -> SmallRadar:
        return SmallRadar("x", "1.0", "models/x/", values, [5.0] * 4, against="goal", scale=LIKERT)

    assert drawn(3.0, None, 3.0, 3.0).profile == ""
    whole = drawn(5.0, 5.0, 5.0, 5.0)
    assert whole.profile == whole.reference
    assert whole.rings.endswith(f"M{whole.profile}Z")


def test_a_panel_with_a_language_model_is_not_called_rule_based(view: AxesView, small_site: Site) -> None:
    judge = msgspec.structs.replace(view.judges[0], backend="somewhere")
    mixed = replace(view, benchmark=replace(view.benchmark, judges={**view.benchmark.judges, judge.id: judge}))
    assert panel_words(mixed) == "Panel “Rule-based panel”: Support, Restraint and Form."
    assert not mixed.rule_based
    assert panel_words(view).startswith("Rule-based panel: Support, Restraint and Form, which are programs.")


def test_a_contestant_of_a_judges_family_is_told_that_its_gate_is_smaller(small_site: Site) -> None:
    """Of three judges one is of its family: 2 of the other 2 make a refusal."""
    view = small_site.axes_views[0]
    assert view.smaller_gates == {}
    kin = view.benchmark.models["lead-2"].family
    family = {**view.benchmark.judges, "form": msgspec.structs.replace(view.benchmark.judges["form"], family=kin)}
    kindred = replace(view, benchmark=replace(view.benchmark, judges=family))
    told = dict.fromkeys(model.id for model in view.benchmark.models.values() if model.family == kin)
    assert set(kindred.smaller_gates) == set(told)
    assert smaller_gates(kindred)[0].endswith("2 of 3 judges may score it, 2 are asked, 2 votes decide.")
    shown = pages_of("axes").fingerprint(kindred, kindred.benchmark.models["lead-2"])["by_gate"]
    assert "of 2 judges of other families 2 votes decide" in shown
