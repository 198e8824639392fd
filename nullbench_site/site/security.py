"""What a page may run: our own files, and those inline scripts that the theme itself writes.

The hashes of the theme's scripts are taken from pages that hold no text of a benchmark. Were they taken from the site's
own pages, a script that a spec or an answer brought into one would be allowed along with the theme's.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Set
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from nullbench_site.runs.storage import made_once
from nullbench_site.site.builder import mkdocs_build
from nullbench_site.site.tree import dumped, environment, write_tree
from nullbench_site.specs.digest import canonical_json, sha256


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
