"""Every kind of page in a real browser: on a phone and a desk, by day and by night, with scripts and without."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import DESKTOP, PHONE, Visit, served, until, visiting
from support.sites import Site

_BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(
    ("protocol", "name"),
    [("oracle", "axes_and_oracle_site"), ("rubric", "mixed_site"), ("pairwise", "pairwise_site"), ("axes", "history")],
)
def test_the_pages_of_every_protocol_fit_and_complain_of_nothing(
    protocol: str, name: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    """Loaded on a phone by night, and then as wide as a desk by day. The pages about all boards are tried once."""
    site: Site = request.getfixturevalue(name)
    urls = ["compare/", "judges/", "methodology/"]
    urls += ["domains/", "models/", "glossary/", "runs/", "runs/compare/", "data/"] if name == "history" else []
    view = next(view for view in site.data.views if view.board.protocol == protocol)
    domain, model = next(iter(view.domains)), list(view.rows)[-1]
    own = (f"judges/{view.board.id}/", f"methodology/{view.board.id}/", f"evidence/#board={view.board.id}")
    urls += [view.url, f"domains/{view.board.id}/{domain}/", f"models/{model}/", *own]
    with served(site.folder) as origin, visiting(browser, origin) as visit:
        for url, (width, scheme) in product(urls, [(PHONE, "dark"), (DESKTOP, "light")]):
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.emulate_media(color_scheme=scheme)
            if width == PHONE:
                visit.go(url)
            else:
                visit.settle()
            expect(visit.page.locator("h1")).to_be_visible()
            assert visit.page.evaluate(_BEYOND) <= 0, (url, width)
        assert visit.complaints == []


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
        assert box["width"] > 50
        assert box["height"] > 10


@pytest.mark.parametrize(
    ("kind", "tables", "charts"),
    [
        ("home", 1, 0),
        ("board", 1, 1),
        ("domains", 1, 0),
        ("domain", 3, 0),
        ("model", 3, 1),
        ("board_judges", 3, 0),
    ],
)
def test_without_javascript_tables_and_charts_are_seen(
    kind: str, tables: int, charts: int, still: Visit, shipped_site: Site
) -> None:
    page = still.go(shipped_site.example(kind))
    _is_seen(page, "article table:not(details table)", tables)
    _is_seen(page, ".nb-chart svg", charts)
    assert page.locator(".nb-chart button").count() == 0


@pytest.mark.parametrize(("part", "most"), [("judges", 5000), ("methodology", 9000)])
def test_the_page_of_a_board_is_short_enough_to_read(
    part: str, most: int, browser: Browser, shipped: str, shipped_site: Site
) -> None:
    with visiting(browser, shipped, width=1440) as visit:
        for name in ("", *(f"{view.board.id}/" for view in shipped_site.data.views)):
            page = visit.go(f"{part}/{name}")
            assert page.evaluate("document.documentElement.scrollHeight") <= most, name


def test_the_glossary_can_be_searched(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("glossary/")
        every = page.locator(".nb-metric").count()
        page.get_by_text(f"All {every} by name").click()
        page.get_by_label("Find a number").fill("krippendorff ALPHA")
        found = page.locator(".nb-metric:visible")
        expect(page.locator(".nb-search [role=status]")).to_have_text(f"{found.count()} of {every}")
        assert 0 < found.count() < every
        assert page.locator(".nb-index li:visible").count() == found.count()
        page.get_by_label("Find a number").fill("")
        expect(found).to_have_count(every)
        assert visit.complaints == []


def test_without_javascript_the_explorer_says_where_the_evidence_is(still: Visit, shipped_site: Site) -> None:
    page = still.go("evidence/")
    assert not page.locator("#nb-explorer").is_visible()
    address = page.locator("noscript a").first.get_attribute("href")
    board = shipped_site.data.views[0].board.id
    assert page.request.get(f"{still.origin}evidence/{address}").json()["board"] == board


def test_on_a_phone_a_row_keeps_its_rank_name_and_score(browser: Browser, shipped: str, shipped_site: Site) -> None:
    with visiting(browser, shipped, width=PHONE) as visit:
        row = visit.go(shipped_site.board).locator("article table").first.locator("tbody tr").first
        for cell in (".c-rank", ".c-name", ".c-score"):
            box = row.locator(cell).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE


_SHIFTS = """new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.jumped += value;
}).observe({ type: "layout-shift", buffered: true }); window.jumped = 0;"""
_SIZES = """[...document.querySelectorAll("body *")].filter((own) => (
  own.checkVisibility() && !own.closest("svg, math, textarea")
    && [...own.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
)).map((own) => parseFloat(getComputedStyle(own).fontSize))"""
_LOW = """[...document.querySelectorAll("article a[href], article button, article summary")]
  .filter((own) => own.checkVisibility()).map((own) => own.getBoundingClientRect())
  .filter(({ width, height }) => width > 1 && height > 1 && height < 24).length"""


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_no_page_jumps_type_has_six_sizes_and_links_are_large_enough_to_hit(
    width: int, browser: Browser, shipped: str, shipped_site: Site
) -> None:
    sizes: set[float] = set()
    with visiting(browser, shipped, width=width) as visit:
        visit.page.add_init_script(_SHIFTS)
        kinds = ("home", "board", "compare", "evidence", "model", "data", "runs")
        for url in (*map(shipped_site.example, kinds), f"{shipped_site.board}trust/"):
            page = visit.go(url)
            assert page.evaluate("window.jumped") < 0.05, url
            assert page.evaluate(_LOW) == 0, url
            sizes |= set(page.evaluate(_SIZES))
    assert sizes <= {13, 15, 18, 22, 26, 31}


def test_a_board_or_one_row_of_it_fills_a_frame(browser: Browser, shipped: str, shipped_site: Site) -> None:
    view = shipped_site.data.views[0]
    with visiting(browser, shipped) as visit:
        page = visit.go(f"{view.url}#embed")
        expect(page.get_by_role("heading")).to_have_count(0)
        assert page.locator(".nb-ranks tbody tr:visible").count() > 1
        page = visit.go(f"{view.url}#row-{view.contestants[0].model}")
        row = page.locator(".nb-ranks tbody tr:visible")
        expect(row).to_have_count(1)
        expect(page.locator("header:visible, h1:visible")).to_have_count(0)
        row.get_by_role("link").first.click(trial=True)  # nothing covers it
        page.set_content(f'<iframe src="{shipped}{view.url}#embed" width="320" height="700"></iframe>')
        frame = page.frame_locator("iframe")
        for who in (".nb-crumb", ".nb-panel"):
            expect(frame.locator(who).first).to_be_in_viewport()
        with page.context.expect_page() as opened:  # the frame keeps the board
            frame.locator(".nb-ranks tbody a").first.click()
        assert "/models/" in opened.value.url


def test_the_page_of_a_wrong_address_leads_to_the_front_from_any_depth(
    browser: Browser, small: str, small_site: Site
) -> None:
    with visiting(browser, small) as visit:
        visit.page.route("**/no/such/page", lambda route: route.fulfill(path=small_site.folder / "404.html"))
        visit.page.goto(f"{small}no/such/page")
        until(visit.page, "front => document.querySelector('a').href === front", small)


@pytest.mark.parametrize("old", ["#reading", "?sort=name", "?part=domain:rivers&m=lead-2#board"])
def test_an_old_address_of_a_board_on_the_home_page_leads_to_its_page(old: str, browser: Browser, small: str) -> None:
    with visiting(browser, small) as visit:
        visit.page.goto(f"{small}{old}")
        visit.page.wait_for_url(f"{small}boards/small/{old}")
        stays = "?utm_source=elsewhere#board-waters"
        assert visit.go(stays).url == f"{small}{stays}"


def test_the_folder_of_boards_leads_home_without_javascript(still: Visit) -> None:
    still.page.goto(f"{still.origin}boards/")
    still.page.wait_for_url(still.origin)
    expect(still.page.get_by_role("heading", level=1)).to_be_visible()
