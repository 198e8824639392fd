"""The evidence explorer: from a number to the answers behind it, and to what was said of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from support.accessibility import faint_texts, violations
from support.browser import DESKTOP, PHONE, Visit, address, visiting
from support.evidence import shown_answers, shown_items
from support.explorer import opened, state
from support.rubric_sites import BOARD, PRIVATE
from support.sites import Site

from nullbench_site.protocols.axes.metrics import AxesItemRow

FIRST = {"board": "small", "by": "lead-2", "item": "growing-01"}
ALL = "All 24 answers."
FOCUSED = """(({name, classList, tagName}) => (
    name || [...classList].find((own) => own.startsWith('nb-')) || tagName
))(document.activeElement)"""


@pytest.fixture
def visit(browser: Browser, small: str) -> Iterator[Visit]:
    with visiting(browser, small) as visit:
        yield visit


@pytest.fixture(scope="module")
def many(browser: Browser, shipped: str) -> Iterator[Visit]:
    """The shipped site, whose list has more than one page."""
    with visiting(browser, shipped) as visit:
        yield visit


def _shows(page: Page, site: Site, board: str, model: str, item: str) -> None:
    opened(page, item, model=site.data.benchmark.models[model].title)
    text = shown_answers(site.folder, board, model)[item]["samples"][0]["text"]
    expect(page.locator(".nb-answer-text").first).to_have_text(text or "The answer is empty.")
    now = state(page)
    assert (now["board"], now.get("by", now.get("model")), now["item"]) == (board, model, item)


def _listed(page: Page) -> list[str]:
    """The rows of the list, each in one line."""
    return [" ".join(row.split()) for row in page.locator(".nb-hit").all_inner_texts()]


def _scores(page: Page) -> list[float]:
    return [float(score) for score in page.locator(".nb-hit-score").all_inner_texts()]


def _counted(page: Page, words: str) -> None:
    expect(page.locator("#nb-status")).to_have_text(re.sub(r"(?<=\d),(?=\d)", "\N{NARROW NO-BREAK SPACE}", words))


def _rows(site: Site, board: str) -> list[AxesItemRow]:
    view = next(view for view in site.axes_views if view.board.id == board)
    return view.results.items


def test_the_explorer_opens_with_all_answers_and_the_first_one_with_every_verdict(
    visit: Visit, small_site: Site
) -> None:
    page = visit.go("evidence/")
    _shows(page, small_site, "small", "lead-2", "growing-01")
    assert state(page) == FIRST
    _counted(page, ALL)
    assert len(_listed(page)) == 24
    item = shown_items(small_site.folder, "small")["growing-01"]
    shown = page.locator("#nb-item").inner_text()
    for text in (item["task"], item["source"], item["goal"]["rules"][0]["rule"]):
        assert text in shown
    answer = shown_answers(small_site.folder, "small", "lead-2")["growing-01"]
    verdicts = answer["samples"][0]["verdicts"]
    assert page.locator(".nb-verdict").count() == len(verdicts) == 3
    said = page.locator("#nb-answer").inner_text()
    for verdict in verdicts:
        assert verdict["rationale"] in said
        assert f"call {verdict['key'][:16]}" in said
    header = page.locator("#nb-answer table thead th").all_inner_texts()
    assert header == ["Rating", "Form", "Restraint", "Support", "Target"]
    alignment = page.locator("#nb-answer table tr", has_text="Goal alignment").locator("td").all_inner_texts()
    marks = [str(verdict["scores"]["goal_alignment"]) for verdict in verdicts]
    assert alignment == [*marks, "–"]
    assert f"= ({' + '.join(marks)}) / 3, from the goal alignment by each judge" in said
    found = zip(answer["samples"][0]["found"], item["facts"], strict=True)
    assert page.locator(".nb-ticked li").all_inner_texts() == [
        f"{'✓' if states else '✗'} {fact['text']} ({fact['kind']})" for states, fact in found
    ]
    assert "rule-based panel" in said
    assert visit.complaints == []


def test_filters_leave_the_answers_they_name_and_say_how_many_these_are(visit: Visit, small_site: Site) -> None:
    rows = _rows(small_site, "small")
    titles = {model: spec.title for model, spec in small_site.data.benchmark.models.items()}
    page = visit.go("evidence/")
    _counted(page, ALL)
    page.locator("select[name=domain]").select_option("rivers")
    _counted(page, "16 of 24 answers match.")
    page.locator(".nb-further summary").click()
    page.locator("select[name=state]").select_option("refused")
    refused = [row for row in rows if row.state == "refused" and row.domain == "rivers"]
    assert 0 < len(refused) < 16
    _counted(page, f"{len(refused)} of 24 answers match.")
    assert all("refused" in row for row in _listed(page))
    page.get_by_role("button", name="Clear filters").click()
    _counted(page, ALL)
    page.get_by_role("searchbox", name="Item").fill("fish-01")
    _counted(page, "4 of 24 answers match.")
    page.get_by_label("Score from").fill("1")
    page.get_by_label("Judges apart by at least, in points").fill("10")
    wanted = {
        (titles[row.model], row.item)
        for row in rows
        if row.item == "fish-01" and round(row.goal_alignment, 1) >= 1 and (row.spread or 0) >= 10
    }
    assert 0 < len(wanted) < 4
    _counted(page, f"{len(wanted)} of 24 answers match.")
    assert {row.partition(" fish-01")[0].rpartition(" ")[0] for row in _listed(page)} == {name for name, _ in wanted}
    page.get_by_role("searchbox", name="Item").fill("no such words")
    _counted(page, "None of the 24 answers match; clear a filter to see more.")
    expect(page.locator("#nb-answer")).to_be_empty()
    assert "item" not in state(page)
    assert visit.complaints == []


def test_an_item_is_found_by_the_words_it_begins_with(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/")
    source = shown_items(small_site.folder, "small")["levels-02"]["source"]
    page.get_by_role("searchbox", name="Item").fill(" ".join(source.split()[:4]).upper())
    _counted(page, "4 of 24 answers match.")
    assert all("levels-02" in row for row in _listed(page))


@pytest.mark.parametrize(("order", "best"), [("low", min), ("high", max)])
def test_answers_are_put_into_the_order_of_their_scores(
    order: str, best: object, many: Visit, shipped_site: Site
) -> None:
    view = shipped_site.axes_views[0]
    page = many.go(f"evidence/#board={view.board.id}&sort={order}")
    opened(page, page.locator(".nb-hit-item").first.inner_text())
    scores = _scores(page)
    assert len(scores) == 50
    assert scores == sorted(scores, reverse=order == "high")
    assert scores[0] == round(best(row.goal_alignment for row in view.results.items), 1)  # type: ignore[operator]


def test_the_list_grows_by_fifty_and_the_next_button_walks_on_beyond_it(many: Visit, shipped_site: Site) -> None:
    view = shipped_site.axes_views[0]
    page = many.go(f"evidence/#board={view.board.id}")
    _counted(page, f"All {len(view.results.items):,} answers.")
    rows = page.locator(".nb-hit")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="50 more").click()
    expect(rows).to_have_count(100)
    rows.nth(99).click()
    expect(rows.nth(99)).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Next").click()
    expect(rows.nth(100)).to_have_attribute("aria-current", "true")
    expect(rows).to_have_count(150)
    expect(page.locator(".nb-place")).to_have_text(f"101 of {len(view.results.items):,}".replace(",", "\u202f"))
    page.get_by_role("button", name="Previous").click()
    expect(rows.nth(99)).to_have_attribute("aria-current", "true")
    item = rows.nth(99).locator(".nb-hit-item").inner_text()
    opened(page, item)
    assert state(page)["item"] == item
    assert many.complaints == []


TILE = (16, 5)


@pytest.fixture
def cut(browser: Browser, shipped: str, shipped_site: Site) -> Iterator[Visit]:
    """The shipped site as if its board were too large for one tile: its scores come in tiles of 16 items times 5."""
    board = shipped_site.axes_views[0].board.id
    base = f"evidence/{board}"
    whole = shipped_site.json(f"{base}/scores/0-0.json")

    def tile(route: Route) -> None:
        row, column = map(int, route.request.url.rpartition("/")[2].removesuffix(".json").split("-"))
        a_row, a_column = slice(row * TILE[0], (row + 1) * TILE[0]), slice(column * TILE[1], (column + 1) * TILE[1])
        contestants = [
            {name: column if name in ("id", "failed") else column[a_row] for name, column in contestant.items()}
            for contestant in whole["contestants"][a_column]
        ]
        items = {name: column[a_row] for name, column in whole["items"].items()}
        route.fulfill(json={"board": board, "items": items, "contestants": contestants})

    with visiting(browser, shipped) as visit:
        visit.page.route(f"**/{base}/index.json", lambda route: route.fulfill(
            json=shipped_site.json(f"{base}/index.json") | {"tile": TILE}
        ))  # fmt: skip
        visit.page.route(f"**/{base}/scores/*.json", tile)
        yield visit


def _read(visit: Visit) -> set[str]:
    """The tiles that were asked for so far."""
    return {url.rpartition("/")[2].removesuffix(".json") for url in visit.requests if "/scores/" in url}


def test_a_list_reads_no_more_tiles_than_it_needs(cut: Visit, shipped_site: Site) -> None:
    view = shipped_site.axes_views[0]
    whole, models = len(view.results.items), list(view.rows)
    columns = ceil(len(models) / TILE[1])
    page = cut.go(f"evidence/#board={view.board.id}")
    _counted(page, f"All {whole:,} answers.")
    expect(page.locator(".nb-hit")).to_have_count(50)
    assert _read(cut) == {f"0-{column}" for column in range(columns)}
    cut.requests.clear()
    page = cut.go(f"evidence/#board={view.board.id}&model={models[7]}&item={view.results.items[-1].item}")
    expect(page.locator("#nb-answer h2")).to_have_text(view.title(models[7]))
    assert {tile.partition("-")[2] for tile in _read(cut)} == {"1"}, "of one contestant: the tiles of one column"
    cut.requests.clear()
    page = cut.go(f"evidence/#board={view.board.id}&domain={view.board.domains[0]}")
    in_domain = sum(row.domain == view.board.domains[0] for row in view.results.items)
    _counted(page, f"{in_domain} of {whole:,} answers match.")
    assert {int(tile.partition("-")[0]) for tile in _read(cut)} <= set(range(1 + in_domain // len(models) // TILE[0]))
    assert cut.complaints == []


def test_what_matches_in_tiles_not_read_yet_is_counted_when_asked_for(cut: Visit, shipped_site: Site) -> None:
    view = shipped_site.axes_views[0]
    refused = [row for row in view.results.items if row.state == "refused"]
    tiles = ceil(view.results.n_items / TILE[0]) * ceil(len(view.rows) / TILE[1])
    page = cut.go(f"evidence/#board={view.board.id}&state=refused")
    _counted(page, f"The first 50 that match, of {len(view.results.items):,} answers.")
    before = _read(cut)
    assert len(before) < tiles
    page.get_by_role("button", name="Count all").click()
    _counted(page, f"{len(refused)} of {len(view.results.items):,} answers match.")
    expect(page.get_by_role("button", name="Count all")).to_be_hidden()
    assert len(_read(cut)) == tiles
    page.locator("select[name=sort]").select_option("high")
    opened(page, page.locator(".nb-hit-item").first.inner_text())
    page = cut.go(f"evidence/#board={view.board.id}&sort=high")
    expect(page.locator(".nb-hit")).to_have_count(50)
    best = sorted((round(row.goal_alignment, 1) for row in view.results.items), reverse=True)
    assert _scores(page) == best[:50]


def test_an_address_asked_for_while_the_list_loads_is_opened_though_the_list_has_put_its_own_in_the_bar(
    visit: Visit, small_site: Site
) -> None:
    page = visit.go("evidence/")
    _shows(page, small_site, "small", "lead-2", "growing-01")
    page.evaluate("""() => {
        const own = location.href;
        location.hash = "board=small&model=textrank-2&item=fish-01";
        history.replaceState(null, "", own);
    }""")
    _shows(page, small_site, "small", "textrank-2", "fish-01")
    assert visit.complaints == []


def test_an_answer_sampled_twice_is_shown_twice_in_order(visit: Visit) -> None:
    page = visit.go("evidence/#board=waters&model=textrank-2&domain=rivers&item=fish-01")
    expect(page.locator("#nb-answer h3", has_text="Sample")).to_have_text(["Sample 1", "Sample 2"])


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_conversation_is_shown_turn_by_turn_with_what_was_said_of_each(
    browser: Browser, shipped: str, shipped_site: Site, width: int
) -> None:
    view = next(view for view in shipped_site.data.views if any(placed.turns for placed in view.items))
    placed = next(placed for placed in view.items if placed.turns)
    with visiting(browser, shipped, width=width) as visit:
        page = visit.go(f"evidence/#board={view.board.id}&model=essay&item={placed.id}")
        opened(page, placed.id)
        answer = page.locator("#nb-answer")
        expect(answer.locator(".nb-asked")).to_have_text([*placed.turns])
        shown = shown_answers(shipped_site.folder, view.board.id, "essay")[placed.id]
        said = [turn["text"] for turn in (*shown["samples"][0]["before"], shown["samples"][0])]
        expect(answer.locator(".nb-answer-text")).to_have_text(said)
        expect(answer.locator("h3")).to_have_text(["Turn 1", "Turn 2", "Grades of turn 1", "Grades of turn 2"])
        score = shown["score"]
        grades = [f"turn {turn}: {score[f'turn_{turn}']:.1f}".removesuffix(".0") + " of 10" for turn in (1, 2)]
        expect(answer.locator(".nb-says")).to_contain_text(", ".join(grades))
        # What was asked stands above its answer, and that above what follows.
        tops = [
            box["y"]
            for pair in zip(answer.locator(".nb-asked").all(), answer.locator(".nb-answer-text").all(), strict=True)
            for part in pair
            if (box := part.bounding_box()) is not None
        ]
        assert tops == sorted(tops)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert visit.complaints == []


def test_the_address_holds_filters_and_the_open_answer_and_restores_them(
    visit: Visit, small_site: Site, browser: Browser
) -> None:
    page = visit.go("evidence/")
    page.locator("select[name=domain]").select_option("rivers")
    page.locator("select[name=sort]").select_option("low")
    page.locator(".nb-further summary").click()
    page.locator("select[name=difficulty]").select_option(index=1)
    page.get_by_label("Score from").fill("5")
    expect(page.locator(".nb-further-set")).to_have_text(" (2 set)")
    page.locator(".nb-hit").nth(1).click()
    opened(page, page.locator(".nb-hit-item").nth(1).inner_text())
    before, rows = state(page), _listed(page)
    assert set(before) == {"board", "domain", "difficulty", "from", "sort", "by", "item"}
    with visiting(browser, visit.origin) as other:
        again = other.go(address(page).removeprefix(visit.origin))
        _shows(again, small_site, "small", before["by"], before["item"])
        assert state(again) == before
        assert _listed(again) == rows
        assert again.locator(".nb-hit").nth(1).get_attribute("aria-current") == "true"
        assert again.get_by_label("Domain").input_value() == "rivers"


def test_an_address_of_a_contestant_a_domain_and_an_item_opens_that_answer(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/#board=small&model=null-empty&domain=rivers&item=fish-02")
    _shows(page, small_site, "small", "null-empty", "fish-02")
    _counted(page, "4 of 24 answers match.")
    page.evaluate("location.hash = 'board=small&model=null-empty&domain=gardens&item=fish-01'")
    _shows(page, small_site, "small", "null-empty", "fish-01")
    assert state(page)["domain"] == "rivers"
    votes = page.locator("#nb-answer").inner_text()
    assert "Votes: refused." in votes or "Votes: evaded." in votes
    page.evaluate("location.hash = 'board=waters&model=null-constant&domain=rivers&item=fish-01'")
    _shows(page, small_site, "waters", "null-constant", "fish-01")


def test_an_address_of_an_item_alone_shows_all_answers_to_it(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/#board=small&domain=rivers&item=fish-01")
    _shows(page, small_site, "small", "lead-2", "fish-01")
    _counted(page, "4 of 24 answers match.")
    assert page.locator(".nb-hit-item").all_inner_texts() == ["fish-01"] * 4
    page.locator("select[name=model]").select_option("textrank-2")
    _shows(page, small_site, "small", "textrank-2", "fish-01")
    page.get_by_role("link", name="all answers to this item").click()
    _counted(page, "4 of 24 answers match.")
    _shows(page, small_site, "small", "textrank-2", "fish-01")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("board=nosuch", ALL),
        ("model=nosuch", f"The address names a domain or contestant that this board does not have. {ALL}"),
        ("item=nosuch", f"The item that the address names is not on this board. {ALL}"),
        ("domain=..%2F..&sort=nosuch&private=nosuch&from=x", None),
        ("%", ALL),
    ],
)
def test_an_address_that_names_nothing_opens_the_first_answer(
    wrong: str, said: str | None, visit: Visit, small_site: Site
) -> None:
    page = visit.go(f"evidence/#{wrong}")
    _shows(page, small_site, "small", "lead-2", "growing-01")
    if said:
        _counted(page, said)
    assert state(page) == FIRST
    assert visit.complaints == []


def test_a_new_board_has_its_own_choices(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/#board=small&domain=gardens&q=growing")
    opened(page, "growing-01")
    page.locator("select[name=board]").select_option("waters")
    opened(page, "levels-01")
    assert page.locator("select[name=domain] option").all_inner_texts() == ["all domains", "Rivers"]
    assert state(page).keys() == {"board", "by", "item"}


def test_a_number_on_a_fingerprint_leads_to_its_evidence(visit: Visit, small_site: Site) -> None:
    page = visit.go("models/textrank-2/")
    page.get_by_role("link", name="answers in Rivers").first.click()
    page.wait_for_url("**/evidence/**")
    _shows(page, small_site, "small", "textrank-2", "levels-01")
    _counted(page, "4 of 24 answers match.")


def test_the_keyboard_alone_reaches_every_control_and_opens_an_answer(visit: Visit, small_site: Site) -> None:
    page = visit.go("evidence/")
    _shows(page, small_site, "small", "lead-2", "growing-01")
    page.locator("select[name=board]").focus()
    reached = []
    for _ in range(20):
        page.keyboard.press("Tab")
        now = page.evaluate(FOCUSED)
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", now
        reached.append(now)
        if now == "SUMMARY":
            page.keyboard.press("Enter")
        if now == "nb-hit":
            break
    assert reached == [
        "domain", "model", "q", "sort", "SUMMARY", "state", "difficulty", "from", "to", "apart", "nb-found", "nb-hit",
    ]  # fmt: skip
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    second = page.locator(".nb-hit").nth(1)
    expect(second).to_have_attribute("aria-current", "true")
    expect(page.locator("#nb-opened-status")).to_have_text("Open: TextRank-2, growing-01")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#board=small&by=lead-2&item=growing-01"


def test_on_a_phone_a_chosen_answer_is_brought_into_sight_below_the_list(browser: Browser, small: str) -> None:
    with visiting(browser, small, width=PHONE) as visit:
        page = visit.go("evidence/")
        opened(page, "growing-01")
        assert page.evaluate("scrollY") == 0
        page.locator(".nb-hit").nth(2).click()
        expect(page.locator(".nb-opened")).to_be_focused()
        expect(page.locator("#nb-answer h2")).to_be_in_viewport()
        page.locator(".nb-further summary").click()
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert violations(page, colours=False) + faint_texts(page) == []
        assert visit.complaints == []


def test_flags_and_private_items_are_filters_where_a_board_has_them(
    browser: Browser, mixed: str, mixed_site: Site
) -> None:
    view = next(view for view in mixed_site.data.views if view.board.id == BOARD)
    failed = [row for row in view.results.items if getattr(row, "failed", [])]
    with visiting(browser, mixed) as visit:
        page = visit.go("evidence/#board=small")
        page.locator(".nb-further summary").click()
        for name in ("Failed check", "Texts"):
            expect(page.get_by_label(name)).to_be_hidden()
        page = visit.go(f"evidence/#board={BOARD}&check=any")
        _counted(page, f"{len(failed)} of {len(view.results.items)} answers match.")
        assert all("failed" in row for row in _listed(page))
        page = visit.go(f"evidence/#board={BOARD}&private=yes")
        _counted(page, f"{len(PRIVATE) * len(view.rows)} of {len(view.results.items)} answers match.")
        assert {row.split(" private")[0].split()[-1] for row in _listed(page)} <= {
            *PRIVATE,
            "apart,",
            *map(str, PRIVATE),
        }
        expect(page.locator("#nb-item h2")).to_have_text("Private item")
        assert page.locator(".nb-hit-begins").count() == 0
        assert visit.complaints == []


def test_evidence_that_cannot_be_loaded_is_told_and_not_shown_as_something_else(visit: Visit, small_site: Site) -> None:
    page = visit.page
    page.route("**/textrank-2/*.json", lambda route: route.abort())
    visit.go("evidence/")
    _shows(page, small_site, "small", "lead-2", "growing-01")
    page.locator(".nb-hit", has_text="TextRank-2").first.click()
    expect(page.locator("#nb-status")).to_contain_text("could not be loaded")
    expect(page.locator("#nb-answer")).to_be_empty()
    page.unroute("**/textrank-2/*.json")
    page.locator(".nb-hit", has_text="Lead-2").first.click()
    _shows(page, small_site, "small", "lead-2", "growing-01")
    _counted(page, ALL)
    page.locator(".nb-hit", has_text="TextRank-2").first.click()
    _shows(page, small_site, "small", "textrank-2", "growing-01")


def test_scores_that_cannot_be_loaded_are_told_with_what_to_do(visit: Visit, small_site: Site) -> None:
    visit.page.route("**/scores/*.json", lambda route: route.fulfill(status=404))
    page = visit.go("evidence/")
    said = "The evidence could not be loaded: evidence/small/scores/0-0.json answered 404."
    expect(page.locator("#nb-status")).to_have_text(f"{said} Choose again, or reload the page.")


def test_a_protocol_without_a_script_of_its_own_shows_what_is_known_of_any(visit: Visit) -> None:
    page = visit.go("evidence/")
    shown = page.evaluate(
        """async () => {
            const { default: use } = await import(new URL('../assets/js/nullbench.js', document.baseURI));
            const { answerParts, shownBy } = use('explorer/answers.js');
            const protocol = await shownBy('quiz', ['other']);
            const index = { judges: { anna: 'Anna' }, samples: 1 };
            const item = { category: 'Sums', difficulty: 'easy', prompt: 'What is 2 + 2?' };
            const call = { seconds: 1, key: 'abc' };
            const verdict = { ...call, judge: 'anna', scores: { mark: 4 }, invalid: {}, rationale: 'Right.' };
            const score = { state: 'scored', score: 75 };
            const answer = { score, samples: [{ ...call, text: '4', verdicts: [verdict] }] };
            const parts = [...protocol.item(index, item), ...answerParts(protocol, index, item, answer, 'scored')];
            return parts.map((part) => part?.textContent ?? '').join(' | ');
        }"""
    )
    for words in ("What is 2 + 2?", "Sums, easy", "scored: 75", "Anna", "mark", "Right."):
        assert words in shown
