"""Whether the response draws the right conclusion from a comparison of two groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params, Patterns, readable
from nullbench_site.checks.reading.patterns import matches
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import Words, listed
from nullbench_site.checks.result import Flag, Result, not_applicable, verdict

_SUPPOSING = frozenset(listed("if whether determine check test unless need needs would could ensure until"))
_NOT_SIGNIFICANT = (
    "not .. significant|significance|conclusive",
    "no .. significant|significance",
    "insignificant|inconclusive",
    "not .. enough|sufficient evidence|data|confidence|confident",
    "fail|fails|failed to reject",
    "fail|fails|failed .. significant|significance",
    "can not .. reject|rule|conclude|confident",
    "within .. noise|chance|variation",
    "due .. to .. chance|noise|luck",
    "interval .. includes|contains|crosses|spans zero|0",
)
_SIGNIFICANT = (
    "is|are|was|reaches|statistically significant",
    "significantly better|higher|lower|worse",
    "reject the null",
    "significant at|difference|improvement|result|lift",
)
# The letter first and what must not stand before it behind it: a search for a letter is fast.
_P_VALUE = re.compile(
    r"p(?<![^\W_]p)(?:[ _-]?values?)?(?=[\s=:<>~*|(\u2248\u2243\u2245])([^0-9.\n]{1,25})([01]?\.[0-9]{1,8})"
)
_COMPARING = re.compile(r"[<>\u2264\u2265]|below|above|under|over|than|exceed|level|threshold|cutoff|\\[lg]")
_DENYING = ("not", "no", "fail", "fails", "failed", "failing", "unable", "insufficient")
# How many words before a conclusion may make it a supposition.
_BEFORE = 25
_LEVELS = (0.05, 0.01, 0.1, 0.001)


class StatisticalSignificance(Params, frozen=True, tag="statistical-significance"):
    """Parameters of statistical-significance."""

    significant: Annotated[bool, Meta(description="Whether the difference is.")]
    p_values: Annotated[
        tuple[Annotated[float, Meta(ge=0, le=1)], ...],
        Meta(max_length=10, description="The right p-values, of a test with one tail and of one with two, say."),
    ] = ()
    p_tolerance: Annotated[float, Meta(ge=0, le=1, description="How far a p-value that is told may be off.")] = 0.02
    conclusions: Annotated[Patterns, Meta(description="Further ways to draw the right conclusion.")] = ()

    def __post_init__(self) -> None:
        readable(self.conclusions)


def statistical_significance(response: Response, params: StatisticalSignificance) -> Result:
    """Fails where the conclusion is wrong, or no p-value that is told is right; does not apply without either."""
    words = response.words
    against = _concludes(words, _NOT_SIGNIFICANT, ())
    in_favour = _concludes(words, _SIGNIFICANT, _DENYING)
    concluded, wrong = (in_favour, against) if params.significant else (against, in_favour)
    concluded = concluded or _concludes(words, params.conclusions, ())
    flags = []
    told = list(_p_values(response)) if params.p_values else []
    if told and not any(abs(value - right) <= params.p_tolerance for value in told for right in params.p_values):
        expected = " or ".join(f"{value:g}" for value in params.p_values)
        flags.append(Flag("wrong_p_value", f"no p-value told is within {params.p_tolerance:g} of {expected}"))
    if wrong and not concluded:
        what = "significant" if params.significant else "not significant"
        flags.append(Flag("wrong_conclusion", f"draws the wrong conclusion: the difference is {what}"))
    if not flags and not concluded and not told:
        return not_applicable(
            Flag("no_conclusion", "draws no conclusion in words the check knows, and tells no p-value")
        )
    return verdict(*flags)


def _concludes(words: Words, patterns: tuple[str, ...], unless: Sequence[str]) -> bool:
    """Whether any of `patterns` occurs in a sentence that neither asks nor supposes, and has none of `unless`."""
    for span in matches(words, patterns):
        sentence = words.sentence_of(span.start)
        if sentence in words.questions:
            continue
        said = words.words[max(words.starts[sentence], span.start - _BEFORE) : span.end]
        if _SUPPOSING.isdisjoint(said) and not any(word in said for word in unless):
            return True
    return False


def _p_values(response: Response) -> Iterator[float]:
    for match in _P_VALUE.finditer(response.folded):
        between, told = match.groups()
        value = float(told)
        at_level = response.folded.endswith("at ", 0, match.start()) or _COMPARING.search(between)
        # Levels are told beside p-values, and are no result: "p < 0.05", "significant at p = 0.05".
        if value not in _LEVELS or not at_level:
            yield value


CHECK = Check(
    title="Statistical significance",
    looks_at="Sentences that call the difference significant or not, leaving out those that ask or suppose; and the "
    "p-values that are told, leaving out the usual levels of significance they are compared with.",
    cannot_see="Whether the test was the right one, and conclusions in other words.",
    params=StatisticalSignificance,
    function=statistical_significance,
)
