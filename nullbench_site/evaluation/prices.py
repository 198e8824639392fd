"""What calls cost, in US dollars: what one did cost, and the most one can cost before it is made."""

from __future__ import annotations

from typing import Protocol

import msgspec

from nullbench_site.protocols.request import Request
from nullbench_site.specs.types import Prices

_MILLION = 1_000_000
_FRAME_TOKENS = 16
"""The most tokens a chat template puts around a message, and around a conversation."""


class Counted(Protocol):
    """Tokens as an endpoint counted them; the cached ones are among the input."""

    @property
    def input_tokens(self) -> int | None: ...
    @property
    def cached_input_tokens(self) -> int | None: ...
    @property
    def output_tokens(self) -> int | None: ...


def cost_usd(prices: Prices | None, used: Counted) -> float | None:
    """What a call cost; None where there is no price or the endpoint did not count."""
    if prices is None or used.input_tokens is None or used.output_tokens is None:
        return None
    cached = min(used.cached_input_tokens or 0, used.input_tokens)
    price_of_cached = prices.input if prices.cached_input is None else prices.cached_input
    fresh = (used.input_tokens - cached) * prices.input
    return (fresh + cached * price_of_cached + used.output_tokens * prices.output) / _MILLION


def most_usd(prices: Prices | None, request: Request) -> float | None:
    """The most a call can cost; None where there is no price or no limit on its output.

    A token is at least a byte of the text, so bytes bound the input.
    """
    if prices is None or request.decoding.max_tokens is None:
        return None
    dearest = max(prices.input, prices.cached_input or 0.0)
    return (most_input_tokens(request) * dearest + request.decoding.max_tokens * prices.output) / _MILLION


def most_input_tokens(request: Request) -> int:
    """A bound on the input of a chat request: a byte a token, the schema included."""
    texts = sum(len(message.content.encode("utf-8", "replace")) + _FRAME_TOKENS for message in request.messages)
    schema = len(msgspec.json.encode(request.reply_schema)) if request.reply_schema else 0
    return texts + schema + _FRAME_TOKENS
