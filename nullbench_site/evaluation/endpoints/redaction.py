"""Remove keys from the texts of servers: plain, escaped for JSON, encoded for a URL, or in base64.

A server that repeats its request repeats the key too. This does not stop a server that wants to publish a key.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import lru_cache
from urllib.parse import quote

from nullbench_site.text import short_line

SHORTEST = 6
"""In characters. A shorter key cannot be removed from answers without removing ordinary words."""
_PLACEHOLDERS = frozenset({"empty", "ollama", "lm-studio", "none", "null", "dummy", "fake", "test", "unused", "x"})
"""Placeholders for a key at servers that accept any, in lower case. An answer may contain these."""
_WORD = 12
"""In characters. A shorter key is removed only as a whole word, else "secret" would be removed from "secretary"."""
_BEFORE_WORD = r"(?:(?<![^\W_])|(?<=\\[nrt])|(?<=%[0-9a-fA-F][0-9a-fA-F]))"
_AFTER_WORD = r"(?![^\W_])"
_SHOWN = 300
"""The characters of a server's message that ours repeat."""


def is_secret(text: str) -> bool:
    """Return True if a key, name or password is to be removed from a server's texts."""
    return len(text) >= SHORTEST and text.lower() not in _PLACEHOLDERS


def too_short(key: str) -> bool:
    """Return True if a key is too short to be removed, and is not a placeholder, which may be published."""
    return len(key) < SHORTEST and key.lower() not in _PLACEHOLDERS


def redact(text: str, secrets: tuple[str, ...]) -> str:
    """Return the text with [key] in place of each secret."""
    for secret in sorted(secrets, key=len, reverse=True):
        for form in _forms(secret):
            if len(secret) < _WORD:
                text = re.sub(_BEFORE_WORD + re.escape(form) + _AFTER_WORD, "[key]", text)
            else:
                text = text.replace(form, "[key]")
        for form in _in_base64(secret.encode()):
            text = text.replace(form, "[key]")
    return text


@lru_cache(maxsize=64)
def _forms(secret: str) -> tuple[str, ...]:
    """Return the secret in each form: plain, escaped for JSON, and encoded for a URL; the longest first."""
    in_json, in_url = json.dumps(secret)[1:-1], quote(secret, safe="")
    in_lower_case = re.sub("%..", lambda escape: escape[0].lower(), in_url)
    forms = {secret, in_json, in_json.replace("/", "\\/"), in_url, in_lower_case}
    return tuple(sorted(forms, key=len, reverse=True))


@lru_cache(maxsize=64)
def _in_base64(secret: bytes) -> tuple[str, ...]:
    """Return the parts of a longer text's base64 that depend on the secret alone, for each position in it."""
    forms: set[str] = set()
    for shift in range(3):
        encoded = b64encode(bytes(shift) + secret).decode()
        within = encoded[-(-8 * shift // 6) : 8 * (shift + len(secret)) // 6]
        forms |= {within, within.replace("+", "-").replace("/", "_")}
    return tuple(forms)


def received(text: str, secrets: tuple[str, ...]) -> str:
    """Return a server's text for a record: without keys, and with U+FFFD for halves of surrogate pairs.

    No file can contain half of a surrogate pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return redact(text, secrets)


def received_line(text: str, secrets: tuple[str, ...]) -> str:
    """Return the same as one short line without control characters."""
    # Keys are removed before the text is shortened, because a part of a key could remain.
    return short_line(received(text, secrets)[: 4 * _SHOWN], _SHOWN)
