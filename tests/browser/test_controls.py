"""Controls in the explorer: a board of their own, with a way to what they say of the panel."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect
from support.browser import served, visiting
from support.commands import nullbench
from support.repositories import edit, small_repository


def test_controls_are_browsed_as_a_board_of_their_own(browser: Browser, tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board", models=("lead-2", "null-constant"))
    edit(repository.specs / "boards/main.yaml", "controls: none", "controls: {items: 2, kinds: [cut]}")
    done = nullbench(repository.root, "build")
    assert done.code == 0, done.err
    with served(repository.site) as origin, visiting(browser, origin) as visit:
        page = visit.go("evidence/#board=main/controls&model=control-ideal")
        expect(page.locator(".nb-hits li")).to_have_count(2)
        expect(page.locator("[name=board] option")).to_have_text(["Small board", "Small board: controls"])
        expect(page.locator("[name=model] option")).to_have_text(
            ["all contestants", "Reference answer", "Cut, 25% cut off", "Cut, 50% cut off"]
        )
        page.locator(".nb-hits li").first.click()
        expect(page.locator("#nb-answer")).to_contain_text("Reference answer")
        page.get_by_role("link", name="what the panel sees").click()
        expect(page).to_have_url(f"{origin}judges/#controls-main")
        expect(page.locator("#controls-main")).to_be_in_viewport()
        assert not visit.complaints
