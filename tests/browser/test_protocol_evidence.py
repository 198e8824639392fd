"""The evidence of boards of keys and of marks in a real browser, private items and hostile texts included."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import visiting
from support.evidence import shown_answers, shown_items
from support.explorer import open_answer, opened
from support.oracle_sites import BOARD as KEYS
from support.rubric_sites import BOARD, PRIVATE
from support.sites import Site


def test_the_explorer_shows_a_prompt_with_its_key_and_an_answer_with_its_mark(browser: Browser, keyed: str) -> None:
    with visiting(browser, keyed) as visit:
        page = visit.go(f"evidence/#board={KEYS}&model=first-option&domain=counting&item=counting-02")
        opened(page, "counting-02")
        item = page.locator("#nb-item").inner_text()
        for text in ("How many months have exactly 30 days?", "bundle months", "Key: Multiple choice", "Correct: "):
            assert text in item
        answer = page.locator("#nb-answer").inner_text()
        for text in ("wrong, marked by key", "Answer: A", "wrong: chooses A; B is right"):
            assert text in answer
        page = visit.go(f"evidence/#board={KEYS}&by=copy&item=counting-01")
        opened(page, "counting-01")
        assert "invalid (no answer): chooses none of the options A, B, C" in page.locator("#nb-answer").inner_text()
        page.locator("select[name=board]").select_option("small")
        expect(page.locator("#nb-item h2")).to_have_text("Task")
        assert visit.complaints == []


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


def test_a_row_whose_samples_differ_says_that_its_worst_state_is_that_of_some(browser: Browser, shipped: str) -> None:
    with visiting(browser, shipped) as visit:
        page = visit.go("evidence/#board=facts&model=smollm2-135m")
        expect(page.locator(".nb-hit").first).to_be_visible()
        heads, notes = (page.locator(f".nb-hit-{part}").all_inner_texts() for part in ("score", "notes"))
        assert {float(head) for head in heads} >= {0.0, 20.0, 40.0}
        for head, note in zip(heads, notes, strict=True):
            assert ("at least once" in note) == (0 < float(head) < 100)
        assert visit.complaints == []


@pytest.mark.parametrize("protocol", ["oracle", "rubric"])
def test_the_explorer_shows_every_hostile_prompt_answer_and_verdict_as_text(
    protocol: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(f"hostile_{protocol}_site")
    view = site.data.views[0]
    with visiting(browser, request.getfixturevalue(f"hostile_{protocol}")) as visit:
        page = visit.go("evidence/")
        for model in list(view.rows)[:2]:
            for item, shown in shown_items(site.folder, view.board.id).items():
                open_answer(page, view.board.id, model, item)
                assert page.locator("#nb-explorer :is(script, img, style, iframe)").count() == 0
                if "prompt" in shown:
                    assert shown["prompt"].split()[-1] in page.locator("#nb-item").inner_text()
        assert visit.complaints == []


def test_a_dispute_names_the_call_and_a_private_item_has_none(browser: Browser, mixed: str, mixed_site: Site) -> None:
    (sample,) = shown_answers(mixed_site.folder, BOARD, "wordy")["reasoning-01"]["samples"]
    template = "https://example.org/issues/new?title={title}&place={place}%2C%20run%201"
    for page in _open(browser, mixed, "reasoning-01"):
        page.locator("#nb-explorer").evaluate("(box, address) => { box.dataset.dispute = address }", template)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        opened(page, "reasoning-01")
        link = page.get_by_role("link", name="dispute this answer").get_attribute("href")
        asked = parse_qs(urlsplit(link or "").query)
        assert asked["title"] == [f"Dispute: Wordy, reasoning-01 on {BOARD}"]
        assert asked["place"][0].endswith(f"item=reasoning-01, call {sample['key']}, run 1")
        open_answer(page, BOARD, "wordy", next(iter(PRIVATE)))
        expect(page.get_by_role("link", name="this contestant")).to_be_visible()
        expect(page.get_by_role("link", name="dispute this answer")).to_have_count(0)
