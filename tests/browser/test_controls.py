"""Controls in the explorer: a board of their own, with a way to what they say of the panel."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from support.browser import served, visiting
from support.repositories import ITEMS
from support.sites import Site


def test_controls_are_browsed_as_a_board_of_their_own(browser: Browser, controls_site: Site) -> None:
    with served(controls_site.folder) as origin, visiting(browser, origin) as visit:
        page = visit.go("evidence/#board=main/controls&model=control-ideal")
        expect(page.locator(".nb-hits li")).to_have_count(ITEMS)
        expect(page.locator("[name=board] option")).to_have_text(["Small board", "Small board: controls"])
        expect(page.locator("[name=model] option")).to_have_text(
            [
                "all contestants",
                "Reference answer",
                "Negation, 50% of the sentences",
                "Negation, every sentence",
                "Shuffled sentences, all of it",
                "Keywords, all of it",
            ]
        )
        page.locator(".nb-hits li").first.click()
        expect(page.locator("#nb-answer")).to_contain_text("Reference answer")
        page.get_by_role("link", name="what the panel sees").click()
        expect(page).to_have_url(f"{origin}judges/main/#controls")
        expect(page.locator("#controls")).to_be_in_viewport()
        assert not visit.complaints
