"""The evidence explorer in a browser: opening an answer, and waiting until it is shown."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect
from support.browser import address, until


def opened(page: Page, item: str, *, model: str | None = None) -> None:
    """Wait until the answer to that item is open and shown. model: its contestant, by title."""
    current = page.locator(".nb-hit[aria-current]")
    expect(current.locator(".nb-hit-item")).to_have_text(item)
    if model is not None:
        expect(page.locator("#nb-answer h2")).to_have_text(model)
    expect(page.locator(".nb-opened")).to_have_attribute("aria-busy", "false")


def open_answer(page: Page, board: str, model: str, item: str) -> None:
    """Open an answer by its address, on a page of the explorer."""
    page.evaluate("hash => { location.hash = hash }", f"board={board}&model={model}&item={item}")
    until(page, "model => document.querySelector('select[name=model]').value === model", model)
    opened(page, item)


def state(page: Page) -> dict[str, str]:
    """What the address says."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address(page)).fragment).items()}
