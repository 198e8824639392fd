"""Every kind of page in a real browser: on a phone and a desk, by day and by night, with scripts and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import DESKTOP, PHONE, Visit, visiting
from support.pages import KINDS
from support.sites import Site

_OUT_OF_SIGHT = """() => [...document.querySelectorAll('article *')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1 && !element.closest('.nb-scroll, .nb-sr, pre, svg, math');
}).map((element) => element.outerHTML.slice(0, 80))"""

_CONTRAST = """() => {
    const parts = (colour) => {
        const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((part) => part / 255);
    };
    const luminance = (colour) => {
        const [r, g, b] = parts(colour).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const surface = luminance(getComputedStyle(document.body).backgroundColor);
    const ratio = (colour) => {
        const [dark, light] = [luminance(colour), surface].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const ratios = {};
    const texts = 'article :is(h1, h2, h3, p, li, td, th, dt, dd, a, svg text)';
    for (const element of document.querySelectorAll(texts)) {
        const style = getComputedStyle(element);
        const colour = element.tagName === 'text' ? style.fill : style.color;
        ratios[colour] ??= ratio(colour);
    }
    return {surface, ratios};
}"""


@pytest.fixture(scope="module", params=[(width, scheme) for width in (PHONE, DESKTOP) for scheme in ("light", "dark")])
def visit(request: pytest.FixtureRequest, browser: Browser, shipped: str) -> Iterator[Visit]:
    width, scheme = request.param
    with visiting(browser, shipped, width=width, color_scheme=scheme) as visit:
        yield visit


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_shows_without_a_complaint_and_without_scrolling_sideways(
    kind: str, visit: Visit, shipped_site: Site
) -> None:
    visit.complaints.clear()
    page = visit.go(shipped_site.example(kind))
    expect(page.locator("h1")).to_be_visible()
    assert visit.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.evaluate(_OUT_OF_SIGHT) == []


def test_a_complaint_would_be_heard(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("")
        page.evaluate("console.error('a'); setTimeout(() => { throw new Error('b') }); alert('c'); fetch('gone.json')")
        page.evaluate("new Image().src = 'http://127.0.0.1:9/off-the-site.png'")
        page.wait_for_timeout(200)
        said = "\n".join(visit.complaints)
    for expected in ("console error: a", "error: b", "dialog: c", "404: ", "request off the site: http://127.0.0.1:9/"):
        assert expected in said


@pytest.mark.parametrize("kind", ["home", "domain", "model", "judges"])
def test_by_night_the_page_is_dark_and_every_text_of_it_readable_and_by_day_too(
    kind: str, browser: Browser, shipped: str, shipped_site: Site
) -> None:
    found = {}
    for scheme in ("light", "dark"):
        with visiting(browser, shipped, color_scheme=scheme) as visit:
            found[scheme] = visit.go(shipped_site.example(kind)).evaluate(_CONTRAST)
    assert found["light"]["surface"] > 0.8
    assert found["dark"]["surface"] < 0.1
    assert not set(found["light"]["ratios"]) & set(found["dark"]["ratios"])
    for scheme, measured in found.items():
        assert {colour: ratio for colour, ratio in measured["ratios"].items() if ratio < 4.5} == {}, scheme


def test_the_reader_can_switch_to_the_dark_and_the_next_page_is_dark_too(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped, color_scheme="light") as visit:
        page = visit.go("")
        colour = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(colour)
        page.get_by_title("Switch to dark mode").click()
        page.wait_for_function(f"{colour} !== {light!r}")
        dark = page.evaluate(colour)
        assert visit.go("judges/").evaluate(colour) == dark


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
    [("home", 1, 1), ("domains", 1, 0), ("domain", 3, 1), ("model", 3, 1), ("judges", 4, 0), ("data", 2, 0)],
)
def test_without_javascript_tables_and_charts_are_seen(
    kind: str, tables: int, charts: int, still: Visit, shipped_site: Site
) -> None:
    page = still.go(shipped_site.example(kind))
    _is_seen(page, "article table", tables)
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


def test_the_search_finds_a_contestant(browser: Browser, shipped: str, shipped_site: Site) -> None:
    row = shipped_site.data.views[0].results.leaderboard[0]
    title = shipped_site.data.benchmark.models[row.model].title
    with visiting(browser, shipped, width=DESKTOP) as visit:
        page = visit.go("judges/")
        page.keyboard.press("/")
        page.keyboard.insert_text(title)
        page.keyboard.press("Shift")  # the theme looks for what stands there after a key
        found = page.locator(".md-search-result__link").first
        expect(found).to_contain_text(title)
        found.click()
        page.wait_for_url(f"**/models/{row.model}/**")
        assert visit.complaints == []


def test_the_board_prints_with_its_run_and_digest(browser: Browser, shipped: str, shipped_site: Site) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("")
        page.emulate_media(media="print")
        assert page.locator("article table").first.is_visible()
        expect(page.locator(".nb-foot")).to_contain_text(shipped_site.entry.manifest.digest[:12])
        expect(page.locator(".nb-foot")).to_be_visible()
