"""From a run's results to a site: gather everything, make every file, write the tree, let MkDocs build it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError
from markupsafe import Markup

from nullbench_site.errors import RunError
from nullbench_site.packaged import packaged
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.storage import storage_errors
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart, chart_spec
from nullbench_site.site.charts.svg import chart_svg, vega_bundle
from nullbench_site.site.data_files import data_files
from nullbench_site.site.evidence import evidence_files
from nullbench_site.site.gather import SiteData, gather
from nullbench_site.site.pages import boards, data, domains, evidence, judges, methodology, models, runs
from nullbench_site.site.pages.page import Page, site_facts
from nullbench_site.site.tree import ConfigError, mkdocs_config, nav_entry, write_tree
from nullbench_site.specs.benchmark import Benchmark

_KINDS_OF_PAGE: tuple[Callable[[SiteData], Iterator[Page]], ...] = (
    boards.pages,
    domains.pages,
    models.pages,
    judges.pages,
    evidence.pages,
    methodology.pages,
    runs.pages,
    data.pages,
)
_NAV = (
    ("Board", paths.HOME),
    ("Domains", paths.DOMAINS),
    ("Fingerprints", paths.MODELS),
    ("Judges", paths.JUDGES),
    ("Evidence", paths.EVIDENCE),
    ("Method", paths.METHOD),
    ("Runs", paths.RUNS),
    ("Data", paths.DATA),
)


def render_site(
    *,
    benchmark: Benchmark,
    entry: CatalogEntry,
    runs: Sequence[CatalogEntry],
    root: Path,
    tree: Path,
    site: Path,
    cache: Path,
) -> Path:
    """Render the site of one run into `site`; returns that folder. Raises RunError where MkDocs cannot build it."""
    gathered = gather(benchmark, entry, runs)
    write_tree(tree, tree_files(gathered, root, cache))
    _mkdocs_build(tree / "mkdocs.yml", site)
    return site


def tree_files(site: SiteData, root: Path, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of the MkDocs project, by path below it."""
    own = root / "mkdocs.yml"
    templates = [folder for folder in (root / "site_templates", packaged("site_templates")) if folder.is_dir()]
    pages = [page for kind in _KINDS_OF_PAGE for page in kind(site)]
    renderer = _Renderer(templates, site, cache)
    for page in pages:
        yield f"docs/{paths.source_file(page.url)}", renderer.render(page).encode()
    yield (
        "mkdocs.yml",
        mkdocs_config(
            own if own.exists() else packaged("mkdocs.yml"),
            words.plain_title(site.benchmark.about.title),
            words.plain_title(site.benchmark.about.description),
            [nav_entry(title, url) for title, url in _NAV],
            paths.OUTSIDE_NAV,
        ),
    )
    yield from _assets(templates)
    yield "docs/assets/vega.js", vega_bundle(cache)
    for files in (data_files(site), evidence_files(site)):
        for name, content in files:
            yield f"docs/{name}", content


def _assets(templates: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """The files beside the pages; of two of one name the one in the first folder."""
    found = {
        path.relative_to(folder).as_posix(): path
        for folder in reversed(templates)
        for path in (folder / "assets").rglob("*")
        if path.is_file()
    }
    for name, path in sorted(found.items()):
        yield f"docs/{name}", path.read_bytes()


class _Renderer:
    """Turns pages into Markdown files: front matter and one block of HTML, in which every text is escaped.

    templates: folders in which a template is looked for, the repository's own before the shipped one.
    """

    def __init__(self, templates: Sequence[Path], site: SiteData, cache: Path) -> None:
        self.cache = cache
        self.environment = Environment(
            loader=FileSystemLoader([folder / "pages" for folder in templates]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.globals |= {"paths": paths, "run_facts": site_facts(site), "about": site.benchmark.about}

    def render(self, page: Page) -> str:
        def link(target: str) -> str:
            return paths.relative(target, page.url)

        try:
            template = self.environment.get_template(page.template)
            text = template.render({**page.context, "link": link, "draw": self._draw})
        except TemplateError as error:
            advice = "mend it, or delete it to use the shipped one"
            raise ConfigError(f"site_templates/pages/{page.template}: {error}; {advice}") from error
        front: dict[str, Any] = {
            "title": words.plain_title(page.title),
            "description": words.plain_title(page.description),
            "hide": ["navigation", "toc", "path"],
        }
        if not page.searchable:
            front["search"] = {"exclude": True}
        # A line a key and ASCII alone, so no text of a spec can break out of the front matter.
        lines = yaml.safe_dump(front, sort_keys=False, width=float("inf"))
        return f'---\n{lines}---\n\n<div class="nb">\n{text}\n</div>\n'

    def _draw(self, chart: Chart) -> dict[str, Markup]:
        spec = chart_spec(chart, self.cache)
        svg = Markup(chart_svg(spec, self.cache))  # noqa: S704 - drawn by us, its texts escaped by Vega
        return {"svg": svg, "spec": script_json(spec)}


def script_json(value: Any) -> Markup:
    """`value` as JSON inside a <script> element: no text in it can end the element."""
    text = msgspec.json.encode(value).decode()
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def _mkdocs_build(config_file: Path, site: Path) -> None:
    """Build the tree, with every warning of MkDocs an error: a broken link is a bug of ours."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    with storage_errors(site), _Warnings() as warnings:
        try:
            config = load_config(str(config_file), site_dir=str(site.resolve()))
            config.plugins.on_startup(command="build", dirty=False)
            build(config)
            config.plugins.on_shutdown()
        except MkDocsException as error:
            advice = "its settings come from the repository's mkdocs.yml"
            raise RunError("\n".join([*warnings.said, f"MkDocs cannot build the site ({error}); {advice}"])) from error
    if warnings.said:
        said = "MkDocs warns of the site, or of the settings in the repository's mkdocs.yml:"
        raise RunError("\n".join([said, *warnings.said]))


class _Warnings(logging.Handler):
    """Collects what MkDocs warns of while it builds."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        logging.getLogger("mkdocs").addHandler(self)
        return self

    def __exit__(self, *exception: object) -> None:
        logging.getLogger("mkdocs").removeHandler(self)
