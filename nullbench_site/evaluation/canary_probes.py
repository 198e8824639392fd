"""The request to complete a canary: its known prefix and the first half of its unique part are shown."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.judging.calls import Message, Request
from nullbench_site.specs.canaries import FileCanary
from nullbench_site.specs.types import BoardFile, ModelFile

REVISION = 1
"""Increased when the request changes; part of the digest of the calls of a benchmark that asks."""
TEMPLATE = "canary"
"""The template in records of probes."""
_ASKED = "Continue this line. Reply with the rest of the line and nothing else."
_TOKENS = 64
"""The least limit on output tokens: the missing part has 17 characters, and a tokenizer may split it into as many."""


def request(board: BoardFile, model: ModelFile, canary: FileCanary, backends: Mapping[str, Backend]) -> Request:
    """Return the request to a contestant, with its own decoding. Programs that have seen the file get the rest too."""
    backend, own = backends[model.backend], model.decoding or board.decoding
    limit = own.max_tokens if own.max_tokens is None else max(own.max_tokens, _TOKENS)
    return Request(
        backend=backend.identity,
        model=model.model,
        params=model.params,
        messages=(Message("user", f"{_ASKED}\n\n{canary.shown}"),),
        fields={} if backend.chats else {"canary": canary.shown, "rest": canary.rest, "file": canary.file},
        decoding=msgspec.structs.replace(own, max_tokens=limit, logprobs=False),
        sample=0,
    )
