"""A `rubric` board in a real browser: its pages on a phone and a desk, and its evidence, private items included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import DESKTOP, PHONE, Visit, visiting
from support.evidence import shown_answers, shown_items
from support.explorer import open_answer, opened
from support.rubric_sites import BOARD, PRIVATE
from support.sites import Site

PAGES = (
    f"boards/{BOARD}/", "domains/", f"domains/{BOARD}/tasks-reasoning/", "models/", "models/hasty/", f"judges/{BOARD}/",
    f"methodology/{BOARD}/", "data/", f"evidence/#board={BOARD}",
)  # fmt: skip


@pytest.fixture(scope="module", params=[(PHONE, "dark"), pytest.param((DESKTOP, "light"), marks=pytest.mark.sweep)])
def visit(request: pytest.FixtureRequest, browser: Browser, mixed: str) -> Iterator[Visit]:
    width, scheme = request.param
    with visiting(browser, mixed, width=width, color_scheme=scheme) as visit:
        yield visit


@pytest.mark.parametrize("url", PAGES)
def test_a_page_shows_without_a_complaint_and_without_scrolling_sideways(url: str, visit: Visit) -> None:
    visit.complaints.clear()
    page = visit.go(url)
    expect(page.locator("h1")).to_be_visible()
    assert visit.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def _open(browser: Browser, origin: str, item: str, model: str = "wordy") -> Iterator[Page]:
    domain = f"tasks-{item.partition('-')[0]}"
    with visiting(browser, origin) as visit:
        page = visit.go(f"evidence/#board={BOARD}&model={model}&domain={domain}&item={item}")
        opened(page, item)
        yield page
        assert visit.complaints == []


def test_the_explorer_shows_a_prompt_with_its_answer_its_flags_its_marks_and_g_eval(
    browser: Browser, mixed: str, mixed_site: Site
) -> None:
    item = shown_items(mixed_site.folder, BOARD)["reasoning-01"]
    answer = shown_answers(mixed_site.folder, BOARD, "wordy")["reasoning-01"]
    (sample,) = answer["samples"]
    for page in _open(browser, mixed, "reasoning-01"):
        shown = page.locator("#nb-item").inner_text()
        for text in (item["prompt"], item["ideal"], *item["criteria"], "Word count"):
            assert text in shown
        said = page.locator("#nb-answer").inner_text()
        assert sample["text"] in said
        assert "Word count: failed. too-short: 9 words, where 30 are wanted." in said
        for verdict in (*sample["verdicts"], *sample["geval"]):
            assert verdict["rationale"] in said
        tables = page.locator("#nb-answer table")
        assert tables.nth(0).locator("th").all_inner_texts()[:3] == ["Judge", "Anna", "Ben"]
        assert tables.nth(0).locator("td").all_inner_texts() == [str(v["scores"]["score"]) for v in sample["verdicts"]]
        assert tables.nth(1).locator("tbody th").all_inner_texts() == [
            "Correctness", "Coherence", "Instruction following",
        ]  # fmt: skip


def test_the_explorer_shows_of_a_private_item_its_hash_and_its_scores_alone(
    browser: Browser, mixed: str, mixed_site: Site
) -> None:
    items = shown_items(mixed_site.folder, BOARD)
    for page in _open(browser, mixed, PRIVATE[0]):
        shown = page.locator("#nb-item").inner_text()
        assert shown.startswith("Private item")
        assert items[PRIVATE[0]]["hash"] in shown
        said = page.locator("#nb-answer").inner_text()
        assert "The answer is private too: answered." in said
        assert page.locator("#nb-answer table").count() == 2
        assert page.locator(".nb-verdict").count() == 0


def test_a_mark_that_cannot_be_read_stands_with_what_the_judge_said(browser: Browser, mixed: str) -> None:
    for page in _open(browser, mixed, "writing-03", "hasty"):
        expect(page.locator("#nb-answer table").first.locator("td").first).not_to_be_empty()
    for page in _open(browser, mixed, "coding-04", "hasty"):
        assert "Failed after all attempts" in page.locator("#nb-answer").inner_text()


def test_changing_the_board_changes_items_and_contestants(browser: Browser, mixed: str) -> None:
    for page in _open(browser, mixed, "coding-01"):
        page.locator("select[name=board]").select_option("small")
        expect(page.locator("#nb-item h2")).to_have_text("Task")
        page.locator("select[name=board]").select_option(BOARD)
        expect(page.locator("#nb-item h2")).to_have_text("Prompt")
        assert "Wordy" in page.locator("select[name=model]").inner_text()


def test_the_explorer_shows_every_hostile_answer_and_verdict_as_text(
    browser: Browser, hostile_rubric: str, hostile_rubric_site: Site
) -> None:
    with visiting(browser, hostile_rubric) as visit:
        page = visit.go("evidence/")
        for model in ("wordy", "hasty"):
            for item in shown_items(hostile_rubric_site.folder, BOARD):
                open_answer(page, BOARD, model, item)
                assert page.locator("#nb-explorer :is(script, img, style, iframe)").count() == 0
        assert visit.complaints == []
