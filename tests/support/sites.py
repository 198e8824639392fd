"""Built sites to look at: made once a session, read by many tests, changed by none."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support import pages
from support.benchmarks import LEDGER, write_benchmark
from support.commands import ROOT
from support.pages import Element
from support.repositories import edit, small_repository, write_starter

from nullbench_site import api
from nullbench_site.packaged import packaged
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.tables import read_results
from nullbench_site.site import paths
from nullbench_site.site.gather import SiteData, gather
from nullbench_site.site.pages import models
from nullbench_site.site.pages.tables import Table
from nullbench_site.site.protocol import ViewT, column_words
from nullbench_site.site.render import template_environment
from nullbench_site.site.views import BoardView


def figures(data: SiteData, model: str, board: str | None = None) -> dict[str, tuple[str, str]]:
    """The value and the note of each figure on a contestant's page, by metric; on one board, by default its first."""
    page = next(page for page in models.pages(data) if page.url == paths.model_url(model))
    sections = [section for section in page.context["boards"] if board in (None, section["board"].id)]
    template = template_environment([packaged("site_templates")], data).get_template(page.template)
    shown = pages.parse(template.render({**page.context, "boards": sections[:1], "link": str, "draw": None}))
    lines = (line for table in shown.all("table", class_="nb-figures") for line in table.all("tr"))
    return {
        link.attributes["href"].partition("#metric-")[2]: (
            line.one("span", class_="nb-value").text,
            " ".join(note.text for note in line.all("span", class_="nb-quiet")),
        )
        for line in lines
        for link in line.all("a", class_="nb-head")
        if line.all("span", class_="nb-value")
    }


def shown_cells(table: Table, model: str) -> dict[str, str]:
    """What each column says of a contestant, by metric; without trust, which is drawn."""
    (row,) = (row.row for row in table.rows if row.model.id == model)
    columns = (metric for metric, column in table.columns if column.kind != "trust")
    return {metric.id: column_words(metric, table.view, row) for metric in columns}


def changed(view: ViewT, changes: Mapping[str, Mapping[str, Any]] | None = None, **more: Any) -> ViewT:
    """A view of a board with some fields of some contestants' rows, or of the results, changed."""
    rows = [msgspec.structs.replace(row, **(changes or {}).get(row.model, {})) for row in view.results.leaderboard]
    return replace(view, results=msgspec.structs.replace(view.results, **{"leaderboard": rows, **more}))


def showing(view: BoardView, site: Site) -> SiteData:
    """The data of a site with the results of that view."""
    boards = {**site.data.boards, view.board.id: view.results}
    return SiteData(site.data.benchmark, site.data.entry, site.data.runs, boards)


WATERS = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000b2"
id: waters
title: Waters
question: How are notes on water retold?
description: A second board, of one domain, with every answer sampled twice.
construct: capability
protocol: axes
panel: rules
controls: none
template: zero-context
domains: [rivers]
contestants: [textrank-2, null-constant]
samples: 2
aggregation: {groups: category}
bootstrap: {resamples: 200, seed: 2}
"""

MARK = '{since: "2026-11-01", reason: A preview.}'


@dataclass(frozen=True)
class Site:
    """A repository with a rendered site."""

    repository: Repository

    @property
    def folder(self) -> Path:
        return self.repository.site

    @property
    def tree(self) -> Path:
        return self.repository.tree

    @cached_property
    def entry(self) -> CatalogEntry:
        return list_runs(self.repository.runs)[-1]

    @cached_property
    def data(self) -> SiteData:
        """What the pages are made of, with the titles that the specs have now."""
        return gather(api.words_of(self.repository, self.entry), self.entry, [self.entry])

    @property
    def axes_views(self) -> list[AxesView]:
        """The boards of the `axes` protocol."""
        return [view for view in self.data.views if isinstance(view, AxesView)]

    @cached_property
    def pages(self) -> dict[str, Element]:
        """Every page by its address."""
        return pages.pages(self.folder)

    @property
    def board(self) -> str:
        """The address of the board that has the name of the benchmark, else of the first."""
        views = {view.board.id: view for view in self.data.views}
        return views.get(self.data.benchmark.about.id, next(iter(views.values()))).url

    def example(self, kind: str) -> str:
        """The address of a page of that kind."""
        return pages.examples(self.folder)[kind]

    def content(self, url: str) -> Element:
        return pages.content(self.pages[url])

    def below(self, prefix: str) -> Element:
        """What all pages below an address show, as one element."""
        return Element("div", {}, children=[self.content(url) for url in self.pages if url.startswith(prefix)])

    def fragment(self, source: str, **context: Any) -> Element:
        """What Jinja makes of a context, with the macros of pages as `m`."""
        environment = template_environment([packaged("site_templates")], self.data)
        template = environment.from_string(f'{{% import "_macros.j2" as m with context %}}{source}')
        return pages.parse(template.render(link=str, draw=None, **context))

    def table(self, url: str, caption: str) -> Element:
        """The one table of a page with that caption."""
        (found,) = (table for table in self.content(url).all("table") if table.one("caption").text == caption)
        return found

    def rows(self, url: str, caption: str) -> list[list[str]]:
        """The cells of that table."""
        return self.table(url, caption).rows()

    def cells(self, url: str, caption: str) -> list[dict[str, str]]:
        """The cells of that table, by the metrics of its columns, or by the titles of those without a metric."""
        table = self.table(url, caption)
        heads = table.all("thead")[0].all("tr")[-1].all("th")
        links = [head.all("a") for head in heads]
        metrics = [str(link[0].attributes["href"]).partition("#metric-")[2] if link else "" for link in links]
        names = [metric or head.text for metric, head in zip(metrics, heads, strict=True)]
        return [dict(zip(names, row, strict=True)) for row in table.rows()]

    def view(self, kind: type[ViewT]) -> ViewT:
        """The first board that is looked at in that way; one that was evaluated here before an imported one."""
        found = (view for view in self.data.views if isinstance(view, kind))
        return min(found, key=lambda view: view.board.imported is not None)

    def results(self, board: str) -> Results:
        return read_results(self.entry.path, board)

    @property
    def indexed(self) -> list[dict[str, str]]:
        """What the search finds."""
        docs: list[dict[str, str]] = json.loads((self.folder / "search" / "search_index.json").read_bytes())["docs"]
        return docs

    def json(self, path: str) -> Any:
        return json.loads((self.folder / "data" / "v1" / path).read_bytes())

    def csv(self, path: str) -> list[dict[str, str]]:
        text = (self.folder / "data" / "v1" / path).read_text("utf-8")
        return list(csv.DictReader(text.splitlines()))


def write_two_boards(folder: Path) -> Repository:
    """A repository of the small benchmark with a second board, a ledger, and a contestant whose place may not stay."""
    specs = write_benchmark(folder)
    (specs / "ledger.yaml").write_text(LEDGER, "utf-8")
    edit(specs / "models/textrank-2.yaml", "kind: baseline\n", f"kind: baseline\nprovisional: {MARK}\n")
    (specs / "boards" / "waters.yaml").write_text(WATERS, "utf-8")
    return Repository(folder)


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _small_site(folder: Path) -> Site:
    repository = write_two_boards(folder)
    api.build(repository)
    return Site(repository)


def _shipped_site(folder: Path) -> Site:
    if any((ROOT / "runs").glob("*/manifest.json")):
        folder.mkdir(exist_ok=True)
        for name in ("specs", "runs"):
            (folder / name).symlink_to(ROOT / name, target_is_directory=True)
        shutil.copy(ROOT / "mkdocs.yml", folder)
        api.render(Repository(folder))
    else:
        write_starter(folder)
        api.build(Repository(folder))
    return Site(Repository(folder))


CONTROLS = "negation, shuffled-sentences, keywords"
"""The kinds of damage of the site of controls."""


def _controls_site(folder: Path) -> Site:
    repository = small_repository(folder)
    edit(repository.specs / "boards/main.yaml", "controls: none", f"controls: {{kinds: [{CONTROLS}]}}")
    api.build(repository)
    return Site(repository)


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of that name: made by whichever process of the session wants it first, and shared by all.

    One that could not be made is not tried again: the next test fails at once.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, made, failed = base / name, base / f"{name}.made", base / f"{name}.failed"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if failed.exists():
            pytest.fail(f"{name} could not be made before: {failed.read_text('utf-8')}")
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            try:
                make(folder)
            except Exception as error:
                failed.write_text(repr(error), "utf-8")
                raise
            made.touch()
    return folder


def site_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Site]) -> Site:
    """The site of that name, made once."""
    return _site(once(factory, name, make))


# Fixtures that two folders import are two fixtures to pytest; the cache makes what they hand out one.
@cache
def _site(folder: Path) -> Site:
    return Site(Repository(folder))


def each_of(*names: str) -> Any:
    """Return a fixture that is each of these sites in turn."""

    @pytest.fixture(params=names)
    def site(request: pytest.FixtureRequest) -> Site:
        found: Site = request.getfixturevalue("history" if request.param == "history" else f"{request.param}_site")
        return found

    return site


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Two boards, two domains, four contestants: every kind of page, in a second or two."""
    return site_once(tmp_path_factory, "small-site", _small_site)


@pytest.fixture(scope="session")
def shipped_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The committed run of this repository; without one the repository that `init` makes, built."""
    return site_once(tmp_path_factory, "shipped-site", _shipped_site)


@pytest.fixture(scope="session")
def controls_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A board of three contestants whose panel is measured by three kinds of damage."""
    return site_once(tmp_path_factory, "controls-site", _controls_site)


@pytest.fixture
def small_copy(small_site: Site, tmp_path: Path) -> Repository:
    """A copy of the small repository, run, caches and site included, to change."""
    shutil.copytree(small_site.repository.root, tmp_path / "small")
    return Repository(tmp_path / "small")
