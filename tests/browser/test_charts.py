"""Charts that become interactive when asked, from a script of the site itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.accessibility import faint_texts, violations
from support.browser import PHONE, Visit, visiting
from support.sites import Site

from nullbench_site.site.views import BoardView

_SEEN = """texts => texts.map(text => {
  const scale = text.getCTM().a, box = text.getBoundingClientRect();
  return [parseFloat(getComputedStyle(text).fontSize) * scale, box.left, box.right];
})"""
"""How large a text of a picture is on the screen, in px, and from where to where it goes."""


@pytest.fixture
def visit(browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, color_scheme="light") as visit:
        yield visit


def test_a_chart_loads_its_library_only_when_asked_and_only_once(visit: Visit, shipped_site: Site) -> None:
    page = visit.go(shipped_site.board)
    assert not any("vega" in address for address in visit.requests)
    buttons = page.get_by_role("button", name="Show values on hover")
    charts = page.locator(".nb-chart").count()
    assert charts > 1
    for left in range(charts, charts - 2, -1):
        expect(buttons).to_have_count(left)
        buttons.first.click()
        expect(page.locator(".nb-chart-live svg")).to_have_count(charts - left + 1)
    assert [address for address in visit.requests if "vega" in address] == [f"{visit.origin}assets/vega.js"]
    assert visit.requests.count(f"{visit.origin}assets/charts/intervals.json") == 1
    assert visit.complaints == []


def test_an_interactive_chart_takes_the_place_of_the_still_one_and_keeps_its_words(
    visit: Visit, shipped_site: Site
) -> None:
    page = visit.go(shipped_site.board).locator("#chart-intervals")
    words = page.locator(".nb-chart-static").get_attribute("aria-label")
    before = page.locator(".nb-chart-static svg").bounding_box()
    page.get_by_role("button", name="Show values on hover").click()
    live = page.locator(".nb-chart-live svg")
    expect(live).to_have_attribute("aria-label", words or "")
    assert words
    expect(page.locator(".nb-chart-static")).to_have_count(0)
    expect(page.get_by_role("button", name="Show values on hover")).to_have_count(0)
    after = live.bounding_box()
    assert after["width"] == pytest.approx(before["width"], rel=0.05)


def test_hovering_over_a_point_shows_its_values(visit: Visit, shipped_site: Site) -> None:
    row = shipped_site.axes_views[0].results.leaderboard[0]
    page = visit.go(shipped_site.board)
    page.get_by_role("button", name="Show values on hover").first.click()
    point = page.locator(".nb-chart-live .mark-symbol path").first
    expect(point).to_be_visible()
    point.hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    expect(tooltip).to_contain_text(shipped_site.data.benchmark.models[row.model].title)
    expect(tooltip).to_contain_text(f"{row.overall:.1f}"[:4])
    assert visit.complaints == []


def test_an_interactive_chart_changes_its_colours_with_the_page(visit: Visit, shipped_site: Site) -> None:
    page = visit.go(shipped_site.board)
    page.get_by_role("button", name="Show values on hover").first.click()
    label = page.locator(".nb-chart-live .role-axis-label text").first
    expect(label).to_be_visible()
    by_day = label.evaluate("element => getComputedStyle(element).fill")
    page.get_by_title("Switch to dark mode").click()
    expect(label).not_to_have_css("fill", by_day)


def test_a_library_that_cannot_be_loaded_is_told_and_can_be_asked_for_again(visit: Visit, shipped_site: Site) -> None:
    visit.page.route("**/vega.js", lambda route: route.abort(), times=1)
    page = visit.go(shipped_site.board)
    page.get_by_role("button", name="Show values on hover").first.click()
    again = page.get_by_role("button", name="Not interactive: the chart library could not be loaded. Try again")
    expect(again).to_be_enabled()
    expect(page.locator(".nb-chart-static svg").first).to_be_visible()
    again.click()
    expect(page.locator(".nb-chart-live svg")).to_be_visible()


def _kind(view: BoardView) -> tuple[object, ...]:
    """Boards of a protocol have the same charts where they have scores at all."""
    return view.board.protocol, any(row.overall is not None for row in view.rows.values())


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.sweep)])
def test_every_chart_comes_to_life_where_nothing_may_be_compiled(visit: Visit, shipped_site: Site, every: bool) -> None:
    """Vega compiles its expressions into functions unless told not to, and the policy of the pages forbids that."""
    views = shipped_site.data.views
    kinds = {_kind(view): view for view in views}
    assert any(scored for _, scored in kinds)
    for view in views if every else kinds.values():
        page = visit.go(view.url)
        policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content") or ""
        assert "script-src 'self'" in policy
        assert "unsafe-eval" not in policy
        buttons = page.get_by_role("button", name="Show values on hover")
        if all(row.overall is None for row in view.rows.values()):
            expect(page.locator(".nb-chart")).to_have_count(0)
            continue
        expect(buttons).not_to_have_count(0)
        charts = buttons.count()
        for left in range(charts, 0, -1):
            buttons.first.click()
            expect(buttons).to_have_count(left - 1)
        assert page.locator(".nb-chart-live svg .mark-text text").count() > charts
    assert visit.complaints == []


def test_a_chart_is_reached_and_read_by_keyboard_alone(visit: Visit, shipped_site: Site) -> None:
    page = visit.go(shipped_site.board)
    chart = page.locator(".nb-chart").first
    chart.get_by_role("button", name="Show values on hover").focus()
    page.keyboard.press("Enter")
    expect(chart.get_by_text("Point at a mark for its values")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(chart.get_by_role("table")).to_be_visible()


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
    assert page.get_by_role("button", name="Show values on hover").count() == 0
    assert not any("charts.js" in address for address in visit.requests)
