"""The most central sentences of the source, whatever the task asks."""

from ..centrality import centrality
from ..params import Params, only, whole_number
from ..text import sentences


def textrank(params: Params, task: str, source: str) -> str:
    """The `k` sentences of highest centrality, in source order; of equals, the earlier."""
    only(params, ["k"])
    wanted = whole_number(params, "k", least=1)
    candidates = sentences(source)
    ranks = centrality(candidates)
    best = sorted(range(len(candidates)), key=lambda at: (-ranks[at], at))[:wanted]
    return " ".join(candidates[at] for at in sorted(best))
