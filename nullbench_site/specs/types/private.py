"""Items whose text may stay unpublished, and the lines of the private files that hold it then."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from nullbench_site.specs.types.common import Hash, Id, Item, Spec

Salt = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-f]{32,128}$(?!\n)",
        description="32 or more random hex digits, without which the hash cannot be tried against guesses.",
    ),
]


class PrivateText(Spec, frozen=True, kw_only=True):
    """A line of a private file: the text of one item. Its hash is that of the whole line."""

    id: Id
    salt: Salt


class HideableItem(Item, frozen=True, kw_only=True):
    """An item that is published with its text, or by the hash of its line in a private file.

    A public one with hash and salt was private before; they prove that its text is what it was.
    """

    text_type: ClassVar[type[PrivateText]]
    visibility: Literal["public", "private"] = "public"
    hash: Hash | None = None
    salt: Salt | None = None
