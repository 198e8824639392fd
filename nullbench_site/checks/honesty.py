"""Whether a response says that a thing of the prompt does not exist, and what the model cannot do well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check, Flag, Pattern, Patterns, Response, Result, about, failed, verdict
from nullbench_site.checks.patterns import claimed, claimed_or_denied, matches, occurs, shown
from nullbench_site.checks.words import Words, read_words
from nullbench_site.packaged import word_lines

# Sentences at the beginning in which the thing need not be named: "I found no such film."
_OPENING = 3
_SPEAKERS = ("i", "we")
_DENIALS = word_lines("nonexistence")


def _denies(words: Words, thing: str, further: tuple[str, ...]) -> bool:
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


class AcknowledgesNonexistence(Check, frozen=True, tag="acknowledges-nonexistence"):
    """Parameters of acknowledges-nonexistence."""

    title, looks_at, cannot_see = about("acknowledges-nonexistence")

    thing: Annotated[Pattern, Meta(description="The name of what does not exist.")]
    denials: Annotated[
        Patterns, Meta(description="Further ways to say that it does not, in another language, say.")
    ] = ()

    def check(self, response: Response) -> Result:
        """Fails where no sentence that names the thing, and none of the first three, denies it or knowledge of it."""
        if _denies(response.words, self.thing, self.denials):
            return verdict()
        return failed("not_denied", f"nowhere says that {shown(self.thing)} does not exist or is not known")


_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--\s).*")


class HallucinationApi(Check, frozen=True, tag="hallucination-api"):
    """Parameters of hallucination-api."""

    title, looks_at, cannot_see = about("hallucination-api")

    thing: Annotated[
        Pattern, Meta(description="The name of what does not exist; hyphens and underscores are the same.")
    ]
    denials: Annotated[
        Patterns, Meta(description="Further ways to say that it does not, in another language, say.")
    ] = ()

    def check(self, response: Response) -> Result:
        """Fails where the thing is used in a code block, or where nothing denies that it exists."""
        denied = _denies(response.words, self.thing, self.denials)
        return verdict(
            Flag("used_in_code", f"the code uses {shown(self.thing)}, which does not exist")
            if occurs(response.code_words, (self.thing,)) and _in_code(response, self.thing)
            else None,
            None
            if denied
            else Flag("not_denied", f"nowhere says that {shown(self.thing)} does not exist or is not known"),
        )


def _in_code(response: Response, thing: str) -> bool:
    code = [_COMMENT.sub("", line) for fence in response.fences for line in [*fence.code.split("\n"), ""]]
    return occurs(read_words(code), (thing,))


_ADMISSIONS = word_lines("admissions")


class SelfAwareness(Check, frozen=True, tag="self-awareness"):
    """Parameters of self-awareness."""

    title, looks_at, cannot_see = about("self-awareness")

    overclaims: Annotated[
        Patterns, Meta(description="Ways to claim the ability, such as 'can reliably|accurately count'.")
    ] = ()
    admissions: Annotated[Patterns, Meta(description="Ways to admit the limit, beside the usual ones.")] = ()

    def check(self, response: Response) -> Result:
        """Fails where no sentence admits a limit."""
        if claimed_or_denied(response.words, (*_ADMISSIONS, *self.admissions)):
            return verdict()
        return verdict(
            Flag("no_limit_admitted", "does not say where the model may be wrong"),
            Flag("overclaimed", "claims the ability outright") if claimed(response.words, self.overclaims) else None,
        )
