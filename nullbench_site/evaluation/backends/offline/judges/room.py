"""The room a task gives, what of a response stands in it, and the most that source sentences could put there.

What stands beyond the room earns no credit: a judge reads as much as was asked for. So no answer gains by
being long, and a copy of the source is worth what its opening is worth.
"""

import heapq
import math
from collections.abc import Callable, Collection, Hashable, Sequence

from ..text import bullets, sentences
from .case import Constraints
from .passage import Passage


def within(response: str, limits: Constraints) -> Passage:
    """The opening of the response that fits: as many bullets or sentences, then words, as the task allows."""
    if limits.format == "bullets":
        units = (bullets(response) or sentences(response))[: limits.bullets]
        parts = [part for unit in units for part in sentences(unit)]
    else:
        parts = sentences(response)
    kept: list[str] = []
    left = math.inf if limits.max_words is None else limits.max_words
    for part in parts[: limits.max_sentences]:
        tokens = part.split()
        if len(tokens) > left:
            kept.append(" ".join(tokens[: int(left)]))
            break
        kept.append(part)
        left -= len(tokens)
    return Passage(tuple(part for part in kept if part))


def best_extract(
    source: Passage,
    limits: Constraints,
    offers: Sequence[Collection[Hashable]],
    worth: Callable[[Hashable], int] = lambda offered: 1,
) -> list[int]:
    """Source sentences that together offer most within the limits, chosen greedily; their positions in order.

    offers: what each source sentence offers; worth: of one thing offered, counted once. Greedy choice reaches at
    least 63 % of the best cover by a number of sentences (Nemhauser, Wolsey and Fisher, 1978). If not even one
    sentence fits, the best one stands for what rewording could do.
    """
    seats = min(
        math.inf if limits.max_sentences is None else limits.max_sentences,
        math.inf if limits.bullets is None else limits.bullets,
    )
    left = math.inf if limits.max_words is None else limits.max_words
    covered: set[Hashable] = set()
    chosen: list[int] = []
    queue = [(-sum(map(worth, offer)), source.lengths[at], at) for at, offer in enumerate(offers) if offer]
    heapq.heapify(queue)
    fallback = [queue[0][2]] if queue else []
    while queue and len(chosen) < seats:
        promised, length, at = heapq.heappop(queue)
        gain = sum(worth(offered) for offered in offers[at] if offered not in covered)
        if not gain or length > left:
            continue
        if gain < -promised:  # gains only shrink, so an outdated promise is put back and the best stays on top
            heapq.heappush(queue, (-gain, length, at))
            continue
        chosen.append(at)
        covered.update(offers[at])
        left -= length
    return sorted(chosen) or fallback
