"""The Content-Security-Policy of a built page."""

from __future__ import annotations

from support.pages import Element


def policy(root: Element) -> dict[str, list[str]]:
    """The directives of the page's policy: name -> sources."""
    (meta,) = [meta for meta in root.one("head").all("meta") if "http-equiv" in meta.attributes]
    assert meta.attributes["http-equiv"] == "Content-Security-Policy"
    directives = [directive.split() for directive in meta.attributes["content"].split(";")]
    return {name: sources for name, *sources in directives}


def script_hashes(root: Element) -> set[str]:
    """The hashes by which the page's policy allows inline scripts; nothing else but its own files is allowed."""
    own, *hashes = policy(root)["script-src"]
    assert own == "'self'"
    assert all(source.startswith("'sha256-") and source.endswith("='") for source in hashes)
    return {source.strip("'") for source in hashes}
