"""The first sentences of the source: hard to beat where a text opens with its findings."""

from ..params import Params, only, whole_number
from ..text import sentences


def lead(params: Params, task: str, source: str) -> str:
    """The first `k` sentences, as they stand."""
    only(params, ["k"])
    return " ".join(sentences(source)[: whole_number(params, "k", least=1)])
