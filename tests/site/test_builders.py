"""MkDocs and Zensical build the same site from the generated tree, judged by their pages."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.browser import PHONE, launched, served, visiting
from support.builders import mkdocs, zensical
from support.pages import content, links, loaded, page, pages, target
from support.sites import Site, files, once


@pytest.fixture(scope="session")
def mkdocs_site(small_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "small-by-mkdocs", partial(mkdocs, small_site.tree)) / "tree" / "site"


@pytest.fixture(scope="session")
def zensical_site(small_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "small-by-zensical", partial(zensical, small_site.tree)) / "tree" / "site"


@pytest.fixture(params=["mkdocs", "zensical"])
def built(request: pytest.FixtureRequest) -> Path:
    """The tree of the small site as a builder makes it."""
    folder: Path = request.getfixturevalue(f"{request.param}_site")
    return folder


def test_a_builder_makes_a_page_of_every_markdown_file(built: Path, small_site: Site) -> None:
    sources = {name for name in files(small_site.tree / "docs") if name.endswith(".md")}
    assert {f"{url}index.md" for url in pages(built)} == sources


def test_a_builder_copies_every_other_file_to_the_letter(built: Path, small_site: Site) -> None:
    made = files(built)
    others = {name: data for name, data in files(small_site.tree / "docs").items() if not name.endswith(".md")}
    assert others
    assert [name for name, data in others.items() if made.get(name) != data] == []


def test_the_site_of_render_is_that_of_mkdocs_to_the_letter(mkdocs_site: Path, small_site: Site) -> None:
    dated = {"sitemap.xml", "sitemap.xml.gz"}
    ours, bare = ({n: c for n, c in files(site).items() if n not in dated} for site in (small_site.folder, mkdocs_site))
    assert ours.keys() == bare.keys()
    assert {name for name, content in bare.items() if ours[name] != content} <= dated


def test_the_pages_of_a_builder_say_what_the_site_of_render_says(built: Path, small_site: Site) -> None:
    said = {url: content(root).text for url, root in pages(built).items()}
    assert said == {url: content(root).text for url, root in small_site.pages.items()}
    assert all(said.values())


def test_the_leaderboard_of_a_builder_has_every_row_and_number(built: Path, small_site: Site) -> None:
    from nullbench_site.site import words

    board = small_site.data.views[0].board.id
    rows = content(page(built / "boards" / board / "index.html")).all("table")[0].rows()
    for cells, row in zip(rows, small_site.csv(f"boards/{board}.csv"), strict=True):
        assert cells[2].startswith(words.number(float(row["overall"])))
        assert cells[4] == words.number(float(row["quality"]))


def test_the_links_of_a_builder_lead_somewhere(built: Path) -> None:
    for url, root in pages(built).items():
        for address in (*links(root), *loaded(root)):
            found = target(built, url, address, "/some/prefix/")
            assert found is None or found[0].is_file(), (url, address)


def test_both_builders_make_the_same_elements_of_the_content(mkdocs_site: Path, zensical_site: Path) -> None:
    def elements(site: Path) -> dict[str, list[tuple[str, dict[str, str]]]]:
        ours = {url: content(root).one("div", class_="nb") for url, root in pages(site).items()}
        return {url: [(element.tag, element.attributes) for element in root.walk()] for url, root in ours.items()}

    assert elements(mkdocs_site) == elements(zensical_site)


def test_both_builders_give_every_page_the_same_title(mkdocs_site: Path, zensical_site: Path) -> None:
    def titles(site: Path) -> dict[str, str]:
        return {url: root.one("head").one("title").raw for url, root in pages(site).items()}

    assert titles(mkdocs_site) == titles(zensical_site)


def test_both_builders_put_the_same_pages_into_search_and_no_run(mkdocs_site: Path, zensical_site: Path) -> None:
    entries = {
        "mkdocs": json.loads((mkdocs_site / "search" / "search_index.json").read_bytes())["docs"],
        "zensical": json.loads((zensical_site / "search.json").read_bytes())["items"],
    }
    found = {name: {entry["location"].partition("#")[0] for entry in given} for name, given in entries.items()}
    assert found["mkdocs"] == found["zensical"]
    assert "models/lead-2/" in found["mkdocs"]
    assert "runs/" not in found["mkdocs"]


def test_on_a_phone_the_search_is_opened_by_its_button(built: Path) -> None:
    with served(built) as origin, launched() as browser, visiting(browser, origin, width=PHONE) as visit:
        page = visit.go("")
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.locator("input:focus")).to_be_visible()
