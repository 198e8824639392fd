"""The evidence explorer: from a number to the answer and the verdicts behind it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from support.browser import Visit, visiting
from support.sites import Site


@pytest.fixture
def visit(browser: Browser, small: str) -> Iterator[Visit]:
    with visiting(browser, small) as visit:
        yield visit


def _choices(page: Page) -> dict[str, str]:
    return {name: page.locator(f"select[name={name}]").input_value() for name in ("board", "domain", "item", "model")}


def _hash(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).fragment).items()}


def _answer(site: Site, choices: dict[str, str]) -> str:
    path = f"evidence/{choices['board']}/answers/{choices['model']}/{choices['domain']}.json"
    text: str = site.json(path)[choices["item"]]["samples"][0]["text"]
    return text


def _shows(page: Page, site: Site, choices: dict[str, str]) -> None:
    expect(page.locator(".nb-answer-text").first).to_have_text(_answer(site, choices) or "The answer is empty.")
    assert _choices(page) == choices
    assert _hash(page) == choices


FIRST = {"board": "small", "domain": "gardens", "item": "growing-01", "model": "lead-2"}


def test_the_explorer_opens_with_an_answer_its_task_and_every_verdict(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/")
    _shows(page, small_site, FIRST)
    item = small_site.json("evidence/small/items/gardens.json")["growing-01"]
    shown = page.locator("#nb-item").inner_text()
    for text in (item["task"], item["source"], item["facts"][0]["text"], item["goal"]["rules"][0]["rule"]):
        assert text in shown
    verdicts = small_site.json("evidence/small/answers/lead-2/gardens.json")["growing-01"]["samples"][0]["verdicts"]
    assert page.locator(".nb-verdict").count() == len(verdicts) == 3
    for verdict in verdicts:
        assert verdict["rationale"] in page.locator("#nb-answer").inner_text()
    header = page.locator("#nb-answer table thead th").all_inner_texts()
    assert header == ["Rating", "Form", "Restraint", "Support"]
    alignment = page.locator("#nb-answer table tr", has_text="Goal alignment").locator("td").all_inner_texts()
    assert alignment == [str(verdict["scores"]["goal_alignment"]) for verdict in verdicts]
    assert "rule-based panel" in page.locator("#nb-answer").inner_text()
    assert visit.complaints == []


@pytest.mark.parametrize(
    "change",
    [
        {"model": "textrank-2"},
        {"item": "growing-02"},
        {"domain": "rivers", "item": "levels-01"},
        {"board": "waters", "domain": "rivers", "item": "levels-01", "model": "textrank-2"},
    ],
)
def test_a_new_choice_changes_what_is_shown(change: dict[str, str], visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/")
    before = page.locator(".nb-answer-text").first.inner_text()
    name, value = next(iter(change.items()))
    page.locator(f"select[name={name}]").select_option(value)
    _shows(page, small_site, FIRST | change)
    assert page.locator(".nb-answer-text").first.inner_text() != before
    assert visit.complaints == []


def test_an_answer_sampled_twice_is_shown_twice_in_order(visit: Visit) -> None:
    page = visit.go("evidence/#board=waters&model=textrank-2&domain=rivers&item=fish-01")
    expect(page.locator("#nb-answer h3")).to_have_text(["Sample 1", "Sample 2"])


def test_an_empty_answer_is_said_to_be_empty(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/#board=small&model=null-empty&domain=rivers&item=fish-02")
    _shows(page, small_site, {"board": "small", "model": "null-empty", "domain": "rivers", "item": "fish-02"})
    assert "Votes: a refusal" in page.locator("#nb-answer").inner_text()


def test_the_address_of_a_state_restores_it(visit: Visit, small_site: Site, browser: Browser) -> None:
    page = visit.go("evidence/")
    page.locator("select[name=model]").select_option("textrank-2")
    page.locator("select[name=domain]").select_option("rivers")
    page.locator("select[name=item]").select_option("fish-02")
    wanted = {"board": "small", "domain": "rivers", "item": "fish-02", "model": "textrank-2"}
    _shows(page, small_site, wanted)
    with visiting(browser, visit.origin) as other:
        _shows(other.go(page.url.removeprefix(visit.origin)), small_site, wanted)


def test_a_changed_address_on_the_open_page_changes_what_is_shown(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/")
    _shows(page, small_site, FIRST)
    page.evaluate("location.hash = 'board=waters&model=null-constant&domain=rivers&item=fish-01'")
    _shows(page, small_site, {"board": "waters", "model": "null-constant", "domain": "rivers", "item": "fish-01"})


@pytest.mark.parametrize("wrong", ["board=nosuch", "model=nosuch&item=nosuch", "domain=..%2F..", "=", "%", "board"])
def test_an_address_that_names_nothing_opens_the_first_choice(wrong: str, visit: Visit, small_site: Site) -> None:
    _shows(visit.go(f"evidence/#{wrong}"), small_site, FIRST)
    assert visit.complaints == []


def test_a_number_on_a_fingerprint_leads_to_its_evidence(visit: Visit, small_site: Site) -> None:
    page = visit.go("models/textrank-2/")
    page.get_by_role("link", name="answers in Rivers").first.click()
    page.wait_for_url("**/evidence/**")
    _shows(page, small_site, {"board": "small", "domain": "rivers", "item": "levels-01", "model": "textrank-2"})


def test_the_keyboard_alone_reaches_every_choice_and_changes_it(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/")
    _shows(page, small_site, FIRST)
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.name || ''")
        if name in FIRST:
            reached.append(name)
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"nothing shows that {name} has the focus"
        if name == "model":
            break
    assert reached == ["board", "domain", "item", "model"]
    page.keyboard.press("ArrowDown")
    _shows(page, small_site, FIRST | {"model": "textrank-2"})


def test_evidence_that_cannot_be_loaded_is_told_and_not_shown_as_something_else(visit: Visit, small_site: Site) -> None:
    visit.page.route("**/textrank-2/*.json", lambda route: route.abort())
    page = visit.go("evidence/")
    _shows(page, small_site, FIRST)
    page.locator("select[name=model]").select_option("textrank-2")
    expect(page.locator("#nb-status")).to_contain_text("could not be loaded")
    expect(page.locator("#nb-answer")).to_be_empty()
    page.unroute("**/textrank-2/*.json")
    page.locator("select[name=model]").select_option("lead-2")
    _shows(page, small_site, FIRST)
    page.locator("select[name=model]").select_option("textrank-2")
    _shows(page, small_site, FIRST | {"model": "textrank-2"})
