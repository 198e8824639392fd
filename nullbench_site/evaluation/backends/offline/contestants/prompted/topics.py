"""The words of a prompt that its answer will most likely be about."""

from collections import Counter

from ...text import STOP_WORDS, words

LONGEST = 40  # letters of a word; a longer run of them is none
# What a prompt asks for, not what it asks about.
ASKING = frozenset(
    """
    answer ask check compare convert create debug decide define describe design discuss draft edit estimate evaluate
    exactly explain find fix following generate help here implement include keep list make name only please provide
    question read recommend refactor return review rewrite sentence sentences should show solve suggest summarise
    summarize tell translate understand use walk word words write
    """.split()  # noqa: SIM905
)


def topics(prompt: str) -> list[str]:
    """The different content words of `prompt`, in lower case, in order of first appearance."""
    return list(dict.fromkeys(_topics(prompt)))


def main_topic(prompt: str) -> str:
    """The content word that `prompt` uses most, of equals the first; "this" for a prompt without any."""
    return max((counts := Counter(_topics(prompt))), key=counts.__getitem__, default="this")


def rarest(prompt: str, count: int) -> list[str]:
    """`count` content words of `prompt`, the longest first, of equals the earlier.

    Length stands in for rarity: the more frequent a word, the shorter it tends to be (Zipf, 1935).
    """
    return sorted(topics(prompt), key=len, reverse=True)[:count]


def _topics(prompt: str) -> list[str]:
    return [
        word for word in words(prompt) if 1 < len(word) <= LONGEST and word not in STOP_WORDS and word not in ASKING
    ]
