"""The policy of a page in a real browser: what is not ours does not run, wherever it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from playwright.sync_api import Browser, expect
from support.browser import Visit, served, until, visiting
from support.sites import Site

_INJECTED = (
    "<script>window.ran = 'script'</script><script type=module>window.ran = 'module'</script>"
    "<img src=gone.png onerror=\"window.ran = 'handler'\">"
    "<a id=link href=\"javascript:void(window.ran = 'link')\">x</a>"
    "<svg><script>window.ran = 'drawing'</script></svg>"
    "<iframe srcdoc=\"<script>parent.ran = 'frame'</script>\"></iframe>"
    "<script src=data:text/javascript,window.ran='data'></script><object data=data:text/html,x></object>"
)


@pytest.fixture(scope="module")
def injected(small_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small site with scripts put into its home page; boards/ has the same page without its policy."""
    folder = tmp_path_factory.mktemp("injected") / "site"
    copytree(small_site.folder, folder)
    home = (folder / "index.html").read_text("utf-8").replace("</article>", f"{_INJECTED}</article>")
    (folder / "index.html").write_text(home, "utf-8")
    (folder / "bare.html").write_text(home.replace("Content-Security-Policy", "X-Nothing"), "utf-8")
    return folder


@pytest.fixture
def visit(browser: Browser, injected: Path) -> Iterator[Visit]:
    with served(injected) as origin, visiting(browser, origin) as visit:
        yield visit


def _refused(visit: Visit) -> int:
    return sum("Content Security Policy" in complaint for complaint in visit.complaints)


def test_what_is_injected_into_a_page_does_not_run(visit: Visit) -> None:
    page = visit.go("")
    until(page, lambda: _refused(visit) >= 6)
    before = _refused(visit)
    page.locator("#link").click()
    until(page, lambda: _refused(visit) > before)
    assert page.evaluate("window.ran") is None
    # What is ours runs beside it.
    expect(page.locator("html.js")).to_have_count(1)
    expect(page.get_by_role("button", name="Switch to dark mode")).to_be_visible()


def test_without_the_policy_it_would_run(visit: Visit) -> None:
    page = visit.go("bare.html")
    until(page, "window.ran")
    page.evaluate("window.ran = null")
    page.locator("#link").click()
    until(page, "window.ran === 'link'")


def test_a_script_of_the_page_can_make_no_code_of_text_and_ask_no_other_host(visit: Visit) -> None:
    # Code in a file of the site's own, as an attacker who could change one would have it.
    attack = """
        const refused = [];
        document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
        try { eval('1') } catch { refused.push('eval') }
        const elsewhere = location.origin.replace('127.0.0.1', 'localhost') + '/x';
        await fetch(elsewhere).catch(() => refused.push('fetch'));
        new Image().src = elsewhere;
        document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: elsewhere}));
        document.body.append(Object.assign(document.createElement('form'), {action: elsewhere, id: 'away'}));
        document.getElementById('away').requestSubmit();
        await new Promise((done) => setTimeout(done, 100));
        window.refused = refused;
    """
    page, failed = visit.page, []
    page.on("requestfailed", lambda request: failed.append((request.url, request.failure)))
    page.route("**/attack.js", lambda route: route.fulfill(content_type="text/javascript", body=attack))
    visit.go("judges/")
    page.evaluate("document.head.append(Object.assign(document.createElement('script'), "
                  "{type: 'module', src: new URL('../attack.js', location)}))")  # fmt: skip
    until(page, "window.refused")
    refused = set(page.evaluate("window.refused"))
    assert {"eval", "fetch", "script-src", "connect-src", "img-src", "style-src-elem", "form-action"} <= refused
    elsewhere = [address for address in visit.requests if "localhost" in address]
    assert elsewhere
    assert sorted(failed) == sorted((address, "csp") for address in elsewhere)
