"""The files at the root of the site for programs that come by: robots.txt, llms.txt, the feed and the citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nullbench_site.site import citation, paths
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.feed import feed
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.panel import panel_words
from nullbench_site.site.run_changes import RunChange

_MARKDOWN = re.compile(r"[\\`*_\[\]<>&~|]|^[-+#=]|(?<=^\d)[.)]")
"""What may mean something to Markdown within a line, or at its beginning."""
_PAGES = (
    (paths.METHOD, "Methodology", "how every number is made, with its formula and source"),
    (paths.JUDGES, "Judges", "who judges, and how far they agree"),
    (paths.RUNS, "Runs", "every run, what changed since the one before, and how to verify it"),
    (paths.DATA, "Data", "downloads, schemas, the data dictionary and how to cite"),
)


def site_address(settings: Mapping[str, Any]) -> str | None:
    """Where the site will stand, with a slash at its end; None where mkdocs.yml does not say, or by a variable."""
    address = settings.get("site_url")
    if not isinstance(address, str) or not re.match(r"https?://[^\s/]", address):
        return None
    return address if address.endswith("/") else f"{address}/"


def root_files(site: SiteData, changes: Mapping[str, RunChange], address: str | None) -> Iterator[tuple[str, bytes]]:
    """Name at the root of the site -> content. changes: of each run against the one before it."""
    yield "robots.txt", robots_txt(address)
    yield "llms.txt", llms_txt(site, address)
    yield paths.FEED, feed(site, changes, address)
    yield citation.NAME, citation.citation_cff(site, address)


def robots_txt(address: str | None) -> bytes:
    """Everybody may read everything. A sitemap has to be named with its whole address."""
    sitemap = f"\nSitemap: {address}sitemap.xml\n" if address else ""
    return f"User-agent: *\nAllow: /\n{sitemap}".encode()


def llms_txt(site: SiteData, address: str | None) -> bytes:
    """What there is, in the form of llmstxt.org: a title, a summary, and sections of links."""
    return "\n".join(_llms(site, address or "")).encode() + b"\n"


def _llms(site: SiteData, base: str) -> Iterator[str]:
    about, manifest = site.benchmark.about, site.entry.manifest
    when = f"sealed {manifest.sealed_at[:10]}" if manifest.sealed_at else "not sealed yet"
    yield f"# {_line(about.title)}"
    yield f"\n> {_line(about.description)}"
    licence = f"Licence of specs and data: {_line(about.license)}."
    yield f"\nVersion {manifest.version}, run {manifest.run}, {when}. {licence}"
    yield "\n## Boards\n"
    for view in site.views:
        asked = f"{view.board.question} {panel_words(view)}"
        yield f"- [{_line(view.board.title)}]({base}{view.url or './'}): {_line(asked)}"
    yield "\n## Data\n"
    yield f"- [index.json]({base}{ROOT}/index.json): boards, contestants, metrics, and where their files are"
    for view in site.views:
        files = f"{base}{ROOT}/boards/{view.board.id}"
        yield f"- [{view.board.id}.csv]({files}.csv): the board {_line(view.board.title)} as a table"
        yield f"- [{view.board.id}.json]({files}.json): the same with everything it is made of"
    yield f"- [runs.json]({base}{ROOT}/runs.json): every run with its digests"
    yield "\n## Method\n"
    yield from (f"- [{title}]({base}{url}): {what}" for url, title, what in _PAGES)
    yield "\n## Optional\n"
    yield f"- [Contestants]({base}{paths.MODELS}): the fingerprint of each"
    yield f"- [Domains]({base}{paths.DOMAINS}): each board by domain"
    yield f"- [Evidence]({base}{paths.EVIDENCE}): prompts, answers and verdicts; private items without their texts"
    yield f"- [{citation.NAME}]({base}{citation.NAME}): how to cite"


def _line(text: str) -> str:
    """A text of a spec on one line, as Markdown that says the same."""
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", citation.plain(text))
