"""The pages of domains: scores, categories on one scale, and the items behind them."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest
from support import boards, oracle_boards, pairwise_boards
from support.oracle_boards import answer, prompt
from support.pages import Element, target
from support.rubric_sites import PRIVATE
from support.sites import Site, each_of

from nullbench_site.checks.registry import CHECKS
from nullbench_site.protocols.axes import pages as axes_pages
from nullbench_site.protocols.axes.metrics import AxesRow
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.protocols.rubric.pages import RubricView
from nullbench_site.runs.records import Hidden
from nullbench_site.site import paths, words
from nullbench_site.site.pages import domains
from nullbench_site.site.pages.domains import item_table
from nullbench_site.site.pages.groups import domain_cards
from nullbench_site.site.views import BoardView

site = each_of("small", "rubric", "oracle")


def domain_pages(site: Site) -> list[tuple[BoardView, str, Element]]:
    """Every page of a domain, with its view and the id of the domain."""
    return [
        (view, domain, site.content(paths.domain_url(view.board.id, domain)))
        for view in site.data.views
        for domain in view.domains
    ]


def table(page: Element, caption: str) -> Element:
    (found,) = (each for each in page.all("table") if each.one("caption").text == caption)
    return found


def score_of(row: Any) -> float | None:
    return row.goal_alignment if hasattr(row, "goal_alignment") else row.overall


def in_words(rows: Any, model: str) -> str:
    return words.number(score_of(rows[model]), 0) if model in rows else "–"


def test_each_contestant_stands_in_its_order_with_its_score_which_leads_to_the_answers(site: Site) -> None:
    for view, domain, page in domain_pages(site):
        title = view.domains[domain].title
        caption = (
            f"{title}, highest first" if isinstance(view, AxesView) else f"{title} on {view.board.title}, highest first"
        )
        rows = table(page, caption).one("tbody").all("tr")
        for shown, (model, row) in zip(rows, view.in_domains[domain].items(), strict=True):
            name, score = shown.all("a")[:2]
            assert (name.text, score.text) == (view.benchmark.models[model].title, words.number(score_of(row)))
            assert score.attributes["href"].endswith(f"evidence/#board={view.board.id}&model={model}&domain={domain}")


def test_categories_stand_on_one_scale_where_there_are_several(site: Site) -> None:
    seen = set()
    for view, domain, page in domain_pages(site):
        categories = view.domains[domain].categories
        heats = page.all("table", class_="nb-heat")
        seen.add(len(categories) > 1)
        assert len(heats) == (len(categories) > 1)
        for heat in heats:
            assert [head.text for head in heat.one("thead").all("a")] == [category.title for category in categories]
            groups = [view.in_categories[category.id] for category in categories]
            assert heat.rows() == [
                [view.benchmark.models[model].title, *(in_words(rows, model) for rows in groups)]
                for model in view.in_domains[domain]
            ]
    assert True in seen


def test_a_category_is_explained_where_the_head_of_its_column_leads(site: Site) -> None:
    for view, domain, page in domain_pages(site):
        anchors = {element.attributes["id"]: element for element in page.walk() if "id" in element.attributes}
        for category in view.domains[domain].categories:
            place = anchors[category.id]
            assert category.title in place.text
            assert category.description in (place.parent.text if place.parent else "")
        for link in (link for heat in page.all("table", class_="nb-heat") for link in heat.one("thead").all("a")):
            assert link.attributes["href"].rpartition("#")[2] in anchors


def test_every_item_leads_to_what_stands_behind_it_with_its_mean_score_and_disagreement(site: Site) -> None:
    for view, domain, page in domain_pages(site):
        spec = view.domains[domain]
        shown = table(page, f"Items of {spec.title}")
        items = [(category, item) for category in spec.categories for item in category.items]
        for line, (category, item) in zip(shown.one("tbody").all("tr"), items, strict=True):
            link, cells = line.one("a"), [cell.text for cell in line.all("td")]
            url = paths.domain_url(view.board.id, domain)
            found = target(site.folder, url, link.attributes["href"])
            assert found == (
                site.folder / "evidence/index.html", f"board={view.board.id}&domain={domain}&item={item.id}",
            )  # fmt: skip
            assert (link.text, *cells[:2]) == (item.id, category.title, item.difficulty)
            rows: list[Any] = [row for row in view.results.items if row.item == item.id and not view.is_null(row.model)]
            scores = [score for row in rows if (score := score_of(row)) is not None]
            spreads = [row.spread for row in rows if getattr(row, "spread", None) is not None]
            expected = [words.number(fmean(values) if values else None) for values in (scores, spreads)]
            judged = isinstance(view, AxesView | RubricView)
            assert cells[-1 - judged :] == expected[: 1 + judged]


def test_of_a_private_item_only_that_it_is_there_its_hash_and_its_scores_are_told(rubric_site: Site) -> None:
    hidden = 0
    for view, domain, page in domain_pages(rubric_site):
        lines = {cells[0]: cells for cells in table(page, f"Items of {view.domains[domain].title}").rows()}
        for item in (item for category in view.domains[domain].categories for item in category.items):
            checks, text = lines[item.id][3:5]
            if item.id in PRIVATE:
                hidden += 1
                assert (checks, text) == ("hidden", f"private {item.hash[:19]}…")
                assert item.hash in {span.attributes.get("title") for span in page.all("span")}
            else:
                kinds = [CHECKS[str(type(check).__struct_config__.tag)].title for check in item.checks or ()]
                assert checks == ", ".join(kinds)
                assert (text == "public") == any(name in PRIVATE for name in lines)
        assert "say it in about 40 words" not in page.raw
    assert hidden == len(PRIVATE)


def test_items_with_keys_stand_with_the_type_of_key_and_their_bundle_and_no_text(oracle_site: Site) -> None:
    (page,) = (page for _, domain, page in domain_pages(oracle_site) if domain == "counting")
    rows = {cells[0]: cells for cells in page.all("table")[-1].rows()}
    assert rows["counting-01"][:5] == ["counting-01", "Choice", "easy", "Multiple choice", "months"]
    assert rows["counting-04"][:5] == ["counting-04", "Choice", "medium", "Multiple choice", "–"]
    assert "How many months" not in page.text


def test_of_a_private_item_with_a_key_the_key_is_hidden_too() -> None:
    benchmark = oracle_boards.of("a", prompt("secret", visibility="private"))
    records = [answer("a"), answer("secret", "wrong", why="B is right", hidden=Hidden("sha256:0", 3))]
    view = boards.view(benchmark, records)
    domain = view.domains["facts"]
    public, private = item_table(view, domain, {})["lines"]
    assert [(line.private, line.mean) for line in (public, private)] == [(False, 100), (True, 0)]
    assert item_table(view, domain, {})["spread"] is False


def test_how_far_judges_are_apart_stands_where_there_are_two(small_site: Site) -> None:
    of_one = pairwise_boards.benchmark("ab", judges=("anna",))
    records = [*pairwise_boards.answers("ab", "m", "base"), *(pairwise_boards.game(item, 1.5) for item in "ab")]
    view = boards.view(of_one, records)
    (domain,) = view.domains.values()
    assert item_table(view, domain, {})["spread"] is False
    (several, *_) = small_site.data.views
    assert all(item_table(several, domain, {})["spread"] for domain in several.domains.values())


def test_more_items_than_a_page_has_room_for_are_folded_and_the_evidence_sorts_them(
    small_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (view, *_) = small_site.data.views
    (domain, *_) = view.domains
    url = paths.domain_url(view.board.id, domain)
    assert "items" not in " ".join(summary.text for summary in small_site.content(url).all("summary"))
    monkeypatch.setattr(domains, "_UNFOLDED", 0)
    (page,) = (page for page in domains.pages(small_site.data) if page.url == url)
    table = page.context["section"]["item_table"]
    assert table["folded"]
    assert page.context["section"]["evidence"] == f"evidence/#board={view.board.id}&domain={domain}"


def test_of_many_contestants_a_category_shows_the_first_and_says_where_all_are(
    small_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(axes_pages, "_FIRST", 1)
    (view, *_) = (view for view in small_site.data.views if isinstance(view, AxesView))
    for group in view.results.domains:
        (category, *_) = axes_pages.PAGES.domain(view, group)["categories"]
        rows: list[AxesRow] = list(view.in_categories[category["spec"].id].values())
        assert [row.model.id for row in category["table"].rows] == [rows[0].model]
        assert category["table"].floor == max(row.goal_alignment or 0 for row in rows if view.is_null(row.model))
        assert len(category["small"]) == 1
        assert (category["first"], category["n_rows"]) == (1, len(rows))
        assert len(group.rows) == len(rows)


def test_where_all_contestants_fit_nothing_is_said_of_a_cut(small_site: Site) -> None:
    for view, domain, page in domain_pages(small_site):
        assert "contestants of the category stand here" not in page.text
        n_categories = len(view.domains[domain].categories)
        assert len(page.all("div", class_="nb-smalls")) == n_categories


def test_the_page_of_domains_has_a_cell_for_each_contestant_and_domain_of_each_board(site: Site) -> None:
    page = site.content("domains/")
    for heat, view in zip(page.all("table", class_="nb-heat"), site.data.views, strict=True):
        expected = [
            [view.benchmark.models[model].title, *(in_words(rows, model) for rows in view.in_domains.values())]
            for model in view.rows
        ]
        assert heat.rows() == expected
        links = [link.attributes["href"] for link in heat.one("thead").all("a")]
        assert links == [paths.relative(paths.domain_url(view.board.id, d), "domains/") for d in view.in_domains]


def test_a_table_on_one_scale_says_how_to_read_it_and_leads_to_its_formula(site: Site) -> None:
    for url in ("domains/", *(paths.domain_url(view.board.id, d) for view, d, _ in domain_pages(site))):
        page = site.content(url)
        for _ in page.all("table", class_="nb-heat"):
            (note, *_) = (each for each in page.all("p", class_="nb-note") if "the higher the score" in each.text)
            link = note.one("a")
            assert link.attributes["title"].endswith(".")
            assert "glossary/#metric-" in link.attributes["href"]


def test_what_programs_found_stands_by_type_of_check_beside_the_judges(rubric_site: Site) -> None:
    (view,) = (view for view in rubric_site.data.views if isinstance(view, RubricView))
    rows = {cells[0]: cells[1:] for cells in table(rubric_site.below("judges/"), "Results of checks on Tasks").rows()}
    assert len(rows) == len(view.results.checks) > 1
    for check in view.results.checks:
        decided = check.passed + check.failed
        assert rows[CHECKS[check.type].title] == [
            str(check.n_items),
            f"{check.passed} of {decided}" if decided else "–",
            f"{check.failed} of {decided}" if decided else "–",
            str(check.not_applicable),
        ]


def test_a_contestant_that_the_board_does_not_rank_leads_no_domain(shipped_site: Site) -> None:
    view = next(view for view in shipped_site.data.views if view.board.id == "facts")
    assert {group.rows[0].model for group in view.results.domains} == {"seen-third"}
    cards = domain_cards(view)
    assert {(card["first"].model, card["next"].difference.b) for card in cards} == {
        ("nearest-sentence", "qwen2.5-coder-0.5b"),
        ("qwen2.5-coder-0.5b", "nearest-sentence"),
    }
