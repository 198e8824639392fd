"""The feed of runs, held to RFC 4287, and the other files at the root of the site."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urljoin
from uuid import UUID
from xml.etree import ElementTree as ET

import msgspec
import pytest
from support.histories import ADDRESS, HOSTILE
from support.pages import parse
from support.pages import target as file_of
from support.sites import Site

from nullbench_site.runs.catalog import list_runs
from nullbench_site.site.gather import SiteData
from nullbench_site.site.run_changes import run_changes
from nullbench_site.site.tree import frame_settings
from nullbench_site.site.wellknown import ATOM, feed, llms_txt, robots_txt, site_address

NS = {"a": ATOM}
TITLE = " ".join(HOSTILE.split())


def _text(element: ET.Element, path: str) -> str:
    found = element.findall(path, NS)
    assert len(found) == 1, f"{len(found)} of {path}; expected one"
    assert found[0].text
    return found[0].text


def _links(element: ET.Element) -> dict[str, str]:
    return {link.attrib["rel"]: link.attrib["href"] for link in element.findall("a:link", NS)}


@pytest.fixture
def root(history: Site) -> ET.Element:
    return ET.fromstring((history.folder / "feed.xml").read_bytes())  # noqa: S314 - made by us


def _of(history: Site) -> SiteData:
    return replace(history.data, runs=list_runs(history.repository.runs))


# --- the feed -------------------------------------------------------------------------------------------------------


def test_the_feed_has_all_that_rfc_4287_asks_for(root: ET.Element) -> None:
    assert root.tag == f"{{{ATOM}}}feed"
    elements = [root, *root.findall("a:entry", NS)]
    assert len(elements) == 5
    for element in elements:
        assert UUID(_text(element, "a:id").removeprefix("urn:uuid:"))
        assert _text(element, "a:title")
        updated = datetime.fromisoformat(_text(element, "a:updated"))
        assert updated.tzinfo is not None
        assert "alternate" in _links(element)
    assert len({_text(element, "a:id") for element in elements}) == len(elements)
    assert _text(root, "a:author/a:name") == "Small"
    known = ["id", "title", "subtitle", "updated", "author", "rights", "link", "entry"]
    assert {child.tag.removeprefix(f"{{{ATOM}}}") for child in root} == set(known)


def test_entries_are_the_sealed_runs_newest_first_with_what_changed(history: Site, root: ET.Element) -> None:
    runs = list_runs(history.repository.runs)[::-1]
    entries = root.findall("a:entry", NS)
    assert [_text(entry, "a:title") for entry in entries] == [
        f"Small {run.manifest.version}, run {run.path.name}" for run in runs
    ]
    assert [_text(entry, "a:updated") for entry in entries] == [run.manifest.sealed_at for run in runs]
    assert _text(root, "a:updated") == runs[0].manifest.sealed_at
    second = _text(entries[1], "a:summary")
    assert f"Since run {runs[2].path.name}: Specs: 1 board changed, 1 goal changed and 1 contestant added." in second
    assert f"New: Task-aware extract, {TITLE} and Null: empty." in second
    assert second.startswith(f"3 contestants and 2 null models, {runs[1].manifest.counts.calls} calls. ")
    assert _text(entries[3], "a:summary").endswith("The first run.")


def test_a_run_that_is_not_sealed_is_no_news(history: Site) -> None:
    site = _of(history)
    *before, last = site.runs
    site = replace(site, runs=[*before, replace(last, manifest=msgspec.structs.replace(last.manifest, state="open"))])
    root = ET.fromstring(feed(site, {}, None))  # noqa: S314
    assert len(root.findall("a:entry", NS)) == 3


def test_where_the_address_is_known_links_are_whole_and_lead_to_the_run(history: Site, root: ET.Element) -> None:
    assert _links(root) == {"self": f"{ADDRESS}feed.xml", "alternate": ADDRESS}
    for entry in root.findall("a:entry", NS):
        href = _links(entry)["alternate"]
        assert href.startswith(f"{ADDRESS}runs/#")
        run = href.removeprefix(f"{ADDRESS}runs/#")
        assert history.content("runs/").one("h2", id=run)


def test_without_an_address_links_are_relative_to_the_feed(small_site: Site) -> None:
    root = ET.fromstring((small_site.folder / "feed.xml").read_bytes())  # noqa: S314
    assert _links(root) == {"self": "feed.xml", "alternate": "./"}
    (entry,) = root.findall("a:entry", NS)
    found = file_of(small_site.folder, "", _links(entry)["alternate"])
    assert found is not None
    path, anchor = found
    assert parse(path.read_text("utf-8")).one("h2", id=anchor)


def test_ids_stay_when_the_site_moves_and_when_a_run_is_scored_anew(history: Site, tmp_path: Path) -> None:
    site = _of(history)

    def ids(site: SiteData, address: str | None) -> list[str]:
        root = ET.fromstring(feed(site, run_changes(site.runs, tmp_path), address))  # noqa: S314
        return [_text(element, "a:id") for element in (root, *root.findall("a:entry", NS))]

    resealed = [
        replace(run, manifest=msgspec.structs.replace(run.manifest, digest="0" * 64, files={})) for run in site.runs
    ]
    assert ids(site, None) == ids(site, ADDRESS) == ids(replace(site, runs=resealed), None)


def test_no_text_breaks_the_feed_or_is_lost_in_it(history: Site) -> None:
    site = _of(history)
    hostile = "\x00\x0b]]> <script>&amp; \ufffe \ud800 \U0001f600 {{ x }}"
    about = msgspec.structs.replace(site.benchmark.about, title=hostile, license=hostile, description=hostile)
    site = replace(site, benchmark=replace(site.benchmark, about=about))
    root = ET.fromstring(feed(site, {}, None))  # noqa: S314
    said = _text(root, "a:author/a:name")
    assert said == "��]]> <script>&amp; � � \U0001f600 {{ x }}"


# --- robots.txt, llms.txt, sitemap ----------------------------------------------------------------------------------


def test_everybody_may_read_everything_and_a_sitemap_is_named_by_its_whole_address(
    history: Site, small_site: Site
) -> None:
    known = (history.folder / "robots.txt").read_text("utf-8")
    unknown = (small_site.folder / "robots.txt").read_text("utf-8")
    assert known == f"User-agent: *\nAllow: /\n\nSitemap: {ADDRESS}sitemap.xml\n"
    assert unknown == "User-agent: *\nAllow: /\n"
    assert robots_txt(None).decode() == unknown


def test_the_sitemap_has_every_page(history: Site) -> None:
    root = ET.fromstring((history.folder / "sitemap.xml").read_bytes())  # noqa: S314
    found = {element.text for element in root.iter() if element.tag.endswith("loc")}
    assert found == {f"{ADDRESS}{url}" for url in history.pages}


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({}, None),
        ({"site_url": ""}, None),
        ({"site_url": None}, None),
        ({"site_url": object()}, None),
        ({"site_url": "javascript:alert(1)"}, None),
        ({"site_url": "https://boards.example"}, "https://boards.example/"),
        ({"site_url": "https://boards.example/x/"}, "https://boards.example/x/"),
    ],
)
def test_the_address_is_known_where_mkdocs_yml_says_it_outright(
    settings: dict[str, object], address: str | None
) -> None:
    assert site_address(settings) == address


@pytest.mark.parametrize(
    ("setting", "address"),
    [
        ('[SITE_URL, ""]', None), ("SITE_URL", None), ('[OTHER_URL, SITE_URL, "https://c.example"]', "https://c.example/"),
    ],
)  # fmt: skip
def test_the_address_may_come_of_a_variable_as_mkdocs_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, address: str | None
) -> None:
    monkeypatch.delenv("SITE_URL", raising=False)
    (tmp_path / "mkdocs.yml").write_text(f"theme: material\nsite_url: !ENV {setting}\n", "utf-8")
    assert site_address(frame_settings(tmp_path / "mkdocs.yml")) == address
    monkeypatch.setenv("SITE_URL", "https://b.example/x")
    assert site_address(frame_settings(tmp_path / "mkdocs.yml")) == "https://b.example/x/"


def test_llms_txt_has_the_form_of_its_standard_and_leads_to_what_is_there(history: Site, small_site: Site) -> None:
    for site, base in ((history, ADDRESS), (small_site, "")):
        lines = (site.folder / "llms.txt").read_text("utf-8").splitlines()
        assert lines[0] == "# Small"
        assert lines[2] == "> A benchmark of six short texts, for tests."
        assert [line for line in lines if line.startswith("## ")] == [
            "## Boards",
            "## Data",
            "## Method",
            "## Optional",
        ]
        items = [line for line in lines if line.startswith("- ")]
        assert len(items) > 10
        for item in items:
            match = re.fullmatch(r"- \[(?:[^\]\\]|\\.)+\]\(([^() ]+)\): .+", item)
            assert match, item
            assert match[1].startswith(base)
            found = file_of(site.folder, "", urljoin("./", match[1].removeprefix(base)))
            assert found[0].is_file(), item


def test_texts_of_specs_are_no_markdown_in_llms_txt(history: Site) -> None:
    site = history.data
    hostile = "] (javascript:x) [a](b)\n# <b> *x* `y`"
    about = msgspec.structs.replace(site.benchmark.about, title=hostile, description=f"1. {hostile}")
    lines = llms_txt(replace(site, benchmark=replace(site.benchmark, about=about)), None).decode().splitlines()
    assert lines[0] == r"# \] (javascript:x) \[a\](b) # \<b\> \*x\* \`y\`"
    assert lines[2] == rf"> 1\. {lines[0][2:]}"
