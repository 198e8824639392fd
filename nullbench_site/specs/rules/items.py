"""What an item must be beside well-formed: whole where it is public, asked once, its parts once, its bundle whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.private.hashing import text_fields
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.rules.files import Problems, Source, SpecFiles, each_item


def prompts_are_whole(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    """A public item that could be private has its text."""
    for _, item, problem in each_item(domains):
        if item.visibility == "public":
            for name in text_fields(item):
                if getattr(item, name) is None and _is_needed(item, name):
                    yield problem([], f"the key {name!r} is missing; only an item with visibility: private has none")


def _is_needed(item: types.Item, name: str) -> bool:
    return name in {field.name for field in msgspec.structs.fields(item.text_type) if field.required}


def categories_have_items(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    """No category is empty."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            if not category.items:
                message = f"the category {category.id!r} has no items; add items, or an items_file that has some"
                yield source.document.problem(["categories", number], message)


def prompts_are_asked_once(files: SpecFiles) -> Iterator[Problem]:
    """No two items of a board ask the same. No text is repeated in the message: it may be private."""
    private = {line.text.id: line.text for lines in files.private.values() for line in lines}
    domains = {source.spec.id: source for source in files.domains}
    for board in files.boards:
        first: dict[object, tuple[str, Problems]] = {}
        names = dict.fromkeys(board.spec.domains)
        for _, item, problem in each_item(domains[name] for name in names if name in domains):
            asked = specs_of(board.spec.protocol).asked(private.get(item.id, item))
            other, elsewhere = first.get(asked, (item.id, None))
            if elsewhere is not None and other != item.id:
                place = elsewhere(["id"], "")
                message = f"{item.id!r} asks the same as {other!r} at {place.file}:{place.line}"
                yield problem(["id"], f"{message}, so that it would count twice; change one or take it out")
            elif asked is not None:
                first[asked] = (item.id, problem)  # places take long: asked for where one is needed


def parts_stand_once(files: SpecFiles) -> Iterator[Problem]:
    """No rule of a goal, and no criterion, check or fact of an item, stands twice."""
    for source in files.goals:
        for number, goal in enumerate(source.spec.goals):
            for place in _repeated((rule.dimension, rule.rule) for rule in goal.rules):
                yield source.document.problem(["goals", number, "rules", place], _twice("rule"))
    for _, item, problem in each_item(files.domains):
        yield from _of_item(item, problem)
    for line in (line for lines in files.private.values() for line in lines):
        yield from _of_item(line.text, line.document.problem)


def _of_item(item: Any, problem: Problems) -> Iterator[Problem]:
    for name, noun in (("criteria", "criterion"), ("checks", "check"), ("facts", "fact")):
        for place in _repeated(getattr(item, name, None) or ()):
            yield problem([name, place], _twice(noun))


def _repeated(parts: Iterable[object]) -> Iterator[int]:
    """The places of parts that stood before."""
    before: list[object] = []
    for place, part in enumerate(parts):
        if part in before:
            yield place
        before.append(part)


def _twice(noun: str) -> str:
    return f"this {noun} stands here already, and would count twice; change it or take it out"
