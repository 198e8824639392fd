"""Checks of the number of words, and of forbidden words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import (
    Check,
    Count,
    Flag,
    Line,
    Patterns,
    Prose,
    ResponseText,
    Result,
    Share,
    SomePatterns,
    Whole,
    about,
    at_least_one,
    counted,
    failed,
    verdict,
)
from nullbench_site.checks.patterns import occurs, shown
from nullbench_site.checks.reading import Words, plain, read_words, word_count


class ResponseLength(Check, frozen=True, tag="response-length"):
    """Parameters of response-length; at least one."""

    title, looks_at, cannot_see = about("response-length")

    min_words: Annotated[Count | None, Meta(description="The fewest words.")] = None
    max_words: Annotated[Count | None, Meta(description="The most words.")] = None
    max_sentences: Annotated[Count, Meta(description="Of the prose, without code blocks.")] | None = None
    max_characters: Annotated[Count, Meta(description="For languages that put no spaces between words.")] | None = None

    def __post_init__(self) -> None:
        at_least_one(self, "min_words", "max_words", "max_sentences", "max_characters")
        if self.min_words and self.max_words and self.min_words > self.max_words:
            raise ValueError("min_words is more than max_words")

    def check(self, response: ResponseText) -> Result:
        """Fail if a length is outside its limits."""
        words = response.word_count
        sentences = response.words.sentences if self.max_sentences else 0
        return verdict(
            _below(words, self.min_words),
            _beyond(words, self.max_words, "too_long", "word"),
            _beyond(sentences, self.max_sentences, "too_many_sentences", "sentence"),
            _beyond(len(response.text.strip()), self.max_characters, "too_many_characters", "character"),
        )


def _below(words: int, least: int | None) -> Flag | None:
    return Flag("too_short", f"{counted(words, 'word')}, at least {least:,}") if least and words < least else None


def _beyond(number: int, most: int | None, flag: str, noun: str) -> Flag | None:
    return Flag(flag, f"{counted(number, noun)}, at most {most:,}") if most and number > most else None


class WordCount(Check, frozen=True, tag="word-count"):
    """Parameters of word-count."""

    title, looks_at, cannot_see = about("word-count")

    target: Annotated[Count, Meta(description="The number of words that the task requires.")]
    tolerance: Annotated[Whole, Meta(description="The largest allowed difference from the target.")]
    skip: Annotated[
        tuple[Line, ...],
        Meta(
            max_length=20,
            description="Lines with these beginnings are not counted, such as 'Subject:'. Case does not matter.",
        ),
    ] = ()

    def check(self, response: ResponseText) -> Result:
        """Fail if the number of words differs from the target by more than the tolerance."""
        words = response.word_count
        if self.skip:
            starts = tuple(start.casefold() for start in self.skip)
            lines = (line for line in response.plain.split("\n") if line.lstrip(" *_#>").casefold().startswith(starts))
            words -= sum(map(word_count, lines))
        least, most = self.target - self.tolerance, self.target + self.tolerance
        return verdict(_below(words, max(0, least)), _beyond(words, most, "too_long", "word"))


class WordCountReduction(Check, frozen=True, tag="word-count-reduction"):
    """Parameters of word-count-reduction."""

    title, looks_at, cannot_see = about("word-count-reduction")

    original: Annotated[Prose, Meta(description="The text to shorten.")]
    at_most: Annotated[Share, Meta(description="The most words, as a share of the original's.")]
    at_least: Annotated[Share, Meta(description="The fewest words, as a share of the original's.")] | None = None
    keep: Annotated[Patterns, Meta(description="Points that must be kept, each in one of its forms.")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at_least and self.at_least > self.at_most:
            raise ValueError("at_least is more than at_most")

    def check(self, response: ResponseText) -> Result:
        """Fail if too many or too few words are left, or if a required point is missing.

        A first line that ends in a colon introduces the text and is not counted.
        """
        original = _words_of(self.original)
        words = response.word_count - word_count(_introduction(response.plain))
        most = int(original * self.at_most)
        least = int(original * (self.at_least or 0))
        lost = [text for text in self.keep if not occurs(response.words, (text,))]
        return verdict(
            Flag("not_reduced", f"{counted(words, 'word')} of {original:,}, at most {most:,}")
            if words > most
            else None,
            Flag("reduced_too_far", f"{counted(words, 'word')} of {original:,}, at least {least:,}")
            if words < least
            else None,
            Flag("lost", f"no longer tells: {shown(*lost)}") if lost else None,
        )


@lru_cache(maxsize=256)
def _words_of(original: str) -> int:
    return word_count(plain(original))


def _introduction(text: str) -> str:
    """Return the first line if it ends in a colon and more follows, else nothing."""
    first, _, rest = text.lstrip().partition("\n")
    return first if first.rstrip("*_ \t").endswith(":") and rest.strip() else ""


_QUOTED = re.compile(r'"[^"\n]*"|`[^`\n]*`')
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "ness")


class BannedWords(Check, frozen=True, tag="banned-words"):
    """Parameters of banned-words."""

    title, looks_at, cannot_see = about("banned-words")

    words: Annotated[SomePatterns, Meta(description="Words and phrases that must not occur.")]
    inflected: Annotated[bool, Meta(description="True: delve also bans delves, delved and delving.")] = True
    quoted: Annotated[bool, Meta(description="True: allowed in quotation marks, back-ticks and quoted blocks.")] = False

    def check(self, response: ResponseText) -> Result:
        """Fail with the banned words that occur, code included."""
        banned = used(response.all_words, self.words, self.inflected)
        if banned and self.quoted and used([_quoted(response)], banned, self.inflected):
            banned = used([_unquoted(response)], banned, self.inflected)
        return failed("banned_words", f"uses banned words: {shown(*banned)}") if banned else verdict()


def _quoted(response: ResponseText) -> Words:
    return read_words([*_QUOTED.findall(response.plain), "", *filter(_is_quotation, response.plain.split("\n"))])


def _unquoted(response: ResponseText) -> Words:
    lines = _QUOTED.sub(" ", response.plain).split("\n")
    return read_words([line for line in lines if not _is_quotation(line)])


def _is_quotation(line: str) -> bool:
    return line.lstrip().startswith(">")


def used(texts: Sequence[Words], banned: Patterns, inflected: bool) -> Patterns:
    """Return those of `banned` that occur in any of `texts`."""
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
    """Return `entry`, and with each ending if its last word has only letters. A final e is dropped before a vowel."""
    if not entry[-1:].isalpha():
        return (entry,)
    short = entry.removesuffix("e")
    return (entry, *(entry + ending for ending in _ENDINGS), *(short + ending for ending in ("ed", "ing")))
