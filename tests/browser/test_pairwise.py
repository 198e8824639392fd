"""A board of games in a real browser: its pages, and both answers beside each other or, on a phone, stacked."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from support.browser import DESKTOP, PHONE, visiting
from support.explorer import opened
from support.pairwise_sites import BOARD, HOSTILE

PAGES = ("", "domains/", f"domains/{BOARD}/rain/", "models/copy/", "judges/", "methodology/", "data/", "compare/")


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_pages_and_games_show_without_a_complaint(browser: Browser, beside: str, width: int, scheme: str) -> None:
    with visiting(browser, beside, width=width, color_scheme=scheme) as visit:
        for url in PAGES:
            page = visit.go(url)
            expect(page.locator("h1")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
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


def test_a_control_stands_beside_the_answers_it_is_held_against(browser: Browser, beside: str) -> None:
    with visiting(browser, beside) as visit:
        page = visit.go(f"evidence/#board={BOARD}/controls&model=control-ideal&item=rain-2")
        opened(page, "rain-2")
        said = page.locator("#nb-answer").inner_text()
        assert "A rain gauge" in said
        assert "Against Balanced essay" in said
        assert visit.complaints == []
