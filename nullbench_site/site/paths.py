"""Where pages and files of the site stand, and the way from one to another below any path prefix."""

from __future__ import annotations

import posixpath

HOME = ""
DOMAINS = "domains/"
MODELS = "models/"
COMPARE = "compare/"
JUDGES = "judges/"
EVIDENCE = "evidence/"
METHOD = "methodology/"
RUNS = "runs/"
DATA = "data/"

OUTSIDE_NAV = ("/boards/*/index.md", "/domains/*/*/index.md", "/models/*/index.md")
"""The pages that the navigation does not list: there may be thousands of them."""


def board_url(board: str, *, is_first: bool) -> str:
    """The page of a board; the first board is the home page."""
    return HOME if is_first else f"boards/{board}/"


def domain_url(board: str, domain: str) -> str:
    """The page of a domain on a board."""
    return f"domains/{board}/{domain}/"


def model_url(model: str) -> str:
    """The page of a contestant."""
    return f"models/{model}/"


def source_file(url: str) -> str:
    """The Markdown file that MkDocs turns into the page at `url`."""
    return "index.md" if url == HOME else f"{url.rstrip('/')}/index.md"


def relative(target: str, base: str) -> str:
    """The link from the page at `base` to `target`, a page or a file, both from the root of the site."""
    path, hash_mark, anchor = target.partition("#")
    way = posixpath.relpath(f"/{path}", f"/{base}")
    if (path == "" or path.endswith("/")) and not way.endswith("/"):
        way += "/"
    return f"{way}{hash_mark}{anchor}"
