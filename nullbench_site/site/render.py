"""Render the site of a run: gather the results, make every file, write the tree, and build it with MkDocs."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
)
from markupsafe import Markup

from nullbench_site.extensions import protocol_folder
from nullbench_site.packaged import packaged
from nullbench_site.repository import AUDITS
from nullbench_site.runs.catalog import Catalog, CatalogEntry
from nullbench_site.runs.storage import replaced
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.builder import cache_templates, mkdocs_build, script_hashes
from nullbench_site.site.cards import badge_files, card_files
from nullbench_site.site.charts.chart import Chart, chart_spec, chart_svg
from nullbench_site.site.data_files import ROOT, data_files
from nullbench_site.site.evidence.explorer_files import evidence_files
from nullbench_site.site.freshness import kept_or_made
from nullbench_site.site.gather import SiteData, gather
from nullbench_site.site.group_scores import group_score_files
from nullbench_site.site.pages import (
    attacks,
    audit,
    board_trust,
    boards,
    compare,
    data,
    domains,
    item_checks,
    judges,
    judging_prompts,
    methodology,
    models,
    overview,
    runs,
)
from nullbench_site.site.pages.page import ROW_FILTERS, Page, site_facts
from nullbench_site.site.pages.runs import run_board_files, run_boards
from nullbench_site.site.pages.usage import cost_words
from nullbench_site.site.protocol import answered
from nullbench_site.site.run_changes import run_changes
from nullbench_site.site.score_vectors import score_vector_files
from nullbench_site.site.tree import (
    ConfigError,
    Kept,
    bundled,
    faults_in,
    frame_of,
    mkdocs_config,
    nav_entry,
    write_tree,
)
from nullbench_site.site.wellknown import contribute, root_files, site_address
from nullbench_site.site.words import BADGES, NOT_ORIGINAL, ORIGINS, PROVES, PROVES_NOT
from nullbench_site.specs.benchmark import Benchmark

# What YAML lets stand in no text unescaped, or takes for the end of a line, and JSON does not mind.
_NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

_SENTENCE = 200
"""Letters that the search shows of a page: a sentence, and no reader loads more than that of each contestant."""

_KINDS_OF_PAGE: tuple[Callable[[SiteData], Iterator[Page]], ...] = (
    overview.pages,
    boards.pages,
    board_trust.pages,
    item_checks.pages,
    domains.pages,
    models.pages,
    compare.pages,
    judges.pages,
    attacks.pages,
    runs.ledger,
    data.explorer,
    methodology.pages,
    audit.pages,
    judging_prompts.pages,
)
_NAV = (
    ("Boards", paths.HOME),
    ("Domains", paths.DOMAINS),
    ("Fingerprints", paths.MODELS),
    ("Compare", paths.COMPARE),
    ("Evidence", paths.EVIDENCE),
    ("Judges", paths.JUDGES),
    ("Method", paths.METHOD),
    ("Runs", paths.RUNS),
    ("Data", paths.DATA),
)
_PLACES = (
    *_NAV,
    ("Boards", paths.BOARDS),
    ("Judges", paths.ATTACKS),
    ("Method", paths.GLOSSARY),
    ("Method", paths.AUDIT),
    ("Judges", paths.PROMPTS),
)
"""The entries of the navigation, and which pages outside it belong to one."""


def render_site(
    *,
    benchmark: Benchmark,
    entry: CatalogEntry,
    catalog: Catalog,
    root: Path,
    tree: Path,
    site: Path,
    cache: Path,
    inputs: str,
) -> Path:
    """Render the site of one run into `site`; returns that folder. Raises RunError if MkDocs cannot build it.

    The old site stays until the new one is complete. inputs: the digest of the inputs of data files; files with the
    same inputs stay in the tree.
    """
    gathered, has_address = gather(benchmark, entry, *catalog, root / AUDITS), site_address(frame_of(root)) is not None
    of_data = kept_or_made(
        tree / "docs",
        cache / "data.stamp",
        f"{inputs} {has_address}",
        lambda: files_of_data(gathered, cache, has_address=has_address),
    )
    write_tree(tree, tree_files(gathered, root, cache, of_data))
    with replaced(site) as new:
        mkdocs_build(tree / "mkdocs.yml", new)
    return site


def files_of_data(site: SiteData, cache: Path, *, has_address: bool) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files that depend on runs and specs only, and not on the look of pages.

    has_address: of the site, without which no page can name a card.
    """
    of_runs = run_board_files(run_boards(site.runs, cache))
    archive = io.BytesIO()
    with ZipFile(archive, "w") as packed:
        parts = (
            data_files(site),
            badge_files(site),
            of_runs,
            score_vector_files(site),
            group_score_files(site),
            item_checks.item_check_files(site),
            evidence_files(site),
        )
        for name, content in chain.from_iterable(parts):
            if name not in packed.NameToInfo:  # the schema of a kind of file comes with each of them
                packed.writestr(ZipInfo(name), content, ZIP_DEFLATED, 1)
            yield name, content
    yield f"{ROOT}/archive.zip", archive.getvalue()
    if has_address:
        yield from card_files(site, cache)


def tree_files(
    site: SiteData, root: Path, cache: Path, of_data: Iterable[tuple[str, bytes | Kept]] | None = None
) -> Iterator[tuple[str, bytes | Kept]]:
    """Yield path and content of each file of the MkDocs project. of_data: those of `files_of_data`, if made already."""
    frame = frame_of(root)
    address = site_address(frame)
    mine = root / "site_templates"
    if links := sorted(path for path in mine.rglob("*") if path.is_symlink()):
        raise ConfigError(f"{links[0]}: this is a symlink, whose target would be published; use a copy of the file")
    templates = [folder for folder in (mine, packaged("site_templates")) if folder.is_dir()]
    changes = run_changes(site.runs, cache)
    boards_of_runs = run_boards(site.runs, cache)
    of_runs = [*runs.pages(site, changes, boards_of_runs), *runs.sealed_boards(site, boards_of_runs)]
    pages = [*(page for kind in _KINDS_OF_PAGE for page in kind(site)), *of_runs]
    renderer = _Renderer(mine, templates, site, cache, has_address=address is not None)
    for page in pages:
        yield f"docs/{paths.source_file(page.url)}", renderer.render(page).encode()
    theme = dict(_copied(templates, "overrides"))
    yield (
        "mkdocs.yml",
        mkdocs_config(
            frame,
            title=words.plain_title(site.benchmark.about.title),
            description=words.plain_title(site.benchmark.about.description),
            nav=[nav_entry(title, url) for title, url in _NAV if url != paths.JUDGES or answered(site.views)],
            hidden=paths.OUTSIDE_NAV,
            script_hashes=script_hashes(frame, theme, {page.url.count("/") for page in pages}, cache),
            partial=not site.entry.manifest.sealed,
            contribute=contribute(site.benchmark.about),
        ),
    )
    yield from theme.items()
    for name, content in bundled(_copied(templates, "assets"), site.protocols):
        yield f"docs/{name}", content
    sizes: dict[str, int] = {}
    data_made = of_data or files_of_data(site, cache, has_address=address is not None)
    for name, file in chain(data_made, root_files(site, changes, address)):
        sizes[name] = file.size if isinstance(file, Kept) else len(file)
        yield f"docs/{name}", file
    for page in data.pages(site, sizes, address):
        yield f"docs/{paths.source_file(page.url)}", renderer.render(page).encode()


def _copied(templates: Sequence[Path], part: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a part of the templates. The first folder wins if two have the same name."""
    files = {
        path.relative_to(folder).as_posix(): path
        for folder in reversed(templates)
        for path in (folder / part).rglob("*")
        if path.is_file()
    }
    for name, path in sorted(files.items()):
        yield name, path.read_bytes()


class _Renderer:
    """Turn pages into Markdown files. Their front matter has the HTML of the page, with every text escaped.

    The override of the theme places it. The file's own text is for the search.

    own: the folder of the repository's templates. templates: the folders to look in, the repository's first.
    has_address: whether the site has an address, which cards need.
    """

    def __init__(self, own: Path, templates: Sequence[Path], site: SiteData, cache: Path, *, has_address: bool) -> None:
        self.cache, self.own, self.has_address = cache, own / "pages", has_address
        self.name = words.plain_title(site.benchmark.about.title)
        self.environment = template_environment(templates, site)

    def render(self, page: Page) -> str:
        def link(target: str) -> str:
            return paths.relative(target, page.url)

        try:
            with faults_in(self.own, "site_templates/pages"):
                template = self.environment.get_template(page.template)
                text = template.render({**page.context, "link": link, "draw": self._draw})
        except TemplateError as error:
            error.add_note(f"in the template {page.template}, which is not of this repository")
            raise
        front: dict[str, Any] = {
            "title": words.plain_title(page.title),
            "description": words.plain_title(page.description),
            "tab": next((title for title, place in _PLACES if place and page.url.startswith(place)), ""),
        }
        if re.search(rf"(?<!\w){re.escape(self.name)}(?!\w)", front["title"]):
            front["alone"] = True
        if page.card and self.has_address:
            front["card"] = page.card
        if not page.searchable:
            front["search"] = {"exclude": True}
        front["html"] = f'<div class="nb">\n{text}\n</div>'
        # JSON, a line a key, so no text of a spec can break out of the front matter.
        lines = "".join(f"{name}: {_yaml(value)}\n" for name, value in front.items())
        return f"---\n{lines}---\n\n{found_by_search(page)}\n"

    def _draw(self, chart: Chart) -> Markup:
        svg = chart_svg(chart_spec(chart, self.cache), self.cache)
        return Markup(svg)  # noqa: S704 - drawn by us, its texts escaped by Vega


def template_environment(templates: Sequence[Path], site: SiteData) -> Environment:
    """Return the environment of page templates, with the filters and globals that each can use.

    Templates of the repository come before the shipped ones. Those of a protocol are in its package, below its name.
    """
    folders = {name: FileSystemLoader(protocol_folder(name) / "templates") for name in site.protocols}
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader([folder / "pages" for folder in templates]), PrefixLoader(folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cache_templates(environment)
    environment.filters |= {
        **words.FILTERS,
        **ROW_FILTERS,
        "judge_kind": judges.judge_kind,
        "rate_words": attacks.rate_words,
        "robust_words": boards.robust_words,
        "cost_words": cost_words,
    }
    environment.tests["unset"] = lambda value: value is msgspec.UNSET
    environment.globals |= {
        "paths": paths,
        "metrics": METRICS,
        "root": ROOT,
        "run_facts": site_facts(site),
        "about": site.benchmark.about,
        "origins": ORIGINS,
        "badges": BADGES,
        "proves": PROVES,
        "proves_not": PROVES_NOT,
        "not_original": NOT_ORIGINAL,
    }
    return environment


def found_by_search(page: Page) -> str:
    """Return the text of a page for the search index, as a block of HTML that Markdown leaves alone."""

    def sentence(text: str) -> Markup:
        return Markup("<p>{}</p>").format(shorten(text, _SENTENCE, placeholder=" …"))

    terms = (
        Markup('<h2 id="{}">{}</h2>').format(term.anchor, words.plain_title(term.title)) + sentence(term.text)
        for term in page.terms
    )
    return f"<div>{sentence(page.description)}{Markup().join(terms)}</div>"


def _yaml(value: Any) -> str:
    """`value` on one line as JSON and YAML both read it; the fast way to write a long text."""
    quoted = msgspec.json.encode(value).decode()
    return _NOT_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
