"""What the order of a board hangs on: single items and judges, how many items there are, the choice among variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.findings import Difference, VariantRow
from nullbench_site.site import claims, paths, words
from nullbench_site.site.pages.figures import Line
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import score_words
from nullbench_site.site.pages.sentences import ranked_contestants
from nullbench_site.site.views import AnyRow, BoardView

_PAIRS = 12
"""How many pairs of neighbours the page of a board shows."""
_ITEMS = 3
"""How many items a pair names."""


def differences(view: BoardView) -> dict[str, Any]:
    """The part of a board's page on neighbours in its order; without pairs where fewer than two are ranked."""
    ranked = [row.model for row in ranked_contestants(view)]
    pairs = [found for a, b in pairwise(ranked) if (found := view.differences.get((a, b))) is not None]
    return {
        "lead": lead_words(view),
        "lead_items": _links(view, view.results.lead.items if view.results.lead else ()),
        "pairs": [_line(view, found) for found in islice(pairs, _PAIRS)],
        "cut": words.of(_PAIRS, len(pairs)) if len(pairs) > _PAIRS else "",
        "metrics": metrics("paired_difference", "robust", "fragility", "power"),
    }


def lead_words(view: BoardView) -> str:
    """How few items the highest score hangs on; empty where nobody looked, as of runs scored before."""
    found = view.results.lead
    if found is None:
        return ""
    leader = view.title(found.leader)
    if found.other is None:
        return f"Leaving out any {words.plural(found.beyond, 'item')} does not change whose score is listed first."
    other, what = view.title(found.other), "no less" if found.lead == 0 else "more"
    items = "one item" if len(found.items) == 1 else words.plural(len(found.items), "item")
    return f"Leaving out {items} would be enough for {other} to score {what} than {leader}:"


def _links(view: BoardView, items: Sequence[str]) -> list[dict[str, str]]:
    """Items, and where their answers stand."""
    return [
        {"id": item, "link": paths.evidence_url(view.board.id, domain=view.domain_of[item], item=item)}
        for item in items
    ]


def _line(view: BoardView, found: Difference) -> dict[str, Any]:
    """Two neighbours. without: the fewest items without which the first is no higher; more: how many else, in words."""
    more = len(found.fragile_items) - _ITEMS
    rest = "" if found.fragile_items else found.absent.get("fragile_items", "–")
    return {
        "first": view.title(found.a),
        "second": view.title(found.b),
        "apart": f"{words.signed(found.value, 1)} {words.interval(found.low, found.high, signs=True)}".rstrip(),
        "significant": "no: the same on every item" if found.value == found.se == 0 else _yes(found.significant),
        "robust": _robust(view, found),
        "without": _links(view, found.fragile_items[:_ITEMS]),
        "more": f"and {more} more" if more > 0 else rest,
        "needed": _needed(found),
    }


def _yes(holds: bool | None) -> str:
    return words.ABSENT if holds is None else "yes" if holds else "no"


def _robust(view: BoardView, found: Difference) -> str:
    if view.panel is None:
        return "nobody judges"
    if found.judges_alone is None or found.judges is None:
        return found.absent.get("robust", words.ABSENT)
    if found.judges == 1:
        return f"{words.ABSENT}: one judge"
    alone = f"under {words.of(found.judges_alone, found.judges)} judges alone"
    if not found.significant:
        return alone
    return f"{'no, it depends on the panel' if found.robust is False else _yes(found.robust)}; {alone}"


def _needed(found: Difference) -> str:
    if found.power_items is None:
        return found.absent.get("power_items", words.ABSENT)
    cost = f", {words.dollars(found.power_cost_usd)} more" if found.power_cost_usd is not None else ""
    return f"{words.number(found.power_items, 0)}{cost}"


# The best of several models of one family, beside what of its score choosing the best of them may be.


def best_of_variants(view: BoardView) -> dict[str, Any]:
    """The part of a board's page on families of which several models are ranked; without lines where there is none."""
    return {"lines": [_best(view, row) for row in _rows(view)], "metrics": metrics("best_of_variants", "overall")}


def of_contestant(view: BoardView, row: AnyRow) -> Iterator[Line]:
    """The same on the page of the best of a family; nothing on those of others."""
    for found in _rows(view):
        if found.best == row.model:
            line = _best(view, found)
            beside = line["why"] or f"highest of {line['of']} of the family {line['family']}"
            yield "best_of_variants", line["corrected"], beside


def _rows(view: BoardView) -> list[VariantRow]:
    return [] if view.results.variants is UNSET else [row for row in view.results.variants if row.best in view.rows]


def _best(view: BoardView, row: VariantRow) -> dict[str, str]:
    """The best of a family. of: how many variants; others: which. corrected: with its interval, or `why` not."""
    models = view.benchmark.models
    vendors = {models[model].vendor for model in row.variants if model in models}
    (vendor,) = vendors if len(vendors) == 1 else (None,)
    ends = words.interval(row.low, row.high)
    return {
        "family": vendor or row.family,
        "title": view.title(row.best),
        "link": paths.model_url(row.best),
        "of": words.plural(row.n_variants, "variant"),
        "others": claims.some([view.title(model) for model in row.variants if model != row.best and model in models]),
        "score": score_words(view.rows[row.best]),
        "corrected": f"{words.number(row.corrected)} {ends}".rstrip(),
        "why": row.absent or "",
    }
