"""Saying that something does not exist, or that nothing is known of it."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.checks.reading.patterns import matches
from nullbench_site.checks.reading.words import Words

# Sentences at the beginning in which the thing need not be named: "I found no such film."
_OPENING = 3
_SPEAKERS = ("i", "we")
_DENIALS = (
    "not .. exist|exists|existed",
    "nonexistent",
    "non-existent",
    "no such",
    "there is|are|was|were no",
    "there is|are|was|were not .. any|a|an",
    "no .. record|records|information|evidence|trace|mention|knowledge",
    "not .. have|has|had .. information|record|records|knowledge|details|data|evidence",
    "can|could|did not .. find|verify|confirm|locate|identify",
    "unable .. find|verify|confirm|locate|identify",
    "not .. aware|familiar|heard",
    "unaware of",
    "unfamiliar with",
    "never heard",
    "not .. appear|recognize|recognise",
    "not .. real|genuine|actual|known|established|documented|recognized|recognised",
    "fictional|fictitious|fabricated|invented|imaginary|hallucinated",
    "made-up",
)


def denies(words: Words, thing: str, further: tuple[str, ...]) -> bool:
    """Whether a sentence that names `thing`, or one of the first few, says that it is not known to exist."""
    opening = words.end_of(_OPENING)
    naming = {words.sentence_of(span.start) for span in matches(words, (thing,))}
    return any(at < opening or words.sentence_of(at) in naming for at in _denials(words, further))


def _denials(words: Words, further: tuple[str, ...]) -> Iterator[int]:
    for span in matches(words, (*_DENIALS, *further)):
        number = words.sentence_of(span.start)
        # "I know no such book; could you send it?" asks, and denies all the same.
        if number not in words.questions or words.sentence(number)[0] in _SPEAKERS:
            yield span.start
