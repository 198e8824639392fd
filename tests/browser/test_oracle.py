"""An `oracle` board in a real browser: its pages on a phone and a desk, and its evidence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.browser import DESKTOP, PHONE, Visit, visiting
from support.evidence import shown_items
from support.explorer import open_answer, opened
from support.oracle_sites import BOARD
from support.sites import Site

PAGES = (
    "", "domains/", f"domains/{BOARD}/counting/", "models/", "models/first-option/", "judges/",
    f"judges/{BOARD}/", "methodology/", f"methodology/{BOARD}/", "data/",
    f"evidence/#board={BOARD}",
)  # fmt: skip


@pytest.fixture(scope="module", params=[(PHONE, "dark"), pytest.param((DESKTOP, "light"), marks=pytest.mark.sweep)])
def visit(request: pytest.FixtureRequest, browser: Browser, keyed: str) -> Iterator[Visit]:
    width, scheme = request.param
    with visiting(browser, keyed, width=width, color_scheme=scheme) as visit:
        yield visit


@pytest.mark.parametrize("url", PAGES)
def test_a_page_shows_without_a_complaint_and_without_scrolling_sideways(url: str, visit: Visit) -> None:
    visit.complaints.clear()
    page = visit.go(url)
    expect(page.locator("h1")).to_be_visible()
    assert visit.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_the_explorer_shows_a_prompt_with_its_key_and_an_answer_with_its_mark(browser: Browser, keyed: str) -> None:
    with visiting(browser, keyed) as visit:
        page = visit.go(f"evidence/#board={BOARD}&model=first-option&domain=counting&item=counting-02")
        opened(page, "counting-02")
        item = page.locator("#nb-item").inner_text()
        for text in ("How many months have exactly 30 days?", "bundle months", "Key: Multiple choice", '"correct"'):
            assert text in item
        answer = page.locator("#nb-answer").inner_text()
        for text in ("wrong, marked by key", "Answer: A", "wrong: chooses A; B is right"):
            assert text in answer
        page.locator("select[name=board]").select_option("small")
        expect(page.locator("#nb-item h2")).to_have_text("Task")
        assert visit.complaints == []


def test_the_explorer_shows_every_hostile_prompt_key_and_answer_as_text(
    browser: Browser, hostile_oracle: str, hostile_oracle_site: Site
) -> None:
    with visiting(browser, hostile_oracle) as visit:
        page = visit.go("evidence/")
        model = next(iter(hostile_oracle_site.data.views[0].rows))
        for item, shown in shown_items(hostile_oracle_site.folder, BOARD).items():
            open_answer(page, BOARD, model, item)
            assert page.locator("#nb-explorer :is(script, img, style, iframe)").count() == 0
            assert shown["prompt"].split()[-1] in page.locator("#nb-item").inner_text()
        assert visit.complaints == []
