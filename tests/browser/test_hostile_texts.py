"""Hostile texts in a real browser: no dialog opens, no script runs, and the texts are shown as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.browser import PHONE, Visit, visiting
from support.evidence import shown_answers
from support.explorer import open_answer
from support.pages import KINDS
from support.sites import Site


@pytest.fixture(scope="module")
def visit(browser: Browser, hostile: str) -> Iterator[Visit]:
    with visiting(browser, hostile) as visit:
        yield visit


@pytest.fixture(scope="module")
def phone(browser: Browser, hostile: str) -> Iterator[Visit]:
    with visiting(browser, hostile, width=PHONE) as visit:
        yield visit


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_runs_a_text_or_complains_or_breaks_out_of_a_phone(kind: str, phone: Visit, hostile_site: Site) -> None:
    phone.complaints.clear()
    page = phone.go(hostile_site.example(kind))
    assert phone.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.evaluate("document.querySelectorAll('article script:not([type=\"application/json\"])').length") == 0


def test_titles_in_a_chart_are_text(visit: Visit, hostile_site: Site) -> None:
    visit.complaints.clear()
    page = visit.go(hostile_site.board)
    said = page.locator("#chart-intervals svg title").all_text_contents()
    for row in hostile_site.data.views[0].results.leaderboard:
        last = hostile_site.data.views[0].title(row.model).split()[-1]
        assert any(last in title for title in said)
    assert page.locator("svg :is(script, img, b, style)").count() == 0
    assert visit.complaints == []


def test_the_explorer_shows_every_hostile_answer_and_verdict_as_text(visit: Visit, hostile_site: Site) -> None:
    visit.complaints.clear()
    page = visit.go("evidence/")
    shown = 0
    for model in ("lead-2", "textrank-2", "null-constant"):
        for item, answer in shown_answers(hostile_site.folder, "small", model).items():
            open_answer(page, "small", model, item)
            (sample,) = answer["samples"]
            box = page.locator("#nb-answer")
            expect(box).to_contain_text(f"call {sample['key'][:16]}")
            text = box.evaluate("element => element.textContent")
            for said in (sample["text"], *(v["rationale"] for v in sample["verdicts"])):
                assert said in text
            assert _on_one_line(sample["error"] or "") in text
            assert page.locator("#nb-explorer :is(script, img, style, iframe)").count() == 0
            assert box.locator("a").count() == 0
            shown += 1
    assert shown == 18
    assert visit.complaints == []


def _on_one_line(error: str) -> str:
    """An error as the explorer shows it: what is white to JavaScript is a blank, what steers a text stands out."""
    blanks = re.sub("[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+", " ", error)
    return "".join("\ufffd" if unicodedata.category(c).startswith("C") else c for c in blanks)


def test_a_word_of_a_hundred_thousand_letters_stays_in_its_column(phone: Visit) -> None:
    page = phone.go("evidence/#board=small&model=textrank-2&domain=gardens&item=growing-01")
    expect(page.locator(".nb-answer-text")).to_contain_text("x" * 1000)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_searching_for_hostile_words_shows_them_as_text(visit: Visit, hostile_site: Site) -> None:
    visit.complaints.clear()
    title = hostile_site.data.benchmark.models["lead-2"].title
    page = visit.go("judges/small/")
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    page.keyboard.type(title.split()[-1])
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    assert page.locator(".md-search-result :is(script, img, style, iframe)").count() == 0
    # The theme's search warns of half-typed words that are no query; what runs or fails is another matter.
    assert [complaint for complaint in visit.complaints if not complaint.startswith("console warning: ")] == []
