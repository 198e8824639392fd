"""Four readers, who begin at the home page of the shipped site and follow only words that they see."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import PHONE, visiting
from support.sites import Site

from nullbench_site.site.views import BoardView


def _view(site: Site, board: str) -> BoardView:
    return next(view for view in site.data.views if view.board.id == board)


def _follow(page: Page, words: str | re.Pattern[str]) -> None:
    """Click the first link with these words that can be seen."""
    page.get_by_role("link", name=words).locator("visible=true").first.click()


def test_which_model_for_summarisation_and_by_how_much_takes_two_clicks(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = _view(shipped_site, "nullbench")
    first, second = (row.model for row in list(view.in_domains["summarization"].values())[:2])
    with visiting(browser, shipped) as visit:
        page = visit.go("")
        _follow(page, "Domains")
        _follow(page, "Summarization")
        sentence = page.locator("article p").filter(has_text="to the next, ").first.inner_text()
        assert view.title(first) in sentence
        assert re.search(rf"to the next, {re.escape(view.title(second))}, it is \+[\d.]+ \[.+\] points", sentence)
        assert visit.complaints == []


def test_why_an_answer_was_marked_down_takes_three_clicks(browser: Browser, shipped: str, shipped_site: Site) -> None:
    view = _view(shipped_site, "nullbench")
    with visiting(browser, shipped) as visit:
        page = visit.go("")
        _follow(page, view.board.question)
        _follow(page, "the list of answers")
        page.locator(".nb-hit", has_text="SmolLM2 135M").locator("visible=true").first.click()
        answer = page.locator("#nb-answer")
        expect(answer.locator("h2")).to_have_text("SmolLM2 135M")
        expect(answer).to_contain_text(re.compile(r"Score [\d.]+ = \([\d + ]+\) / 3"))
        expect(answer).to_contain_text(re.compile(r"Facts found: \d of \d"))
        assert answer.get_by_text("✗").count() > 0
        assert answer.locator("ins").count() > 0
        answer.get_by_text("What doing nothing answers").click()
        expect(answer.locator("details[open] .nb-answer-text").last).to_be_visible()
        assert visit.complaints == []


def test_citing_and_downloading_takes_two_clicks(browser: Browser, shipped: str, shipped_site: Site) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("")
        _follow(page, "Data")
        cited = page.get_by_role("region", name="Citation as text").inner_text()
        assert shipped_site.data.entry.manifest.run in cited
        link = page.locator("article a[href*='v1/'], article a[href$='.zip']").locator("visible=true").first
        assert page.request.get(link.evaluate("link => link.href")).ok
        assert visit.complaints == []


@pytest.mark.parametrize("board", ["nullbench", "facts"])
def test_on_a_phone_the_first_screen_has_the_question_a_paragraph_and_rows(
    board: str, browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = _view(shipped_site, board)
    with visiting(browser, shipped, width=PHONE) as visit:
        visit.page.set_viewport_size({"width": PHONE, "height": 844})
        for url, row in (("", ".nb-card-rows tr"), (view.url, ".nb-board tbody tr")):
            page = visit.go(url)
            assert page.locator(row).first.bounding_box()["y"] < 844 - 60
        said = page.locator("article .nb-reading").inner_text()
        floor = view.results.floor
        # Facts has two that cannot be distinguished; nullbench names no winner.
        settled = "cannot be distinguished" if board == "facts" else "no winner"
        for words in (view.title(next(iter(view.rows))), view.title(floor.model), settled):
            assert words in said
        for seen in ("article h1", "article .nb-reading"):
            box = page.locator(seen).first.bounding_box()
            assert box["y"] + box["height"] < 844
        assert visit.complaints == []
