"""The page of comparison in a browser: its statistics, its words, its choices, its address."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from support.browser import PHONE, Visit, address, visiting
from support.sites import Site

from nullbench_site.protocols.axes.specs import baseline_axes
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import DIGITS
from nullbench_site.site import words
from nullbench_site.site.differences import paired
from nullbench_site.site.pages.sentences import of_two
from nullbench_site.site.score_vectors import score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.stats.estimate import Estimate, paired_difference, quantile, two_sided_p
from nullbench_site.stats.ranking import cluster_parts, flip_statistic

CRITICAL = 2.5
_COMPARED = """async ([own, other, items, weights, places]) => {
    const { default: use } = await import(new URL('../assets/js/nullbench.js', document.baseURI).href);
    const { compared } = use('compare/paired.js');
    return compared(own, other, items, { weights, critical: CRITICAL, ...(places && { places }) });
}""".replace("CRITICAL", str(CRITICAL))
_STUDENT = """async (pairs) => {
    const { default: use } = await import(new URL('../assets/js/nullbench.js', document.baseURI).href);
    const { quantile, twoSidedP } = use('compare/student.js');
    return pairs.map(([t, df]) => [quantile(df), twoSidedP(t, df)]);
}"""
_WORDS = """async (values) => {
    const { default: use } = await import(new URL('../assets/js/nullbench.js', document.baseURI).href);
    const words = use('words.js');
    return values.map((value) => [
        words.number(value, 1), words.number(value, 0), words.number(value, 2), words.signed(value, 1),
        words.interval(value, value + 1.25), words.interval(value, value + 1.25, 1, true),
        words.percent(value), words.milliseconds(Math.abs(value)),
        words.dollars(Math.abs(value)), words.plural(Math.round(value), 'item'), words.of(3, Math.round(value)),
    ]);
}"""
_VALUES = (
    0, 1, -1, 0.05, 0.25, -0.25, 0.35, 2.5, 3.5, 12.25, -12.75, 0.125, -0.04, 1e-7, 0.00004, 0.9994, 0.9996, 0.996,
    99.94, 99.96, 999.4, 999.6, 999.95, -1234.5, 1234567.05, 62.5, 1 / 3,
)  # fmt: skip


@pytest.fixture
def visit(browser: Browser, small: str) -> Iterator[Visit]:
    with visiting(browser, small) as visit:
        yield visit


def _chosen(page: Page) -> list[str]:
    return page.locator(".nb-chosen a").all_inner_texts()


def _options(page: Page) -> Locator:
    """What the field suggests."""
    return page.locator("#nb-add-list option")


def _asked(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address(page)).query, keep_blank_values=True).items()}


def _shows(page: Page, *titles: str) -> None:
    expect(page.locator(".nb-chosen a")).to_have_text(list(titles))
    expect(page.locator("#nb-compare-status")).not_to_contain_text("Loading")
    others = titles[1:]
    expect(page.locator(".nb-verdict-said")).to_have_count(len(others))


def _paired(view: BoardView, model: str, other: str) -> Estimate:
    """How much more one contestant scores than another, by the functions of Python."""
    vectors = score_vectors(view)
    ours, theirs = ([nan if part is None else part for part in vectors.parts[each]] for each in (model, other))
    items = vectors.items.items
    groups, clusters = [item.group for item in items], [item.cluster for item in items]
    return paired_difference(ours, theirs, groups, clusters, scale=SCALE, weights=vectors.items.weights)


def _said(view: BoardView, reference: str, other: str) -> str:
    """The sentence on two contestants of a board, by the functions of Python."""
    return of_two(view, paired(view, other, reference))


# --- statistics and words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [3, pytest.param(6, marks=pytest.mark.sweep)])
def test_the_script_works_out_what_python_works_out(
    browser: Browser, shipped: str, shipped_site: Site, end: int
) -> None:
    with visiting(browser, shipped) as visit:
        page, checked = visit.go("compare/"), 0
        for view in shipped_site.data.views:
            vectors = score_vectors(view)
            places, models = vectors.items.items, list(view.rows)
            if len(models) == 1:
                continue
            holed = [None if n % 3 else score for n, score in enumerate(vectors.of_model[models[1]])]
            first = places[0].domain
            in_domain = [n for n, place in enumerate(places) if place.domain == first]
            for model in (*models[2:end], models[-1]):
                ours = vectors.of_model[model]
                for other in (vectors.of_model[models[0]], holed):
                    for chosen in (None, in_domain):
                        _is_the_same(page, vectors.items, ours, other, chosen)
                        checked += 1
        assert checked >= 20
        assert visit.complaints == []


def _is_the_same(
    page: Page, items: Any, ours: list[float | None], other: list[float | None], chosen: list[int] | None
) -> None:
    places = [{"group": place.group, "cluster": place.cluster} for place in items.items]
    weights = None if chosen else items.weights
    found = page.evaluate(_COMPARED, [ours, other, places, weights, chosen])
    taken = range(len(ours)) if chosen is None else chosen
    known = [[nan if each[n] is None else each[n] for n in taken] for each in (ours, other)]
    _is_what_python_finds(
        found, known, [places[n]["group"] if weights else 0 for n in taken],
        [places[n]["cluster"] for n in taken], weights,
    )  # fmt: skip


def _is_what_python_finds(found: Any, known: Any, groups: list[int], clusters: list[int], weights: Any) -> None:
    expected = paired_difference(*known, groups, clusters, weights=weights, scale=SCALE)
    if expected.value is None:
        assert found is None
        return
    assert (found["n"], found["clusters"]) == (expected.n, expected.clusters)
    apart = np.subtract(*known)
    there = ~np.isnan(apart)
    of_groups, group = np.unique(np.array(groups)[there], return_inverse=True)
    _, cluster = np.unique(np.array(clusters)[there], return_inverse=True)
    shares = None if weights is None else np.array(weights)[of_groups]
    (statistic,) = flip_statistic(cluster_parts(apart[there][np.newaxis], group, cluster, shares))
    # What is shown is rounded as results are.
    assert found["mean"] == pytest.approx(round(expected.value, DIGITS), abs=1e-9)
    assert found["own"] - found["other"] == pytest.approx(expected.value, abs=2 * 10**-DIGITS)
    sure = expected.reason is None
    for name, number in (
        ("se", expected.se), ("df", expected.df), ("statistic", None if expected.se is None else statistic),
        *((name, getattr(expected, name) and round(getattr(expected, name), DIGITS) if sure else None)
          for name in ("low", "high")),
    ):  # fmt: skip
        assert found[name] == (None if number is None else pytest.approx(number, rel=1e-8, abs=1e-9)), name
    holds_zero = expected.se and found["low"] is not None and found["low"] <= 0 <= found["high"]
    assert found["significant"] == (None if expected.se is None else statistic > CRITICAL and not holds_zero)


def test_students_distribution_is_that_of_python(visit: Visit) -> None:
    pairs = [(t, df) for t in (0.01, 0.7, 2.3, 5.0, 40.0) for df in (0.6, 1, 2.5, 7, 33.3, 154, 5000)]
    for (t, df), (of_95, p) in zip(pairs, visit.go("compare/").evaluate(_STUDENT, pairs), strict=True):
        assert of_95 == pytest.approx(float(quantile(0.95, df)), rel=1e-9), df
        assert p == pytest.approx(float(two_sided_p(t, df)), rel=1e-8, abs=1e-300), (t, df)


def test_groups_weights_and_clusters_count_as_they_do_in_python(visit: Visit) -> None:
    """Groups of several clusters and of one, clusters in two groups, differences that are all alike, and none."""
    page = visit.go("compare/")
    ours = [90.0, 10.0, 40.0, 70.0, 20.0, 55.5, 61.0, 12.0, 33.0, 78.0]
    theirs = [80.0, 30.0, 35.0, 10.0, 25.0, 50.0, 61.0, 20.0, 30.0, 60.0]
    groups, weights = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [0.5, 0.3, 0.2]
    for clusters in (
        [0, 1, 2, 3, 4, 4, 5, 6, 7, 8],
        [0, 1, 2, 3, 3, 4, 5, 5, 6, 7],
        [0] * 10,
        [0, 1, 2, 3, 4, 5, 6, 7, 7, 7],
    ):
        items = [{"group": group, "cluster": cluster} for group, cluster in zip(groups, clusters, strict=True)]
        for gone in ((), (0,), (4, 5), (0, 1, 2, 3), (0, 2, 4), tuple(range(10))):
            own = [None if n in gone else score for n, score in enumerate(ours)]
            for other in (theirs, ours, [score - 10 for score in ours]):
                found = page.evaluate(_COMPARED, [own, other, items, weights, None])
                known = [[nan if score is None else score for score in own], other]
                _is_what_python_finds(found, known, groups, clusters, weights)


def test_a_difference_of_a_quarter_reads_alike_on_every_page(visit: Visit) -> None:
    """What adding in another order leaves of 0.25 would be 0.3 on this page alone."""
    items = [{"group": 0, "cluster": n} for n in range(8)]
    found = visit.go("compare/").evaluate(_COMPARED, [[0.25000000000000006] * 8, [0] * 8, items, None, None])
    assert found["mean"] == 0.25
    assert words.signed(found["mean"], 1) == "+0.2"


def test_numbers_read_as_they_do_on_every_other_page(visit: Visit) -> None:
    for value, said in zip(_VALUES, visit.go("compare/").evaluate(_WORDS, list(_VALUES)), strict=True):
        whole = round(abs(value)) * (1 if value >= 0 else -1)
        assert said[:9] == [
            words.number(value, 1), words.number(value, 0), words.number(value, 2), words.signed(value, 1),
            words.interval(value, value + 1.25), words.interval(value, value + 1.25, signs=True),
            words.percent(value), words.milliseconds(abs(value)),
            words.dollars(abs(value)),
        ], value  # fmt: skip
        if abs(value) % 1 != 0.5:
            assert said[9:] == [words.plural(whole, "item"), words.of(3, whole)], value


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_the_page_opens_with_the_first_two_and_says_how_sure_their_difference_is(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = shipped_site.axes_views[0]
    first, second = [row.model for row in view.rows.values() if not view.is_null(row.model)][:2]
    with visiting(browser, shipped) as visit:
        page = visit.go(f"compare/?board={view.board.id}")
        _shows(page, view.title(first), view.title(second))
        expect(page.locator(".nb-verdict-said")).to_contain_text([_said(view, first, second)])
        headings = page.locator("#nb-compared h2").all_inner_texts()
        assert headings == [
            "Profiles", "By domain", "Items where they differ most"
        ]  # fmt: skip
        assert "Rule-based panel" in page.locator("#nb-compared").inner_text()
        assert visit.complaints == []


def test_every_domain_has_a_line_with_its_difference_and_a_verdict(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = shipped_site.axes_views[0]
    vectors = score_vectors(view)
    models = ("lead-3", "textrank-3")
    with visiting(browser, shipped) as visit:
        page = visit.go(f"compare/?board={view.board.id}&m={','.join(models)}")
        rows = page.locator(".nb-differences tbody tr")
        expect(rows).to_have_count(1 + len(view.board.domains))
        for line, domain in enumerate(view.board.domains, start=1):
            places = [n for n, place in enumerate(vectors.items.items) if place.domain == domain]
            ours, theirs = ([float(vectors.of_model[model][n] or 0) for n in places] for model in reversed(models))
            found = paired_difference(ours, theirs, [0] * len(places), places, scale=SCALE)
            assert found.reason is None
            said = f"{words.signed(found.value, 1)} {words.interval(found.low, found.high, signs=True)}"
            expect(rows.nth(line).locator(".c-verdict")).to_have_text(said)
            cells = rows.nth(line).locator("td.num").all_inner_texts()
            scores = [view.results.domains[line - 1].rows for _ in models]
            own = {row.model: row.goal_alignment for row in scores[0]}  # type: ignore[union-attr]
            assert cells == [words.number(own[model]) for model in models]
        drawn = page.locator(".nb-differences .nb-iv")
        assert drawn.count() == 1 + len(view.board.domains)


def test_four_are_held_against_the_first_with_marks_that_need_no_colour(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = shipped_site.axes_views[0]
    models = ["lead-3", "textrank-3", "task-aware", "null-structured"]
    with visiting(browser, shipped, width=PHONE) as visit:
        page = visit.go(f"compare/?board={view.board.id}&m={','.join(models)}")
        _shows(page, *map(view.title, models))
        expect(page.locator(".nb-verdict-said")).to_contain_text(
            [_said(view, models[0], other) for other in models[1:]]
        )
        lines = page.locator(".nb-chosen .nb-look-line")
        assert lines.count() == 4
        dashes = [lines.nth(n).evaluate("line => getComputedStyle(line).strokeDasharray") for n in range(4)]
        assert len(set(dashes)) == 4
        expect(page.locator("#nb-add")).to_be_disabled()
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert visit.complaints == []


def test_profiles_stand_on_one_scale_with_their_goals(visit: Visit, small_site: Site) -> None:
    view = small_site.axes_views[0]
    page = visit.go("compare/?board=small&m=lead-2,textrank-2")
    _shows(page, "Lead-2", "TextRank-2 (provisional)")
    rows = page.locator(".nb-profiles tbody tr")
    for line, axis in enumerate(baseline_axes(view.benchmark)):
        means = [view.rows[model].axes[axis] for model in ("lead-2", "textrank-2")]
        cells = rows.nth(line).locator("td.num").all_inner_texts()
        assert cells == [words.number(value, 2) for value in (*means, view.radar_spec.goals[axis])]
        places = (
            rows.nth(line).locator(".nb-look").evaluate_all("all => all.map((g) => g.transform.baseVal[0].matrix.e)")
        )
        assert places == pytest.approx([50 * (mean - 1) for mean in means], abs=0.01)


def test_the_items_where_they_differ_most_lead_to_the_answers(visit: Visit, small_site: Site) -> None:
    page = visit.go("compare/?board=small&m=lead-2,textrank-2")
    vectors = score_vectors(small_site.data.views[0])
    pairs = zip(vectors.items.items, vectors.of_model["lead-2"], vectors.of_model["textrank-2"], strict=True)
    apart = {place.id: abs((own or 0) - (other or 0)) for place, own, other in pairs}
    table = page.locator("table", has=page.get_by_text("Items where they differ most", exact=True))
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(sum(points > 0 for points in apart.values()))
    shown = [float(text) for text in rows.locator("td:last-child").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == pytest.approx(max(apart.values()), abs=0.051)
    item = rows.first.locator("th").inner_text()
    rows.first.get_by_role("link").first.click()
    page.wait_for_url("**/evidence/#**")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address(page)).fragment).items()}
    assert asked["model"] == "lead-2"
    assert asked["item"] == item
    assert asked["board"] == "small"


def test_where_a_claim_may_be_made_the_script_makes_the_one_that_python_makes(
    browser: Browser, talking: str, claims_site: Site
) -> None:
    (view,) = claims_site.data.views
    with visiting(browser, talking) as visit:
        page = visit.go("compare/?m=copy,first-option")
        expect(page.locator(".nb-verdict-said")).to_have_text([_said(view, "copy", "first-option")])
        expect(page.locator(".nb-verdict-said")).to_contain_text("Echo is better than First option by")
        expect(page.locator("#nb-compared")).to_contain_text("Item by item")
        assert visit.complaints == []


@pytest.mark.parametrize(
    ("protocol", "served", "built"), [("rubric", "mixed", "mixed_site"), ("oracle", "keyed", "axes_and_oracle_site")]
)
def test_boards_of_other_protocols_are_compared_too(
    protocol: str, served: str, built: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    origin, site = request.getfixturevalue(served), request.getfixturevalue(built)
    view = next(view for view in site.data.views if view.board.protocol == protocol)
    models = list(view.rows)[:3]
    with visiting(browser, origin) as visit:
        page = visit.go(f"compare/?board={view.board.id}&m={','.join(models)}")
        _shows(page, *map(view.title, models))
        for other, text in zip(models[1:], page.locator(".nb-verdict-said").all_inner_texts(), strict=True):
            found = _paired(view, other, models[0])
            assert found.value is not None
            if found.value:
                assert words.number(abs(found.value)) in text
        assert visit.complaints == []


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_the_keyboard_alone_adds_a_contestant_makes_it_the_reference_and_removes_one(visit: Visit) -> None:
    page = visit.go("compare/?board=small&m=lead-2,textrank-2")
    _shows(page, "Lead-2", "TextRank-2 (provisional)")
    field = page.get_by_role("combobox", name="Add a contestant")
    field.focus()
    page.keyboard.type("Null: empty")
    page.keyboard.press("Enter")
    _shows(page, "Lead-2", "TextRank-2 (provisional)", "Null: empty")
    assert _asked(page) == {"board": "small", "m": "lead-2,textrank-2,null-empty"}
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"nothing shows that {reached[-1]} has the focus"
        if reached[-1] == "Make reference Null: empty":
            break
    page.keyboard.press("Enter")
    _shows(page, "Null: empty", "Lead-2", "TextRank-2 (provisional)")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    page.get_by_role("button", name="Remove Lead-2").press("Enter")
    _shows(page, "Null: empty", "TextRank-2 (provisional)")
    assert visit.complaints == []


def test_the_field_suggests_the_others_and_says_when_nobody_has_the_name(visit: Visit) -> None:
    page = visit.go("compare/?board=small&m=lead-2")
    _shows(page, "Lead-2")
    expect(page.locator("#nb-compare-status")).to_have_text("Add a contestant to compare this one with.")
    field = page.get_by_role("combobox", name="Add a contestant")
    expect(_options(page)).to_have_count(3)
    field.fill("zebra")
    page.keyboard.press("Enter")
    expect(page.locator("#nb-compare-status")).to_have_text("No other contestant of the board is called “zebra”.")
    _shows(page, "Lead-2")
    field.fill("TextRank-2 (provisional)")
    page.keyboard.press("Enter")
    _shows(page, "Lead-2", "TextRank-2 (provisional)")


def test_back_and_forward_walk_through_the_choices_and_the_address_restores_one(visit: Visit, browser: Browser) -> None:
    page = visit.go("compare/")
    _shows(page, "Lead-2", "TextRank-2 (provisional)")
    page.get_by_role("button", name="Make reference TextRank-2 (provisional)").click()
    _shows(page, "TextRank-2 (provisional)", "Lead-2")
    page.get_by_role("link", name="Waters").click()
    _shows(page, "TextRank-2 (provisional)", "Null: one sentence")
    assert _asked(page) == {"board": "waters", "m": "textrank-2,null-constant"}
    with visiting(browser, visit.origin) as other:
        again = other.go(address(page).removeprefix(visit.origin))
        _shows(again, "TextRank-2 (provisional)", "Null: one sentence")
        assert again.locator("#nb-compared").inner_text() == page.locator("#nb-compared").inner_text()
    page.go_back()
    _shows(page, "TextRank-2 (provisional)", "Lead-2")
    expect(page.locator(".nb-tabs [aria-current]")).to_have_text("Small")
    page.go_back()
    _shows(page, "Lead-2", "TextRank-2 (provisional)")
    page.go_forward()
    _shows(page, "TextRank-2 (provisional)", "Lead-2")
    assert visit.complaints == []


def test_what_an_address_asks_for_in_vain_is_said(visit: Visit) -> None:
    page = visit.go("compare/")
    for query, titles, note in (
        ("m=lead-2,nosuch,textrank-2", ["Lead-2", "TextRank-2 (provisional)"], "No contestant “nosuch” on this board."),
        ("m=lead-2,lead-2,,textrank-2", ["Lead-2", "TextRank-2 (provisional)"], ""),
        (
            "board=nosuch&m=lead-2,textrank-2",
            ["Lead-2", "TextRank-2 (provisional)"],
            "There is no board “nosuch”; this is “Small”.",
        ),
        (
            "board=waters&m=textrank-2,lead-2,null-constant",
            ["TextRank-2 (provisional)", "Null: one sentence"],
            "Lead-2 is not on the board “Waters”; it is on “Small”.",
        ),
        ("m=", [], "Choose two contestants to compare."),
        ("m=constructor,__proto__", [], "No contestant “constructor” on this board."),
        (
            "m=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E,lead-2",
            ["Lead-2"],
            "No contestant “<img src=x onerror=alert(1)>”",
        ),
        ("board=%&m=%,lead-2", ["Lead-2"], "There is no board “%”"),
    ):
        page.evaluate("(q) => { history.pushState(null, '', q); dispatchEvent(new Event('popstate')); }", f"?{query}")
        expect(page.locator(".nb-chosen a")).to_have_text(titles)
        expect(page.locator("#nb-compare-status")).to_contain_text(note)
        expect(page.locator("#nb-compare-status")).not_to_contain_text("Loading")
    assert visit.complaints == []


def test_of_more_than_four_the_rest_is_left_out_and_named(browser: Browser, shipped: str, shipped_site: Site) -> None:
    view = shipped_site.data.views[0]
    models = list(view.rows)[:6]
    with visiting(browser, shipped) as visit:
        page = visit.go(f"compare/?board={view.board.id}&m={','.join(models)}")
        _shows(page, *map(view.title, models[:4]))
        left = " and ".join(map(view.title, models[4:]))
        expect(page.locator("#nb-compare-status")).to_have_text(f"At most 4 are compared; {left} left out.")


def test_scores_that_cannot_be_loaded_are_told_and_nothing_else_is_shown_for_them(visit: Visit) -> None:
    visit.page.route("**/scores/null-empty.json", lambda route: route.abort())
    page = visit.go("compare/?board=small&m=lead-2,null-empty")
    expect(page.locator("#nb-compare-status")).to_contain_text("could not be loaded")
    expect(page.locator("#nb-compared")).to_be_empty()
    page.unroute("**/scores/null-empty.json")
    page.get_by_role("button", name="Make reference Null: empty").click()
    _shows(page, "Null: empty", "Lead-2")
    expect(page.locator("#nb-compared")).not_to_be_empty()


def test_missing_scores_are_left_out_and_the_rest_is_compared(visit: Visit, small_site: Site) -> None:
    scores = small_site.json("boards/small/scores/textrank-2.json")
    holed = [None, *scores["overall"][1:]]
    visit.page.route("**/small/scores/textrank-2.json", lambda route: route.fulfill(json={**scores, "overall": holed}))
    visit.page.route("**/small/scores/null-empty.json", lambda route: route.fulfill(json={"overall": [None] * 6}))
    page = visit.go("compare/?board=small&m=lead-2,textrank-2,null-empty")
    _shows(page, "Lead-2", "TextRank-2 (provisional)", "Null: empty")
    said = page.locator(".nb-verdict-said").all_inner_texts()
    assert "5 shared items" in said[0]
    assert said[1] == "No item has a score of both Lead-2 and Null: empty."
    assert "no score" in page.locator("#nb-compared").inner_text()
    assert visit.complaints == []


def test_what_the_score_of_a_board_is_the_mean_of_is_compared_where_that_is_not_the_scores_of_items(
    visit: Visit, small_site: Site
) -> None:
    parts = [score + 7 for score in small_site.json("boards/small/scores/lead-2.json")["overall"]]
    of_board = {"overall": [None] * 6, "parts": parts}
    visit.page.route("**/small/scores/null-empty.json", lambda route: route.fulfill(json=of_board))
    page = visit.go("compare/?board=small&m=lead-2,null-empty")
    _shows(page, "Lead-2", "Null: empty")
    (said,) = page.locator(".nb-verdict-said").all_inner_texts()
    assert "6 items, 7.0" in said


def test_hostile_titles_are_shown_as_text(browser: Browser, hostile: str, hostile_site: Site) -> None:
    view = hostile_site.data.views[0]
    with visiting(browser, hostile) as visit:
        page = visit.go("compare/")
        first = next(row.model for row in view.rows.values() if not view.is_null(row.model))
        expect(page.locator(".nb-chosen a").first).to_have_text(" ".join(view.title(first).split()))
        expect(page.locator("#nb-compared h2")).not_to_have_count(0)
        expect(_options(page)).to_have_count(2)
        page.locator("#nb-add").fill(_options(page).first.get_attribute("value") or "")
        page.locator("#nb-add").press("Enter")
        expect(page.locator(".nb-chosen a")).to_have_count(3)
        assert page.locator("#nb-compare img, #nb-compare style, #nb-compared script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert visit.complaints == []


def test_without_a_script_the_boards_that_compare_neighbours_are_listed(browser: Browser, small: str) -> None:
    with visiting(browser, small, java_script_enabled=False) as visit:
        page = visit.go("compare/")
        expect(page.locator("#nb-compare")).to_be_hidden()
        expect(page.locator("noscript")).to_be_visible()
        expect(page.locator("a[href$='boards/small/#hangs-on']")).to_be_visible()
