"""One call to a backend, and the key that covers all that can change its answer."""

from __future__ import annotations

from typing import Any

import msgspec

from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import Decoding, Parameter


class Message(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: str
    content: str


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a backend. Programs read `fields`; models read `messages`, made from the same fields.

    backend: its name and revision, `offline@1`: a changed program is another answerer. salt: of a private item, so that
    its published key cannot be tried against guesses of the text; it is sent to nobody. top_logprobs: of how many of
    the likeliest first tokens the log probability is asked for.
    """

    backend: str
    model: str
    params: dict[str, Parameter]
    messages: tuple[Message, ...]
    fields: dict[str, Any]
    decoding: Decoding
    sample: int
    reply_schema: dict[str, Any] | None = None
    salt: str | msgspec.UnsetType = msgspec.UNSET
    top_logprobs: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def private(self) -> bool:
        """Whether its words, and words about them, are for nobody else."""
        return self.salt is not msgspec.UNSET

    def key(self) -> str:
        """The sha256, in hex, of the whole request: not of an address, not of the time."""
        return sha256(canonical_json(self))
