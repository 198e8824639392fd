"""Where pages and files of the site stand, and the way from one to another below any path prefix."""

from __future__ import annotations

HOME = ""
DOMAINS = "domains/"
MODELS = "models/"
COMPARE = "compare/"
JUDGES = "judges/"
EVIDENCE = "evidence/"
METHOD = "methodology/"
RUNS = "runs/"
LEDGER = "runs/ledger/"
DATA = "data/"
FEED = "feed.xml"

COMPARE_RUNS = f"{RUNS}compare/"

OUTSIDE_NAV = ("/boards/*/index.md", "/domains/*/*/index.md", "/models/*/index.md", "/runs/*/index.md")
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


def run_url(run: str) -> str:
    """The boards of a run."""
    return f"{RUNS}{run}/"


def evidence_url(board: str, **choice: str) -> str:
    """What stands behind a score. choice: model, domain, item, or a filter of the explorer."""
    return "&".join([f"{EVIDENCE}#board={board}", *(f"{name}={value}" for name, value in choice.items())])


def compare_url(board: str, *models: str) -> str:
    """A comparison on a board; the first is the one that the others are held against."""
    return f"{COMPARE}?board={board}&m={','.join(models)}"


def card(model: str) -> str:
    """The picture of a contestant for links shared elsewhere."""
    return f"assets/cards/{model}.png"


def board_card(board: str) -> str:
    """The same of a board."""
    return f"assets/cards/boards/{board}.png"


def source_file(url: str) -> str:
    """The Markdown file that MkDocs turns into the page at `url`."""
    return "index.md" if url == HOME else f"{url.rstrip('/')}/index.md"


def relative(target: str, base: str) -> str:
    """The link from the page at `base` to `target`, a page or a file, both from the root of the site."""
    path, hash_mark, anchor = target.partition("#")
    # Not posixpath, which takes ten times as long: a page has a hundred links, and a site thousands of pages.
    here, there = base.split("/")[:-1], path.split("/")
    shared = 0
    while shared < len(here) and shared < len(there) - 1 and here[shared] == there[shared]:
        shared += 1
    way = "../" * (len(here) - shared) + "/".join(there[shared:])
    return f"{way or './'}{hash_mark}{anchor}"
