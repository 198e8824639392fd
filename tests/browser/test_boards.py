"""A board in a real browser: sorted, filtered, searched, cut to a part, copied, shared; by pointer and by keyboard."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, Route, expect
from support.browser import PHONE, Visit, address, until, visiting
from support.sites import Site, shown_cells

from nullbench_site.protocols.rubric.pages import RubricView
from nullbench_site.site import words
from nullbench_site.site.pages.boards import facts_of_part
from nullbench_site.site.pages.page import panel_line, score_words
from nullbench_site.site.pages.tables import Table, board_table, group_table, parts
from nullbench_site.site.views import BoardView

SMALL, TASKS = "boards/small/", "boards/tasks/"
EVERYBODY = ["Clear", "Wordy", "Hasty"]
"""Without the null model, which is folded until a reader asks for it."""


@pytest.fixture(scope="module")
def visit(browser: Browser, mixed: str) -> Iterator[Visit]:
    """A reader at a desk who lets pages write to the clipboard."""
    with visiting(browser, mixed, permissions=["clipboard-read", "clipboard-write"]) as visit:
        yield visit


@pytest.fixture
def view(mixed_site: Site) -> RubricView:
    (view,) = (view for view in mixed_site.data.views if isinstance(view, RubricView))
    return view


@pytest.fixture
def page(visit: Visit) -> Iterator[Page]:
    """The board of prompts, whose contestants have vendors, sizes, weights and prices; as it comes."""
    visit.complaints.clear()
    page = visit.go(TASKS)
    expect(page.locator(".nb-tools")).to_be_visible()
    yield page
    assert visit.complaints == []


def _table(view: BoardView) -> Table:
    return board_table(view)


def _names(page: Page) -> list[str]:
    return page.locator(".nb-ranks tbody .c-name a:visible").all_inner_texts()


def _shows(page: Page, *names: str) -> None:
    expect(page.locator(".nb-ranks tbody .c-name a:visible")).to_have_text(list(names))


def _head(page: Page, key: str) -> Locator:
    return page.locator(f".nb-ranks th[data-key={key}]")


def _strip(page: Page) -> list[tuple[str, str]]:
    """The figures above the table: each a value and what it is of."""
    strip = page.locator(".nb-facts > div")
    return [(fact.locator("dd").inner_text(), fact.locator("dt").inner_text()) for fact in strip.all()]


def _status(page: Page) -> Locator:
    return page.locator(".nb-state [role=status]")


def _cells(page: Page) -> list[list[str]]:
    rows = page.locator(".nb-ranks tbody tr:visible").all()
    return [
        [" ".join(cell.split()) for cell in row.locator(":is(td, th):not([hidden])").all_text_contents()]
        for row in rows
    ]


def test_a_table_of_many_columns_scrolls_in_its_region_and_the_page_does_not(page: Page, view: RubricView) -> None:
    table, box = _table(view), page.locator(".nb-stick").first
    assert ("nb-many" in (box.get_attribute("class") or "")) == (table.width > 13)
    wider = "box => { box.classList.add('nb-many'); box.querySelector('table').style.minWidth = '2000px'; }"
    box.evaluate(wider)
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") > 0
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_every_column_sorts_by_its_numbers_best_first_and_then_the_other_way(page: Page, view: RubricView) -> None:
    table = _table(view)
    columns = {metric.id: place for place, (metric, _) in enumerate(table.columns, start=3)}
    places = {"score": 0, "interval": 1} | columns
    best = {"score": "higher", "interval": "neither"} | {metric.id: metric.direction for metric, _ in table.columns}
    for key, place in places.items():
        numbers = [row.values.split(",")[place] for row in table.rows]
        for down in (True, False) if best[key] == "higher" else (False, True):
            _head(page, key).get_by_role("button").click()
            sign = -1 if down else 1
            order = sorted(
                range(len(numbers)), key=lambda n, numbers=numbers, sign=sign: (
                    (1, 0.0) if numbers[n] == "" else (0, sign * float(numbers[n]))
                ),
            )  # fmt: skip
            expect(_head(page, key)).to_have_attribute("aria-sort", "descending" if down else "ascending")
            _shows(page, *(table.rows[n].model.title for n in order if table.rows[n].model.kind != "null"))
    _head(page, "name").get_by_role("button").click()
    _shows(page, *sorted(EVERYBODY))


@pytest.mark.parametrize(
    ("control", "choice", "left"),
    [
        ("Provenance", "Self-reported", ["Clear"]),
        ("Vendor", "Acme", ["Clear"]),
        ("Weights", "Open weights", ["Clear"]),
        ("Weights", "Weights not known", ["Hasty"]),
        ("Size", "≤ 7.5B", ["Clear"]),
        ("Price", "≤ $1.5 per million out", ["Clear"]),
        ("Price", "Price not known", ["Hasty"]),
    ],
)
def test_a_filter_leaves_those_the_specs_say_it_of(page: Page, control: str, choice: str, left: list[str]) -> None:
    page.get_by_label(control, exact=True).select_option(label=choice)
    _shows(page, *left)
    expect(_status(page)).to_contain_text(f"{len(left)} of 3 contestants.")
    page.get_by_role("button", name="Clear filters").click()
    _shows(page, *EVERYBODY)


def test_those_whose_place_may_not_stay_can_be_looked_at_alone(small: str, browser: Browser) -> None:
    with visiting(browser, small) as visit:
        page = visit.go(SMALL)
        page.get_by_label("Status", exact=True).select_option(label="Provisional")
        _shows(page, "TextRank-2")
        assert address(page).endswith("?status=provisional")


def test_null_models_are_folded_into_the_floor_and_names_and_vendors_looked_for(page: Page, visit: Visit) -> None:
    _shows(page, *EVERYBODY)
    visit.requests.clear()
    page.locator(".nb-floor").get_by_role("button", name="Null models").click()
    _shows(page, *EVERYBODY, "Null: silence")
    assert address(page).endswith("?nulls=1")
    page.get_by_role("button", name="Null models").click()
    page.get_by_label("Find a contestant").fill("sages")
    _shows(page, "Wordy")
    page.get_by_label("Find a contestant").fill("nobody")
    expect(page.locator(".nb-ranks tbody")).to_have_text("No contestant matches.")
    expect(_status(page)).to_have_text("No contestant matches.")
    page.get_by_role("button", name="Clear filters").click()
    _shows(page, *EVERYBODY)
    expect(page.get_by_label("Find a contestant")).to_have_value("")


def test_a_filter_that_the_data_has_no_use_for_is_not_offered(visit: Visit) -> None:
    page = visit.go(SMALL)
    expect(page.get_by_role("button", name="Null models")).to_be_visible()
    assert page.locator(".nb-tools select").count() == 0


@pytest.mark.parametrize("address", [SMALL, TASKS])
def test_a_part_of_the_board_shows_the_numbers_and_ranks_of_that_part(
    address: str, visit: Visit, mixed_site: Site
) -> None:
    page = visit.go(address)
    view = next(view for view in mixed_site.data.views if view.url == address)
    before, reading = _cells(page), page.locator(".nb-reading p").all_inner_texts()
    whole = _strip(page)
    assert (str(view.results.n_items), "items") in whole
    for group, title in ((view.results.domains[0], ""), (view.results.difficulties[-1], "Hard")):
        name = title or view.benchmark.domains[group.id].title
        page.get_by_role("group", name="Part of the board").get_by_role("button", name=name, exact=True).click()
        expect(_status(page)).to_contain_text(f"{name}, {words.plural(group.n_items, 'item')}:")
        table = group_table(view, group, name, group.id)
        expect(page.locator(".nb-reading p")).to_have_text([table.says])
        (part,) = (each for each in parts(view) if each.group is group)
        assert _strip(page) == facts_of_part(view, part)
        expect(_head(page, "interval")).to_contain_text(table.extent)
        wanted = {
            row.model.title: [
                row.rank, score_words(row.row),
                row.interval.words if row.interval else words.ABSENT,
                *(cell.replace("\xa0", " ") for cell in shown_cells(table, row.model.id).values()),
            ]
            for row in table.rows
            if row.model.kind != "null"
        }  # fmt: skip
        shown = dict(zip(_names(page), _cells(page), strict=True))
        assert {title: [cells[0], *cells[2:]] for title, cells in shown.items()} == wanted
        assert page.locator(".nb-ranks thead th[scope=col]:not([hidden])").count() == 4 + len(table.columns)
        expect(page.locator(".nb-ranks tbody .c-score a").first).to_have_attribute("href", re.compile(f"={group.id}$"))
    page.get_by_role("button", name="All items").click()
    expect(_status(page)).to_have_text("")
    assert _cells(page) == before
    assert page.locator(".nb-reading p").all_inner_texts() == reading
    assert _strip(page) == whole


_ACCENT = """() => {
  const box = document.querySelector(".nb-board-box");
  box.style.color = "var(--nb-accent)";
  const { color } = getComputedStyle(box);
  box.style.removeProperty("color");
  return color;
}"""


def _lines(drawn: Locator, accent: Sequence[int], top: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the accent is a thick line in a drawn interval, and a line at all, in points."""
    image = Image.open(io.BytesIO(drawn.screenshot())).convert("RGB")
    pixels = np.abs(np.asarray(image, dtype=int) - accent).max(axis=2) < 40
    columns = [np.flatnonzero(pixels.sum(axis=0) >= least) for least in (5, 1)]
    thick, line = ((top * (ends[[0, -1]] + (0, 1) - 4) / (image.width - 8)).tolist() for ends in columns)
    return thick, line


def _drawn(page: Page, top: float) -> dict[str, tuple[list[float], tuple[float, float], tuple[float, float]]]:
    """Contestant -> the ends in brackets beside its score, and those of its thick line and of all lines."""
    page.mouse.move(0, 0)
    accent = [int(part) for part in re.findall(r"\d+", page.evaluate(_ACCENT))]
    rows = [row for row in page.locator(".nb-ranks tbody tr:visible").all() if row.locator(".nb-interval").count()]
    return {
        row.get_attribute("data-m") or "": (
            [float(end) for end in re.findall(r"[\d.]+", row.locator(".nb-pm").inner_text())],
            *_lines(row.locator(".nb-interval"), accent, top),
        )
        for row in rows
    }


def test_the_thick_line_is_the_interval_in_brackets_and_the_thin_one_that_of_the_panel(
    page: Page, view: RubricView
) -> None:
    drawn = _drawn(page, _table(view).top)
    panel = {model: ends for model in drawn if (ends := panel_line(view.rows[model], view.results.panel_kind))}
    assert panel
    for model, (brackets, thick, line) in drawn.items():
        assert thick == pytest.approx(brackets, abs=1.5)
        low, high = panel.get(model, brackets)
        assert line == pytest.approx((min(low, brackets[0]), max(high, brackets[1])), abs=1.5)
    expect(page.locator("a.nb-of-whole")).to_contain_text("The thin line shows")


def test_a_part_of_the_board_changes_the_ends_of_the_thick_line_and_has_no_thin_one(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = shipped_site.data.views[0]
    group = view.results.domains[0]
    with visiting(browser, shipped) as visit:
        page = visit.go(f"{view.url}?part=domain:{group.id}")
        expect(_status(page)).to_contain_text("scores and ranks are of this domain alone")
        for brackets, thick, line in _drawn(page, group_table(view, group, "", group.id).top).values():
            assert thick == pytest.approx(brackets, abs=1.5)
            assert line == thick
        expect(page.locator("a.nb-of-whole")).to_be_hidden()


def test_the_address_brings_all_of_it_back(page: Page, visit: Visit) -> None:
    page.get_by_role("button", name="Coding").click()
    page.get_by_role("button", name="Null models").click()
    _head(page, "judge_mean").get_by_role("button").click()
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Evidence").uncheck()
    page.get_by_role("button", name="Compare").click()
    page.get_by_label("Compare Clear").check()
    page.get_by_label("Compare Wordy").check()
    expect(_head(page, "scored")).to_be_hidden()
    before, told = _cells(page), _status(page).inner_text()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("The link is copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == address(page)
    page.goto("about:blank")
    page.goto(copied)
    expect(_status(page)).to_have_text(told)
    assert _cells(page) == before
    assert address(page) == copied
    expect(page.get_by_role("button", name="Coding")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Null models")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Compare Clear")).to_be_checked()


def test_chosen_contestants_lead_to_their_comparison_and_are_four_at_most(visit: Visit, mixed: str) -> None:
    page = visit.go(f"{SMALL}?nulls=1")
    page.get_by_role("button", name="Compare").click()
    boxes = page.locator("input.nb-pick")
    for number in (2, 0):
        boxes.nth(number).check()
    link = page.get_by_role("link", name="Compare these 2")
    expect(link).to_have_attribute("href", f"{mixed}compare/?board=small&m=null-constant,lead-2")
    chosen = page.evaluate(
        """import(new URL("../../assets/js/nullbench.js", document.baseURI)).then(({ default: use }) => {
            const { choose, isFull } = use("board/state.js");
            const state = { chosen: [] };
            for (const id of "abcdef") state.chosen = choose(state, id, true);
            return [state.chosen.join(""), isFull(state)];
        })"""
    )
    assert chosen == ["abcd", True]


def test_the_table_is_copied_as_it_stands_as_csv_and_as_markdown(page: Page, view: RubricView) -> None:
    table = _table(view)
    page.get_by_label("Vendor", exact=True).select_option(label="Acme")
    _shows(page, "Clear")
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.get_by_text("The CSV is copied.")).to_be_visible()
    head, *lines = csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()")))
    (line,) = lines
    found = dict(zip(head, line, strict=True))
    row = view.rows["clear"]
    assert (found["model"], found["contestant"]) == ("clear", "Clear")
    for name, number in (("score", row.overall), ("ci_low", row.ci_low), ("ci_high", row.ci_high)):
        assert float(found[name]) == pytest.approx(number, rel=1e-5)
    numbers = table.rows[0].values.split(",")[3:]
    for (metric, column), number in zip(table.columns, numbers, strict=True):
        if column.kind == "count":
            assert found[metric.id] == shown_cells(table, "clear")[metric.id]
        elif column.kind != "trust":
            assert found[metric.id] == "" if number == "" else float(found[metric.id]) == float(number)
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_text("The Markdown is copied.")).to_be_visible()
    top, rule, row_, *rest = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert rest == [""] or not rest
    assert (top.count("|"), rule.count("---")) == (row_.count("|"), 4 + len(table.columns))
    assert f"| {score_words(row)} |" in row_.replace("\\", "")


def test_where_the_browser_refuses_the_clipboard_the_text_can_be_copied_by_hand(page: Page) -> None:
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
    page.get_by_role("button", name="Copy as CSV").click()
    area = page.get_by_label("Text to copy")
    expect(area).to_be_visible()
    text = area.input_value()
    assert page.evaluate("getSelection().toString() || document.activeElement.value") == text
    assert text.splitlines()[0].startswith("rank,model,contestant,score,ci_low,ci_high,judge_mean")


def test_hostile_names_are_shown_sought_and_copied_as_text(
    browser: Browser, hostile_rubric: str, hostile_rubric_site: Site
) -> None:
    with visiting(browser, hostile_rubric, permissions=["clipboard-read", "clipboard-write"]) as visit:
        page = visit.go(f"{hostile_rubric_site.board}?nulls=1")
        page.get_by_label("Find a contestant").fill("<")
        page.get_by_label("Find a contestant").fill("")
        page.locator(".nb-chips button").nth(1).click()
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("button", name="Copy as CSV").click()
        expect(page.get_by_text("The CSV is copied.")).to_be_visible()
        lines = list(csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))
        assert {len(line) for line in lines} == {len(lines[0])}
        assert len(lines) == 5
        page.get_by_role("button", name="Copy as Markdown").click()
        expect(page.get_by_text("The Markdown is copied.")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert re.findall(r"(?<!\\)[<`\[*]", copied) == []
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in copied.rstrip("\n").split("\n")} == {len(lines[0]) - 1}
        safe = page.evaluate(
            """import(new URL("../../assets/js/nullbench.js", document.baseURI)).then((all) => all.default(
                "board/copy.js").csv(
                [{ key: "name" }, { key: "score", kind: "number" }],
                ["=1+1", "+1", "-1", "@x", "\\tx", 'a "b", c'].map((title) => ({ id: "m", title })),
                () => -1.5,
            ))"""
        )
        assert [line[1:] for line in csv.reader(io.StringIO(safe))][1:] == [
            ["'=1+1", "-1.5"], ["'+1", "-1.5"], ["'-1", "-1.5"], ["'@x", "-1.5"], ["'\tx", "-1.5"],
            ['a "b", c', "-1.5"],
        ]  # fmt: skip
        assert visit.complaints == []


def test_the_null_floor_is_drawn_as_the_note_below_the_board_says(visit: Visit, mixed_site: Site) -> None:
    page = visit.go(SMALL)
    line = "getComputedStyle(document.querySelector('.nb-ranks tbody .c-iv'), '::before').borderLeftStyle"
    assert f"The {page.evaluate(line)} line is the null floor." in page.locator("main").inner_text()


def test_a_silent_board_draws_no_bands_of_ties(visit: Visit, mixed_site: Site) -> None:
    page = visit.go(SMALL)
    rows = page.locator(".nb-ranks tbody tr:not(.nb-floor)")
    expect(rows.first.locator(".c-rank")).not_to_contain_text("tie group")
    page.mouse.move(0, 0)
    view = next(view for view in mixed_site.data.views if view.url == SMALL)
    ranked = [row.model for row in view.rows.values() if row.rank is not None]
    grounds = {rows.nth(n).evaluate("(row) => getComputedStyle(row).backgroundColor") for n in range(len(ranked))}
    assert len(grounds) == 1


def test_the_keyboard_alone_sorts_explains_and_chooses(page: Page) -> None:
    _head(page, "judge_mean").get_by_role("button").focus()
    tip = _head(page, "judge_mean").locator(".nb-tip")
    expect(tip).to_be_visible()
    page.keyboard.press("Enter")
    expect(_head(page, "judge_mean")).to_have_attribute("aria-sort", "descending")
    expect(_head(page, "judge_mean").get_by_role("button")).to_be_focused()
    expect(tip).to_be_visible()
    page.keyboard.press("Tab")
    expect(tip.get_by_role("link")).to_be_focused()
    assert (tip.get_by_role("link").get_attribute("href") or "").endswith("glossary/#metric-judge_mean")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.get_by_role("button", name="Null models").focus()
    page.keyboard.press("Space")
    _shows(page, *EVERYBODY, "Null: silence")
    page.locator("summary", has_text="Columns").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(_head(page, "n_flagged")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Behaviour")).to_be_hidden()


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.sweep), "dark"])
def test_the_controls_and_the_table_break_no_rule_of_accessibility(browser: Browser, mixed: str, scheme: Any) -> None:
    with visiting(browser, mixed, color_scheme=scheme) as visit:
        page = visit.go(f"{TASKS}?sort=-judge_mean&vendor=Acme&m=clear,wordy")
        _shows(page, "Clear")
        _head(page, "judge_mean").hover()
        page.get_by_text("Columns", exact=True).click()
        rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
        found = Axe().run(page, context=".nb-board-box", options=rules).response["violations"]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


def test_the_head_of_a_long_table_stays_in_sight(visit: Visit) -> None:
    page = visit.go(SMALL)
    page.set_viewport_size({"width": 1440, "height": 260})
    until(page, "innerHeight === 260")
    page.locator(".nb-ranks tbody tr:visible").last.evaluate(
        "(row) => scrollTo(0, scrollY + row.getBoundingClientRect().top - 150)"
    )
    top = page.locator(".nb-ranks thead").evaluate("(head) => head.getBoundingClientRect().top")
    bar = page.locator(".md-header").evaluate("(bar) => bar.getBoundingClientRect().bottom")
    page.set_viewport_size({"width": 1440, "height": 900})
    assert top == pytest.approx(bar, abs=2)


def test_of_a_long_table_the_first_rows_come_alone_until_all_are_wanted(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = next(view for view in shipped_site.data.views if len(view.rows) > 60)
    with visiting(browser, shipped) as visit:
        page = visit.go(view.url)
        rows, everyone = page.locator(".nb-ranks tbody tr:visible"), page.get_by_text("Show all contestants")
        page.set_viewport_size({"width": PHONE, "height": 844})
        expect(rows).to_have_count(30)
        page.set_viewport_size({"width": 1280, "height": 900})
        expect(rows).to_have_count(30)
        page.get_by_role("button", name="Contestant", exact=True).click()
        expect(rows.first.locator("a").first).to_have_text(min((*map(view.title, view.rows),), key=str.casefold))
        expect(rows).to_have_count(30)
        sought = page.get_by_role("searchbox", name="Find a contestant")
        sought.fill("opus")
        expect(rows).to_have_count(sum("opus" in view.title(model).lower() for model in view.rows))
        expect(everyone).to_be_hidden()
        sought.fill("")
        everyone.click()
        expect(rows).to_have_count(len(view.rows))
        everyone.locator("..").evaluate("(details) => details.remove()")  # as before the browser has read of it
        expect(rows).to_have_count(30)
        assert visit.complaints == []
        last = visit.go(f"{view.url}#row-{[*view.rows][-1]}").locator(".nb-ranks tbody tr:visible")
        expect(last).to_have_count(1)


def test_on_a_phone_a_row_opens_what_fell_away(browser: Browser, mixed: str, view: RubricView) -> None:
    with visiting(browser, mixed, width=PHONE) as visit:
        page = visit.go(TASKS)
        row = page.locator(".nb-ranks tbody tr").first
        assert row.locator(".c-opt").first.is_hidden()
        opener = page.get_by_role("button", name="Details of Clear")
        opener.click()
        expect(opener).to_have_attribute("aria-expanded", "true")
        said = dict(zip(row.locator("dt").all_text_contents(), row.locator("dd").all_text_contents(), strict=True))
        assert said["Judges"] == words.number(view.rows["clear"].judge_mean, 2)
        assert said["Scored"] == f"{view.rows['clear'].n_scored} of 12"
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        opener.click()
        expect(row.locator("dl")).to_have_count(0)
        assert visit.complaints == []


def test_without_javascript_the_table_is_whole_and_its_heads_lead_to_the_method(
    browser: Browser, mixed: str, view: RubricView
) -> None:
    with visiting(browser, mixed, java_script_enabled=False) as visit:
        page = visit.go(TASKS)
        assert _names(page) == [*EVERYBODY, "Null: silence"]
        assert _strip(page)[2] == (str(view.results.n_items), "items")
        expect(page.locator(".nb-tools")).to_be_hidden()
        for head in page.locator(".nb-ranks th[scope=col] a").all():
            assert head.get_attribute("title")
            assert "glossary/#metric-" in (head.get_attribute("href") or "")


def test_what_cannot_be_loaded_is_said(browser: Browser, mixed: str) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=404, body="gone")

    with visiting(browser, mixed) as visit:
        page = visit.go(TASKS)
        page.route("**/groups.json", refuse)
        page.get_by_role("button", name="Coding").click()
        expect(_status(page)).to_contain_text("The table cannot do that now")
        assert _names(page) == EVERYBODY
        page.unroute("**/groups.json")
        page.get_by_role("button", name="Coding").click()
        expect(_status(page)).to_contain_text("Coding, 4 items")
