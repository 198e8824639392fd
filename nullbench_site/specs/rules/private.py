"""Items whose text is not published: nothing of it stands in the specs, and the text elsewhere is the one they name."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.private.hashing import is_hash_of, text_fields, text_hash, text_of
from nullbench_site.specs.private.parsing import PrivateLine
from nullbench_site.specs.rules.files import Problems, SpecFiles, each_item
from nullbench_site.text import did_you_mean


def private_items_are_hidden(files: SpecFiles) -> Iterator[Problem]:
    """A private item has a hash and no text; a public one a hash only with the salt by which anyone can check it."""
    for _, item, problem in each_item(files.domains):
        yield from (_of_public(item, problem) if item.visibility == "public" else _of_private(item, problem))


def _of_public(item: types.Item, problem: Problems) -> Iterator[Problem]:
    if item.hash is None and item.salt is None:
        return
    if item.salt is None:
        yield problem(
            ["hash"], "only a private item has a hash without a salt; take it out, or add visibility: private"
        )
    elif item.hash is None:
        yield problem(["salt"], "the salt proves nothing without the hash; take it out, or put the hash beside it")
    elif all(getattr(item, name) is not None for name in text_fields(item)):
        text = text_of(item, item.salt)
        if not is_hash_of(item.hash, text):
            advice = f"its hash is {text_hash(text)}; restore the text"
            yield problem(["hash"], f"the text of {item.id!r} is not the one that was hidden: {advice}")


def _of_private(item: types.Item, problem: Problems) -> Iterator[Problem]:
    for name in sorted(text_fields(item)):
        if getattr(item, name) is not None:
            message = f"{name!r} would publish what this private item hides; move it to the private file"
            yield problem([name], message)
    if item.salt is not None:
        yield problem(["salt"], "with the salt anyone can try guesses; it stands in the private file, with the text")


def private_texts_fit(files: SpecFiles) -> Iterator[Problem]:
    """A text that is here is that of a private item, and the one that the item's hash names."""
    texts = {domain: {line.text.id: line for line in lines} for domain, lines in files.private.items()}
    for source in files.domains:
        of_domain = texts.get(source.spec.id)
        for _, item, problem in each_item([source]):
            line = None if of_domain is None else of_domain.pop(item.id, None)
            yield from _fit(item, line, problem, file_is_here=of_domain is not None)
        known = [item.id for _, item, _ in each_item([source])]
        for name, line in (of_domain or {}).items():
            message = f"the domain {source.spec.id!r} has no item {name!r}; {did_you_mean(name, known)}"
            yield line.document.problem(["id"], message)


def _fit(item: types.Item, line: PrivateLine | None, problem: Problems, *, file_is_here: bool) -> Iterator[Problem]:
    if item.visibility == "public":
        if line is not None:
            place = problem(["id"], "")
            message = (
                f"the item {item.id!r} is public in {place.file}:{place.line}; take this line out, or hide the item"
            )
            yield line.document.problem(["id"], message)
    elif line is None:
        if file_is_here:
            yield problem(["id"], "the private file of this domain has no line with the text of this item; restore it")
        elif item.hash is None:
            yield problem([], "the key 'hash' is missing; a private item is known by the salted hash of its text")
    elif not is_hash_of(item.hash, line.text):
        place, own = line.document.problem((), ""), text_hash(line.text)
        message = f"the hash of {item.id!r} is {own}; put it here, or restore the text in {place.file}:{place.line}"
        yield problem([] if item.hash is None else ["hash"], message)
