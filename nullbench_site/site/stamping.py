"""Pages that MkDocs need not take apart: their HTML is put into what it made of one page like them.

A site has thousands of pages outside the navigation, one a contestant. Where the theme's templates are the shipped ones
and nobody else looks at pages, those of a kind differ in a few texts alone.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import ChoiceLoader, DictLoader, Environment, pass_context
from jinja2.runtime import Context
from markupsafe import escape
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from nullbench_site.packaged import packaged

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
