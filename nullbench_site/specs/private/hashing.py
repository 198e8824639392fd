"""What a private text is known by, before and after it is published, and which texts are not here."""

from __future__ import annotations

import msgspec

from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import Item, PrivateText
from nullbench_site.text import plural


def text_hash(text: PrivateText) -> str:
    """`sha256:` and the sha256, in hex, of the whole line, salt included, as RFC 8785 writes it.

    So anybody can work it out from an item that is public again: `id`, `salt` and its text as JSON in the one form that
    the standard has, without what is as the schema has it by default.
    """
    import rfc8785  # where nothing is private, nobody needs it

    try:
        canonical = rfc8785.dumps(msgspec.to_builtins(text))
    except rfc8785.IntegerDomainError:  # 2^53 itself, which a spec may hold, and for which the standard has no form
        canonical = canonical_json(text)
    return f"sha256:{sha256(canonical)}"


def is_hash_of(known: str | None, text: PrivateText) -> bool:
    """Whether the text is the one that a published hash names, be it one of before RFC 8785.

    Those were of our own canonical JSON, which writes some numbers and the order of some keys differently. Either form
    can be read back as one text alone, so that taking both lets nothing else pass.
    """
    return known in (text_hash(text), f"sha256:{sha256(canonical_json(text))}")


def text_fields(item: Item) -> tuple[str, ...]:
    """The names of what is hidden of a private item."""
    return tuple(name for name in item.text_type.__struct_fields__ if name not in PrivateText.__struct_fields__)


def text_of(item: Item, salt: str) -> PrivateText:
    """The line that a private file has, or had, of a public item. Its text must be whole."""
    fields = {name: getattr(item, name) for name in text_fields(item)}
    return item.text_type(id=item.id, salt=salt, **fields)


def public_item(item: Item, text: PrivateText) -> Item:
    """The item with its text, and with the hash and salt that prove it: the very hash by which it was known."""
    fields = {name: getattr(text, name) for name in text_fields(item)}
    return msgspec.structs.replace(item, **fields, visibility="public", salt=text.salt)


def private_item(item: Item, text: PrivateText) -> Item:
    """The item without its text, known by the hash of it."""
    nothing = dict.fromkeys(text_fields(item))
    return msgspec.structs.replace(item, **nothing, visibility="private", hash=text_hash(text), salt=None)


def withheld_words(benchmark: Benchmark) -> str | None:
    """How many private items have no text here, as in a clone, and what to do about it; None where every text is."""
    hidden = [(domain.id, item.id) for domain, item in benchmark.every_item if item.visibility == "private"]
    absent = [(domain, item) for domain, item in hidden if item not in benchmark.private]
    if not absent:
        return None
    files = " and ".join(f"{domain}.jsonl" for domain in dict.fromkeys(domain for domain, _ in absent))
    have = f"{plural(len(absent), 'private item')} {'has' if len(absent) == 1 else 'have'}"
    return f"{have} no text here; set NULLBENCH_PRIVATE to the folder that holds {files}"
