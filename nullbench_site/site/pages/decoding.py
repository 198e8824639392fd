"""How contestants were asked: the decoding of a model's own spec, or else that of the board."""

from __future__ import annotations

from nullbench_site.site import words
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import ModelFile

_NAMED = 5
"""How many contestants that are asked alike are named; more are counted."""


def decoding_words(view: BoardView, model: ModelFile) -> str:
    """How a contestant is asked on a board; empty for a program, which has nothing to decode."""
    if model.backend == "offline":
        return ""
    decoding = model.decoding or view.board.decoding
    sent = "without a temperature" if decoding.temperature is None else f"at temperature {decoding.temperature:g}"
    return sent if decoding.max_tokens is None else f"{sent}, for at most {words.plural(decoding.max_tokens, 'token')}"


def decodings(view: BoardView) -> str:
    """How the contestants of a board are asked, in a sentence."""
    alike: dict[str, list[str]] = {}
    for model in view.rows:
        alike.setdefault(decoding_words(view, view.benchmark.models[model]), []).append(view.title(model))
    if len(alike) == 1:
        (how,) = alike
        return f"All are asked {how}." if how else "All are programs, which decode nothing."
    said = [f"{how or 'as programs, which decode nothing'}: {_who(titles)}" for how, titles in alike.items()]
    return f"They are asked {'; '.join(said)}." if said else ""


def _who(titles: list[str]) -> str:
    return words.listed(titles) if len(titles) <= _NAMED else words.plural(len(titles), "contestant")
