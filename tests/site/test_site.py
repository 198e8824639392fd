"""The built site as a whole: what a crawler, a reader without JavaScript and a reader offline find."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.pages import Element, content, links, loaded, page, pages, parse, target
from support.sites import Site, each_of, files, once

from nullbench_site.site import paths
from nullbench_site.site.pages.charts import ROWS as DRAWN
from nullbench_site.site.protocol import answered

PREFIXES = ("/", "/some/prefix/")


any_site = each_of("small", "shipped", "rubric", "mixed")


site = each_of("small", "shipped")


@cache
def _anchors(path: Path) -> frozenset[str | None]:
    """Whatever a link to the page may name."""
    return frozenset(element.attributes.get("id") for element in page(path).walk())


def _lost(site: Site, prefix: str, addresses: str) -> Iterator[str]:
    for url, root in site.pages.items():
        for address in (links if addresses == "links" else loaded)(root):
            found = target(site.folder, url, address, prefix)
            if found is None:
                continue
            path, anchor = found
            if not path.is_file():
                yield f"{url or 'home'} -> {address}: no such file"
            elif (
                not anchor
                or path.name != "index.html"
                or url == "evidence/"
                or "evidence/index.html" in str(path)
                or "runs/compare/index.html" in str(path)
            ):
                continue
            elif anchor not in _anchors(path):
                yield f"{url or 'home'} -> {address}: no such anchor"


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_internal_link_leads_to_a_page_and_an_anchor_that_are_there(any_site: Site, prefix: str) -> None:
    assert list(_lost(any_site, prefix, "links")) == []


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_asset_a_page_loads_is_a_file_of_the_site(any_site: Site, prefix: str) -> None:
    assert list(_lost(any_site, prefix, "assets")) == []


def test_a_lost_link_would_be_found(small_site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("lost")
    (folder / "index.html").write_text('<a href="gone/">x</a><a href="#no">x</a><img src="gone.png">', "utf-8")
    root = page(folder / "index.html")
    assert [target(folder, "", address) for address in links(root)] == [
        (folder / "gone/index.html", ""), (folder / "index.html", "no"),
    ]  # fmt: skip
    assert list(loaded(root)) == ["gone.png"]


def test_a_site_that_cannot_be_made_is_tried_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    tries = []

    def fails(folder: Path) -> Site:
        tries.append(folder)
        raise ValueError("no such board")

    with pytest.raises(ValueError, match="no such board"):
        once(tmp_path_factory, "site-that-fails", fails)
    with pytest.raises(pytest.fail.Exception, match=r"could not be made before: .*no such board"):
        once(tmp_path_factory, "site-that-fails", fails)
    assert len(tries) == 1


def test_no_page_loads_anything_from_another_host(any_site: Site) -> None:
    foreign = {address for root in any_site.pages.values() for address in loaded(root) if urlsplit(address).netloc}
    assert foreign == set()


def test_no_stylesheet_or_script_of_ours_names_another_host(any_site: Site) -> None:
    assets = any_site.folder / "assets"
    ours = [*(assets / "css").glob("*.css"), *(assets / "js").glob("*.js")]
    assert {path.name for path in ours} == {"nullbench.css", "nullbench.js"}
    for path in ours:
        # The name of SVG and comments in pictures of the theme load nothing.
        text = re.sub(r"http://www\.w3\.org/2000/svg|!--.*?--", "", path.read_text("utf-8"))
        assert re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z0-9.-]+", text) == []


def test_every_page_has_one_heading_of_the_first_order_and_a_title_of_its_own(any_site: Site) -> None:
    titles = Counter()
    for url, root in any_site.pages.items():
        (heading,) = root.all("h1")
        assert heading.text, url
        titles[root.one("head").one("title").raw] += 1
    assert all(title.strip() for title in titles)
    assert {title: count for title, count in titles.items() if count > 1} == {}


def test_no_page_has_an_id_twice(any_site: Site) -> None:
    for url, root in any_site.pages.items():
        ids = Counter(element.attributes["id"] for element in root.walk() if "id" in element.attributes)
        assert {name: count for name, count in ids.items() if count > 1} == {}, url


def test_headings_never_skip_an_order(any_site: Site) -> None:
    for url in any_site.pages:
        orders = [int(e.tag[1]) for e in any_site.content(url).walk() if e.tag in ("h1", "h2", "h3", "h4", "h5", "h6")]
        assert orders[0] == 1, url
        assert all(later <= earlier + 1 for earlier, later in pairwise(orders)), (url, orders)


def _bears_scores(url: str) -> bool:
    return url not in ("runs/", "runs/compare/", "runs/ledger/", "data/", "methodology/", "glossary/")


def test_rule_based_judges_are_named_wherever_scores_stand(site: Site) -> None:
    of_rules = [view for view in site.data.views if view.rule_based]
    others = {view.board.id for view in site.data.views} - {view.board.id for view in of_rules}
    others |= {row for view in site.data.views for row in view.rows} - {row for view in of_rules for row in view.rows}
    others |= {url.split("/")[1] for url in site.pages if url.startswith("runs/")} - {site.entry.path.name, ""}
    bearing = [url for url in site.pages if _bears_scores(url) and others.isdisjoint(url.split("/"))]
    assert len(bearing) > 10
    # The page of comparison has no score before a script adds some, with these words.
    said = json.loads(site.content(paths.COMPARE).one("script", class_="nb-compare-data").raw)["boards"]
    assert {board["id"] for board in said if "rule-based" in board["panel"].lower()} >= {of.board.id for of in of_rules}
    without = {url for url in bearing if "rule-based" not in site.content(url).text.lower()}
    assert without <= {paths.COMPARE}


def test_there_is_a_page_for_every_board_domain_and_contestant_and_none_besides(any_site: Site) -> None:
    views = any_site.data.views
    expected = {"", "domains/", "models/", "compare/", "judges/", "evidence/", "methodology/", "runs/", "data/"}
    expected |= {"glossary/", "audit/", *(f"methodology/{view.board.id}/" for view in views)}
    expected |= {f"judges/{view.board.id}/" for view in answered(views)}
    expected |= {f"attacks/{view.board.id}/" for view in views if view.panel and view.results.attacks}
    expected |= {address for view in views for address in (view.url, f"{view.url}trust/", f"{view.url}items/")}
    expected |= {f"domains/{view.board.id}/{domain}/" for view in views for domain in view.board.domains}
    expected |= {f"models/{row.model}/" for view in views for row in view.results.leaderboard}
    expected |= {"runs/ledger/"} if any_site.data.benchmark.ledger else set()
    expected |= {f"runs/{entry.path.name}/" for entry in any_site.data.runs}
    older = {url for url in any_site.pages if url.startswith("runs/")}  # pages of older runs, and of what changed
    assert set(any_site.pages) | expected == set(any_site.pages)
    assert set(any_site.pages) - older == expected - older


def _navigation(root: Element) -> set[str]:
    return {
        address
        for nav in root.all("nav")
        for element in nav.all("a")
        for address in [element.attributes.get("href", "")]
    }


def test_the_navigation_holds_nine_pages_and_no_contestant_or_domain(any_site: Site) -> None:
    found = {
        target(any_site.folder, "", address)
        for address in _navigation(any_site.pages[""])
        if not address.startswith("#")
    }
    places = {path.relative_to(any_site.folder).as_posix() for path, _ in filter(None, found)}
    assert places == {
        f"{name}index.html"
        for name in ("", "domains/", "models/", "compare/", "judges/", "evidence/", "methodology/", "runs/", "data/")
    }


def test_every_page_can_be_reached_by_links_from_home(any_site: Site) -> None:
    seen, new = {""}, [""]
    while new:
        url = new.pop()
        for address in links(any_site.pages[url]):
            found = target(any_site.folder, url, address)
            if found and found[0].name == "index.html":
                next_url = found[0].relative_to(any_site.folder).as_posix().removesuffix("index.html")
                if next_url not in seen:
                    seen.add(next_url)
                    new.append(next_url)
    assert set(any_site.pages) - seen == set()


def test_every_table_and_chart_is_in_the_html_without_javascript(any_site: Site) -> None:
    for view in any_site.data.views:
        home = any_site.content(view.url)
        board = home.all("table")[0]
        assert len(board.rows()) == len(view.results.leaderboard)
        if all(row.overall is None for row in view.results.leaderboard):
            assert home.all("figure", id="chart-intervals") == []
            continue
        chart = home.one("figure", id="chart-intervals").one("svg")
        drawn = [re.escape("".join(text.raw.split())).replace("…", ".*") for text in chart.all("text")]
        names = ["".join(view.title(row.model).split()) for row in view.results.leaderboard[:DRAWN]]
        assert [name for name in names if not any(re.fullmatch(text, name) for text in drawn)] == []
        for row in view.results.leaderboard:
            fingerprint = any_site.content(f"models/{row.model}/")
            drawings = fingerprint.all("div", class_="nb-chart")
            assert drawings or len(view.board.domains) == 1
            for figure in drawings:
                assert figure.one("div", role="img").attributes["aria-label"].startswith("Radar of ")
                drawing = figure.one("svg")
                partly = [text.text for text in drawing.all("text", class_="nb-radar-score")].count("n/a")
                assert drawing.all("polygon", class_="nb-profile") or partly


def test_a_chart_takes_its_colours_from_the_page_and_names_no_fixed_one(any_site: Site) -> None:
    for url in any_site.pages:
        for figure in any_site.content(url).all("div", class_="nb-chart-static"):
            colours = {
                element.attributes[name]
                for element in figure.walk()
                for name in ("fill", "stroke")
                if name in element.attributes
            } - {"none", "transparent"}
            by_class = figure.all("svg", class_="nb-radar")
            assert colours or by_class or any(map(figure.all, ("rect", "path", "polyline")))
            assert {colour for colour in colours if not colour.startswith("var(--nb-")} == set(), url


def test_a_table_says_what_it_holds_and_its_headers_what_they_head(any_site: Site) -> None:
    for url in any_site.pages:
        for table in any_site.content(url).all("table", class_="nb-board") + any_site.content(url).all(
            "table", class_="nb-heat"
        ):
            assert table.one("caption").text, url
            for cell in table.all("th"):
                assert cell.attributes.get("scope") in ("col", "row", "colgroup"), (url, cell.text)


def test_a_picture_is_described_or_hidden_from_those_who_cannot_see_it(any_site: Site) -> None:
    for url in any_site.pages:
        for drawing in any_site.content(url).all("svg"):
            if drawing.has("role", "img"):
                assert drawing.attributes["aria-label"], url
                continue
            assert drawing.attributes.get("aria-hidden") == "true", url
            figure = drawing.parent
            assert figure.attributes.get("aria-label") or figure.tag in ("a", "td", "button", "label"), url


def test_scripts_of_the_content_are_data_that_cannot_end_their_element(any_site: Site) -> None:
    found = [script for url in any_site.pages for script in any_site.content(url).all("script")]
    assert found
    for script in found:
        assert script.attributes["type"] == "application/json"
        assert "<" not in script.raw
        assert json.loads(script.raw)


def test_the_page_for_lost_readers_is_built(any_site: Site) -> None:
    assert parse((any_site.folder / "404.html").read_text("utf-8")).one("h1").text


def test_search_finds_contestants_domains_and_categories_by_name(any_site: Site) -> None:
    found = {(doc["location"].partition("#")[0], doc["title"]) for doc in any_site.indexed}
    for view in any_site.data.views:
        for row in view.results.leaderboard:
            title = view.benchmark.models[row.model].title
            assert any(url == f"models/{row.model}/" and title == name for url, name in found), title
        for domain in view.board.domains:
            assert any(url == f"domains/{view.board.id}/{domain}/" for url, _ in found), domain
            for category in view.benchmark.domains[domain].categories:
                assert (f"domains/{view.board.id}/{domain}/", category.title) in found


def test_texts_of_sources_and_tasks_stand_in_no_index_and_sources_on_no_page(site: Site) -> None:
    index = (site.folder / "search" / "search_index.json").read_text("utf-8")
    items = [placed.item for view in site.axes_views for placed in view.benchmark.items(view.board)]
    assert items
    assert [item.id for item in items if item.source[:60] in index or item.task[:60] in index] == []
    sources = {item.source[:60] for item in items}
    shown = {url: root.raw for url, root in site.pages.items()}
    assert [url for url, text in shown.items() if any(source in text for source in sources)] == []


def test_the_site_is_the_pages_and_files_of_the_tree_and_the_theme(any_site: Site) -> None:
    kept = {name for name in files(any_site.tree / "docs") if not name.endswith(".md")}
    assert kept <= set(files(any_site.folder))
    assert len(pages(any_site.folder)) == sum(name.endswith(".md") for name in files(any_site.tree / "docs"))


def test_the_pages_are_content_and_nothing_is_left_of_a_template(any_site: Site) -> None:
    for url in any_site.pages:
        text = content(any_site.pages[url]).text
        # Ours have a space there; BibTeX, which keeps capitals by two brackets, has none.
        assert "{{ " not in re.sub(r"\{\{ (task|source|prompt) \}\}", "", text), url
        assert "{%" not in text, url
        for word in ("None", "nan", "NaN", "inf", "Undefined", "undefined", "&lt;", "&amp;"):
            assert word not in text.split(), (url, word)
