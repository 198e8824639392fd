"""Texts of specs, contestants and judges are text: never markup, script, template or formula, on any page."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builders import mkdocs, zensical
from support.evidence import records
from support.hostile import LONG, PAYLOADS, as_seen
from support.pages import Element, content, links, loaded, pages
from support.sites import Site

from nullbench_site import api
from nullbench_site.protocols.axes.specs import axes_of, goals_of
from nullbench_site.site import words


def _shape(element: Element) -> tuple[str, tuple[str, ...]]:
    """Classes aside: those of ties depend on the scores."""
    return element.tag, tuple(sorted(element.attributes.keys() - {"class"}))


_TWO_LINES = {("tspan", ()), ("tspan", ("dy", "x"))}
"""What a chart has of names that are long, as hostile ones are."""


def _shapes(roots: dict[str, Element]) -> set[tuple[str, tuple[str, ...]]]:
    return {_shape(element) for root in roots.values() for element in root.walk()}


def _places(roots: dict[str, Element]) -> set[str]:
    """The addresses of pages; the name of a run follows from the texts of its specs."""
    return {re.sub(r"^runs/[^/]+/$", "runs/RUN/", url) for url in roots}


def _scripts(roots: dict[str, Element]) -> set[str]:
    """The scripts that would run."""
    return {
        element.attributes.get("src", "").lstrip("./") + element.raw
        for root in roots.values()
        for element in root.all("script")
        if element.attributes.get("type") != "application/json"
    }


@pytest.fixture(scope="session", params=["render", "mkdocs", pytest.param("zensical", marks=pytest.mark.sweep)])
def built(
    request: pytest.FixtureRequest,
    hostile_site: Site,
    small_site: Site,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[str, Element], dict[str, Element]]:
    """The pages of the hostile site and of the harmless one, as each builder makes them."""
    if request.param == "render":
        return hostile_site.pages, small_site.pages
    build, folder = {"mkdocs": mkdocs, "zensical": zensical}[request.param], tmp_path_factory.mktemp(request.param)
    return pages(build(hostile_site.tree, folder / "hostile")), pages(build(small_site.tree, folder / "small"))


def test_no_text_becomes_an_element_or_an_attribute(built: tuple[dict[str, Element], dict[str, Element]]) -> None:
    hostile, harmless = built
    assert _places(hostile) == _places(harmless)
    assert _shapes(hostile) - _shapes(harmless) <= _TWO_LINES


def test_no_script_runs_but_those_of_the_harmless_site(built: tuple[dict[str, Element], dict[str, Element]]) -> None:
    hostile, harmless = built

    assert _scripts(hostile) == _scripts(harmless)


def test_no_page_reloads_itself_loads_or_links_anything_new(
    built: tuple[dict[str, Element], dict[str, Element]],
) -> None:
    hostile, harmless = built

    def addresses(roots: dict[str, Element]) -> set[str]:
        found = {address for root in roots.values() for address in (*loaded(root), *links(root))}
        return {address for address in found if ":" in address}

    assert addresses(hostile) <= addresses(harmless)
    orders = {meta.attributes.get("http-equiv") for root in hostile.values() for meta in root.all("meta")}
    assert orders == {None, "Content-Security-Policy"}


def test_every_page_keeps_its_one_heading_and_one_article(
    built: tuple[dict[str, Element], dict[str, Element]],
) -> None:
    for root in built[0].values():
        assert len(root.all("h1")) == len(root.all("article")) == len(root.all("main")) == 1


def _shown(site: Site) -> Iterator[tuple[str, str]]:
    """Page and text for every text of the specs that a page shows."""
    benchmark = site.data.benchmark
    yield "methodology/", benchmark.about.title
    yield "data/", benchmark.about.license
    yield "runs/", site.entry.manifest.run
    for view in site.data.views:
        yield "", view.board.question
        yield from ((view.url, text) for text in (view.board.question, view.board.description))
        yield "models/lead-2/", site.data.views[0].board.title
        yield f"methodology/{view.board.id}/", benchmark.panels[view.board.panel].title
        for judge in view.judges:
            yield from ((f"judges/{view.board.id}/", text) for text in (judge.title, judge.description))
        for row in view.results.leaderboard:
            model = benchmark.models[row.model]
            for url in (view.url, "domains/", "models/", f"judges/{view.board.id}/", f"models/{row.model}/"):
                yield url, model.title
            for text in (model.description, model.vendor, model.license):
                if text:
                    yield f"models/{row.model}/", text
        for axis in view.results.axes:
            spec = axes_of(benchmark)[axis]
            for text in (spec.title, spec.measures, spec.anchors[0], spec.anchors[4]):
                yield f"methodology/{view.board.id}/", text
        for domain in view.board.domains:
            url = f"domains/{view.board.id}/{domain}/"
            yield from (
                (url, text) for text in (benchmark.domains[domain].title, benchmark.domains[domain].description)
            )
            for category in benchmark.domains[domain].categories:
                goal = goals_of(benchmark)[category.goal]
                rules = [rule.rule for rule in goal.rules]
                yield from ((url, text) for text in (category.title, category.description, goal.title, *rules))


def test_every_text_is_shown_to_the_letter(
    hostile_site: Site, built: tuple[dict[str, Element], dict[str, Element]]
) -> None:
    shown = list(_shown(hostile_site))
    held = {as_seen(payload) for payload in PAYLOADS}
    payloads = {payload for _, text in shown for payload in held if payload in text}
    assert payloads == held
    raw = {url: content(root).raw for url, root in built[0].items()}
    assert [(url, text) for url, text in shown if text not in raw[url]] == []


def test_titles_in_tabs_and_descriptions_hold_no_markup(hostile_site: Site) -> None:
    site_name = words.plain_title(hostile_site.data.benchmark.about.title)
    for url, root in hostile_site.pages.items():
        title = root.one("head").one("title").raw
        assert title.endswith(site_name), url
        (description,) = root.all("meta", name="description")
        assert not set('<>"&') & set(title + description.attributes["content"]), url


def test_evidence_is_the_records_to_the_letter(hostile_site: Site) -> None:
    run = hostile_site.entry.path
    said = {record["key"]: record for kind in ("responses", "judgments") for record in records(run, kind)}
    seen = set()
    for path in (hostile_site.folder / "data" / "v1" / "evidence" / "small" / "answers").rglob("*.json"):
        for answer in json.loads(path.read_bytes()).values():
            for sample in answer["samples"]:
                record = said[sample["key"]]
                assert (sample["text"], sample["error"]) == (record["text"], record["error"])
                seen.add(record["state"])
                for verdict in sample["verdicts"]:
                    record = said[verdict["key"]]
                    assert [verdict[name] for name in ("rationale", "raw", "invalid")] == [
                        record[name] for name in ("rationale", "raw", "invalid")
                    ]
                    seen |= {record["state"], bool(record["invalid"])}
    assert seen == {"answered", "errored", "scored", "unparsed", True, False}
    assert any(LONG in record["text"] for record in said.values() if "text" in record)


def test_no_cell_of_a_table_for_spreadsheets_is_a_formula(hostile_site: Site, tmp_path: Path) -> None:
    api.export(hostile_site.repository, "tables", tmp_path / "tables", None, {"form": "csv"})
    files = [*(hostile_site.folder / "data").rglob("*.csv"), *tmp_path.rglob("*.csv")]
    assert len({file.name for file in files}) > 20
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            cells = [
                cell for row in csv.reader(lines) for cell in row if cell.lstrip().startswith(("=", "+", "-", "@"))
            ]
        assert not [cell for cell in cells if not re.fullmatch(r"-?[0-9.e+-]+", cell)], file


def test_the_search_index_holds_hostile_words_escaped(hostile_site: Site) -> None:
    docs = hostile_site.indexed
    harmless = {"p", "ul", "ol", "li", "table", "thead", "tbody", "tr", "td", "th", "pre", "code", "dl", "dt", "dd"}
    tags = {tag.lower() for doc in docs for tag in re.findall(r"</?([A-Za-z][A-Za-z0-9]*)", doc["text"] + doc["title"])}
    assert tags <= harmless
    assert any("&lt;script&gt;" in doc["text"] for doc in docs)


def test_a_title_that_would_end_its_setting_stays_in_it(hostile_site: Site) -> None:
    from mkdocs.utils.yaml import yaml_load

    settings = yaml_load((hostile_site.tree / "mkdocs.yml").read_text("utf-8"))
    assert settings["site_name"] == words.plain_title(hostile_site.data.benchmark.about.title)
    assert [next(iter(entry)) for entry in settings["nav"]] == [
        "Boards", "Domains", "Fingerprints", "Compare", "Evidence", "Judges", "Method", "Runs", "Data",
    ]  # fmt: skip


def test_words_of_answers_and_rationales_stand_on_no_page_and_in_no_search_index(hostile_site: Site) -> None:
    run = hostile_site.entry.path
    said = [record["text"] for record in records(run, "responses")]
    said += [record["rationale"] for record in records(run, "judgments")]
    planted = {mark for text in said for mark in re.findall(r"zq[0-9]+q", text)}
    assert len(planted) > 50
    index = (hostile_site.folder / "search" / "search_index.json").read_text("utf-8")
    assert not planted & set(re.findall(r"zq[0-9]+q", index))
    for url, root in hostile_site.pages.items():
        assert not planted & set(re.findall(r"zq[0-9]+q", root.raw)), url


# --- boards of other protocols --------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["rubric", "oracle"])
def test_no_text_of_another_protocol_becomes_an_element_an_attribute_or_a_script(
    protocol: str, request: pytest.FixtureRequest
) -> None:
    hostile, harmless = (request.getfixturevalue(f"{of}{protocol}_site").pages for of in ("hostile_", ""))
    assert _places(hostile) == _places(harmless)
    assert _shapes(hostile) - _shapes(harmless) <= _TWO_LINES
    assert _scripts(hostile) == _scripts(harmless)
    for root in hostile.values():
        assert len(root.all("h1")) == len(root.all("article")) == len(root.all("main")) == 1


def test_the_titles_of_a_rubric_board_are_shown_to_the_letter(hostile_rubric_site: Site) -> None:
    view = hostile_rubric_site.data.views[0]
    shown = {url: " ".join(content(root).raw.split()) for url, root in hostile_rubric_site.pages.items()}
    for domain, spec in view.domains.items():
        url = f"domains/{view.board.id}/{domain}/"
        texts = [spec.title, spec.description, *(category.title for category in spec.categories)]
        for text in texts:
            assert " ".join(text.split()) in shown[url]
            assert " ".join(text.split()) in shown[f"methodology/{view.board.id}/"]
    for model in view.rows:
        assert " ".join(view.title(model).split()) in shown[view.url]
    for judge in view.judges:
        assert " ".join(judge.title.split()) in shown[f"judges/{view.board.id}/"]


_ALONE = {"title", "option", "h1", "h2", "h3", "text", "caption", "script"}
"""Elements in which a title stands alone, or in which no markup may be."""


def test_every_title_that_stands_beside_other_text_is_isolated_from_it(hostile_site: Site) -> None:
    """In `bdi`, so that letters written from right to left do not turn what stands around them."""
    benchmark = hostile_site.data.benchmark
    specs = (*benchmark.models.values(), *benchmark.domains.values(), *benchmark.boards.values())
    titles = {" ".join(spec.title.split()) for spec in specs}
    found = [
        (url, element)
        for url, root in hostile_site.pages.items()
        for element in root.walk()
        if any(isinstance(child, str) and " ".join(child.split()) in titles for child in element.children)
    ]
    assert len({url for url, _ in found}) > 10
    bare = [(url, element.tag) for url, element in found if element.tag not in {"bdi", *_ALONE}]
    assert bare == []
