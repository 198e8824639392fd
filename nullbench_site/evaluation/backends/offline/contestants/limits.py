"""The limits a task states, read from its words."""

import re
from dataclasses import dataclass

from ..text import NUMBER_WORDS, normalise, sentences

_SIZES = {"a": 1, "an": 1, "single": 1, **NUMBER_WORDS}
_COUNT = rf"(?:[0-9]{{1,6}}|{'|'.join(sorted(_SIZES, key=len, reverse=True))})"
_STATED = re.compile(
    r"(?P<floor>at least |minimum of |no fewer than |not fewer than )?"
    rf"\b(?P<low>{_COUNT})(?: ?(?:to|or|-) ?(?P<high>{_COUNT}))?"
    r"[- ](?:[a-z]+(?:-[a-z]+)? )?(?P<unit>sentence|word|bullet)s?\b"
)
_BANS = re.compile(r"\b(?:not|never|avoid|avoiding|without)\b")
_QUOTED = re.compile(r'"([^"]+)"')


@dataclass(frozen=True)
class Limits:
    """What an answer may hold; None where the task says nothing."""

    sentences: int | None
    words: int | None
    bullets: int | None
    banned: tuple[str, ...]


def read_limits(task: str) -> Limits:
    """The upper limits in `task` and the words in quotes that it rules out.

    Of several counts of one unit the largest is the limit on the whole: "one headline sentence and one of
    caveat: two sentences". A floor ("at least 40 words") is no limit.
    """
    found: dict[str, int] = {}
    for match in _STATED.finditer(normalise(task)):
        if not match["floor"]:
            found[match["unit"]] = max(found.get(match["unit"], 0), _size(match["high"] or match["low"]))
    bans = [sentence for sentence in map(normalise, sentences(task)) if _BANS.search(sentence)]
    return Limits(
        sentences=found.get("sentence"),
        words=found.get("word"),
        bullets=found.get("bullet"),
        banned=tuple(word for sentence in bans for word in _QUOTED.findall(sentence)),
    )


def _size(count: str) -> int:
    return _SIZES[count] if count in _SIZES else int(count)
