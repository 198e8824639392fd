"""Checks of the result of a response."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import (
    Check,
    Flag,
    Pattern,
    Patterns,
    ResponseText,
    Result,
    about,
    at_least_one,
    not_applicable,
    verdict,
)
from nullbench_site.checks.patterns import matches, occurs, shown
from nullbench_site.checks.reading import (
    Words,
    fold_plain,
    listed,
    numbers,
    read_folded,
    same,
    signed_numbers,
    with_signs,
)
from nullbench_site.packaged import word_lines

_BOXED = re.compile(r"\\boxed\{([^{}\n]{1,60})\}")
_CONCLUDING = frozenset(listed("answer result final finally total therefore thus hence remainder altogether equals"))
_ONLY = 3


class MultiStepVerify(Check, frozen=True, tag="multi-step-verify"):
    """Parameters of multi-step-verify; a number, or answers in words."""

    title, looks_at, cannot_see = about("multi-step-verify")

    number: (
        Annotated[float, Meta(description="The expected number with its sign; currencies and units are ignored.")]
        | None
    ) = None
    tolerance: Annotated[float, Meta(ge=0, description="The largest allowed difference from the number.")] = 0.0
    answers: Annotated[Patterns, Meta(description="The expected answer in words, in any of its forms.")] = ()
    steps: Annotated[
        tuple[float, ...],
        Meta(max_length=50, description="Intermediate results; if any other work is shown, each must occur."),
    ] = ()
    contradictions: Annotated[
        tuple[Pattern, ...], Meta(max_length=100, description="Phrases that a right answer does not contain.")
    ] = ()
    only_answer: Annotated[bool, Meta(description="True if the prompt asks only for the answer.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.number is None:
            at_least_one(self, "number", "answers")

    def check(self, response: ResponseText) -> Result:
        """Fail if the result is not the expected one."""
        words = response.words
        flags: list[Flag | None] = []
        if self.number is not None:
            results = list(_results(response))
            if not any(same(result, self.number, self.tolerance) for result in results):
                flags.append(Flag("wrong_answer", f"does not come to {self.number:g}"))
        if self.answers and not occurs(words, self.answers):
            flags.append(Flag("wrong_answer", f"nowhere says: {shown(self.answers[0])}"))
        if occurs(words, self.contradictions):
            flags.append(Flag("contradiction", "says what a right answer does not say"))
        flags += [_missing_steps(words, self), _more_than_the_answer(words, self)]
        return verdict(*flags)


def _results(response: ResponseText) -> Iterator[float]:
    """Yield the possible results: boxed numbers; else those of the last concluding sentence, and the last of all."""
    boxed = [value for match in _BOXED.finditer(response.plain) for value in _numbers(fold_plain(match[1]))]
    if boxed:
        yield boxed[-1]
        return
    words = read_folded(with_signs(response.folded))
    for sentence in reversed(range(words.sentences)):
        if not _CONCLUDING.isdisjoint(words.sentence(sentence)):
            concluded = signed_numbers(words.sentence(sentence))
            if concluded:
                yield from concluded
                break
    for sentence in reversed(range(words.sentences)):
        if given := signed_numbers(words.sentence(sentence)):
            yield given[-1]
            break


def _numbers(folded: str) -> list[float]:
    return signed_numbers(read_folded(with_signs(folded)).words)


def _missing_steps(words: Words, params: MultiStepVerify) -> Flag | None:
    if not params.steps or len(words.words) <= _ONLY:
        return None
    given = numbers(words.vocabulary)
    missing = [step for step in params.steps if not any(same(step, number) for number in given)]
    return (
        Flag("missing_steps", f"results on the way do not occur: {', '.join(f'{m:g}' for m in missing)}")
        if missing
        else None
    )


def _more_than_the_answer(words: Words, params: MultiStepVerify) -> Flag | None:
    if not params.only_answer or len(words.words) <= _ONLY:
        return None
    return Flag("more_than_answer", f"{len(words.words):,} words; only the answer was asked for")


_SUPPOSING = frozenset(listed("if whether determine check test unless need needs would could ensure until"))
_NOT_SIGNIFICANT = word_lines("not-significant")
_SIGNIFICANT = word_lines("significant")
# The letter comes first, and the conditions on the text before it after it: a search for a letter is fast.
_P_VALUE = re.compile(
    r"p(?<![^\W_]p)(?:[ _-]?values?)?(?=[\s=:<>~*|(\u2248\u2243\u2245])([^0-9.\n]{1,25})"
    r"(?:([0-9](?:[.,][0-9]{1,8})?)(?:e| ?[x\u00d7*\u00b7] ?10 ?\^? ?[({]?)"
    r"(-[0-9]{1,3}|\u207b[\u00b9\u00b2\u00b3\u2074-\u2079]{1,3})"
    r"|([01]?[.,][0-9]{1,8}))"
)
_RAISED = str.maketrans("\u207b\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-123456789")
_COMPARING = re.compile(r"[<>\u2264\u2265]|below|above|under|over|than|exceed|level|threshold|cutoff|\\[lg]")
_DENYING = ("not", "no", "fail", "fails", "failed", "failing", "unable", "insufficient")
# The number of words before a conclusion in which a word can make it a supposition.
_BEFORE = 25
_LEVELS = (0.05, 0.01, 0.1, 0.001)


class StatisticalSignificance(Check, frozen=True, tag="statistical-significance"):
    """Parameters of statistical-significance."""

    title, looks_at, cannot_see = about("statistical-significance")

    significant: Annotated[bool, Meta(description="True if the difference is significant.")]
    p_values: Annotated[
        tuple[Annotated[float, Meta(ge=0, le=1)], ...],
        Meta(max_length=10, description="The right p-values, such as of a one-tailed and a two-tailed test."),
    ] = ()
    p_tolerance: Annotated[
        float, Meta(ge=0, le=1, description="The largest allowed difference of a stated p-value.")
    ] = 0.02
    conclusions: Annotated[Patterns, Meta(description="More ways to draw the right conclusion.")] = ()

    def check(self, response: ResponseText) -> Result:
        """Fail if the conclusion is wrong, or if no stated p-value is right. Does not apply without either."""
        words = response.words
        against = _concludes(words, _NOT_SIGNIFICANT, ())
        in_favour = _concludes(words, _SIGNIFICANT, _DENYING)
        concluded, wrong = (in_favour, against) if self.significant else (against, in_favour)
        concluded = concluded or _concludes(words, self.conclusions, ())
        flags = []
        values = list(_p_values(response)) if self.p_values else []
        if values and not any(abs(value - right) <= self.p_tolerance for value in values for right in self.p_values):
            expected = " or ".join(f"{value:g}" for value in self.p_values)
            flags.append(Flag("wrong_p_value", f"no p-value told is within {self.p_tolerance:g} of {expected}"))
        if wrong and not concluded:
            what = "significant" if self.significant else "not significant"
            flags.append(Flag("wrong_conclusion", f"draws the wrong conclusion: the difference is {what}"))
        if not flags and not concluded and not values:
            return not_applicable("no_conclusion", "draws no conclusion in words the check knows, and tells no p-value")
        return verdict(*flags)


def _concludes(words: Words, patterns: tuple[str, ...], unless: Sequence[str]) -> bool:
    """Return True if any of `patterns` occurs in a sentence without a question, a supposition or any of `unless`."""
    for span in matches(words, patterns):
        sentence = words.sentence_of(span.start)
        if sentence in words.questions:
            continue
        context = words.words[max(words.starts[sentence], span.start - _BEFORE) : span.end]
        if _SUPPOSING.isdisjoint(context) and not any(word in context for word in unless):
            return True
    return False


def _p_values(response: ResponseText) -> Iterator[float]:
    for match in _P_VALUE.finditer(response.folded):
        between, digits, power, number = match.groups()
        written = number or f"{digits}e{power.translate(_RAISED)}"
        value = float(written.replace(",", "."))
        at_level = response.folded.endswith("at ", 0, match.start()) or _COMPARING.search(between)
        # Levels next to p-values are not results: "p < 0.05", "significant at p = 0.05".
        if value not in _LEVELS or not at_level:
            yield value
