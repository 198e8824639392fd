"""Rules about ids, canaries, titles and file names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from nullbench_site.errors import Problem
from nullbench_site.packaged import word_pairs
from nullbench_site.specs import types
from nullbench_site.specs.sources import SpecFile, SpecFiles, Steps, each_item
from nullbench_site.text import quoted


def unique(noun: str, entries: Iterable[tuple[SpecFile[types.Spec], Steps, str]]) -> Iterator[Problem]:
    """Check that each id of `entries` (position and id) is unique."""
    first: dict[str, tuple[SpecFile[types.Spec], Steps]] = {}
    for source, steps, name in entries:
        if name in first:
            other, there = first[name]
            taken = other.document.problem(there, "")
            message = f"duplicate {noun} id {name!r}, already used at {taken.file}:{taken.line}"
            yield source.document.problem(steps, message)
        first.setdefault(name, (source, steps))


def canaries_are_unique(sources: Sequence[SpecFile[types.Spec]]) -> Iterator[Problem]:
    """Check that every file has its own canary."""
    first: dict[str, str] = {}
    for source in sources:
        canary = str(getattr(source.spec, "canary"))  # noqa: B009 - every file type has one, the base type has not
        if canary in first:
            message = f"duplicate canary, already used in {first[canary]}; give every file its own (a new UUID)"
            yield source.document.problem(["canary"], message)
        first.setdefault(canary, source.document.file)


def category_ids(
    domains: Sequence[SpecFile[types.DomainFile]],
) -> Iterator[tuple[SpecFile[types.DomainFile], Steps, str]]:
    """Yield the position of each category id."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            yield source, ["categories", number, "id"], category.id


def item_ids_are_unique(domains: Sequence[SpecFile[types.DomainFile]]) -> Iterator[Problem]:
    """Check that each item id is unique in the benchmark."""
    first: dict[str, Callable[[Steps, str], Problem]] = {}
    for _, item, problem in each_item(domains):
        if item.id in first:
            taken = first[item.id](["id"], "")
            place = f"{taken.file}:{taken.line}"
            yield problem(["id"], f"duplicate item id {item.id!r}, already used at {place}")
        first.setdefault(item.id, problem)


def files_are_named_by_id(
    sources: Sequence[SpecFile[types.DomainFile] | SpecFile[types.ModelFile] | SpecFile[types.BoardFile]],
) -> Iterator[Problem]:
    """Check that the file of a domain, model or board has its id as name."""
    for source in sources:
        stem = source.document.file.rsplit("/", 1)[-1].removesuffix(".yaml")
        if source.spec.id != stem:
            message = f"id {source.spec.id!r} differs from the file name; rename the file to {source.spec.id}.yaml"
            yield source.document.problem(["id"], f"{message} or the id to {stem!r}")


def look_alikes(files: SpecFiles) -> Iterator[Problem]:
    """Yield contestants and domains of one board with titles or ids that look alike."""
    for board in files.boards:
        contestants: Collection[str] = board.spec.contestants
        models = [source for source in files.models if contestants == "all" or source.spec.id in contestants]
        domains = [source for source in files.domains if source.spec.id in board.spec.domains]
        groups: list[Sequence[SpecFile[Any]]] = [models, domains]
        for key, sources in product(("title", "id"), groups):
            first: dict[str, SpecFile[Any]] = {}
            for source in sources:
                name = str(getattr(source.spec, key))
                other = first.setdefault(skeleton(name), source)
                if other is not source:
                    like = f"the {key} {quoted(name)} looks like {quoted(getattr(other.spec, key))}"
                    message = f"{like} of {other.document.file}; readers may mistake one for the other"
                    yield source.document.problem([key], message)


def skeleton(text: str) -> str:
    """Return what is left of a name when spaces, hyphens, joiners, case and look-alike letters are taken away.

    Two names with the same skeleton look alike (Unicode Technical Standard 39, section 4, on a small table).
    """
    plain = unicodedata.normalize("NFKC", text).translate(
        str.maketrans(dict[str, str | int | None](word_pairs("lookalikes")))
    )
    return re.sub(r"[\s\u200c\u200d\ufe00-\ufe0f-]+", "", plain.casefold()).replace("rn", "m")
