"""Sentences drawn by lot: what faithful wording is worth without any choice of content."""

import hashlib

from ..params import Params, only, whole_number
from ..text import sentences


def random_sentences(params: Params, task: str, source: str) -> str:
    """`k` different sentences in source order; the draw is a function of `seed` and the source."""
    only(params, ["k", "seed"])
    wanted = whole_number(params, "k", least=1)
    seed = whole_number(params, "seed")
    candidates = sentences(source)

    def lot(at: int) -> bytes:
        return hashlib.sha256(f"{seed}\n{at}\n{source}".encode("utf-8", "surrogatepass")).digest()

    drawn = sorted(range(len(candidates)), key=lot)[:wanted]
    return " ".join(candidates[at] for at in sorted(drawn))
