"""A real browser over a built site, served on loopback below a path prefix as project pages are."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

PREFIX = "/some/prefix/"
PHONE, TABLET, DESKTOP = 390, 768, 1440
_IDLE = """async () => {
    await new Promise((done) => requestIdleCallback(done, {timeout: 1000}));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""
_PATIENCE = 60.0
"""Seconds until what does not come is a failure: a busy machine takes ten times as long as an idle one."""
expect.set_options(timeout=1000 * _PATIENCE)
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


class _Handler(SimpleHTTPRequestHandler):
    """The files of a folder below the prefix, and nothing at any other address."""

    def translate_path(self, path: str) -> str:
        if not path.startswith(PREFIX):
            return str(Path(self.directory) / "no-such-file-outside-the-prefix")
        return super().translate_path(path.removeprefix(PREFIX.rstrip("/")))

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """Says nothing of a browser that left before it had everything."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a built site while it is served."""
    with _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def launched() -> Iterator[Browser]:
    """Debian's Chromium or Chrome; where there is neither, the one that playwright installed.

    The shell comes first: it draws no window around a page, which takes as long as most pages do.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    own = next((path for path in map(shutil.which, names) if path), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=own, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page in the browser, and all that went wrong on it."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    waiting: set[Request] = field(default_factory=set)
    scripts: bool = True

    def __post_init__(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)
        self.page.on("response", self._response)
        self.page.on("requestfinished", self._ended)
        self.page.on("requestfailed", self._ended)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        self.waiting.add(request)
        self.requests.append(request.url)
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.complaints.append(f"request off the site: {request.url}")

    def _ended(self, request: Request) -> None:
        self.waiting.discard(request)

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status}: {response.url}")

    def go(self, url: str) -> Page:
        """Open a page of the site, with what it loads; an address with a hash is opened anew."""
        if "#" in url:
            self.page.goto("about:blank")
        self.waiting.clear()
        self.page.goto(f"{self.origin}{url}", wait_until="load")
        if self.scripts:
            self.settle()
        return self.page

    def settle(self) -> None:
        """Wait for what scripts ask for after loading, and for what they make of it."""
        end, quiet = monotonic() + _PATIENCE, 0
        while quiet < 2:
            assert monotonic() < end, f"still waiting after {_PATIENCE:.0f} s: {[each.url for each in self.waiting]}"
            self.page.evaluate(_IDLE)
            quiet = 0 if self.waiting else quiet + 1


def until(page: Page, truth: str | Callable[[], bool], arg: Any = None) -> None:
    """Wait for an expression in the page, or for what the browser told us, to be true.

    Playwright's own way makes code of text in the page, which the policy forbids.
    """
    end = monotonic() + _PATIENCE
    while not (page.evaluate(truth, arg) if isinstance(truth, str) else truth()):
        assert monotonic() < end, f"not true within {_PATIENCE:.0f} s: {truth}"
        page.wait_for_timeout(20)


def address(page: Page) -> str:
    """The address as the page itself has it; the browser tells us of a change by a script some time later."""
    found: str = page.evaluate("location.href")
    return found


@contextmanager
def visiting(browser: Browser, origin: str, *, width: int = DESKTOP, **options: Any) -> Iterator[Visit]:
    """A new page at a width. options: of the browser's context, such as color_scheme and java_script_enabled."""
    context: BrowserContext = browser.new_context(viewport={"width": width, "height": 900}, **options)
    try:
        context.set_default_timeout(1000 * _PATIENCE)
        yield Visit(context.new_page(), origin, scripts=options.get("java_script_enabled", True))
    finally:
        context.close()
