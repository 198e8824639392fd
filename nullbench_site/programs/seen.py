"""A contestant that has seen a known share of a board: the control of probes for contamination.

It is given the key of each item and the canary of each file, and uses them only if they are in its share.
"""

from __future__ import annotations

import hashlib
from typing import Annotated

from msgspec import Meta, Struct

from nullbench_site.programs.program import Program, SourcedPrompt
from nullbench_site.programs.questions import nearest_sentence


class SeenShare(Struct, frozen=True, forbid_unknown_fields=True):
    """The share of items and files that it has seen, 0-1, and the seed of their draw."""

    share: Annotated[float, Meta(ge=0, le=1)]
    seed: int

    def has_seen(self, name: str) -> bool:
        """Return True for an item id, or a path of a file, in the share: a function of seed and name alone."""
        digest = hashlib.sha256(f"{self.seed}\n{name}".encode()).digest()
        return int.from_bytes(digest[:8], "big") < self.share * 2**64


class KnownQuestion(SourcedPrompt, frozen=True):
    """A prompt, the id of its item, and a right answer; empty without one."""

    item: str = ""
    reference: str = ""


class KnownCanary(Struct, frozen=True):
    """The shown part of a canary, the rest of it, and the path of its file."""

    canary: str
    rest: str
    file: str


def _answer(asked: KnownQuestion, params: SeenShare) -> str:
    """Give the key of items in the seen `share`, which `seed` draws; otherwise answer like nearest-sentence.

    It also completes the canaries of the files in its share. It has no rank.
    """
    if asked.reference and params.has_seen(asked.item):
        return asked.reference
    return nearest_sentence.functions[SourcedPrompt](asked)


def _completion(asked: KnownCanary, params: SeenShare) -> str:
    return asked.rest if params.has_seen(asked.file) else "I do not know this line."


seen = Program("contestant", {KnownQuestion: _answer, KnownCanary: _completion}, SeenShare)
