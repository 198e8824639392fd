"""Whether the response asks what was meant before it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params, Patterns, readable
from nullbench_site.checks.reading.patterns import occurs
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import Words
from nullbench_site.checks.result import Flag, Result, verdict

_REQUESTS = (
    "please .. provide|share|tell|specify|clarify|give|describe|paste|send",
    "could|can you .. provide|share|tell|specify|clarify|give|describe|paste|send|elaborate",
    "let me know what|which|how|where|who|whether|more|your|the|about",
    "tell me .. what|which|how|where|more|your|about",
    "i|we need|require .. information|details|context|clarification",
    "need to know|clarify|understand",
    "if you .. tell|share|provide|give|paste|send .. me|details|code|information|context",
    "not sure|clear what|which|who|how",
)
_OFFERS = (
    ("would", "you", "like"),
    ("do", "you", "want"),
    ("do", "you", "need"),
    ("want", "me"),
    ("shall", "i"),
    ("should", "i"),
    ("can", "i"),
    ("how", "can", "i"),
    ("is", "there", "anything"),
    ("need", "help"),
    ("ready", "to"),
)
_LONGEST_OFFER = max(map(len, _OFFERS))


class AmbiguityCheck(Params, frozen=True, tag="ambiguity-check"):
    """Parameters of ambiguity-check."""

    before_code: Annotated[
        bool, Meta(description="Whether the question must come before the first code block, if there is one.")
    ] = True
    requests: Annotated[Patterns, Meta(description="Further ways to ask, in another language, say.")] = ()

    def __post_init__(self) -> None:
        readable(self.requests)


def ambiguity_check(response: Response, params: AmbiguityCheck) -> Result:
    """Fails where nothing is asked, or only after the answer."""
    if params.before_code and response.fences:
        if _asks(response.before_code, params.requests):
            return verdict()
        if _asks(response.words, params.requests):
            return verdict(Flag("answered_first", "asks what was meant only after it has answered with code"))
    elif _asks(response.words, params.requests):
        return verdict()
    return verdict(Flag("no_question", "does not ask what was meant"))


def _asks(words: Words, further: tuple[str, ...]) -> bool:
    """A request, a question to the reader, or two questions that are not offers."""
    if occurs(words, (*_REQUESTS, *further)):
        return True
    questions = [words.sentence(number) for number in sorted(words.questions)]
    asked = [question for question in questions if not _offers(question)]
    return len(asked) > 1 or any("you" in question or "your" in question for question in asked)


def _offers(question: Sequence[str]) -> bool:
    opening = tuple(question[:_LONGEST_OFFER])
    return any(opening[: len(offer)] == offer for offer in _OFFERS)


CHECK = Check(
    title="Ambiguity check",
    looks_at="Questions to the reader and requests for details, outside code blocks and before the first one. Offers, "
    "such as to add something, are no questions.",
    cannot_see="Whether the question is the right one, and rhetorical questions for what they are.",
    params=AmbiguityCheck,
    function=ambiguity_check,
)
