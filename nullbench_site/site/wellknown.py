"""The files at a site's root: robots.txt, llms.txt, the feed of runs and the citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID, uuid5
from xml.etree import ElementTree as ET

import yaml
from markupsafe import escape

from nullbench_site.packaged import word_list
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.site import paths, words
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import panel_words
from nullbench_site.site.protocol import answered
from nullbench_site.site.run_changes import RunChange, summary
from nullbench_site.site.tree import resolved
from nullbench_site.specs.schema import published
from nullbench_site.specs.types.boards import PREFIX, BenchmarkFile
from nullbench_site.text import one_line

# How to cite the run that a site shows: CITATION.cff (Citation File Format 1.2.0), BibTeX and a line of text.

CITATION_FILE = "CITATION.cff"
"""Its path below the root of the site."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TEX = {
    "\\": r"\textbackslash{}",
    # Not \{ and \}: BibTeX counts braces whatever stands before them.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_NOT_IN_BRACES = re.compile(r"[{}\\]")


def citation_cff(site: SiteData, address: str | None) -> bytes:
    """Return CITATION.cff. address: of the site, if known; used if the benchmark has no homepage."""
    about, manifest = site.benchmark.about, site.entry.manifest
    title = one_line(about.title)
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use these results, name the benchmark, its version and the run.",
        "type": "dataset",
        "title": title,
        "version": manifest.version,
        "authors": [{"name": each} for each in _authors(about)],
        "abstract": one_line(about.description),
    }
    if manifest.sealed_at:
        fields["date-released"] = manifest.sealed_at[:10]
    if about.license in word_list("spdx"):  # the format allows ids of that list alone
        fields["license"] = about.license
    if url := about.homepage or address:
        fields["url"] = url
    if about.doi:
        fields["doi"] = about.doi
    if about.repository:
        fields["repository-code"] = about.repository
    digest = {"type": "other", "value": f"sha256:{manifest.digest}", "description": f"Manifest of run {manifest.run}"}
    fields["identifiers"] = [digest]
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=float("inf")).encode()


def bibtex(site: SiteData, address: str | None) -> str:
    """Return the citation as an entry of BibTeX, with the texts of specs escaped."""
    about, manifest = site.benchmark.about, site.entry.manifest
    title = one_line(about.title)
    year, month, _ = (manifest.sealed_at or manifest.created_at)[:10].split("-")
    fields = {
        "title": f"{{{{{_tex(title)}}}}}",
        "author": f"{{{' and '.join(f'{{{_tex(each)}}}' for each in _authors(about))}}}",
        "year": f"{{{year}}}",
        "month": _MONTHS[int(month) - 1],
        "version": f"{{{manifest.version}}}",
        "note": f"{{Run {_tex(manifest.run)}, manifest sha256:{manifest.digest}}}",
    }
    if about.doi:
        fields["doi"] = f"{{{about.doi}}}"
    if url := about.homepage or address:
        fields["url"] = f"{{{_NOT_IN_BRACES.sub(lambda match: f'%{ord(match[0]):02X}', url)}}}"
    lines = "".join(f"  {name} = {value},\n" for name, value in fields.items())
    return f"@misc{{{about.id}-{manifest.version},\n{lines}}}\n"


def citation(site: SiteData) -> str:
    """Return the citation as a line of text."""
    about, manifest = site.benchmark.about, site.entry.manifest
    date = (manifest.sealed_at or manifest.created_at)[:10]
    by = f"{', '.join(about.authors)}. " if about.authors else ""
    doi = f", doi:{about.doi}" if about.doi else ""
    return f"{by}{one_line(about.title)} {manifest.version}, run {manifest.run}, {date}, sha256:{manifest.digest}{doi}"


def _authors(about: BenchmarkFile) -> Sequence[str]:
    """Return the authors; one collective author if the specs name nobody, because a citation needs one."""
    return about.authors or (f"The authors of {one_line(about.title)}",)


def contribute(about: BenchmarkFile) -> dict[str, str]:
    """Return the addresses at which people submit a model and dispute an answer, by the words of the link.

    Code hosts agree on the address of a new issue, except for GitLab's.
    """
    if about.repository is None:
        return {}
    home = about.repository.rstrip("/")
    if "gitlab" in (urlsplit(home).hostname or ""):
        return dict.fromkeys(_TEMPLATES, f"{home}/-/issues/new")
    return {words: f"{home}/issues/new?template={name}" for words, name in _TEMPLATES.items()}


def dispute(site: SiteData) -> str:
    """Return the address of an issue about an answer; its places {title} and {place} are for the page. Empty if none.

    It fills in the field of the template that `init` writes.
    """
    address = contribute(site.benchmark.about).get("Dispute an answer", "")
    if not address:
        return ""
    manifest = site.entry.manifest
    title, place = ("issue[title]", "issue[description]") if "/-/" in address else ("title", "place")
    run = quote(f", run {manifest.run}, sha256:{manifest.digest}")
    return f"{address}{'&' if '?' in address else '?'}{title}={{title}}&{place}={{place}}{run}"


_TEMPLATES = {"Submit a model": "submit-a-model.yml", "Dispute an answer": "dispute-an-answer.yml"}
"""The issue templates that `init` writes."""


def _tex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text)


# The Atom feed (RFC 4287) of a benchmark's sealed runs, newest first.

ATOM = "http://www.w3.org/2005/Atom"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow."""


def feed(site: SiteData, changes: Mapping[str, RunChange], address: str | None) -> bytes:
    """Return the feed. changes: of each run since the one before. address: of the site; without it links are relative.

    The ids come from the benchmark's canary and from name and start of a run. They stay if the site moves or a run is
    scored again.
    """
    sealed = [entry for entry in reversed(site.runs) if entry.manifest.sealed]
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
    failed = f", {words.number(counts.failed, 0)} of them failed" if counts.failed else ""
    profile = f" Profile {run.manifest.profile}." if run.manifest.profile else ""
    size = f"{_who(site, run)}, {words.plural(counts.calls, 'call')}{failed}.{profile}"
    if run.path == site.entry.path:
        size = " ".join([size, *(f"{view.board.title}: {opening(view).long}" for view in site.views)])
    if change is None:
        return f"{size} The first run."
    digests = {other.path.name: other.manifest.spec_digest for other in site.runs}
    titles = {board.id: board.title for board in site.benchmark.boards.values()}
    same = digests[change.before] == run.manifest.spec_digest
    return f"{size} {summary(change, titles, same_digest=same)}"


def _who(site: SiteData, run: CatalogEntry) -> str:
    """Return how many contestants, null models and controls answered in a run."""
    files = (PurePosixPath(name) for name in run.manifest.files)
    names = [file.stem for file in files if file.parts[0] == "responses"]
    controls = sum(name.startswith(PREFIX) for name in names)
    nulls = sum(name in site.benchmark.models and site.benchmark.models[name].kind == "null" for name in names)
    beside = f" and {words.plural(controls, 'control')}" if controls else ""
    who = words.plural(len(names) - controls - nulls, "contestant")
    if beside:
        return f"{who}, {words.plural(nulls, 'null model')}{beside}"
    return words.entrants(len(names) - nulls, nulls)


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text) or None
    return element


_MARKDOWN = re.compile(r"[\\`*_\[\]<>&~|]|^[-+#=]|(?<=^\d)[.)]")
"""Characters with a meaning in Markdown."""
_PAGES = (
    (paths.METHOD, "Methodology", "how each board comes to its numbers, and what all boards share"),
    (paths.GLOSSARY, "Glossary", "what every number means, with its formula and source"),
    (paths.AUDIT, "Audit", "eight public benchmarks and the boards of this site in the same columns"),
    (paths.JUDGES, "Judges", "who judges, and how far they agree"),
    (paths.RUNS, "Runs", "every run, what changed since the one before, and how to verify it"),
    (paths.DATA, "Data", "downloads, schemas, the data dictionary and how to cite"),
)


def site_address(settings: Mapping[str, Any]) -> str | None:
    """Return the address of the site, ending in a slash; None if mkdocs.yml has none."""
    address = resolved(settings.get("site_url"))
    if not isinstance(address, str) or not re.match(r"https?://[^\s/]", address):
        return None
    return address if address.endswith("/") else f"{address}/"


def root_files(site: SiteData, changes: Mapping[str, RunChange], address: str | None) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file. changes: of each run since the one before."""
    yield "robots.txt", robots_txt(address)
    yield f"{paths.BOARDS}index.html", redirect("../", canonical=address or "../")
    yield "llms.txt", llms_txt(site, address)
    yield paths.FEED, feed(site, changes, address)
    yield CITATION_FILE, citation_cff(site, address)
    yield from published(f"{address or ''}{paths.SCHEMAS}", paths.SCHEMAS)


def redirect(target: str, *, canonical: str) -> bytes:
    """Return a page that leads to another one without a script."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">\n'
        f'<meta http-equiv="refresh" content="0; url={escape(target)}">\n'
        f'<link rel="canonical" href="{escape(canonical)}">\n<title>Moved</title>\n</head>\n'
        f'<body><h1>This page moved</h1><p><a href="{escape(target)}">Open it</a>.</p></body>\n</html>\n'
    ).encode()


def robots_txt(address: str | None) -> bytes:
    """Return robots.txt, which allows everything. The sitemap needs an absolute address."""
    sitemap = f"\nSitemap: {address}sitemap.xml\n" if address else ""
    return f"User-agent: *\nAllow: /\n{sitemap}".encode()


def llms_txt(site: SiteData, address: str | None) -> bytes:
    """Return the contents of the site in the format of llmstxt.org."""
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
        yield f"- [{_line(view.board.title)}]({base}{view.url}): {_line(f'{asked} {opening(view).long}')}"
    yield "\n## Data\n"
    yield f"- [index.json]({base}{ROOT}/index.json): boards, contestants, metrics, and where their files are"
    for view in site.views:
        files = f"{base}{ROOT}/boards/{view.board.id}"
        yield f"- [{view.board.id}.csv]({files}.csv): the board {_line(view.board.title)} as a table"
        yield f"- [{view.board.id}.json]({files}.json): the same with everything it is made of"
    yield f"- [runs.json]({base}{ROOT}/runs.json): every run with its digests"
    yield "\n## Method\n"
    yield from (
        f"- [{title}]({base}{url}): {what}"
        for url, title, what in _PAGES
        if url != paths.JUDGES or answered(site.views)
    )
    if site.benchmark.ledger:
        yield f"- [Ledger]({base}{paths.LEDGER}): what was added, changed and withdrawn, when, by whom and why"
    yield "\n## Optional\n"
    yield f"- [Contestants]({base}{paths.MODELS}): the fingerprint of each"
    yield f"- [Domains]({base}{paths.DOMAINS}): each board by domain"
    yield f"- [Evidence]({base}{paths.EVIDENCE}): prompts, answers and verdicts; private items without their texts"
    yield f"- [{CITATION_FILE}]({base}{CITATION_FILE}): how to cite"


def _line(text: str) -> str:
    """Return a text of a spec on one line, escaped for Markdown."""
    return _MARKDOWN.sub(lambda match: f"\\{match[0]}", one_line(text))
