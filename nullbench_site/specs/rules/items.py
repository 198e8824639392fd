"""Rules about items: no duplicates, public items with their text, private items with the hash of their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.digest import required_fields
from nullbench_site.specs.private import is_hash_of, text_fields, text_hash, text_of
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import PrivateLine, Problems, SpecFile, SpecFiles, each_item
from nullbench_site.text import did_you_mean


def public_items_are_complete(domains: Sequence[SpecFile[types.DomainFile]]) -> Iterator[Problem]:
    """Check that a public item has its text."""
    for _, item, problem in each_item(domains):
        if item.visibility == "public":
            for name in _missing(item):
                yield problem([], f"missing key {name!r}; only private items omit it")
            yield from _prompt_or_turns(item, problem)


def texts_are_here(files: SpecFiles) -> Iterator[Problem]:
    """Check that only boards whose results come from tables have items without a text."""
    asked = {name for board in files.boards if board.spec.id not in files.tables for name in board.spec.domains}
    for _, item, problem in each_item(domain for domain in files.domains if domain.spec.id in asked):
        if item.visibility == "elsewhere":
            message = "the text of this item is elsewhere, so no contestant can be asked"
            yield problem(["visibility"], f"{message}; write public or private")


def _missing(item: types.Item) -> Iterator[str]:
    """Return the required text fields that a public item lacks."""
    needed = required_fields(item.text_type)
    if isinstance(item, types.PromptItem) and item.turns is None:
        needed |= {"prompt"}
    return (name for name in text_fields(item) if name in needed and getattr(item, name) is None)


def _prompt_or_turns(text: object, problem: Problems) -> Iterator[Problem]:
    if not isinstance(text, types.PromptItem | types.PromptText):
        return
    if text.prompt is not None and text.turns is not None:
        message = "`turns` replaces `prompt`; make the prompt the first turn"
        yield problem(["prompt"], message)
    if isinstance(text.turns, int):
        message = f"found the number {text.turns}; a public item lists its turns"
        yield problem(["turns"], message)


def categories_have_items(domains: Sequence[SpecFile[types.DomainFile]]) -> Iterator[Problem]:
    """Check that every category has items, or a file for them."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            if not category.items and category.items_file is None:
                message = f"category {category.id!r} has no items; add items, or an items_file"
                yield source.document.problem(["categories", number], message)


def prompts_are_unique(files: SpecFiles) -> Iterator[Problem]:
    """Check that no two items of a board have the same prompt. Messages do not quote it, as it may be private."""
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
                message = f"{item.id!r} has the same prompt as {other!r} at {place.file}:{place.line}"
                yield problem(["id"], f"{message}; change or remove one")
            elif asked is not None:
                first[asked] = (item.id, problem)  # the position is looked up only if needed


def parts_are_unique(files: SpecFiles) -> Iterator[Problem]:
    """Check that a list in an item's text has no entry twice."""
    for domain in files.domains:
        parts = specs_of(domain.spec.protocol).parts
        for _, item, problem in each_item([domain]):
            yield from _repeated_parts(item, parts, problem)
        for line in files.private.get(domain.spec.id, ()):
            yield from _repeated_parts(line.text, parts, line.document.problem)


def _repeated_parts(item: Any, parts: Mapping[str, str], problem: Problems) -> Iterator[Problem]:
    for name, noun in parts.items():
        for place in repeated(getattr(item, name) or ()):
            yield problem([name, place], duplicate(noun))


def repeated(parts: Iterable[object]) -> Iterator[int]:
    """Yield the place of each part that equals an earlier one."""
    before: list[object] = []
    for place, part in enumerate(parts):
        if part in before:
            yield place
        before.append(part)


def duplicate(noun: str) -> str:
    """Return the message for a repeated part."""
    return f"duplicate {noun}; change or remove it"


def private_items_are_hidden(files: SpecFiles) -> Iterator[Problem]:
    """Check that a private item has a hash and no text, and that a public item with a hash has its salt."""
    for _, item, problem in each_item(files.domains):
        yield from (_of_public(item, problem) if item.visibility == "public" else _of_private(item, problem))


def _of_public(item: types.Item, problem: Problems) -> Iterator[Problem]:
    if item.hash is None and item.salt is None:
        return
    if item.salt is None:
        yield problem(["hash"], "a public item with a hash needs its salt; remove the hash, or add visibility: private")
    elif item.hash is None:
        yield problem(["salt"], "a salt needs its hash; add the hash, or remove the salt")
    elif not any(_missing(item)):
        text = text_of(item, item.salt)
        if not is_hash_of(item.hash, text):
            advice = f"its hash is {text_hash(text)}; restore the text"
            yield problem(["hash"], f"the text of {item.id!r} differs from the hidden one: {advice}")


def _of_private(item: types.Item, problem: Problems) -> Iterator[Problem]:
    for name in sorted(text_fields(item)):
        if getattr(item, name) is not None and not (name == "turns" and isinstance(getattr(item, name), int)):
            message = f"{name!r} publishes the text of a private item; move it to the private file"
            yield problem([name], message)
    for name in item.public_only:
        if getattr(item, name) is not None:
            message = f"a private item has no {name!r}, which names a published text"
            yield problem([name], f"{message}; put the text in the private prompt, or make the item public")
    if item.salt is not None:
        yield problem(["salt"], "with the salt anyone can test guesses; move it to the private file")


def private_texts_fit(files: SpecFiles) -> Iterator[Problem]:
    """Check that each private text belongs to a private item and has the hash of the item."""
    texts = {domain: {line.text.id: line for line in lines} for domain, lines in files.private.items()}
    for source in files.domains:
        of_domain = texts.get(source.spec.id)
        for _, item, problem in each_item([source]):
            line = None if of_domain is None else of_domain.pop(item.id, None)
            yield from _text_fits(item, line, problem, file_is_here=of_domain is not None)
        known = [item.id for _, item, _ in each_item([source])]
        for name, line in (of_domain or {}).items():
            message = f"domain {source.spec.id!r} has no item {name!r}; {did_you_mean(name, known)}"
            yield line.document.problem(["id"], message)
        for line in files.private.get(source.spec.id, ()):
            if isinstance(line.text, types.PromptText) and line.text.prompt is None and line.text.turns is None:
                yield line.document.problem([], "missing key 'prompt'")
            yield from _prompt_or_turns(line.text, line.document.problem)


def _text_fits(
    item: types.Item, line: PrivateLine | None, problem: Problems, *, file_is_here: bool
) -> Iterator[Problem]:
    if item.visibility == "public":
        if line is not None:
            place = problem(["id"], "")
            message = f"item {item.id!r} is public in {place.file}:{place.line}; remove this line, or hide the item"
            yield line.document.problem(["id"], message)
    elif line is None:
        if file_is_here:
            yield problem(["id"], "the private file of this domain has no line for this item; restore it")
        elif item.hash is None:
            yield problem([], "missing key 'hash'; a private item needs the salted hash of its text")
    elif not is_hash_of(item.hash, line.text):
        place, own = line.document.problem((), ""), text_hash(line.text)
        message = f"the hash of {item.id!r} is {own}; put it here, or restore the text in {place.file}:{place.line}"
        yield problem([] if item.hash is None else ["hash"], message)
    if line is not None and isinstance(line.text, types.PromptText) and isinstance(item, types.PromptItem):
        turns = len(line.text.turns or ()) or None
        if item.visibility == "private" and turns != item.turns and not isinstance(item.turns, tuple):
            has = f"{turns} turns; write turns: {turns}" if turns else "a prompt and no turns; remove the key"
            yield problem([] if item.turns is None else ["turns"], f"the private text of {item.id!r} has {has}")
