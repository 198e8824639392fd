"""The texts of a board's items that are compared with a corpus, and the rules for what such a comparison found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from nullbench_site.errors import Problem
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import SpecFiles
from nullbench_site.specs.types import BoardFile, DomainFile
from nullbench_site.text import did_you_mean, plural


class ItemText(NamedTuple):
    """The text of an item: what it asks, and the source text that this is about; empty without one."""

    id: str
    asked: str
    source: str


def item_texts(board: BoardFile, domains: Mapping[str, DomainFile]) -> list[ItemText]:
    """Return the texts of the public items of a board, in its order. Items without a text here are left out."""
    specs, found = specs_of(board.protocol), []
    for domain in (domains[name] for name in board.domains if name in domains):
        for item in (item for category in domain.categories for item in category.items):
            texts = specs.texts(item, domain) if item.visibility == "public" else None
            if texts is not None:
                found.append(ItemText(item.id, *texts))
    return found


def texts_digest(texts: list[ItemText]) -> str:
    """Return the sha256 of texts, which shows whether they have changed since they were compared."""
    return sha256(canonical_json(texts))


def overlaps_fit(files: SpecFiles) -> Iterator[Problem]:
    """Check that each file of overlap/ has the items of an existing board, with the texts that they have now."""
    boards = {source.spec.id: source.spec for source in files.boards}
    domains = {source.spec.id: source.spec for source in files.domains}
    for source in files.overlaps:
        board, document = source.spec.id, source.document
        if board not in boards:
            yield document.problem(["id"], f"no board has this id; {did_you_mean(board, boards)}")
            continue
        texts = item_texts(boards[board], domains)
        again = f"run: nullbench-site overlap {board}"
        ids, seen = {text.id for text in texts}, set[str]()
        for number, item in enumerate(source.spec.items):
            if item.id in seen or item.id not in ids:
                what = "is there twice" if item.id in seen else f"is no public item of board {board!r} with a text"
                yield document.problem(["items", number, "id"], f"{item.id!r} {what}; {again}")
            seen.add(item.id)
        if missing := ids - seen:
            yield document.problem(["items"], f"{plural(len(missing), 'item')} of board {board!r} not listed; {again}")
        elif source.spec.texts != texts_digest(texts):
            message = f"the texts of board {board!r} have changed since they were compared; {again}"
            yield document.problem(["texts"], message)
