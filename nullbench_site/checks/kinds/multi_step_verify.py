"""Whether the response comes to the expected result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params, Pattern, Patterns, at_least_one, readable
from nullbench_site.checks.reading.numbers import number, numbers, same
from nullbench_site.checks.reading.patterns import occurs, shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import Words, listed, tokens
from nullbench_site.checks.result import Flag, Result, verdict

_BOXED = re.compile(r"\\boxed\{([^{}\n]{1,60})\}")
_CONCLUDING = frozenset(listed("answer result final finally total therefore thus hence remainder altogether equals"))
_ONLY = 3


class MultiStepVerify(Params, frozen=True, tag="multi-step-verify"):
    """Parameters of multi-step-verify; a number, or answers in words."""

    number: (
        Annotated[float, Meta(description="The expected number; signs, currencies and units are not looked at.")] | None
    ) = None
    tolerance: Annotated[float, Meta(ge=0, description="How far the number may be off.")] = 0.0
    answers: Annotated[Patterns, Meta(description="The expected answer in words, in any of its forms.")] = ()
    steps: Annotated[
        tuple[float, ...],
        Meta(max_length=50, description="Results on the way, of which each must occur if any other work is shown."),
    ] = ()
    contradictions: Annotated[
        tuple[Pattern, ...], Meta(max_length=100, description="What a right answer does not say.")
    ] = ()
    only_answer: Annotated[bool, Meta(description="Whether nothing but the answer was asked for.")] = False

    def __post_init__(self) -> None:
        readable(self.answers, self.contradictions)
        if self.number is None:
            at_least_one(number=self.number, answers=self.answers)


def multi_step_verify(response: Response, params: MultiStepVerify) -> Result:
    """Fails where the result is not the expected one."""
    words = response.words
    flags: list[Flag | None] = []
    if params.number is not None:
        results = list(_results(response.plain, words))
        if not any(same(result, params.number, params.tolerance) for result in results):
            flags.append(Flag("wrong_answer", f"does not come to {params.number:g}"))
    if params.answers and not occurs(words, params.answers):
        flags.append(Flag("wrong_answer", f"nowhere says: {shown(params.answers[0])}"))
    if occurs(words, params.contradictions):
        flags.append(Flag("contradiction", "says what a right answer does not say"))
    flags += [_missing_steps(words, params), _more_than_the_answer(words, params)]
    return verdict(*flags)


def _results(text: str, words: Words) -> Iterator[float]:
    """The numbers a response may mean as its result: what is boxed; else those of its last concluding sentence, and the
    last of all."""
    boxed = [value for match in _BOXED.finditer(text) for value in numbers(tokens(match.group(1)))]
    if boxed:
        yield boxed[-1]
        return
    for sentence in reversed(range(words.sentences)):
        if not _CONCLUDING.isdisjoint(words.sentence(sentence)):
            found = numbers(words.sentence(sentence))
            if found:
                yield from found
                break
    for word in reversed(words.words):
        value = number(word)
        if value is not None:
            yield value
            break


def _missing_steps(words: Words, params: MultiStepVerify) -> Flag | None:
    if not params.steps or len(words.words) <= _ONLY:
        return None
    said = numbers(words.vocabulary)
    missing = [step for step in params.steps if not _among(step, said)]
    return (
        Flag("missing_steps", f"results on the way do not occur: {', '.join(f'{m:g}' for m in missing)}")
        if missing
        else None
    )


def _among(value: float, said: Sequence[float]) -> bool:
    return any(same(value, other) for other in said)


def _more_than_the_answer(words: Words, params: MultiStepVerify) -> Flag | None:
    if not params.only_answer or len(words.words) <= _ONLY:
        return None
    return Flag("more_than_answer", f"{len(words.words):,} words; only the answer was asked for")


CHECK = Check(
    title="Multi-step verification",
    looks_at="The number a response comes to: what is boxed, else the numbers of its last concluding sentence, and its "
    "last number, thousands separators left out; or an answer in words, anywhere; and results on the way.",
    cannot_see="Whether the way is right where the result is, decimal commas, and numbers above twenty in letters.",
    params=MultiStepVerify,
    function=multi_step_verify,
)
