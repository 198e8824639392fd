"""The cue that all judges' refusal gates share; each judge puts its own gates together."""

from ..text import normalise, sentences, unquoted
from .lexicon import DECLINING


def declining(response: str) -> list[bool]:
    """For each sentence of the response, whether its writer declines in so many words.

    What stands in double quotation marks is somebody else's: a source may quote a spokesman who cannot
    comment.
    """
    return [bool(DECLINING.search(normalise(line))) for line in sentences(unquoted(response))]
