"""What a private text is known by, before and after it is published."""

from __future__ import annotations

import msgspec

from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import HideableItem, PrivateText


def text_hash(text: PrivateText) -> str:
    """`sha256:` and the sha256, in hex, of the whole line as canonical JSON, salt included."""
    return f"sha256:{sha256(canonical_json(text))}"


def text_fields(item: HideableItem) -> tuple[str, ...]:
    """The names of what is hidden of a private item."""
    return tuple(name for name in item.text_type.__struct_fields__ if name not in PrivateText.__struct_fields__)


def text_of(item: HideableItem, salt: str) -> PrivateText:
    """The line that a private file has, or had, of a public item. Its text must be whole."""
    fields = {name: getattr(item, name) for name in text_fields(item)}
    return item.text_type(id=item.id, salt=salt, **fields)


def public_item(item: HideableItem, text: PrivateText) -> HideableItem:
    """The item with its text, and with the hash and salt that prove it."""
    fields = {name: getattr(text, name) for name in text_fields(item)}
    proof = {"visibility": "public", "hash": text_hash(text), "salt": text.salt}
    return msgspec.structs.replace(item, **fields, **proof)


def private_item(item: HideableItem, text: PrivateText) -> HideableItem:
    """The item without its text, known by the hash of it."""
    nothing = dict.fromkeys(text_fields(item))
    return msgspec.structs.replace(item, **nothing, visibility="private", hash=text_hash(text), salt=None)
