"""Keys left out of what servers say, in whatever form software writes what it was sent.

A server that shows the request it got shows the key too: as it is, escaped in JSON, in a URL, in HTML or in mail, in
hex, or within something longer that is in base64. Whoever answers has the key and could spell it as nobody expects;
this is against those who repeat it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import lru_cache
from html.entities import html5
from string import punctuation
from typing import Protocol, cast

import re2

from nullbench_site.text import short_line

SHORTEST = 6
"""Characters. What is shorter cannot be left out of answers without leaving out words that are none."""
_PLACEHOLDERS = frozenset({"empty", "ollama", "lm-studio", "none", "null", "dummy", "fake", "test", "unused", "x"})
"""What stands for a key at servers that take any, in lower case. An answer may hold these by right."""
_WORD = 12
"""Characters. A shorter key is left out as a whole word only, else "secret" would be taken out of "secretary"."""
_PART = 64
"""Characters. A longer key is left out part by part, so that one that was cut short is too."""
_MOST = 256
"""Characters. What follows on the beginning of an even longer key is left out as far as it looks like more of it."""
_ENTITIES = {
    letter: "".join(f"|{name}" for name, value in html5.items() if value == letter and name.endswith(";"))
    for letter in punctuation
}
_LINE_BREAK = r"(?:(?:[\r\n]|\\+[rn])+[ \t]*)?"
"""Mail and some programs put one into whatever is long."""
_BACKSLASH = r"(?:\\(?:u005c)?|%5c)"
_PERCENT = rf"(?:[%=]|{_BACKSLASH}+u00(?:25|3d))(?:25)*"
_AMPERSAND = rf"(?:&|{_BACKSLASH}+u0026)(?:amp;)*"
"""Some encoders of JSON escape it. What was escaped is often escaped once more."""
_BEFORE_WORD = r"(?:\b|_|\\[nrtbf]|\\u[0-9a-f]{4}|%[0-9a-f]{2})"
_AFTER_WORD = r"(?:\b|_)"
_MORE = (
    r"(?:[\w.~+/=-]|%[0-9a-f]|\\+(?:[ux]\{?[0-9a-f]+\}?|[-_.~+/=])|&(?:amp;)*#?\w+;|[ :][0-9a-f]{2}\b"
    r"|(?:[\r\n]|\\+[rn])+[ \t]*[\w.~+/=-]{20})*"
)

_SHOWN = 300
"""Characters of a server's message that ours repeat."""


class _Pattern(Protocol):
    def sub(self, replacement: Callable[[object], bytes], text: bytes) -> bytes: ...


def is_secret(text: str) -> bool:
    """Whether a key, name or password is to be left out of what a server says."""
    return len(text) >= SHORTEST and text.lower() not in _PLACEHOLDERS


def too_short(key: str) -> bool:
    """Whether a key is none that can be left out, and none that may be published either."""
    return len(key) < SHORTEST and key.lower() not in _PLACEHOLDERS


def redact(text: str, secrets: tuple[str, ...]) -> str:
    """The text with each secret left out. It takes time linear in the text, also where that is nothing but keys."""
    # On bytes, because in a string each match would be looked up by its number of characters.
    return _pattern(secrets).sub(lambda _: b"[key]", text.encode()).decode() if secrets and text else text


@lru_cache(maxsize=64)
def _pattern(secrets: tuple[str, ...]) -> _Pattern:
    options = re2.Options()
    options.case_sensitive = False
    options.longest_match = True
    options.log_errors = False
    options.never_capture = True
    options.max_mem = 2**26
    forms = "|".join(form for secret in secrets for form in _forms(secret[:_MOST]))
    more = _MORE if max(map(len, secrets)) > _MOST else ""
    return cast(_Pattern, re2.compile(f"(?:{forms})+{more}", options))


def _forms(secret: str) -> Iterator[str]:
    count = -(-len(secret) // _PART)
    for number in range(count):
        part = secret[number * len(secret) // count : (number + 1) * len(secret) // count]
        characters = [_character(letter) for letter in part]
        if len(secret) < _WORD:
            characters[0] = _character(part[0], before=_BEFORE_WORD)
            characters[-1] = _character(part[-1], after=_AFTER_WORD)
        yield _LINE_BREAK.join(characters)
        yield "[ :]?".join(f"{byte:02x}" for byte in part.encode())
        for shift in range(3):
            yield _LINE_BREAK.join(map(_base64_character, _base64_within(part.encode(), shift)))


def _base64_within(secret: bytes, shift: int) -> str:
    """What the secret alone decides of the base64 of a longer text, in which it begins `shift` bytes after a third."""
    encoded = b64encode(bytes(shift) + secret).decode()
    return encoded[-(-8 * shift // 6) : 8 * (shift + len(secret)) // 6]


def _base64_character(letter: str) -> str:
    """Of either alphabet: that of MIME, and that of URLs."""
    other = {"+": "-", "/": "_"}.get(letter)
    return letter if other is None else f"(?:{_character(letter)}|{other})"


def _character(letter: str, before: str = "", after: str = "") -> str:
    """A character as it stands in plain text, JSON, code, URLs, mail and HTML, wrapped more than once too.

    before, after: what has to hold beside it where it stands as it is, if it is a letter or a digit.
    """
    code = ord(letter)
    plain = f"{before}{letter}{after}" if letter.isalnum() else f"{_BACKSLASH}*{re.escape(letter)}"
    forms = (
        plain,
        rf"{_BACKSLASH}+(?:u\{{?|x)0*{code:x}\}}?",
        "".join(f"{_PERCENT}{byte:02x}" for byte in letter.encode()),
        f"{_AMPERSAND}(?:#0*{code};|#x0*{code:x};{_ENTITIES.get(letter, '')})",
    )
    return f"(?:{'|'.join(forms)})"


def received(text: str, secrets: tuple[str, ...]) -> str:
    """A text of a server as it may be recorded: without the keys it repeats, and with halves of surrogate pairs, which
    no file can hold, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return redact(text, secrets)


def received_line(text: str, secrets: tuple[str, ...]) -> str:
    """The same on one line, short, without characters that a terminal would obey or that turn the reading direction."""
    # Keys go before the rest is cut off, which could leave a part of one standing.
    return short_line(received(text, secrets)[: 4 * _SHOWN], _SHOWN)
