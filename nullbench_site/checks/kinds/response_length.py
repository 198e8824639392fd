"""How long the whole response is."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Count, Params, at_least_one
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.result import Flag, Result, counted, verdict


class ResponseLength(Params, frozen=True, tag="response-length"):
    """Parameters of response-length; at least one."""

    min_words: Count | None = None
    max_words: Count | None = None
    max_sentences: Annotated[Count, Meta(description="Of the prose, code blocks left out.")] | None = None
    max_characters: Annotated[Count, Meta(description="For languages that put no spaces between words.")] | None = None

    def __post_init__(self) -> None:
        at_least_one(
            min_words=self.min_words,
            max_words=self.max_words,
            max_sentences=self.max_sentences,
            max_characters=self.max_characters,
        )
        if self.min_words and self.max_words and self.min_words > self.max_words:
            raise ValueError("min_words is more than max_words")


def response_length(response: Response, params: ResponseLength) -> Result:
    """Fails where a length is outside its limits."""
    words = response.word_count
    flags = [
        too_short(words, params.min_words),
        too_long(words, params.max_words),
        _beyond(response.words.sentences, params.max_sentences, "too_many_sentences", "sentence")
        if params.max_sentences
        else None,
        _beyond(len(response.text.strip()), params.max_characters, "too_many_characters", "character"),
    ]
    return verdict(*flags)


def too_short(words: int, least: int | None) -> Flag | None:
    """The flag where there are fewer words than `least`."""
    return Flag("too_short", f"{counted(words, 'word')}, at least {least:,}") if least and words < least else None


def too_long(words: int, most: int | None) -> Flag | None:
    """The flag where there are more words than `most`."""
    return _beyond(words, most, "too_long", "word")


def _beyond(found: int, most: int | None, flag: str, noun: str) -> Flag | None:
    return Flag(flag, f"{counted(found, noun)}, at most {most:,}") if most and found > most else None


CHECK = Check(
    title="Response length",
    looks_at="The words of the whole response: runs between white space that hold a letter or a digit, code included.",
    cannot_see="Whether the length serves the reader. Text without spaces counts as one word: limit its characters. "
    "Sentences end at full stops, bullets, headings and empty lines, which is an estimate.",
    params=ResponseLength,
    function=response_length,
)
