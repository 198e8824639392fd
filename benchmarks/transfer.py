"""Measure what a browser loads for a page, in kilobytes after gzip, and its longest task."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SETTLED_MS = 1_500
"""In which a page asks for what its scripts want, on a busy machine too."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def browsing(site: Path) -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of the site while it is served on loopback."""
    own = next((path for path in map(shutil.which, _BROWSERS) if path), None)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox", "--disable-gpu"])
            try:
                yield browser, f"http://127.0.0.1:{server.server_port}/"
            finally:
                browser.close()
                server.shutdown()
                thread.join()


def loaded(browser: Browser, origin: str, site: Path, url: str, then: Callable[[Page], None] | None = None) -> set[str]:
    """The files of the site that the page at `url` loads, by path; `then`: what a reader does on it."""
    files: set[str] = set()
    context = browser.new_context()
    page = context.new_page()
    page.on("request", lambda request: files.add(request.url.removeprefix(origin).partition("#")[0].partition("?")[0]))
    page.goto(f"{origin}{url}", wait_until="load")
    page.wait_for_timeout(_SETTLED_MS)
    if then is not None:
        then(page)
        page.wait_for_timeout(_SETTLED_MS)
    context.close()
    return {f"{name}index.html" if not name or name.endswith("/") else name for name in files}


def kilobytes(site: Path, files: set[str]) -> float:
    """The sum of the files, each compressed by gzip."""
    return sum(len(gzip.compress((site / name).read_bytes())) for name in files if (site / name).is_file()) / 1_000


def longest_task(browser: Browser, url: str) -> float:
    """Return the longest task of a page on a phone, in milliseconds of CPU 4 times slower; best of three."""
    return min(_longest_task(browser, url) for _ in range(3))


def _longest_task(browser: Browser, url: str) -> float:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    browser.start_tracing(page=page, categories=["toplevel"])
    page.goto(url, wait_until="load")
    page.wait_for_timeout(_SETTLED_MS)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    threads = {(each["pid"], each["tid"]) for each in events if each["args"].get("name") == "CrRendererMain"}
    tasks = [each["tdur"] for each in events if "tdur" in each and (each["pid"], each["tid"]) in threads]
    return float(4 * max(tasks) / 1_000)
