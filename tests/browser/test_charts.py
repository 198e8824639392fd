"""Charts that become interactive when asked, from a script of the site itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.browser import Visit, visiting
from support.sites import Site


@pytest.fixture
def visit(browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, color_scheme="light") as visit:
        yield visit


def test_a_chart_loads_its_library_only_when_asked_and_only_once(visit: Visit, shipped_site: Site) -> None:
    page = visit.go(shipped_site.example("domain"))
    assert not any("vega" in address for address in visit.requests)
    buttons = page.get_by_role("button", name="Show values on hover")
    charts = buttons.count()
    assert charts == page.locator(".nb-chart").count() > 1
    for left in range(charts, charts - 2, -1):
        expect(buttons).to_have_count(left)
        buttons.first.click()
        expect(page.locator(".nb-chart-live svg")).to_have_count(charts - left + 1)
    assert [address for address in visit.requests if "vega" in address] == [f"{visit.origin}assets/vega.js"]
    assert visit.complaints == []


def test_an_interactive_chart_takes_the_place_of_the_still_one_and_keeps_its_words(
    visit: Visit, shipped_site: Site
) -> None:
    page = visit.go(shipped_site.example("model"))
    words = page.locator(".nb-chart-static").get_attribute("aria-label")
    before = page.locator(".nb-chart-static svg").bounding_box()
    page.get_by_role("button", name="Show values on hover").click()
    live = page.locator(".nb-chart-live svg")
    expect(live).to_have_attribute("aria-label", words or "")
    assert words
    assert page.locator(".nb-chart-static").count() == 0
    assert page.get_by_role("button", name="Show values on hover").count() == 0
    after = live.bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] == pytest.approx(before["width"], rel=0.05)


def test_hovering_over_a_point_shows_its_values(visit: Visit, shipped_site: Site) -> None:
    row = shipped_site.data.views[0].results.leaderboard[0]
    page = visit.go("")
    page.get_by_role("button", name="Show values on hover").click()
    point = page.locator(".nb-chart-live .mark-symbol path").first
    expect(point).to_be_visible()
    point.hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    expect(tooltip).to_contain_text(shipped_site.data.benchmark.models[row.model].title)
    expect(tooltip).to_contain_text(f"{row.overall:.1f}"[:4])
    assert visit.complaints == []


def test_an_interactive_chart_changes_its_colours_with_the_page(visit: Visit) -> None:
    page = visit.go("")
    page.get_by_role("button", name="Show values on hover").click()
    label = page.locator(".nb-chart-live .role-axis-label text").first
    expect(label).to_be_visible()
    by_day = label.evaluate("element => getComputedStyle(element).fill")
    page.get_by_title("Switch to dark mode").click()
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    by_night = label.evaluate("element => getComputedStyle(element).fill")
    assert by_day != by_night


def test_a_library_that_cannot_be_loaded_is_told_and_can_be_asked_for_again(visit: Visit) -> None:
    visit.page.route("**/vega.js", lambda route: route.abort())
    page = visit.go("")
    page.get_by_role("button", name="Show values on hover").click()
    again = page.get_by_role("button", name="Not interactive: the chart library could not be loaded. Try again")
    expect(again).to_be_enabled()
    expect(page.locator(".nb-chart-static svg")).to_be_visible()
    page.unroute("**/vega.js")
    again.click()
    expect(page.locator(".nb-chart-live svg")).to_be_visible()
