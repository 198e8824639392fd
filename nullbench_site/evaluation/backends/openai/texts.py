"""Texts that came from a server, made fit for records and messages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_SHOWN = 300
"""Characters of a server's message that ours repeat."""
_SHORTEST_KEY = 12
"""Characters. What is shorter stands where no key is needed: "EMPTY", "ollama"; an answer may hold it by right."""


def mend(text: str) -> str:
    """The text with halves of surrogate pairs, which no file can hold, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def one_line(text: str) -> str:
    """A message of a server on one line, short, without control characters that a terminal would obey."""
    plain = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text[: 4 * _SHOWN])
    line = " ".join(plain.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def scrub(text: str, secrets: Iterable[str]) -> str:
    """The text with each secret left out: some servers repeat the key they refuse."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return text


def scrub_answer(text: str, secrets: Iterable[str]) -> str:
    """An answer without the keys in it: a gateway that shows what it was sent must not get one into a record."""
    return scrub(text, (secret for secret in secrets if len(secret) >= _SHORTEST_KEY))
