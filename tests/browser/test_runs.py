"""The pages about trust and reuse in a browser: wide and narrow, light and dark, by keyboard, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.browser import PHONE, Visit, address, served, visiting
from support.sites import Site


@pytest.fixture(scope="module")
def told(history: Site) -> Iterator[str]:
    """The address of the site with a history."""
    with served(history.folder) as origin:
        yield origin


def test_what_changed_is_there_without_javascript_and_opens_by_keyboard(browser: Browser, told: str) -> None:
    with visiting(browser, told, width=PHONE, java_script_enabled=False) as visit:
        page = visit.go("runs/")
        section = page.locator(".nb-run", has_text="Ranks that moved")
        assert section.get_by_role("table", name="Ranks that moved").is_visible()
        summary = section.locator("summary", has_text="Ranks that moved")
        summary.focus()
        page.keyboard.press("Enter")
        expect(section.get_by_role("table", name="Ranks that moved")).to_be_hidden()


def test_a_term_leads_to_its_meaning_and_a_run_to_its_section(browser: Browser, told: str) -> None:
    with visiting(browser, told) as visit:
        page = visit.go("runs/")
        page.locator(".nb-run a.nb-head", has_text="Spec digest").first.click()
        expect(page).to_have_url(re.compile("#term-spec-digest$"))
        expect(page.locator("#term-spec-digest dd")).to_be_visible()
        page = visit.go("methodology/")
        run = page.locator(".nb-versions a", has_text="0.2.0-").inner_text()
        page.locator(".nb-versions a", has_text=run).click()
        page.wait_for_url(f"**/runs/#{run}")
        expect(page.get_by_role("heading", name=run)).to_be_visible()


def test_marks_that_move_a_score_read_without_colour(browser: Browser, told: str) -> None:
    """The mark of each state has another shape: filled, or dashed and empty."""
    shape = "e => { const s = getComputedStyle(e, '::before'); return [s.borderStyle, s.backgroundColor]; }"
    with visiting(browser, told) as visit:
        page = visit.go("runs/")
        scored, unscored = (
            page.locator(".nb-run .nb-mark", has_text=text).first.evaluate(shape)
            for text in ("can move a score", "words only")
        )
        assert (scored[0], unscored[0]) == ("solid", "dashed")
        assert scored[1] != unscored[1]
        assert unscored[1] == "rgba(0, 0, 0, 0)"


def _target(visit: Visit, selector: str) -> list[float]:
    heights: list[float] = visit.page.locator(selector).evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().height).filter(h => h > 0)"
    )
    return heights


def test_what_can_be_opened_is_large_enough_to_hit(browser: Browser, told: str) -> None:
    with visiting(browser, told, width=PHONE) as visit:
        for url in ("runs/", "judges/small/", "glossary/"):
            visit.go(url).locator("details").evaluate_all("all => all.forEach(each => (each.open = true))")
            heights = _target(visit, ".nb summary, .nb-index li")
            assert heights
            assert min(heights) >= 24, url


def test_any_two_runs_are_compared_by_choice_and_the_address_keeps_it(browser: Browser, told: str) -> None:
    with visiting(browser, told) as visit:
        page = visit.go("runs/compare/")
        before, after = page.get_by_label("Before"), page.get_by_label("After")
        names = before.locator("option").evaluate_all("all => all.map(option => option.value)")
        assert (before.input_value(), after.input_value()) == (names[1], names[0])
        small = page.get_by_role("table", name="Small: ranks and scores in both runs")
        small.wait_for()
        expect(page.locator("[role=status]")).to_have_text("The two asked and judged the same.")
        before.select_option(names[-1])
        waters = page.locator("section", has_text="Waters of the world")
        waters.get_by_role("row", name="Task-aware extract").get_by_text("not there").wait_for()
        expect(page.locator("[role=status]")).to_contain_text("The specs of the two differ")
        assert address(page).endswith(f"#a={names[-1]}&b={names[0]}")
        again = visit.go(f"runs/compare/#a={names[0]}&b={names[0]}")
        again.get_by_text("Both are the same run.").wait_for()
        assert visit.complaints == []


def test_without_javascript_the_comparison_leads_to_each_run(browser: Browser, told: str) -> None:
    with visiting(browser, told, width=PHONE, java_script_enabled=False) as visit:
        page = visit.go("runs/compare/")
        assert page.locator("noscript").inner_text()
        page.get_by_role("link", name="its boards").first.click()
        expect(page).not_to_have_url(f"{told}runs/compare/")
        expect(page.get_by_role("table").first).to_be_visible()
