"""The frame of a page in a real browser: its list of pages, search, light and dark, the keyboard, paper."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import DESKTOP, PHONE, Visit, until, visiting
from support.sites import Site

from nullbench_site.protocols.axes.specs import baseline_axes

# What the margins leave of the lesser of A4 and US Letter on their sides, in CSS pixels.
_SHEET = {"width": 972, "height": 710}

_FOCUSED = """() => {
    const element = document.activeElement;
    const {outlineStyle, outlineWidth} = getComputedStyle(element);
    const seen = element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    return {
        name: (element.textContent.trim() || element.getAttribute('aria-label') || element.name || '').slice(0, 40),
        marked: seen && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, inside: !!element.closest('article'),
    };
}"""


@pytest.fixture
def visit(browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, color_scheme="light") as visit:
        yield visit


@pytest.fixture
def phone(browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, width=PHONE, color_scheme="light") as visit:
        yield visit


def _tabbed(page: Page, times: int) -> list[dict[str, object]]:
    """What the keyboard reaches, step by step."""
    found = []
    for _ in range(times):
        page.keyboard.press("Tab")
        found.append(page.evaluate(_FOCUSED))
    return found


# --- the keyboard alone ---------------------------------------------------------------------------------------------

_PAGES = ["Boards", "Domains", "Fingerprints", "Compare", "Evidence", "Judges", "Method", "Runs", "Data"]


def test_the_keyboard_goes_by_the_pages_the_search_and_the_scheme_into_the_page_and_is_always_seen(
    visit: Visit,
) -> None:
    steps = _tabbed(visit.go("judges/"), len(_PAGES) + 8)
    names = [step["name"] for step in steps]
    frame = ["Skip to content", "nullbench", *_PAGES, "Search", "Switch to dark mode"]
    assert names[: len(frame)] == frame
    assert [step["inside"] for step in steps] == [False] * len(frame) + [True] * (len(steps) - len(frame))
    assert [step["name"] for step in steps if not step["marked"]] == []


def test_on_a_phone_the_keyboard_meets_nothing_that_is_hidden(phone: Visit) -> None:
    steps = _tabbed(phone.go("judges/"), 7)
    assert [step["name"] for step in steps[:5]] == [
        "Skip to content", "nullbench", "Menu", "Search", "Switch to dark mode",
    ]  # fmt: skip
    assert steps[5]["inside"]
    assert all(step["marked"] for step in steps)


def test_the_skip_link_leads_past_the_bar(visit: Visit) -> None:
    page = visit.go("judges/")
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to content")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#nb-content")).to_be_focused()
    assert _tabbed(page, 1)[0]["inside"]
    assert visit.complaints == []


def test_by_the_keyboard_a_phone_opens_the_list_of_pages_and_follows_it(phone: Visit) -> None:
    page = phone.go("judges/")
    pages = page.get_by_role("navigation", name="Navigation")
    expect(pages).to_be_hidden()
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    expect(pages).to_be_visible()
    expect(pages.get_by_role("link", name="Judges")).to_have_attribute("aria-current", "page")
    page.keyboard.press("Escape")
    expect(pages).to_be_hidden()
    page.keyboard.press("Enter")
    expect(pages).to_be_visible()
    page.keyboard.press("Tab")
    expect(pages.get_by_role("link", name="Boards")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(phone.origin)
    assert phone.complaints == []


def test_the_list_of_pages_works_without_javascript(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped, width=PHONE, java_script_enabled=False) as still:
        page = still.go("judges/")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="Method", exact=True).click()
        page.wait_for_url("**/methodology/")
        assert page.get_by_role("button", name="Search").count() == 0
        assert page.locator(".nb-palette button:visible").count() == 0


def test_a_page_outside_the_list_marks_the_entry_it_belongs_to(visit: Visit, shipped_site: Site) -> None:
    for kind, entry in (("model", "Fingerprints"), ("domain", "Domains"), ("home", "Boards"), ("board", "Boards")):
        page = visit.go(shipped_site.example(kind))
        assert page.locator(".nb-menu [aria-current]").all_text_contents() == [entry]


@pytest.mark.parametrize("key", ["Enter", "Space", "click"])
def test_the_scheme_changes_at_once_and_stays_on_the_next_page(key: str, visit: Visit) -> None:
    page = visit.go("judges/")
    button = page.get_by_role("button", name="Switch to dark mode")
    if key == "click":
        button.click()
    else:
        button.focus()
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Switch to light mode")).to_be_focused()
    scheme = page.locator("body")
    expect(scheme).to_have_attribute("data-md-color-scheme", "slate")
    page = visit.go("runs/")
    expect(scheme).to_have_attribute("data-md-color-scheme", "slate")
    page.get_by_role("button", name="Switch to light mode").click()
    expect(scheme).to_have_attribute("data-md-color-scheme", "default")
    assert visit.complaints == []


# --- the search -----------------------------------------------------------------------------------------------------


_FOUND = """([address]) => [...document.querySelectorAll(".md-search-result__item")].slice(0, 4)
    .flatMap((page) => [...page.querySelectorAll(".md-search-result__link")].slice(0, 2))
    .some((link) => link.href.includes(address))"""


def _search(page: Page, words: str, address: str) -> None:
    """Type the words, and wait until one of the first pages found, or its first section, has the address."""
    page.get_by_role("textbox", name="Search").fill(words)
    page.keyboard.press("Shift")  # the theme looks for what stands there after a key
    until(page, _FOUND, [address])


def test_the_search_finds_a_contestant_a_domain_an_axis_and_a_term(visit: Visit, shipped_site: Site) -> None:
    view = shipped_site.axes_views[0]
    row, domain = view.results.leaderboard[0].model, view.board.domains[0]
    axis = view.axes[baseline_axes(view.benchmark)[0]]
    page = visit.go("judges/")
    for words, address in (
        (view.title(row), f"models/{row}/"),
        (view.benchmark.domains[domain].title, f"domains/{view.board.id}/{domain}/"),
        (view.benchmark.domains[domain].categories[0].title, f"#{view.benchmark.domains[domain].categories[0].id}"),
        (axis.title.split()[0], f"methodology/{view.board.id}/#axis-{axis.id}"),
        ("Null floor", "glossary/#metric-"),
    ):
        page.keyboard.press("/")
        _search(page, words, address)
        page.keyboard.press("Escape")
    assert visit.complaints == []


def test_on_a_phone_the_search_is_opened_by_its_button_and_leads_to_a_page(phone: Visit, shipped_site: Site) -> None:
    view = shipped_site.data.views[0]
    row = view.results.leaderboard[0].model
    page = phone.go("judges/")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    _search(page, view.title(row), f"models/{row}/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/models/{row}/**")
    assert phone.complaints == []


# --- paper ----------------------------------------------------------------------------------------------------------


def test_the_board_prints_light_with_its_run_and_without_controls(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    with visiting(browser, shipped, width=DESKTOP, color_scheme="dark") as visit:
        page = visit.go(shipped_site.board)
        assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
        page.emulate_media(media="print", color_scheme="dark")
        until(page, "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")
        assert page.locator("article table").first.is_visible()
        foot = page.locator(".nb-foot")
        box, table = foot.bounding_box(), page.locator("article table").first.bounding_box()
        assert box["y"] < table["y"]
        controls = ":is(header, footer, button:not(thead *), select, input, form)"
        assert page.locator(f"{controls}:visible").count() == 0
        assert page.locator(".nb-chart svg").first.is_visible()


def test_the_board_its_run_and_its_digest_stand_on_the_first_sheet(visit: Visit, shipped_site: Site) -> None:
    page = visit.go(shipped_site.board)
    page.set_viewport_size(_SHEET)
    page.emulate_media(media="print")
    foot, table = page.locator(".nb-foot"), page.locator("article table").first
    manifest = shipped_site.entry.manifest
    for word in (manifest.run, manifest.sealed_at[:10] if manifest.sealed_at else "", manifest.digest[:12]):
        expect(foot).to_contain_text(word)
    view = next(view for view in shipped_site.data.views if view.url == shipped_site.board)
    assert len(table.locator("tbody tr").all()) == len(view.results.leaderboard)
    box = table.bounding_box()
    assert box["x"] + box["width"] <= _SHEET["width"] + 1
    assert box["y"] + box["height"] <= _SHEET["height"]
