"""Words and phrases that the prompt forbids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params, Patterns, SomePatterns, readable
from nullbench_site.checks.reading.patterns import occurs, shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import Words, read_words
from nullbench_site.checks.result import Flag, Result, verdict

_QUOTED = re.compile(r'"[^"\n]*"|`[^`\n]*`')
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "ness")


class BannedWords(Params, frozen=True, tag="banned-words"):
    """Parameters of banned-words."""

    words: Annotated[SomePatterns, Meta(description="What must not occur.")]
    inflected: Annotated[bool, Meta(description="Whether delves, delved and delving are banned with delve.")] = True
    quoted: Annotated[
        bool, Meta(description="Whether they may stand in quotation marks, back-ticks, or a quoted block.")
    ] = False

    def __post_init__(self) -> None:
        readable(self.words)


def banned_words(response: Response, params: BannedWords) -> Result:
    """Fails with the banned words that occur, code included."""
    found = used(response.all_words, params.words, params.inflected)
    if found and params.quoted and used([_quoted(response)], found, params.inflected):
        found = used([_unquoted(response)], found, params.inflected)
    return verdict(Flag("banned_words", f"uses banned words: {shown(*found)}") if found else None)


def _quoted(response: Response) -> Words:
    return read_words([*_QUOTED.findall(response.plain), "", *filter(_is_quotation, response.plain.split("\n"))])


def _unquoted(response: Response) -> Words:
    lines = _QUOTED.sub(" ", response.plain).split("\n")
    return read_words([line for line in lines if not _is_quotation(line)])


def _is_quotation(line: str) -> bool:
    return line.lstrip().startswith(">")


def used(texts: Sequence[Words], banned: Patterns, inflected: bool) -> Patterns:
    """Those of `banned` that occur in any of `texts`."""
    forms = _all_forms(banned) if inflected else banned
    hit = [words for words in texts if occurs(words, forms)]
    if not hit:
        return ()
    return tuple(
        entry for entry in banned if any(occurs(words, _forms(entry) if inflected else (entry,)) for words in hit)
    )


@lru_cache(maxsize=4096)
def _all_forms(banned: Patterns) -> Patterns:
    return tuple(form for entry in banned for form in _forms(entry))


@lru_cache(maxsize=4096)
def _forms(entry: str) -> tuple[str, ...]:
    """`entry` and, if its last word is one of letters, with each ending; a final e gives way to a vowel."""
    if not entry[-1:].isalpha():
        return (entry,)
    short = entry.removesuffix("e")
    return (entry, *(entry + ending for ending in _ENDINGS), *(short + ending for ending in ("ed", "ing")))


CHECK = Check(
    title="Banned words",
    looks_at="Whether words or phrases of a list occur in the whole response, in any case, whole words only, with or "
    "without hyphens, and with common English endings unless told otherwise.",
    cannot_see="Words spelt with look-alike letters of another alphabet, irregular forms that the list does not name, "
    "and whether a word is used or only mentioned, unless it is quoted and quoting is allowed.",
    params=BannedWords,
    function=banned_words,
)
