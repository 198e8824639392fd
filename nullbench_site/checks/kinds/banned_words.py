"""Words and phrases that the prompt forbids."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params, Patterns, SomePatterns, readable
from nullbench_site.checks.reading.patterns import occurs
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import Words, read_words
from nullbench_site.checks.result import Flag, Result, verdict

_QUOTED = re.compile(r'"[^"\n]*+"|`[^`\n]*+`')
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
    words = _unquoted(response) if params.quoted else response.all_words
    return verdict(used(words, params.words, params.inflected, "banned_words", "uses banned words"))


def _unquoted(response: Response) -> Words:
    lines = _QUOTED.sub(" ", response.plain).split("\n")
    return read_words([line for line in lines if not line.lstrip().startswith(">")])


def used(words: Words, banned: Patterns, inflected: bool, flag: str, what: str) -> Flag | None:
    """The flag that names those of `banned` which occur in `words`, or None."""
    found = [entry for entry in banned if occurs(words, _forms(entry) if inflected else (entry,))]
    return Flag(flag, f"{what}: {', '.join(found)}") if found else None


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
