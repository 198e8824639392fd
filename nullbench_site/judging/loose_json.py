"""Read the JSON objects in a reply, also where they break the rules of JSON in ways that leave one meaning.

Read are single and curly quotes, a comma before the end, a missing comma at a line end, line breaks and plain quotes
inside strings, comments, names without quotes, the literals of Python, and an object without its end. Nothing is
invented: a member that is not complete is marked, and a name with two values is refused.

We do not use a library for this. json-repair takes the last of two scores and reads "3 or 4" as 3, and it takes time
quadratic in the length of some texts.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any, NamedTuple

DEEPEST = 60
"""The deepest nesting that is read."""
_MOST_FALSE_STARTS = 40
"""The most braces before a name that turn out to be prose."""
_LONGEST = 200_000
"""The most characters of a reply that are searched."""
_PAIRS = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d\u201c",
    "\u201d": "\u201d\u201c",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u2019": "\u2019",
    "`": "`",
}
"""An opening quote -> the quotes that close it."""
_QUOTES = "".join(_PAIRS)
_GAP = re.compile(r"(?:[\s\ufeff\u200b]|//[^\n]{0,500}(?:\n|\Z)|#[^\n]{0,500}(?:\n|\Z)|/\*[^*]{0,500}\*/)*")
_WORD = re.compile(r"[A-Za-z_][\w-]{0,60}")
_BARE = re.compile(r"[^,{}\[\]\n]{1,300}?(?=\s*(?:[,{}\[\]\n]|//|#|/\*|\Z))")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?")
_LITERALS = {
    "true": True, "false": False, "null": None, "none": None,
}  # fmt: skip
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|\Z)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_CLOSES_VALUE = re.compile(r"\s*(?:[,}\]]|\Z|//|/\*|#)|[ \t]*\r?\n\s*[\"'\u201c\u2018A-Za-z_]")
_CLOSES_NAME = re.compile(r"\s*[:\uff1a=]")
_STOPS = {quote: re.compile(rf"[\\{closing}]") for quote, closing in _PAIRS.items()}


class Unfinished(str):
    """A string that the reply does not finish."""

    __slots__ = ()


class AtEnd(str):
    """A value without quotes that the end of the reply may have cut."""

    __slots__ = ()


class Bare(str):
    """A value without quotes that is no literal of JSON or Python, such as 4/5."""

    __slots__ = ()


class Written(NamedTuple):
    """An object or a list of objects in a text. loose: it breaks the rules of JSON. cut: it has no end."""

    value: Any
    start: int
    end: int
    loose: bool
    cut: bool


class Objects(NamedTuple):
    """The objects in a text. broken: a text that begins like an object, and is none."""

    found: tuple[Written, ...]
    broken: bool


class _BrokenError(ValueError):
    """The text is no object, even loosely."""


class RepeatedError(ValueError):
    """A name has two values that differ."""


def objects_in(text: str) -> Objects:
    """Return the outermost objects and lists of objects in a text. Takes time linear in the length of the text.

    Raises RepeatedError, and RecursionError for values that are nested too deeply.
    """
    found: list[Written] = []
    at, false_starts, broken = 0, 0, False
    while (at := _opening(text, at)) >= 0:
        parser = _Parser(text)
        try:
            value, end = parser.value(at, 0)
        except _BrokenError:
            false_starts += 1
            broken = broken or text[at] == "{"
            if false_starts > _MOST_FALSE_STARTS:
                return Objects(tuple(found), True)
            at += 1
            continue
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value)):
            found.append(Written(value, at, end, parser.loose, parser.cut))
        at = max(end, at + 1)
    return Objects(tuple(found), broken)


_BRACE = re.compile(r"[{\[]")


def _opening(text: str, at: int) -> int:
    """Return the place of the next brace before a name, or of a bracket before such a brace; -1 for none."""
    while brace := _BRACE.search(text, at, _LONGEST):
        inner = _GAP.match(text, brace.end())
        after = brace.end() if inner is None else inner.end()
        if brace[0] == "[":
            if text[after : after + 1] == "{" and _opens(text, after + 1):
                return brace.start()
        elif _opens(text, brace.end()):
            return brace.start()
        at = brace.end()
    return -1


def _opens(text: str, at: int) -> bool:
    """Return True if a name and a colon follow, or the text ends before them."""
    gap = _GAP.match(text, at)
    start = at if gap is None else gap.end()
    if start >= len(text):
        return True
    if text[start] in _QUOTES:
        stop = _NAME_ENDS[text[start]].match(text, start + 1)
        if stop is None:
            return False
        return stop.end() == len(text) or _COLON.match(text, stop.end()) is not None
    word = _WORD.match(text, start)
    if word is None:
        return False
    return _COLON.match(text, word.end()) is not None


_NAME_ENDS = {quote: re.compile(rf"[^\n{closing}]{{0,100}}(?:[{closing}]|\Z)") for quote, closing in _PAIRS.items()}
_COLON = re.compile(r"\s{0,20}(?:[:\uff1a]|=(?!=)|\Z)")


def _paired(text: str) -> str:
    """Join the halves of surrogate pairs, and replace those that have no other half."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Parser:
    """Reads one value. loose: it breaks the rules of JSON. cut: the text ends before it."""

    def __init__(self, text: str) -> None:
        self.text, self.loose, self.cut = text, False, False

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        at = self.gap(at)
        start = self.text[at : at + 1]
        if not start:
            self.cut = True
            return None, at
        if start in "{[":
            if depth >= DEEPEST:
                raise RecursionError
            return self.object(at + 1, depth) if start == "{" else self.list(at + 1, depth)
        if start in _QUOTES:
            return self.string(at, _CLOSES_VALUE)
        return self.bare(at)

    def gap(self, at: int) -> int:
        """Skip white space and comments."""
        match = _GAP.match(self.text, at)
        if match is None:
            return at
        self.loose = self.loose or bool(match[0].strip(" \t\r\n"))
        return match.end()

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        while True:
            at = self.gap(at)
            sign = self.text[at : at + 1]
            if not sign:
                self.cut = True
                return members, at
            if sign == "}":
                return members, at + 1
            if sign in _QUOTES:
                name, at = self.string(at, _CLOSES_NAME)
            elif word := _WORD.match(self.text, at):
                name, at, self.loose = word[0], word.end(), True
            else:
                raise _BrokenError
            at = self.gap(at)
            sign = self.text[at : at + 1]
            if not sign:
                self.cut = True
                return members, at
            if sign not in (":", "\uff1a", "="):
                raise _BrokenError
            self.loose = self.loose or sign != ":"
            value, at = self.value(at + 1, depth + 1)
            if name in members and repr(members[name]) != repr(value):
                raise RepeatedError(str(name)[:40])
            members[name] = value
            at = self.between(at, "}")

    def list(self, at: int, depth: int) -> tuple[list[Any], int]:
        values: list[Any] = []
        while True:
            at = self.gap(at)
            sign = self.text[at : at + 1]
            if not sign:
                self.cut = True
                return values, at
            if sign == "]":
                return values, at + 1
            value, at = self.value(at, depth + 1)
            values.append(value)
            at = self.between(at, "]")

    def between(self, at: int, end: str) -> int:
        """Skip the comma between two values; one may be missing at a line end, and one may come before the end."""
        after = self.gap(at)
        sign = self.text[after : after + 1]
        if sign == ",":
            after = self.gap(after + 1)
            self.loose = self.loose or self.text[after : after + 1] == end
            return after
        if sign and sign != end:
            if "\n" not in self.text[at:after]:
                raise _BrokenError
            self.loose = True
        return after

    def string(self, at: int, closes: re.Pattern[str]) -> tuple[str, int]:
        """Read a string. A quote that nothing of JSON follows is part of the text."""
        opening, start = self.text[at], at + 1
        self.loose = self.loose or opening != '"'
        parts: list[str] = []
        stop = _STOPS[opening]
        while match := stop.search(self.text, start):
            parts.append(self.text[start : match.start()])
            self.loose = self.loose or _CONTROL.search(parts[-1]) is not None
            start = match.end()
            if match[0] == "\\":
                escape = _ESCAPE.match(self.text, match.start())
                if escape is None or not escape[1]:
                    start = len(self.text)
                    break
                start = escape.end()
                parts.append(self._unescaped(escape[1]))
            elif closes.match(self.text, start):
                return _paired("".join(parts)), start
            else:
                parts.append(match[0])
                self.loose = True
        else:
            parts.append(self.text[start:])
        self.cut = True
        return Unfinished("".join(parts)), len(self.text)

    def _unescaped(self, escape: str) -> str:
        if len(escape) > 1:
            return chr(int(escape[1:], 16))
        self.loose = self.loose or escape not in '"\\/bfnrt'
        return _ESCAPES.get(escape, escape)

    def bare(self, at: int) -> tuple[Any, int]:
        """Read a number, a literal or a value without quotes, up to the next comma, bracket or line end."""
        match = _BARE.match(self.text, at)
        if match is None:
            raise _BrokenError
        word, end = match[0], match.end()
        if end == len(self.text):
            self.cut = True
            return AtEnd(word), end
        if _NUMBER.fullmatch(word):
            value = float(word) if any(sign in word for sign in ".eE") else int(word)
            if isfinite(value):
                return value, end
        self.loose = self.loose or word not in ("true", "false", "null")
        if word.lower() in _LITERALS:
            return _LITERALS[word.lower()], end
        return Bare(word), end
