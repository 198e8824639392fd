"""Every kind of page, at every width, by day and by night: nothing complains, sticks out, or shuts a reader out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from support.accessibility import faint_texts, violations
from support.browser import DESKTOP, PHONE, TABLET, Visit, until, visiting
from support.pages import KINDS
from support.sites import Site

_OUT_OF_SIGHT = """() => [...document.querySelectorAll('article *')].filter((element) => {
    const box = element.getBoundingClientRect();
    if (!box.width || box.right <= innerWidth + 1 || element.closest('.nb-sr, svg')) return false;
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(outer).overflowX)) return false;
    }
    return true;
}).map((element) => element.outerHTML.slice(0, 80))"""

_SURFACE = "Math.max(...getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number))"

_BOTH = ("light", "dark")
_TWO = ((PHONE, ("dark",)), (DESKTOP, ("light",)))
_SIX = tuple((width, _BOTH) for width in (PHONE, TABLET, DESKTOP))


@pytest.fixture(scope="module")
def visit(browser: Browser, shipped: str) -> Iterator[Visit]:
    with visiting(browser, shipped, color_scheme="light", reduced_motion="reduce") as visit:
        yield visit


def _choose(page: Page, scheme: str) -> None:
    """Light or dark, by the button of the header."""
    wanted = "slate" if scheme == "dark" else "default"
    if page.evaluate("document.body.dataset.mdColorScheme") != wanted:
        page.get_by_role("button", name=f"Switch to {scheme} mode").click()
        until(page, "scheme => document.body.dataset.mdColorScheme === scheme", wanted)


@pytest.mark.parametrize(
    "combinations", [pytest.param(_TWO, id="two"), pytest.param(_SIX, id="six", marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("kind", [*KINDS, "attacks"])
def test_a_page_is_whole_at_every_width_by_day_and_by_night(
    kind: str, combinations: tuple[tuple[int, tuple[str, ...]], ...], visit: Visit, shipped_site: Site
) -> None:
    """Of two combinations the page is loaded once; axe-core looks at it on the phone, and leaves contrast to us."""
    visit.complaints.clear()
    found, whole, page = [], combinations is _SIX, visit.page
    for width, schemes in combinations:
        page.set_viewport_size({"width": width, "height": 900})
        if whole or width == PHONE:
            visit.go(shipped_site.example(kind))
        else:
            visit.settle()
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        for scheme in schemes:
            _choose(page, scheme)
            assert page.evaluate(_SURFACE) > 240 if scheme == "light" else page.evaluate(_SURFACE) < 40
            found += [f"{width} {scheme}: faint: {text}" for text in faint_texts(page)]
            if whole or width == PHONE:
                found += [f"{width} {scheme}: {rule}" for rule in violations(page, colours=whole)]
        found += [f"{width}: out of sight: {element}" for element in page.evaluate(_OUT_OF_SIGHT)]
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found += [f"{width}: {beyond} pixels wider than the screen"] if beyond > 0 else []
    assert found == []
    assert visit.complaints == []


def test_what_shuts_a_reader_out_would_be_found(visit: Visit) -> None:
    page = visit.go("judges/")
    _choose(page, "light")
    page.evaluate("""() => {
        document.querySelector('article').innerHTML = '<h1>x</h1><button></button><p style="color: #ddd">faint</p>'
            + '<p>some words <a href="./" style="text-decoration: none">a link</a> and more words</p>'
            + '<p><button>+</button><button>-</button></p><style>p button { height: 12px; width: 12px; }</style>';
    }""")
    rules = {violation.partition(":")[0] for violation in violations(page)}
    assert {"button-name", "color-contrast", "link-in-text-block", "target-size"} <= rules
    assert "color-contrast" not in {violation.partition(":")[0] for violation in violations(page, colours=False)}
    assert faint_texts(page) == ["p.null: faint"]
