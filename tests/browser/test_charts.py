"""Charts and the map in a browser: pictures that say their values, on a phone too, and cells that are answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Route, expect
from support.accessibility import faint_texts, violations
from support.browser import PHONE, Visit, address, visiting
from support.sites import Site

from nullbench_site.site import words

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


# The map of contestants and items: its cells are the answers of the board


_COLOURS = """canvas => {
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return [12, 24 * 16 + 12, 24 * 16 + 20].map((y) => [...data.slice(4 * (y * width + 1), 4 * (y * width + 1) + 4)]);
}"""


def test_a_cell_of_the_map_names_its_answer_and_opens_it(browser: Browser, shipped: str, shipped_site: Site) -> None:
    view = next(view for view in shipped_site.data.views if view.board.id == "nullbench")
    scores = {(row.model, row.item): row for row in view.results.items}
    names, first = list(view.rows), view.items[0]
    with visiting(browser, shipped) as visit:
        page = visit.go(view.url)
        page.get_by_role("heading", name="Every answer at a glance").scroll_into_view_if_needed()
        canvas, says = page.locator(".nb-map canvas"), page.locator(".nb-map [role=status]")
        expect(page.locator(".nb-map li")).to_have_text([view.title(model) for model in names])
        high, refused, bar = canvas.evaluate(_COLOURS)
        assert high[3] > 150
        assert 0 < refused[3] < 40
        assert bar == [192, 90, 44, 255]
        canvas.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        score = scores[names[1], first.id].score
        expect(says).to_contain_text(
            f"{view.title(names[1])}, {first.id} ({first.domain.title}, easy): {words.number(score)}"
        )
        page.get_by_label("Group by").select_option(label="by difficulty")
        page.get_by_label("Sort items by").select_option(label="by mean score, from low to high")
        easy = [placed.id for placed in view.items if placed.item.difficulty == "easy"]
        lowest = min(easy, key=lambda item: sum(scores[model, item].score or 0 for model in names))
        canvas.focus()
        page.keyboard.press("ArrowLeft")
        expect(says).to_contain_text(f"{view.title(names[1])}, {lowest} (")
        page.keyboard.press("Enter")
        expect(page.locator("#nb-answer h2")).to_have_text(view.title(names[1]))
        assert f"item={lowest}" in address(page)
        assert visit.complaints == []


def _scrolled_to_button(visit: Visit) -> Locator:
    """The button that draws a large map, where it stays: parts get their height when they come near the screen, and a
    button that moves between press and release gets no click."""
    button = visit.go("boards/livecodebench/").get_by_role("button", name=re.compile("Draw"))
    button.scroll_into_view_if_needed()
    visit.settle()
    return button


def test_a_map_of_more_than_5000_cells_waits_for_its_button(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        button, page = _scrolled_to_button(visit), visit.page
        assert not any("/evidence/" in request for request in visit.requests)
        button.click()
        expect(page.locator(".nb-map li")).to_have_count(16)
        assert visit.complaints == []


def test_a_map_whose_answers_cannot_be_loaded_says_so(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        visit.page.route("**/evidence/livecodebench/index.json", lambda route: route.abort())
        _scrolled_to_button(visit).click()
        expect(visit.page.get_by_text("The map could not be drawn")).to_be_visible()


def test_a_map_that_leaves_something_out_says_so(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:

        def fewer(route: Route) -> None:
            route.fulfill(response=(reply := route.fetch()), body=reply.text().replace("[200, 4000]", "[15, 4000]"))

        visit.page.route("**/nullbench*.js*", fewer)
        _scrolled_to_button(visit).click()
        expect(visit.page.locator(".nb-map li")).to_have_count(15)
        expect(visit.page.locator(".nb-map > p").first).to_have_text("Drawn: the first 15 of 16 contestants.")
