"""Which keys most good contestants contradict in the same way: such a key may be wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from nullbench_site.answer_keys import mark
from nullbench_site.protocols.oracle.judging import asked, split_confidence
from nullbench_site.protocols.oracle.metrics import OUTCOMES
from nullbench_site.site.protocol import Answers, Contradicted
from nullbench_site.site.trust.attacks import visible
from nullbench_site.site.views import BoardView, is_private

_LEAST = 2
"""The fewest contestants that give one answer."""
_LENGTH = 80


def contradicted(view: BoardView, answers_of: Answers, good: Sequence[str]) -> Iterator[Contradicted]:
    """Yield the public items for which more than half of these contestants, and at least two, give one wrong answer.

    The answer of a contestant is the one that it gives most often, over wordings and samples. Items with the most
    agreement come first.
    """
    items = {placed.id: placed for placed in view.items if not is_private(placed.item) and placed.item.key is not None}
    answers: dict[str, list[str]] = defaultdict(list)
    for model in good:
        given: dict[str, Counter[str]] = defaultdict(Counter)
        for response in answers_of(model):
            placed = items.get(response.item) if response.board == view.board.id and response.hidden is None else None
            if placed is not None and any(each.outcome == _WRONG for each in response.checks):
                text = split_confidence(response.text).text
                marked = mark(text, placed.item.key, asked=asked(placed), languages=placed.languages)
                given[response.item][marked.answer or ""] += 1
        for item, of_item in given.items():
            answers[item].append(of_item.most_common(1)[0][0])
    found = []
    for item, of in answers.items():
        answer, n = Counter(of).most_common(1)[0]
        if answer and n >= _LEAST and 2 * n > len(good):
            found.append(Contradicted(item, visible(" ".join(answer.split()))[:_LENGTH], n, len(good)))
    yield from sorted(found, key=lambda each: (-each.n, each.item))


_WRONG = OUTCOMES[1]
