"""The map of contestants and items in a real browser: its cells are the answers of the board."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Route, expect
from support.browser import address, visiting
from support.sites import Site

from nullbench_site.site import words

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


def test_a_map_of_more_than_5000_cells_waits_for_its_button(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("boards/livecodebench/")
        button = page.get_by_role("button", name=re.compile("Draw"))
        button.scroll_into_view_if_needed()
        visit.settle()
        assert not any("/evidence/" in request for request in visit.requests)
        button.click()
        expect(page.locator(".nb-map li")).to_have_count(16)
        assert visit.complaints == []


def test_a_map_that_leaves_something_out_says_so(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:

        def fewer(route: Route) -> None:
            route.fulfill(response=(reply := route.fetch()), body=reply.text().replace("[200, 4000]", "[15, 4000]"))

        visit.page.route("**/nullbench*.js*", fewer)
        page = visit.go("boards/livecodebench/")
        page.get_by_role("button", name=re.compile("Draw")).click()
        expect(page.locator(".nb-map li")).to_have_count(15)
        expect(page.locator(".nb-map > p").first).to_have_text("Drawn: the first 15 of 16 contestants.")
