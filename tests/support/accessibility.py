"""What shuts readers out who cannot see a page, use no mouse, or need contrast: by axe-core, and colours by ourselves.

axe-core takes a second for the colours of a long page, too long for every page at every width by day and by night.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from playwright.sync_api import Page

_RUN = """async (colours) => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const rules = {'color-contrast': {enabled: colours}};
    const found = await axe.run(document, {runOnly: {type: 'tag', values: tags}, rules, resultTypes: ['violations']});
    return found.violations.flatMap(({id, help, nodes}) => nodes.map((node) =>
        `${id}: ${help}: ${node.html.slice(0, 160)}: ${node.any.concat(node.all).map((check) => check.message)}`));
}"""

_FAINT = """() => {
    const context = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
        .getContext('2d', {willReadFrequently: true});
    const known = new Map();
    const parts = (colour) => {
        if (!known.has(colour)) {
            context.clearRect(0, 0, 1, 1);
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
            known.set(colour, [...context.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
        }
        return known.get(colour);
    };
    const over = ([r, g, b, a], under) => [r, g, b].map((part, place) => part * a + under[place] * (1 - a));
    const behind = (element) => {
        if (!element) return [1, 1, 1];
        const colour = parts(getComputedStyle(element).backgroundColor);
        return colour[3] === 1 ? colour.slice(0, 3) : over(colour, behind(element.parentElement));
    };
    const luminance = (colour) => {
        const [r, g, b] = colour.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.matches(':disabled')) continue;
        const style = getComputedStyle(element);
        const surface = behind(element);
        const ink = over(parts(element instanceof SVGElement ? style.fill : style.color), surface);
        const [dark, light] = [luminance(ink), luminance(surface)].sort((a, b) => a - b);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        if ((light + 0.05) / (dark + 0.05) < (large ? 3 : 4.5)) {
            const name = `${element.localName}.${element.getAttribute('class')}`;
            faint.add(`${name}: ${walker.currentNode.data.trim().slice(0, 40)}`);
        }
    }
    return [...faint];
}"""

_LAID_OUT = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { content-visibility: visible !important; }");
  document.adoptedStyleSheets = [sheet];
}"""
"""Lays out what is below the screen, where boxes have no size of their own before a reader comes near."""


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def violations(page: Page, *, colours: bool = True) -> list[str]:
    """The violations of WCAG 2.2 A and AA that axe-core sees on the page as it stands, each in words.

    colours: whether it looks at the contrast of texts, which takes long.
    """
    page.evaluate(_LAID_OUT)
    page.evaluate(_axe())
    found: list[str] = page.evaluate(_RUN, colours)
    return found


def faint_texts(page: Page) -> list[str]:
    """The texts, those of drawings too, that stand out from what is behind them by less than WCAG AA asks for."""
    found: list[str] = page.evaluate(_FAINT)
    return found
