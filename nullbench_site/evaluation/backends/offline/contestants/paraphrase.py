"""A padded rewording: some source sentences with swapped words, between phrases that say nothing."""

import re

from ..params import Params, only
from ..text import sentences

_SWAPS = {
    "about": "approximately",
    "after": "subsequent to",
    "also": "additionally",
    "because": "owing to the fact that",
    "before": "prior to",
    "but": "although",
    "during": "over the course of",
    "found": "arrived at the finding of",
    "had": "possessed",
    "however": "that being said",
    "most": "the greater part of",
    "only": "merely",
    "people": "individuals",
    "said": "went on record to say",
    "showed": "served to illustrate",
    "some": "a certain number of",
    "used": "made use of",
    "while": "at the same time as",
}
_SWAPPED = re.compile(rf"\b(?:{'|'.join(_SWAPS)})\b")
_OPENING = "In the context of the material under discussion, it is worth setting out some general considerations."
_LINKS = (
    "To begin with, it may be helpful to bear in mind the following:",
    "Turning to a further aspect that readers may well find of interest, one might put it this way:",
    "Last but not least, and without wishing to labour the point, it should be noted as follows:",
)
_CLOSING = (
    "All in all, the matters touched upon above are of course open to discussion, "
    "and a fuller treatment would naturally go into considerably more detail."
)


def paraphrase(params: Params, task: str, source: str) -> str:
    """The first, middle and last source sentence, reworded and padded."""
    only(params, [])
    candidates = sentences(source)
    chosen = sorted({0, len(candidates) // 2, len(candidates) - 1}) if candidates else []
    body = [f"{link} {_reword(candidates[at])}" for link, at in zip(_LINKS, chosen, strict=False)]
    return " ".join([_OPENING, *body, _CLOSING])


def _reword(sentence: str) -> str:
    return _SWAPPED.sub(lambda match: _SWAPS[match.group()], sentence)
