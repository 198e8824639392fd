"""An honest baseline that reads the task's limits and fills them with the sentences that carry most.

It knows no facts and no goal. Its preferences are those of a careful editor: what is central to the text,
what the task names, figures, qualifications, and findings of nothing, which summaries tend to lose.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import msgspec

from nullbench_site.checks.words import word_count
from nullbench_site.programs.baselines import centrality
from nullbench_site.programs.english import NUMBER_WORDS, content_words, figures, normalise, sentences
from nullbench_site.programs.lexicon import QUALIFIED
from nullbench_site.programs.program import TaskAndSource, contestant, total

_SIZES = {"a": 1, "an": 1, "single": 1, **NUMBER_WORDS}
_COUNT = rf"(?:[0-9]{{1,6}}|{'|'.join(sorted(_SIZES, key=len, reverse=True))})"
_STATED = re.compile(
    r"(?P<floor>at least |minimum of |no fewer than |not fewer than )?"
    rf"\b(?P<low>{_COUNT})(?: ?(?:to|or|-) ?(?P<high>{_COUNT}))?"
    r"[- ](?:[a-z]+(?:-[a-z]+)? )?(?P<unit>sentence|word|bullet)s?\b"
)
_BANS = re.compile(r"\b(?:not|never|avoid|avoiding|without)\b")
_QUOTED = re.compile(r'"([^"]+)"')


class Limits(msgspec.Struct, frozen=True):
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
    stated: dict[str, int] = {}
    for match in _STATED.finditer(normalise(task)):
        if not match["floor"]:
            stated[match["unit"]] = max(stated.get(match["unit"], 0), _size(match["high"] or match["low"]))
    bans = [sentence for sentence in map(normalise, sentences(task)) if _BANS.search(sentence)]
    return Limits(
        sentences=stated.get("sentence"),
        words=stated.get("word"),
        bullets=stated.get("bullet"),
        banned=tuple(word for sentence in bans for word in _QUOTED.findall(sentence)),
    )


def _size(count: str) -> int:
    return _SIZES[count] if count in _SIZES else int(count)


DEFAULT_SENTENCES = 3
_POOL = 14  # sentences among which the best subset is sought: at most C(14, 7) = 3432 subsets

_NOTHING = re.compile(r"\b(?:no|not|neither|nor|none|never|without)\b")


@contestant(TaskAndSource)
def task_aware(asked: TaskAndSource) -> str:
    """The subset of source sentences that is worth most within the limits of the task, in source order."""
    limits = read_limits(asked.task)
    candidates = [sentence for sentence in sentences(asked.source) if _allowed(sentence, limits)]
    if not candidates:
        return ""
    worth = _worth(candidates, asked.task)
    pool = sorted(sorted(range(len(candidates)), key=lambda at: (-worth[at], at))[:_POOL])
    chosen = _best_subset(pool, worth, [word_count(sentence) for sentence in candidates], limits)
    picked = [candidates[at] for at in chosen]
    return "\n".join(f"- {sentence}" for sentence in picked) if limits.bullets else " ".join(picked)


def _allowed(sentence: str, limits: Limits) -> bool:
    text = normalise(sentence)
    return not any(banned in text for banned in limits.banned)


def _worth(candidates: Sequence[str], task: str) -> list[float]:
    """Between 0 and 5 for each sentence: five properties, of equal weight."""
    ranks = centrality(candidates)
    asked = set(content_words(task))
    worth = []
    for sentence, rank in zip(candidates, ranks, strict=True):
        text = normalise(sentence)
        named = asked & set(content_words(sentence))
        worth.append(
            rank / max(ranks)
            + min(len(named), 2) / 2
            + min(len(figures(sentence)), 2) / 2
            + bool(QUALIFIED.search(text))
            + bool(_NOTHING.search(text))
        )
    return worth


def _best_subset(pool: Sequence[int], worth: Sequence[float], lengths: Sequence[int], limits: Limits) -> Sequence[int]:
    """The subset of highest total worth that fits, of as many as asked if bullets are; the shortest if none does."""
    size = min(limits.bullets or limits.sentences or DEFAULT_SENTENCES, len(pool))
    room = float("inf") if limits.words is None else limits.words
    best, highest = [min(pool, key=lambda at: (lengths[at], at))], 0.0
    for count in range(size, 0, -1):
        for subset in itertools.combinations(pool, count):
            gain = round(total(worth[at] for at in subset), 9)
            if gain > highest and sum(lengths[at] for at in subset) <= room:
                best, highest = list(subset), gain
        if limits.bullets and highest:
            break
    return best
