"""Whether a text was shortened as far as it should be, and not further."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params, Patterns, Prose, Share, readable
from nullbench_site.checks.reading.folding import plain
from nullbench_site.checks.reading.patterns import occurs, shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import word_count
from nullbench_site.checks.result import Flag, Result, counted, verdict


class WordCountReduction(Params, frozen=True, tag="word-count-reduction"):
    """Parameters of word-count-reduction."""

    original: Annotated[Prose, Meta(description="The text that was to be shortened.")]
    at_most: Annotated[Share, Meta(description="Words that may be left, as a share of the original's.")]
    at_least: Annotated[Share, Meta(description="Words that must be left, as a share of the original's.")] | None = None
    keep: Annotated[Patterns, Meta(description="What must still be told, each in one of its forms.")] = ()

    def __post_init__(self) -> None:
        readable(self.keep)
        if self.at_least and self.at_least > self.at_most:
            raise ValueError("at_least is more than at_most")


def word_count_reduction(response: Response, params: WordCountReduction) -> Result:
    """Fails where too many or too few words are left, or something that must be kept is not told.

    A first line that ends in a colon introduces the text and is not counted.
    """
    original = _words_of(params.original)
    words = response.word_count - word_count(_introduction(response.plain))
    most = int(original * params.at_most)
    least = int(original * (params.at_least or 0))
    lost = [text for text in params.keep if not occurs(response.words, (text,))]
    return verdict(
        Flag("not_reduced", f"{counted(words, 'word')} of {original:,}, at most {most:,}") if words > most else None,
        Flag("reduced_too_far", f"{counted(words, 'word')} of {original:,}, at least {least:,}")
        if words < least
        else None,
        Flag("lost", f"no longer tells: {shown(*lost)}") if lost else None,
    )


@lru_cache(maxsize=256)
def _words_of(original: str) -> int:
    return word_count(plain(original))


def _introduction(text: str) -> str:
    """The first line if it ends in a colon and more follows, else nothing."""
    first, _, rest = text.lstrip().partition("\n")
    return first if first.rstrip("*_ \t").endswith(":") and rest.strip() else ""


CHECK = Check(
    title="Word count reduction",
    looks_at="The words of the response against those of the original, and whether what must be kept still occurs.",
    cannot_see="Whether the meaning is kept beyond those words. Remarks behind the shortened text count as part of it.",
    params=WordCountReduction,
    function=word_count_reduction,
)
