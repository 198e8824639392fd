"""The board under other choices: its analyses agree with what the results say elsewhere, and pages show them."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from support import pages
from support.sites import Site

from nullbench_site.packaged import packaged
from nullbench_site.site import paths, words
from nullbench_site.site.pages import boards
from nullbench_site.site.pages.boards import resampled, same_order, what_if
from nullbench_site.site.pages.sentences import silence
from nullbench_site.site.render import template_environment


def test_judges_alone_and_left_out_are_those_of_the_study_of_the_panel(shipped_site: Site) -> None:
    seen = 0
    for view in shipped_site.data.views:
        if view.results.panel_kind != "mixed" or view.results.analyses is UNSET:
            continue
        scores = {
            choice: [{row.model: row.overall for row in of.rows} for of in view.results.analyses if of.choice == choice]
            for choice in ("judge alone", "without judge")
        }
        for pair in view.results.differences:
            alone, without = (
                [each[pair.a] - each[pair.b] for each in of if pair.a in each and pair.b in each]
                for of in scores.values()
            )
            if pair.judges is None or len(alone) != len(view.judges) or len(without) != len(view.judges):
                continue
            seen += 1
            assert pair.panel_low == pytest.approx(min(without), abs=2e-6)
            assert pair.panel_high == pytest.approx(max(without), abs=2e-6)
            if abs(pair.value or 0) > 1e-5 and min(map(abs, alone)) > 1e-5:
                assert sum((each > 0) is (pair.value > 0) for each in alone) == pair.judges_alone
    assert seen > 50


def test_each_wording_alone_has_the_ranks_of_the_study_of_wordings(shipped_site: Site) -> None:
    (view,) = (view for view in shipped_site.data.views if view.board.id == "facts")
    of = {analysis.of: {row.model: row for row in analysis.rows} for analysis in view.results.analyses}
    assert set(of) == set(view.board.wordings)
    for row in view.results.wording_ranks:
        own = of[row.template][row.model]
        assert (own.overall, own.rank, own.rank_low, own.rank_high) == (
            row.overall, row.rank, row.rank_low, row.rank_high,
        )  # fmt: skip


def test_with_length_control_the_scores_are_the_controlled_win_rates_of_the_board(shipped_site: Site) -> None:
    (view,) = (view for view in shipped_site.data.views if view.board.id == "alpacaeval")
    (analysis,) = view.results.analyses
    assert analysis.choice == "length controlled"
    for row in analysis.rows:
        own = view.rows[row.model]
        assert (row.overall, row.ci_low, row.ci_high) == (own.lc_win_rate, own.lc_low, own.lc_high)
    assert [row.model for row in analysis.rows][:2] == ["nullmodel", "fusechat-gemma-2-9b-instruct"]


def test_the_page_has_every_choice_without_a_script_and_counts_in_how_many_an_order_holds(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        shown, page = what_if(view), shipped_site.content(view.url)
        assert (shown is None) == (view.results.analyses is UNSET)
        if shown is None:
            continue
        heads, *rows = [
            [cell.text for cell in tr.all("th") + tr.all("td")]
            for tr in page.one("table", class_="nb-choices").all("tr")
        ]
        assert heads == ["Contestant", "as published", *(choice.title for choice in shown["choices"])]
        for cells, (model, _) in zip(rows, shown["rows"], strict=True):
            for cell, choice in zip(cells[2:], shown["choices"], strict=True):
                row = choice.rows.get(model)
                assert cell.startswith(words.ABSENT if row is None else words.number(row.overall))
        assert [each.text for each in page.one("div", class_="nb-what-if").all("li")] == [
            each.says for each in shown["choices"]
        ]
        ranked = [row.model for row in view.rows.values() if row.rank is not None]
        held = sum(
            choice.rows[ranked[0]].overall > choice.rows[ranked[1]].overall
            for choice in shown["choices"]
            if {*ranked[:2]} <= {*choice.rows}
        )
        assert same_order(view, ranked[0], ranked[1]).startswith(f"{held} of ")


def test_the_page_of_a_large_board_has_the_sentences_and_links_to_the_table(
    shipped_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nullbench_site.site.pages.boards._ROWS", 5)
    environment = template_environment([packaged("site_templates")], shipped_site.data)
    of_board, apart = (
        pages.parse(environment.get_template(page.template).render(page.context, link=str, draw=str))
        for page in boards.pages(shipped_site.data)
        if page.url.startswith(paths.board_url("facts"))
    )
    table = shipped_site.content(paths.board_url("facts")).one("table", class_="nb-choices")
    assert of_board.all("table", class_="nb-choices") == []
    assert apart.one("table", class_="nb-choices").rows() == table.rows()
    (link,) = (each for each in of_board.all("a") if each.attributes["href"] == paths.what_if_url("facts"))
    assert link.text == f"See all {len(table.rows())} contestants under each choice"
    said = [each.text for each in apart.one("div", class_="nb-what-if").all("li")]
    assert said
    assert {*said} <= {each.text for each in of_board.all("li")}


def test_shares_of_ranks_add_up_and_are_not_called_a_probability_of_being_best(shipped_site: Site) -> None:
    view = next(view for view in shipped_site.data.views if view.board.id == "livecodebench")
    shown = resampled(view)
    assert shown is not None
    sums = [sum(shares) for _, shares in shown["rows"]]
    assert sums[0] == pytest.approx(1)
    assert max(sums) < 1 + 1e-6  # ranks beyond those shown are left out
    assert "This is no probability of coming first." in shipped_site.content(view.url).text


def test_ranks_are_shown_under_every_choice_and_a_silent_board_says_of_what_they_are(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        shown, text = what_if(view), shipped_site.content(view.url).one("article").text
        cells = [cell for _, row in shown["rows"] for cell in row if cell] if shown else []
        assert not view.n_ranked or not cells or any(cell["rank"] for cell in cells)
        assert ("Ranks are with this panel." in text) == bool(
            shown and not shown["link"] and silence(view) and view.panel
        )
        assert "Ranks are not shown" not in text
