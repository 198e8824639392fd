"""Build the generated project with MkDocs: stamp pages that are alike, hash the theme's scripts, add bundles."""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Set
from contextlib import suppress
from copy import copy
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemBytecodeCache, pass_context
from jinja2.runtime import Context
from markupsafe import escape
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_build_timestamp, normalize_url

from nullbench_site import __version__
from nullbench_site.errors import RunError
from nullbench_site.packaged import packaged
from nullbench_site.runs.storage import made_once, storage_errors
from nullbench_site.site.tree import dumped, environment, faults_in, write_tree
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.text import quoted

_MARKDOWN = {"attr_list", "fenced_code", "tables", "toc"}
"""Markdown extensions that do not change a block of HTML."""
_TEMPLATE = "nullbench-stamped.html"
_OWN = ("title", "description", "card", "html")
"""The keys of the front matter whose values differ from page to page."""
_SLOT = re.compile("\0(raw|escaped) (\\w+)\0")


def can_stamp(config: MkDocsConfig) -> bool:
    """Return True if only the shipped overrides and the theme shape a page."""
    own, shipped = Path(config.theme.custom_dir or ""), packaged("site_templates") / "overrides"
    return _contents(own) == _contents(shipped) and _MARKDOWN.issuperset(config.markdown_extensions)


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class _ReadyPage(Page):
    """A page of the tree as `render` writes it: front matter with one JSON value a line, then HTML for the search."""

    def read_source(self, config: MkDocsConfig) -> None:
        _, front, text = self.file.content_string.split("---\n", 2)
        lines = (line.partition(": ") for line in front.rstrip("\n").split("\n"))
        self.meta = {name: msgspec.json.decode(value) for name, _, value in lines} | {"template": _TEMPLATE}
        self.markdown = text.strip("\n")

    def render(self, config: MkDocsConfig, files: Files) -> None:
        self.content = self.markdown


def take_over(files: Files, config: MkDocsConfig) -> None:
    """Replace the pages outside the navigation by ready pages."""
    for file in files.documentation_pages():
        if file.inclusion.is_not_in_nav():  # type: ignore[no-untyped-call]
            _ReadyPage(None, file, config)


def add_template(env: Environment) -> None:
    """Add the template of ready pages."""
    env.loader = ChoiceLoader([DictLoader({_TEMPLATE: "{{ stamped() }}"}), *filter(None, [env.loader])])
    env.globals["stamped"] = _Shells().stamped


class _Slot(str):
    """A placeholder for a text of a page. It shows whether the template escapes the text."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"\0raw {self[:]}\0"

    def __html__(self) -> str:
        return f"\0escaped {self[:]}\0"


class _Shells:
    """Rendered pages without their own texts, by everything else that pages can differ in.

    A site can have thousands of pages outside the navigation. Pages of one kind differ in a few texts only.
    """

    def __init__(self) -> None:
        self.shells: dict[Hashable, list[str]] = {}
        self.proved: set[Hashable] = set()

    @pass_context
    def stamped(self, context: Context) -> str:
        """Render the page of the context. The second page of a kind checks the shell; later ones are made from it."""
        page, main = context["page"], context.environment.get_template("main.html")
        texts = {name: page.meta.get(name) for name in _OWN} | {"address": page.canonical_url}
        others = {name: value for name, value in page.meta.items() if name not in texts}
        menu = [normalize_url(entry.url, page) for entry in context["nav"].items if entry.url]
        kind = repr((context["base_url"], menu, sorted(others.items()), [name for name in texts if texts[name]]))
        if kind in self.proved:
            return _filled(self.shells[kind], texts)
        whole = main.render(context.get_all())
        if kind not in self.shells:
            slots = {name: _Slot(name) for name, text in texts.items() if text}
            empty = copy(page)
            empty.canonical_url = slots.pop("address", None)
            empty.meta = page.meta | slots
            self.shells[kind] = _SLOT.split(main.render({**context.get_all(), "page": empty}))
        elif _filled(self.shells[kind], texts) == whole:
            self.proved.add(kind)
        return whole


def _filled(shell: list[str], texts: Mapping[str, Any]) -> str:
    parts = iter(shell)
    filled = [next(parts)]
    for how, name, following in zip(parts, parts, parts, strict=True):
        text = texts.get(name) or ""  # a setting may look like a slot; then no page matches the shell
        filled += [str(escape(text)) if how == "escaped" else text, following]
    return "".join(filled)


_SEARCH = {"search", "material/search"}


def cache_templates(environment: Environment) -> Environment:
    """Cache the compiled templates of an environment: compiling takes half of a small render.

    The cache is in a folder that only the user can write to. Code in the repository's folder could be run.
    """
    with suppress(RuntimeError, OSError):  # no such folder
        pattern = f"nullbench-{__version__}-jinja-{version('jinja2')}-%s.cache"
        environment.bytecode_cache = FileSystemBytecodeCache(pattern=pattern)
    return environment


class _Build:
    """Takes part in a build like a plugin: stamps pages if no other plugin looks at them."""

    def __init__(self, config: MkDocsConfig) -> None:
        self.stamps = _SEARCH.issuperset(config.plugins) and can_stamp(config)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Before pages are read."""
        if self.stamps:
            take_over(files, config)
        return nav

    def on_env(self, env: Environment, **_: object) -> Environment:
        """Before pages are rendered."""
        if self.stamps:
            add_template(env)
        return cache_templates(env)


def mkdocs_build(config_file: Path, site: Path) -> None:
    """Build a tree. Raise RunError if MkDocs fails or warns: a broken link is a bug of ours."""
    try:
        get_build_timestamp()
    except (ValueError, OverflowError, OSError):
        found = f"SOURCE_DATE_EPOCH is {quoted(os.environ.get('SOURCE_DATE_EPOCH'))}"
        message = "expected the seconds since 1970, a whole number; fix it, or remove it from the environment and .env"
        raise RunError(f"{found}; {message}") from None
    with storage_errors(site), _Warnings() as warnings:
        try:
            config = load_config(str(config_file), site_dir=str(site.resolve()))
            own: Any = _Build(config)  # no plugin, but it takes events
            config.plugins["nullbench"] = own
            config.plugins.on_startup(command="build", dirty=False)
            with faults_in(Path(config.theme.custom_dir or ""), "site_templates/overrides"):
                build(config)
            config.plugins.on_shutdown()
        except MkDocsException as error:
            advice = "its settings come from the repository's mkdocs.yml"
            raise RunError("\n".join([*warnings.lines, f"MkDocs cannot build the site ({error}); {advice}"])) from error
    if warnings.lines:
        first = "MkDocs reports warnings; check the settings in the repository's mkdocs.yml:"
        raise RunError("\n".join([first, *warnings.lines]))


class _Warnings(logging.Handler):
    """Collect the warnings of MkDocs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        logging.getLogger("mkdocs").addHandler(self)
        return self

    def __exit__(self, *exception: object) -> None:
        logging.getLogger("mkdocs").removeHandler(self)


def script_hashes(frame: Mapping[str, Any], overrides: Mapping[str, bytes], depths: Set[int], cache: Path) -> list[str]:
    """Return the script-src sources ("sha256-...") of the theme's inline scripts.

    The hashes come from pages without any text of the benchmark, so a script in a spec or an answer is never allowed.
    They are cached until the settings, the overrides or the builder change.

    frame: the settings of MkDocs without texts of the specs. overrides: our changes to the theme, by path. depths: of
    the pages below the site's root, as the theme's scripts contain the relative path to it.
    """
    settings = dumped({**frame, "site_name": "frame", "site_description": "frame"})
    files = {f"docs/{'a/' * depth}index.md": b'---\ntitle: "frame"\nhtml: "frame"\n---\n' for depth in depths}
    tree = {"mkdocs.yml": settings, **overrides, **files}
    parts = {
        "files": {name: sha256(content) for name, content in tree.items()},
        "environment": environment(frame),
        "versions": {name: version(name) for name in ("mkdocs", "mkdocs-material")},
        "program": sha256(Path(__file__).read_bytes()),
    }
    kept = cache / "frame" / f"{sha256(canonical_json(parts))}.json"
    hashes = made_once(kept, lambda: msgspec.json.encode(sorted(set(_built(tree)))))
    return msgspec.json.decode(hashes, type=list[str])


def _built(tree: Mapping[str, bytes]) -> Iterator[str]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(folder / "tree", tree.items())
        mkdocs_build(folder / "tree" / "mkdocs.yml", folder / "site")
        for page in (folder / "site").rglob("*.html"):
            for script in inline_scripts(page.read_text("utf-8")):
                yield source(script)


def source(script: str) -> str:
    """Return the script-src source that allows a script with this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def inline_scripts(html: str) -> list[str]:
    """Return the inline scripts of a page that a browser would run."""
    reader = _Scripts()
    reader.feed(html)
    reader.close()
    return reader.scripts


class _Scripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.inside = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data
