"""Words that say that one contestant does better than another, and the texts of a site in which they are looked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
from support.pages import Element
from support.sites import Site

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import claims
from nullbench_site.site.cards import cards
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.sentences import against_the_floor, incomplete
from nullbench_site.site.views import BoardView

_WINNING = (
    r"lead(?:s|er|ing)?|ahead|better|worse|best|worst|beat(?:s|en)?|wins?|(?<!no )winners?|won|outperforms?|surpass\w*|"
    r"exceeds?|superior|inferior|top|first place|frontier|medal|champion|strongest|weakest|measurably|moves? up"
)
WINNING = re.compile(rf"\b({_WINNING})\b", re.IGNORECASE)
SAYS_THE_TABLE = r"(?:With this panel|On these items|Of the (?:ranked )?contestants),.{0,200}? scores? highest"
"""Who has the highest score is what the table says; the words before it say of what that is true."""
COMPARING = re.compile(
    rf"\b({_WINNING}|highest|lowest|strengths?|weakness(?:es)?|(?:above|below) the (?:null )?floor|shown to be above|"
    r"may be the first|stands? first|distinguish\w*|significant\w*|tied|tie groups?)\b",
    re.IGNORECASE,
)
"""The same, and words that compare contestants otherwise."""
DEFINING = re.compile(r"(?:methodology(?:/[\w-]+)?|glossary|data)/(?:$|#| )")
"""Outputs of pages that define numbers, games and the claims themselves, and name no contestant but null models."""
NEUTRAL = re.compile(
    "|".join(
        (
            r"(?:higher|lower) is better",  # which way a number counts
            r"lowest to highest|NLL is lowest|lowest temperature",  # of settings and of a fit, not of contestants
            r"best (?:null models?|of (?:the|these) null models|of them)\b",  # the floor
            r"\bleads? to\b",  # links
            r"win rates?|half a win|(?:a contestant|one that|who) wins|100 wins",  # games, which are the scale of a
            r"\d+ won, \d+ drawn|won, lost or drawn|won, drawn or lost|games tied",  # pairwise board
            r"95 % interval.{1,60}? Won\b",
            r"that score significantly (?:higher|lower)",  # what a rank is
            r"clockwise from the top",
            r"(?:lowest|highest) first",  # how rows are sorted
            r"may be best",  # how many of a board cannot be told from the first
            SAYS_THE_TABLE,
            r"null model scores highest",
            r"best attack with(?:out)?\b|a text that wins\b",  # of texts against judges
        )
    ),
    re.IGNORECASE,
)
"""What is no claim about a contestant."""


def texts(value: Any) -> Iterator[str]:
    """Every text in it; of a map in JSON its values alone."""
    if isinstance(value, str):
        yield value
    elif value is None or isinstance(value, (int, float)):  # most values of most files
        return
    elif isinstance(value, msgspec.Struct):
        yield from texts(msgspec.structs.asdict(value))
    elif is_dataclass(value):
        yield from texts([getattr(value, field.name) for field in fields(value)])  # what they have computed is no spec
    elif isinstance(value, Mapping):
        yield from (text for inner in value.values() for text in texts(inner))
    elif isinstance(value, Iterable):
        yield from (text for inner in value for text in texts(inner))


_OTHERS = ("assets/", "data/v1/evidence/", "data/v1/index.json", "schema/")
"""Files that claim nothing: answers of contestants and judges, the registry of metrics, what specs may say."""
_ATTRIBUTES = ("title", "alt", "aria-label", "aria-description", "content", "placeholder", "data-head")


def outputs(site: Site, below: tuple[str, ...] = ("",)) -> Iterator[tuple[str, str]]:
    """Every output of a site by its name, as readers and programs meet it. below: how the names begin."""
    for url, page in site.pages.items():
        if url.startswith(below):
            yield from _of_page(url, page)
    for path in sorted(site.folder.rglob("*")):
        name = path.relative_to(site.folder).as_posix()
        if name == "search/search_index.json":
            for entry in json.loads(path.read_bytes())["docs"]:
                if entry["location"].startswith(below):
                    yield entry["location"], "\n".join(texts(entry))
        elif name.startswith(below) and path.suffix in (".xml", ".txt", ".cff"):
            yield name, path.read_text("utf-8")
        elif name.startswith(below) and path.suffix == ".json" and not _is_defining(name):
            yield name, "\n".join(texts(json.loads(path.read_bytes())))
    for name, card in cards(site.data):
        if name.startswith(below):
            yield name, "\n".join(texts(card))


def _is_defining(name: str) -> bool:
    return name.startswith(_OTHERS) or name.endswith(".schema.json")


def _of_page(url: str, page: Element) -> Iterator[tuple[str, str]]:
    yield url, page.text
    for element in page.walk():
        for name in _ATTRIBUTES:
            if element.attributes.get(name):
                yield f"{url} {name}", element.attributes[name]
        if element.tag == "title":
            yield f"{url} <title>", element.text
        if element.has("type", "application/json"):
            # The phrases are all that a script may say of any two; a browser's tests see what it says.
            # Parameters of charts have names.
            data = json.loads(element.raw)
            data = data if isinstance(data, list) else {**data, "phrases": (), "params": ()}
            yield f"{url} <script>", "\n".join(texts(data))


def found_in(site: Site, told: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Where a word of winning stands, with what stands around it. told: outputs by name.

    Titles and descriptions of specs are their authors' words, and explanations of the metric registry define numbers.
    """
    theirs = {" ".join(text.split()) for text in (*texts(site.data.benchmark), *_registry())}
    theirs = {text for text in theirs if COMPARING.search(text) and not text.isalpha()}
    named = re.compile("|".join(map(re.escape, sorted(theirs, key=len, reverse=True))) or "(?!)")
    found = set()
    for where, text in told:
        ours = " ".join(text.split())
        if not COMPARING.search(ours):  # most texts: what follows takes three times as long
            continue
        ours = NEUTRAL.sub("", named.sub("", ours))
        found |= {(where, ours[max(0, hit.start() - 60) : hit.end() + 40]) for hit in COMPARING.finditer(ours)}
    return found


def _registry() -> Iterator[str]:
    yield from (*claims.RULES, *claims.RULES.values())
    for metric in METRICS.values():
        yield from (metric.title, metric.short, metric.sentence, metric.source)


def reading(view: BoardView) -> list[str]:
    """The sentences on the page of a board: on its first, its answer, the floor, and what is missing."""
    return [opening(view).short, opening(view).long, *against_the_floor(view), *incomplete(view)]
