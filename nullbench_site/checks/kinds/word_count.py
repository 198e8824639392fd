"""Whether the response has about as many words as it was asked for."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.kinds.response_length import too_long, too_short
from nullbench_site.checks.params import Count, Line, Params, Whole
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import word_count as words_in
from nullbench_site.checks.result import Result, verdict


class WordCount(Params, frozen=True, tag="word-count"):
    """Parameters of word-count."""

    target: Count
    tolerance: Annotated[Whole, Meta(description="How many words more or fewer there may be.")]
    skip: Annotated[
        tuple[Line, ...],
        Meta(max_length=20, description="Lines that begin so are not counted: 'Subject:', say. Case does not matter."),
    ] = ()


def word_count(response: Response, params: WordCount) -> Result:
    """Fails where the number of words is further from the target than the tolerance."""
    words = response.word_count
    if params.skip:
        starts = tuple(start.casefold() for start in params.skip)
        lines = (line for line in response.plain.split("\n") if line.lstrip(" *_#>").casefold().startswith(starts))
        words -= sum(map(words_in, lines))
    least, most = params.target - params.tolerance, params.target + params.tolerance
    return verdict(too_short(words, least if least > 0 else None), too_long(words, most))


CHECK = Check(
    title="Word count",
    looks_at="The words of the response, as response length counts them, without the lines that the spec skips.",
    cannot_see="Which part of the response the prompt meant: a sentence around the text that was asked for counts too.",
    params=WordCount,
    function=word_count,
)
