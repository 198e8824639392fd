"""The page of a contestant in a browser: what it weighs, and that a phone shows all of it."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect
from support.browser import DESKTOP, PHONE, PREFIX, Visit, visiting
from support.sites import Site

MOST = 150_000
"""Bytes a contestant's page may take, compressed, with all it loads."""


@pytest.fixture(params=[PHONE, DESKTOP])
def visit(request: pytest.FixtureRequest, browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, width=request.param) as opened:
        yield opened


def test_a_page_of_two_boards_is_light_and_no_wider_than_the_screen(visit: Visit, shipped_site: Site) -> None:
    boards = Counter(model for view in shipped_site.data.views if view.board.imported is None for model in view.rows)
    model, most = boards.most_common(1)[0]
    assert most >= 2
    page = visit.go(f"models/{model}/")
    assert visit.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    asked = {urlsplit(url).path.removeprefix(PREFIX) for url in visit.requests if url.startswith(visit.origin)}
    files = [shipped_site.folder / (f"{path}index.html" if path.endswith("/") else path) for path in asked]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= MOST


def test_the_marks_of_trust_lead_to_their_reasons_by_the_keyboard(visit: Visit, shipped_site: Site) -> None:
    view = shipped_site.data.views[0]
    page = visit.go(f"models/{next(iter(view.rows))}/")
    page.get_by_role("link", name="why").first.press("Enter")
    page.wait_for_url(f"**#{view.board.id}-trust")
    expect(page.get_by_role("heading", name="How far can you trust the score?").first).to_be_in_viewport()


def test_boards_are_tabs_and_all_of_them_stand_without_a_script(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    (model, n), *_ = Counter(model for view in shipped_site.data.views for model in view.rows).most_common(1)
    second = [view.board for view in shipped_site.data.views if model in view.rows][1]
    with visiting(browser, shipped) as visit:
        page = visit.go(f"models/{model}/")
        expect(page.locator(".nb-fingerprint:visible")).to_have_count(1)
        page.locator(".nb-tabs:visible").get_by_text(second.title, exact=True).click()
        expect(page.locator(".nb-fingerprint:visible h2")).to_have_text(second.title)
        page = visit.go(f"models/{model}/#{second.id}-trust")
        expect(page.locator(".nb-fingerprint:visible h2")).to_have_text(second.title)
    with visiting(browser, shipped, java_script_enabled=False) as visit:
        expect(visit.go(f"models/{model}/").locator(".nb-fingerprint:visible")).to_have_count(n)
