"""Every kind of page in a real browser: on a phone and a desk, by day and by night, with scripts and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from support.browser import PHONE, Visit, until, visiting
from support.sites import Site


def test_a_complaint_would_be_heard(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("")
        page.evaluate("console.error('a'); setTimeout(() => { throw new Error('b') }); alert('c'); fetch('gone.json')")
        page.evaluate("new Image().src = 'http://127.0.0.1:9/off-the-site.png'")
        for expected in (
            "console error: a", "error: b", "dialog: c", "404: ", "request off the site: http://127.0.0.1:9/",
        ):  # fmt: skip
            until(page, lambda wanted=expected: wanted in "\n".join(visit.complaints))


@pytest.fixture(scope="module")
def still(browser: Browser, shipped: str) -> Iterator[Visit]:
    """A reader whose browser runs no JavaScript."""
    with visiting(browser, shipped, java_script_enabled=False) as visit:
        yield visit


def _is_seen(page: Page, selector: str, count: int) -> None:
    for number in range(count):
        box = page.locator(selector).nth(number).bounding_box()
        assert box is not None
        assert box["width"] > 50
        assert box["height"] > 10


@pytest.mark.parametrize(
    ("kind", "tables", "charts"),
    [("home", 1, 1), ("domains", 1, 0), ("domain", 3, 0), ("model", 3, 1), ("judges", 4, 0), ("data", 2, 0)],
)
def test_without_javascript_tables_and_charts_are_seen(
    kind: str, tables: int, charts: int, still: Visit, shipped_site: Site
) -> None:
    page = still.go(shipped_site.example(kind))
    _is_seen(page, "article table:not(details table)", tables)
    _is_seen(page, ".nb-chart svg", charts)
    assert page.locator(".nb-chart button").count() == 0


def test_without_javascript_the_explorer_says_where_the_evidence_is(still: Visit, shipped_site: Site) -> None:
    page = still.go("evidence/")
    assert not page.locator("#nb-explorer").is_visible()
    address = page.locator("noscript a").first.get_attribute("href")
    board = shipped_site.data.views[0].board.id
    assert page.request.get(f"{still.origin}evidence/{address}").json()["board"] == board


def test_on_a_phone_a_row_keeps_its_rank_name_and_score(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped, width=PHONE) as visit:
        row = visit.go("").locator("article table").first.locator("tbody tr").first
        for cell in (".c-rank", ".c-name", ".c-score"):
            box = row.locator(cell).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE
