"""What the examples of a key are made of."""

from __future__ import annotations

from typing import Any

import msgspec

from nullbench_site.answer_keys import AnyKey, Key, mark


def key(type_: str, **parameters: Any) -> Key:
    made: Key = msgspec.convert({"type": type_, **parameters}, AnyKey)
    return made


def outcome(text: str, by: Key) -> str:
    return mark(text, by).outcome


def answer(text: str, by: Key) -> str | None:
    return mark(text, by).answer
