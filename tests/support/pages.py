"""Built pages as trees of elements, read with the standard library's parser: no browser, no JavaScript."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_LOADING = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"), "audio": ("src",),
    "video": ("src", "poster"), "embed": ("src",), "object": ("data",), "track": ("src",), "input": ("src",),
    "form": ("action",), "image": ("href", "xlink:href"), "use": ("href", "xlink:href"),
}  # fmt: skip
"""Attributes whose address a browser asks for by itself, or sends what was typed to."""
_LOADING_LINKS = frozenset({"stylesheet", "icon", "preload", "modulepreload", "preconnect", "prefetch", "manifest"})

KINDS = (
    "home",
    "board",
    "domains",
    "domain",
    "models",
    "model",
    "compare",
    "judges",
    "board_judges",
    "evidence",
    "methodology",
    "board_methodology",
    "glossary",
    "runs",
    "run",
    "data",
    "board_trust",
    "audit",
)


@dataclass(eq=False)
class Element:
    """An element with its attributes and children."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    @cached_property
    def elements(self) -> list[Element]:
        """It and every element below, in their order. Kept, as tests look through the same pages again and again."""
        found, left = [], [self]
        while left:
            found.append(element := left.pop())
            left += [child for child in reversed(element.children) if isinstance(child, Element)]
        return found

    def walk(self) -> Iterator[Element]:
        return iter(self.elements)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Every element below of that tag; class_="x" asks for one of its classes."""
        return [e for e in self.elements if e.tag == tag and all(e.has(*pair) for pair in attributes.items())]

    def one(self, tag: str, **attributes: str) -> Element:
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} elements {tag} {attributes}; expected one"
        return found[0]

    def has(self, name: str, value: str) -> bool:
        if name == "class_":
            return value in self.attributes.get("class", "").split()
        return self.attributes.get(name) == value

    @cached_property
    def raw(self) -> str:
        """All characters in it, those of scripts too."""
        return "".join(child if isinstance(child, str) else child.raw for child in self.children)

    @cached_property
    def text(self) -> str:
        """What a reader sees of it, white space as one blank."""
        return " ".join(self._texts().split())

    def _texts(self) -> str:
        if self.tag in ("script", "style", "template"):
            return ""
        between = "" if self.tag in ("b", "a", "bdi", "span", "text", "code") else " "
        inner = "".join(child if isinstance(child, str) else child._texts() for child in self.children)
        return f"{between}{inner}{between}"

    def rows(self) -> list[list[str]]:
        """The cells of a table's body."""
        return [
            [cell.text for cell in row.walk() if cell.tag in ("td", "th")]
            for body in self.all("tbody")
            for row in body.all("tr")
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("#document", {})
        self.open = self.root
        self.doubled: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        self.doubled += [f"{tag} {name}" for name in names if names.count(name) > 1]
        made = Element(tag, {name: value or "" for name, value in reversed(attrs)}, self.open)
        self.open.children.append(made)
        if tag not in _VOID:
            self.open = made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        at: Element | None = self.open
        while at is not None and at.tag != tag:
            at = at.parent
        if at is not None and at.parent is not None:
            self.open = at.parent

    def handle_data(self, data: str) -> None:
        self.open.children.append(data)


def parse(html: str) -> Element:
    """The document of `html`; fails where an element has an attribute twice."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.doubled, f"attributes given twice: {reader.doubled}"
    return reader.root


@cache
def page(path: Path) -> Element:
    """The parsed page in a file that no longer changes."""
    return parse(path.read_text("utf-8"))


def pages(site: Path) -> dict[str, Element]:
    """Every page of a built site by its address below the site's root; those that only lead elsewhere left out."""
    elsewhere = {site / "404.html", site / "boards" / "index.html"}
    found = sorted(path for path in site.rglob("*.html") if path not in elsewhere)
    return {path.relative_to(site).as_posix().removesuffix("index.html"): page(path) for path in found}


def examples(site: Path) -> dict[str, str]:
    """Kind -> the address of a page of it: the benchmark's namesake or else the first board, with its first parts.

    Attacks have a page where the board has an audit.
    """
    data = site / "data" / "v1"
    index = json.loads((data / "index.json").read_bytes())
    boards = [board["id"] for board in index["boards"]]
    board = index["benchmark"] if index["benchmark"] in boards else boards[0]
    results = json.loads((data / "boards" / f"{board}.json").read_bytes())
    named = {
        "home": "",
        "board": f"boards/{board}/",
        "board_judges": f"judges/{board}/",
        "board_methodology": f"methodology/{board}/",
        "domain": f"domains/{board}/{results['domains'][0]['id']}/",
        "board_trust": f"boards/{board}/trust/",
        "attacks": f"attacks/{board}/",
        "run": f"runs/{json.loads((data / 'runs.json').read_bytes())['runs'][0]['run']}/",
        "model": f"models/{results['leaderboard'][0]['model']}/",
    }
    return {kind: named.get(kind, f"{kind}/") for kind in (*KINDS, "attacks")}


@lru_cache(maxsize=4096)
def content(root: Element) -> Element:
    """What is ours of a page: the theme's article."""
    return root.one("article")


def loaded(root: Element) -> Iterator[str]:
    """The addresses that a browser asks for by itself when it shows the page."""
    for element in root.walk():
        names = _LOADING.get(element.tag, ())
        if element.tag == "link" and _LOADING_LINKS & set(element.attributes.get("rel", "").split()):
            names = ("href",)
        for name in names:
            if name in element.attributes:
                yield element.attributes[name]


def links(root: Element) -> Iterator[str]:
    """The addresses that readers can follow."""
    yield from (element.attributes["href"] for element in root.all("a") if "href" in element.attributes)


def target(site: Path, page_url: str, address: str, prefix: str = "/") -> tuple[Path, str] | None:
    """The file and the anchor that `address` on a page means where the site stands below `prefix`.

    None for the address of another host. Fails where it leads out of the prefix.
    """
    whole = urlsplit(urljoin(f"http://site.test{prefix}{page_url}", address))
    if whole.netloc != "site.test" or whole.scheme != "http":
        return None
    path = unquote(whole.path)
    assert path.startswith(prefix), f"{address} on {page_url or 'home'} leads out of {prefix}"
    path = path.removeprefix(prefix)
    return site / (f"{path}index.html" if path == "" or path.endswith("/") else path), unquote(whole.fragment)
