"""The paths of pages and files of the site, and relative links between them."""

from __future__ import annotations

HOME = ""
BOARDS = "boards/"
DOMAINS = "domains/"
MODELS = "models/"
COMPARE = "compare/"
JUDGES = "judges/"
EVIDENCE = "evidence/"
METHOD = "methodology/"
GLOSSARY = "glossary/"
AUDIT = "audit/"
PROMPTS = "judging-prompts/"
RUNS = "runs/"
LEDGER = "runs/ledger/"
DATA = "data/"
ATTACKS = "attacks/"
FEED = "feed.xml"
SCHEMAS = "schema/"
"""The folder of the JSON Schemas of spec files."""

COMPARE_RUNS = f"{RUNS}compare/"

OUTSIDE_NAV = (
    "/boards/*/index.md",
    "/boards/*/*/index.md",
    "/domains/*/*/index.md",
    "/models/*/index.md",
    "/judges/*/index.md",
    "/attacks/*/index.md",
    "/methodology/*/index.md",
    "/glossary/index.md",
    "/audit/index.md",
    "/judging-prompts/index.md",
    "/runs/*/index.md",
)
"""Patterns of the pages outside the navigation, which can be thousands."""


def board_url(board: str) -> str:
    """Return the page of a board."""
    return f"{BOARDS}{board}/"


def trust_url(board: str) -> str:
    """Return the page about the trust in a board's scores."""
    return f"{board_url(board)}trust/"


def items_url(board: str) -> str:
    """Return the page about items of a board that are worth a look."""
    return f"{board_url(board)}items/"


def what_if_url(board: str) -> str:
    """Return the page of a large board under other choices; on smaller boards the page of the board shows them."""
    return f"{board_url(board)}what-if/"


def domain_url(board: str, domain: str) -> str:
    """Return the page of a domain on a board."""
    return f"domains/{board}/{domain}/"


def model_url(model: str) -> str:
    """Return the page of a contestant."""
    return f"models/{model}/"


def judges_url(board: str) -> str:
    """Return the page about a board's judges."""
    return f"{JUDGES}{board}/"


def attacks_url(board: str) -> str:
    """Return the page about attacks on a board's judges."""
    return f"{ATTACKS}{board}/"


def method_url(board: str) -> str:
    """Return the page about how a board's numbers are made."""
    return f"{METHOD}{board}/"


def metric_url(metric: str) -> str:
    """Return the place in the glossary that explains a number."""
    return f"{GLOSSARY}#metric-{metric}"


def run_url(run: str) -> str:
    """Return the page of a run's boards."""
    return f"{RUNS}{run}/"


def evidence_url(board: str, **choice: str) -> str:
    """Return the address of answers in the explorer. choice: model, domain, item or another filter."""
    return "&".join([f"{EVIDENCE}#board={board}", *(f"{name}={value}" for name, value in choice.items())])


def compare_url(board: str, *models: str) -> str:
    """Return a comparison on a board; the others are compared with the first."""
    return f"{COMPARE}?board={board}&m={','.join(models)}"


def card(model: str) -> str:
    """Return the social card of a contestant."""
    return f"assets/cards/{model}.png"


HOME_CARD = "assets/card.png"
"""The social card of the home page."""


def board_card(board: str) -> str:
    """Return the social card of a board."""
    return f"assets/cards/boards/{board}.png"


def source_file(url: str) -> str:
    """Return the Markdown file of the page at `url`."""
    return "index.md" if url == HOME else f"{url.rstrip('/')}/index.md"


def relative(target: str, base: str) -> str:
    """Return the link from the page at `base` to a page or file, both given from the root of the site."""
    path, hash_mark, anchor = target.partition("#")
    # posixpath takes ten times as long, and a large site has a million links.
    here, there = base.split("/")[:-1], path.split("/")
    shared = 0
    while shared < len(here) and shared < len(there) - 1 and here[shared] == there[shared]:
        shared += 1
    way = "../" * (len(here) - shared) + "/".join(there[shared:])
    return f"{way or './'}{hash_mark}{anchor}"
