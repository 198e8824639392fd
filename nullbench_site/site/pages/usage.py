"""Describe decoding, prices and costs. A sum that leaves something out says so."""

from __future__ import annotations

from collections.abc import Iterable

from nullbench_site.git import IMPORTED
from nullbench_site.runs.manifest import Manifest, Usage
from nullbench_site.site import words
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import PROGRAMS, RECORDED, ModelFile, Prices

UNKNOWN = "not measured: no price is known"
_NAMED = 5
"""How many contestants that are asked alike are named; more are counted."""


def prices_words(prices: Prices) -> str:
    """Return the prices of a model as its spec has them."""
    cached = "" if prices.cached_input is None else f", {words.price(prices.cached_input)} from the cache"
    asked = f"{words.price(prices.input)} in{cached}, {words.price(prices.output)} out per million tokens"
    return f"{asked} ({prices.date}, {words.foreign(prices.source)})"


def run_cost(manifest: Manifest) -> str:
    """Return the cost of a run."""
    used = [*manifest.usage.contestants.values(), *manifest.usage.judges.values()]
    if used:
        return cost_words(used)
    if manifest.source is not None and manifest.source.absent == IMPORTED:
        return f"{words.ABSENT}: {IMPORTED}"
    answered = manifest.counts.calls > manifest.counts.failed
    return "none: no answer came with a count of tokens" if answered else words.ABSENT


def cost_words(used: Iterable[Usage]) -> str:
    """Return what answers cost together; a sum that leaves some out says so."""
    used = list(used)
    unpriced, calls = sum(usage.unpriced for usage in used), sum(usage.calls for usage in used)
    if unpriced == calls:
        return UNKNOWN
    cost = words.dollars(sum(usage.cost_usd for usage in used))
    if not unpriced:
        return cost
    return f"at least {cost}; {words.plural(unpriced, 'answer')} without a known price"


def decoding_words(view: BoardView, model: ModelFile) -> str:
    """Describe the decoding of a contestant on a board; empty for a program."""
    if model.backend == PROGRAMS:
        return ""
    if model.backend == RECORDED:
        return "elsewhere, in a way that is not recorded"
    decoding = model.decoding or view.board.decoding
    sent = "without a temperature" if decoding.temperature is None else f"at temperature {decoding.temperature:g}"
    return sent if decoding.max_tokens is None else f"{sent}, for at most {words.plural(decoding.max_tokens, 'token')}"


def decodings(view: BoardView) -> str:
    """Describe the decoding of all contestants of a board in a sentence."""
    alike: dict[str, list[str]] = {}
    for model in view.rows:
        alike.setdefault(decoding_words(view, view.benchmark.models[model]), []).append(view.title(model))
    if len(alike) == 1:
        (how,) = alike
        return f"All are asked {how}." if how else "All are programs, which decode nothing."
    groups = [f"{how or 'as programs, which decode nothing'}: {_who(titles)}" for how, titles in alike.items()]
    return f"They are asked {'; '.join(groups)}." if groups else ""


def _who(titles: list[str]) -> str:
    return words.listed(titles) if len(titles) <= _NAMED else words.plural(len(titles), "contestant")
