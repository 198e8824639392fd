"""A board of games in a real browser: its pages, and both answers beside each other or, on a phone, stacked."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect
from support.browser import DESKTOP, PHONE, visiting
from support.evidence import shown_answers
from support.explorer import opened
from support.pairwise_sites import BOARD, HOSTILE, LONG_BOARD, N_PROMPTS
from support.sites import Site

from nullbench_site.site import words


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_games_show_side_by_side_or_on_a_phone_stacked(browser: Browser, beside: str, width: int, scheme: str) -> None:
    with visiting(browser, beside, width=width, color_scheme=scheme) as visit:
        page = visit.go(f"evidence/#board={BOARD}&model=copy&item=rain-1")
        opened(page, "rain-1")
        boxes = [box.bounding_box() for box in page.locator(".nb-beside > div").all()]
        (own, other) = (box for box in boxes if box is not None)
        if width == PHONE:
            assert other["y"] >= own["y"] + own["height"]
            assert other["x"] == own["x"]
        else:
            assert other["y"] == own["y"]
            assert other["x"] >= own["x"] + own["width"]
        said = page.locator("#nb-answer").inner_text()
        for words in ("This answer", "Balanced essay", "Against Verbose paraphrase", "shown first", "shown second"):
            assert words in said
        assert HOSTILE in said
        assert page.title() != "broken"
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert visit.complaints == []


def _ended(games: list[dict[str, Any]], opponent: str) -> str:
    """How the verdicts on an answer against that of an opponent ended, in words."""
    shares = [
        game["scores"]["preference"] - 1 if game["position"] == 1 else 2 - game["scores"]["preference"]
        for game in games
        if game["opponent"] == opponent
    ]
    tally = {"won": sum(s > 0.5 for s in shares), "drawn": shares.count(0.5), "lost": sum(s < 0.5 for s in shares)}
    return ", ".join(f"{n} {name}" for name, n in tally.items() if n)


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_two_who_are_compared_show_their_games_item_by_item(
    browser: Browser, beside: str, pairwise_site: Site, width: int, scheme: str
) -> None:
    (view,) = (view for view in pairwise_site.data.views if view.board.id == BOARD)
    models, titles = ("essay", "copy"), {name: view.title(name) for name in ("essay", "copy", "paraphrase")}
    score = {(row.model, row.item): row.overall or 0.0 for row in view.results.items}
    order = sorted((item.id for item in view.items), key=lambda item: -abs(score["essay", item] - score["copy", item]))
    with visiting(browser, beside, width=width, color_scheme=scheme) as visit:
        page = visit.go(f"compare/?board={BOARD}&m=essay,copy")
        games = page.locator(".nb-games tbody tr")
        expect(games.locator("th")).to_have_text(order)
        for model, line in zip(
            models, page.get_by_label("Items by what was won").locator("tbody tr").all(), strict=True
        ):
            of_model = [score[model, item] for item in order]
            ended = [sum(s > 50 for s in of_model), of_model.count(50), sum(s < 50 for s in of_model)]
            expect(line.locator("td")).to_have_text([*map(str, ended), "0"])
        for item, line in zip(order, games.all(), strict=True):
            for place, model in enumerate(models):
                found = shown_answers(pairwise_site.folder, BOARD, model)[item]["samples"][0]["games"]
                lines = [f"{titles[opponent]}: {_ended(found, opponent)}" for opponent in ("essay", "paraphrase")]
                cell = line.locator("td").nth(place)
                expect(cell.locator(".nb-parts")).to_have_text([text for text in lines if not text.endswith(": ")])
                expect(cell.locator(".nb-item-score")).to_contain_text(words.number(score[model, item]))
        (met,) = (row for row in view.results.pairs if (row.model, row.opponent) == ("copy", "essay"))
        against = f"Against each other: {titles['copy']} won {words.number(met.win_rate)} of 100 over 3 answers against"
        why = f"{against} {titles['essay']} (no interval: too few: 3 clusters of items, and an interval needs 6)."
        expect(page.locator("#nb-compared")).to_contain_text(why)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert visit.complaints == []


def test_an_answer_that_failed_says_so_where_its_games_would_stand(browser: Browser, beside: str) -> None:
    def failed(route: Route) -> None:
        tile = route.fetch().json()
        for contestant in tile["contestants"]:
            contestant["states"] = "1" * len(contestant["states"])
        route.fulfill(json=tile)

    def without_games(route: Route) -> None:
        answers = route.fetch().json()
        for answer in answers.values():
            answer["samples"] = []
        route.fulfill(json=answers)

    with visiting(browser, beside) as visit:
        visit.page.route("**/evidence/**/scores/*.json", failed)
        visit.page.route("**/evidence/**/answers/**", without_games)
        page = visit.go(f"compare/?board={BOARD}&m=essay,copy")
        expect(page.locator(".nb-games tbody tr").first.locator(".nb-parts")).to_have_text(["failed", "failed"])


@pytest.mark.parametrize("width", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.sweep)])
def test_a_long_list_of_items_unfolds_and_leads_to_what_is_behind_each(
    browser: Browser, beside: str, width: int
) -> None:
    n = N_PROMPTS
    with visiting(browser, beside, width=width) as visit:
        page = visit.go(f"domains/{LONG_BOARD}/drops/")
        rows = page.locator("#items ~ details tbody tr")
        expect(rows).to_have_count(n)
        expect(rows.first).to_be_hidden()
        folded = page.evaluate("document.documentElement.scrollHeight")
        page.locator("summary", has_text=f"All {n} items").press("Enter")
        expect(rows.first).to_be_visible()
        rows.last.scroll_into_view_if_needed()
        assert page.evaluate("document.documentElement.scrollHeight") > folded + n * 24
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        box = rows.last.locator("td.num").first.bounding_box()
        assert box["x"] + box["width"] <= width
        last = rows.last.get_by_role("link")
        item = last.inner_text()
        last.click()
        opened(page, item)
        assert visit.complaints == []


def test_a_control_stands_beside_the_answers_it_is_held_against(browser: Browser, beside: str) -> None:
    with visiting(browser, beside) as visit:
        page = visit.go(f"evidence/#board={BOARD}/controls&model=control-ideal&item=rain-2")
        opened(page, "rain-2")
        said = page.locator("#nb-answer").inner_text()
        assert "A rain gauge" in said
        assert "Against Balanced essay" in said
        assert visit.complaints == []
