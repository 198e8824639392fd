"""The build of a generated project by MkDocs, the pages that it need not take apart, and the scripts of its pages."""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Set
from contextlib import suppress
from copy import copy
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemBytecodeCache, pass_context
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import escape
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_build_timestamp

from nullbench_site import __version__
from nullbench_site.errors import RunError
from nullbench_site.packaged import packaged
from nullbench_site.runs.storage import made_once, storage_errors
from nullbench_site.site.tree import dumped, environment, faults_in, write_tree
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.text import quoted

_MARKDOWN = {"attr_list", "fenced_code", "tables", "toc"}
"""Extensions of Markdown that leave a block of HTML as it is."""
_TEMPLATE = "nullbench-stamped.html"
_OWN = ("title", "description", "card", "html")
"""What the front matter has of one page alone, and a template asks for by these names."""
_SLOT = re.compile("\0(raw|escaped) (\\w+)\0")


def can_stamp(config: MkDocsConfig) -> bool:
    """Whether a page is what our templates and the theme make of it, and nothing else."""
    own, shipped = Path(config.theme.custom_dir or ""), packaged("site_templates") / "overrides"
    return _contents(own) == _contents(shipped) and _MARKDOWN.issuperset(config.markdown_extensions)


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class _ReadyPage(Page):
    """A page of the tree, as `render` writes it: values of JSON, a line each, and the HTML that the search reads."""

    def read_source(self, config: MkDocsConfig) -> None:
        _, front, text = self.file.content_string.split("---\n", 2)
        lines = (line.partition(": ") for line in front.rstrip("\n").split("\n"))
        self.meta = {name: msgspec.json.decode(value) for name, _, value in lines} | {"template": _TEMPLATE}
        self.markdown = text.strip("\n")

    def render(self, config: MkDocsConfig, files: Files) -> None:
        self.content = self.markdown


def take_over(files: Files, config: MkDocsConfig) -> None:
    """Make the pages outside the navigation ready ones, once MkDocs has found out which these are."""
    for file in files.documentation_pages():
        if file.inclusion.is_not_in_nav():  # type: ignore[no-untyped-call]
            _ReadyPage(None, file, config)


def add_template(env: Environment) -> None:
    """Let templates of the theme be those of ready pages."""
    env.loader = ChoiceLoader([DictLoader({_TEMPLATE: "{{ stamped() }}"}), *filter(None, [env.loader])])
    env.globals["stamped"] = _Shells().stamped


class _Slot(str):
    """The name of a text, in its place: where a template escapes it that can be seen."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"\0raw {self[:]}\0"

    def __html__(self) -> str:
        return f"\0escaped {self[:]}\0"


class _Shells:
    """What MkDocs made of a page, less its own texts; by all else that a page can differ in."""

    def __init__(self) -> None:
        self.shells: dict[Hashable, list[str]] = {}
        self.proved: set[Hashable] = set()

    @pass_context
    def stamped(self, context: Context) -> str:
        """The page of the context. A shell serves from the third page on: the second shows that it is right."""
        page, main = context["page"], context.environment.get_template("main.html")
        texts = {name: page.meta.get(name) for name in _OWN} | {"address": page.canonical_url}
        others = {name: value for name, value in page.meta.items() if name not in texts}
        kind = repr((context["base_url"], sorted(others.items()), [name for name in texts if texts[name]]))
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
        text = texts.get(name) or ""  # a setting may hold what looks like a slot: then no page proves the shell
        filled += [str(escape(text)) if how == "escaped" else text, following]
    return "".join(filled)


_SEARCH = {"search", "material/search"}


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates as Python, which takes a quarter of a render to make of them: kept where the user alone writes.

    Not in the repository: whoever can write there could have code of theirs run.
    """

    def __init__(self) -> None:
        super().__init__(pattern=f"nullbench-{__version__}-jinja-{version('jinja2')}-%s.cache")

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)

    @classmethod
    def on_env(cls, env: Environment, **_: object) -> Environment:
        """Let `env` keep its templates, where there is a folder for them; as an event of MkDocs, too."""
        with suppress(RuntimeError, OSError):
            env.bytecode_cache = cls()
        return env


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
        return CompiledTemplates.on_env(env)


def mkdocs_build(config_file: Path, site: Path) -> None:
    """Build a tree, with every warning of MkDocs an error: a broken link is a bug of ours. Raises RunError."""
    try:
        get_build_timestamp()
    except (ValueError, OverflowError, OSError):
        found = f"SOURCE_DATE_EPOCH is {quoted(os.environ.get('SOURCE_DATE_EPOCH'))}"
        message = "expected the seconds since 1970, a whole number; mend it, or take it out of the environment and .env"
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
        first = "MkDocs warns of the site, or of the settings in the repository's mkdocs.yml:"
        raise RunError("\n".join([first, *warnings.lines]))


class _Warnings(logging.Handler):
    """Collects what MkDocs warns of while it builds."""

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


# Scripts of others that a page loads when a reader asks: Vega makes charts interactive, DataTables boards.


def datatables_bundle() -> bytes:
    """An ES module whose default export is DataTables. To import the package itself takes a second."""
    return Path(str(distribution("itables").locate_file("itables/html/dt_bundle.js"))).read_bytes()


def vega_bundle(cache_folder: Path) -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, from vl-convert; made once a version."""
    kept = cache_folder / f"vega-embed-{version('vl-convert-python')}.js"
    return made_once(kept, _vega)


@cache
def _vega() -> bytes:
    """The bundle anew; it takes seconds, and one process may render several sites."""
    import vl_convert  # noqa: PLC0415 - as heavy as its work, which is done once a version

    return bytes(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode())


def script_hashes(frame: Mapping[str, Any], overrides: Mapping[str, bytes], depths: Set[int], cache: Path) -> list[str]:
    """The sources ("sha256-...") of the inline scripts that the theme writes into pages, for a script-src directive.

    frame: the settings of MkDocs without any text of the specs. overrides: what is changed of the theme, by path.
    depths: how many folders the pages lie below the site's root; the theme's scripts name the way back there. Building
    pages takes a second, so the answer is kept until the settings, the overrides or the builder change.
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
    """What a script-src directive allows the script with exactly this text by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def inline_scripts(html: str) -> list[str]:
    """The texts of the scripts in a page that a browser would run and that are no files; data is none."""
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
