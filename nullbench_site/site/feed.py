"""The Atom feed (RFC 4287) of a benchmark's sealed runs, newest first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from uuid import UUID, uuid5
from xml.etree import ElementTree as ET

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.site import change_words, paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.run_changes import RunChange

ATOM = "http://www.w3.org/2005/Atom"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document may hold, escaped or not."""


def feed(site: SiteData, changes: Mapping[str, RunChange], address: str | None) -> bytes:
    """The feed. changes: of each run against the one before it. address: of the site; without it links are relative.

    Its id is made of the benchmark's canary and that of an entry of the run's name and beginning, so that neither
    changes when the site moves or a run is scored anew.
    """
    sealed = [entry for entry in reversed(site.runs) if entry.manifest.state == "sealed"]
    about = site.benchmark.about
    own = uuid5(UUID(about.canary.removeprefix("nullbench-canary:")), "runs")
    root = ET.Element("feed", {"xmlns": ATOM})
    _add(root, "id", own.urn)
    _add(root, "title", f"{about.title}: runs")
    _add(root, "subtitle", " ".join(about.description.split()))
    times = [entry.manifest.sealed_at or entry.manifest.created_at for entry in sealed or [site.entry]]
    _add(root, "updated", times[0])
    _add(_add(root, "author"), "name", about.title)
    _add(root, "rights", about.license)
    _add(root, "link", rel="self", type="application/atom+xml", href=f"{address or ''}{paths.FEED}")
    _add(root, "link", rel="alternate", type="text/html", href=address or "./")
    for entry in sealed:
        root.append(_entry(site, entry, changes.get(entry.path.name), own, address or ""))
    ET.indent(root, " ")
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _entry(site: SiteData, run: CatalogEntry, change: RunChange | None, own: UUID, address: str) -> ET.Element:
    manifest = run.manifest
    entry = ET.Element("entry")
    _add(entry, "id", uuid5(own, f"{manifest.run} {manifest.created_at}").urn)
    _add(entry, "title", f"{site.benchmark.about.title} {manifest.version}, run {manifest.run}")
    _add(entry, "updated", manifest.sealed_at or manifest.created_at)
    _add(entry, "link", rel="alternate", type="text/html", href=f"{address}{paths.RUNS}#{manifest.run}")
    _add(entry, "summary", _summary(site, run, change), type="text")
    return entry


def _summary(site: SiteData, run: CatalogEntry, change: RunChange | None) -> str:
    counts = run.manifest.counts
    contestants = sum(name.startswith("responses/") for name in run.manifest.files)
    failed = f", {words.number(counts.failed, 0)} of them failed" if counts.failed else ""
    profile = f" Profile {run.manifest.profile}." if run.manifest.profile else ""
    said = f"{words.plural(contestants, 'contestant')}, {words.plural(counts.calls, 'call')}{failed}.{profile}"
    if change is None:
        return f"{said} The first run."
    digests = {other.path.name: other.manifest.spec_digest for other in site.runs}
    titles = {board.id: board.title for board in site.benchmark.boards.values()}
    same = digests[change.before] == run.manifest.spec_digest
    return f"{said} {change_words.summary(change, titles, same_digest=same)}"


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text) or None
    return element
