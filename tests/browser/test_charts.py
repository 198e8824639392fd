"""Charts in a browser: pictures that say their values, on a phone too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.accessibility import faint_texts, violations
from support.browser import PHONE, Visit, visiting
from support.sites import Site

_SEEN = """texts => texts.map(text => {
  const scale = text.getCTM().a, box = text.getBoundingClientRect();
  return [parseFloat(getComputedStyle(text).fontSize) * scale, box.left, box.right];
})"""
"""How large a text of a picture is on the screen, in px, and from where to where it goes."""


@pytest.fixture
def visit(browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, color_scheme="light") as visit:
        yield visit


def test_a_mark_says_its_values_and_changes_its_colour_with_the_page(visit: Visit, shipped_site: Site) -> None:
    view = shipped_site.axes_views[0]
    row = view.results.leaderboard[0]
    page = visit.go(shipped_site.board)
    told = page.locator("#chart-intervals path > title").first.text_content() or ""
    assert told.startswith(f"{view.title(row.model)}; score {row.overall:.1f}; low ")
    label = page.locator("#chart-intervals svg text").first
    by_day = label.evaluate("element => getComputedStyle(element).fill")
    page.get_by_title("Switch to dark mode").click()
    expect(label).not_to_have_css("fill", by_day)
    assert visit.complaints == []


def test_charts_are_legible_on_a_phone(browser: Browser, shipped: str, shipped_site: Site) -> None:
    with visiting(browser, shipped, width=PHONE, color_scheme="dark") as phone:
        for url in (shipped_site.board, shipped_site.example("model")):
            page = phone.go(url)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
            sizes = page.locator(".nb-chart svg text").evaluate_all(_SEEN)
            assert sizes
            assert min(size for size, *_ in sizes) >= 10
            assert all(left >= 0 and right <= PHONE for _, left, right in sizes)
            for summary in page.locator(".nb-numbers > summary").all()[:2]:
                summary.click()
            assert violations(page, colours=False) + faint_texts(page) == []


def test_a_radar_says_its_values_without_a_script(visit: Visit, shipped_site: Site) -> None:
    page = visit.go(shipped_site.example("model"))
    dots = page.locator(".nb-radar .nb-dot")
    assert dots.count() >= 3
    assert all(" (goal " in title and ", median " in title for title in dots.locator("title").all_text_contents())
