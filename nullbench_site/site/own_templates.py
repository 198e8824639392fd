"""The page templates of a repository that nothing uses: misspelt, more often than not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError, meta

from nullbench_site.extensions import protocol_folder, registered
from nullbench_site.packaged import packaged
from nullbench_site.text import did_you_mean


def unused(folder: Path) -> Iterator[str]:
    """A line for each template below the folder that has the name of none of ours, and that no other there includes.

    None where one of them includes what only a page knows the name of.
    """
    own = _templates(folder)
    if not own:
        return
    ours = {*_templates(packaged("site_templates") / "pages")}
    for protocol in registered("protocols"):
        ours |= {f"{protocol}/{name}" for name in _templates(protocol_folder(protocol) / "templates")}
    included: set[str | None] = set()
    for path in own.values():
        with suppress(TemplateSyntaxError, UnicodeDecodeError):  # who renders it says what is wrong
            included.update(meta.find_referenced_templates(Environment().parse(path.read_text("utf-8"))))  # noqa: S701
    for name in () if None in included else sorted(own.keys() - ours - included):
        yield f"{own[name]}: no page is made of this template; {did_you_mean(name, ours)}"


def _templates(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.j2") if path.is_file()}
