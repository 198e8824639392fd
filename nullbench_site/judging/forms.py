"""The forms of judges' replies that are read besides the JSON object that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LOOSE, LIST, WRAPPED, NAMED, WORDS, CUT = "loose-json", "list", "wrapper", "other-name", "words", "cut"
LABEL, BRACKETS, BARE, SENTENCE = "label", "brackets", "bare", "sentence"

FORMS: Mapping[str, str] = MappingProxyType(
    {
        LOOSE: "JSON with errors that leave one meaning",
        LIST: "a list with one object or value",
        WRAPPED: "an object in another object",
        NAMED: "a member under another name",
        WORDS: "a value in words",
        CUT: "an object without its end",
        LABEL: "a name and a value without JSON",
        BRACKETS: "a value in double brackets, tags or a box",
        BARE: "a value alone",
        SENTENCE: "a mark in a sentence",
    }
)
"""Form -> what it is. A judgment's record has the forms of its reply, and pages count them by judge."""
