"""What the order of a board hangs on: single items and judges, how many items there are, the choice among variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import Difference, Separation, VariantRow
from nullbench_site.site import claims, paths, words
from nullbench_site.site.pages.figures import Line
from nullbench_site.site.pages.page import metrics, score_words
from nullbench_site.site.pages.panel_words import PANEL_METRICS, panel_ends
from nullbench_site.site.pages.sentences import ranked_contestants, silence
from nullbench_site.site.views import AnyRow, BoardView

_PAIRS = 12
"""How many pairs of neighbours the page of a board shows."""
_ITEMS = 3
"""How many items a pair names."""


def differences(view: BoardView) -> dict[str, Any]:
    """The part of a board's page on neighbours in its order, the best null model among them."""
    shown = {row.model for row in ranked_contestants(view)}
    if shown and view.results.floor:
        shown.add(view.results.floor.model)
    in_order = [model for model in view.rows if model in shown]
    of_panel = PANEL_METRICS.get(view.results.panel_kind)
    pairs = [pair for a, b in pairwise(in_order) if (pair := view.differences.get((a, b))) is not None]
    return {
        "detectable": detectable_words(view),
        "silent": bool(silence(view)),
        "lead": lead_words(view),
        "lead_items": _links(view, view.results.lead.items if view.results.lead else ()),
        "separation": "" if silence(view) else separation_words(view.results.separation),
        "pairs": [_line(view, pair) for pair in islice(pairs, _PAIRS)],
        "cut": words.of(_PAIRS, len(pairs)) if len(pairs) > _PAIRS else "",
        "metrics": metrics("paired_difference", "robust", "fragility", "detectable"),
        "panel": metrics(of_panel)[of_panel] if of_panel else None,
    }


def detectable_words(view: BoardView) -> str:
    """The smallest difference that the board can detect; empty for runs scored before it was measured."""
    found = view.results.detectable
    if found is None:
        return ""
    if found.median is None:
        return f"The smallest difference that this board can detect is not measured: {found.absent}."
    low, median, high = (words.number(each) for each in (found.low, found.median, found.high))
    between = f", from {low} to {high} by pair of neighbours" if low != high else ""
    return (
        f"The smallest difference that this board can detect is {median} points{between}: if two scores truly differ "
        "by that much, 80 of 100 runs with items like these find it."
    )


def lead_words(view: BoardView) -> str:
    """How few items the highest score hangs on; empty where nobody looked, as of runs scored before."""
    fragility = view.results.lead
    if fragility is None:
        return ""
    leader = view.title(fragility.leader)
    if fragility.other is None:
        return f"Leaving out any {words.plural(fragility.beyond, 'item')} does not change whose score is listed first."
    other, what = view.title(fragility.other), "no less" if fragility.lead == 0 else "more"
    if not fragility.items:
        return f"{other} scores no less than {leader}, with no item left out."
    items = "one item" if len(fragility.items) == 1 else words.plural(len(fragility.items), "item")
    return f"Leaving out {items} would be enough for {other} to score {what} than {leader}:"


def separation_words(found: Separation | None) -> str:
    """How many pairs and neighbours differ, tested one at a time and together; empty where that was not tested."""
    if found is None:
        return ""
    one, all_ = (
        f"{words.of(pairs, found.pairs)} pairs and {words.of(neighbours, found.neighbours)} neighbours"
        for pairs, neighbours in ((found.alone, found.neighbours_alone), (found.together, found.neighbours_together))
    )
    return f"Tested one at a time at 5 %, {one} of ranked contestants differ; tested together at 5 %, {all_}."


def _links(view: BoardView, items: Sequence[str]) -> list[dict[str, str]]:
    """Items, and where their answers stand."""
    return [
        {"id": item, "link": paths.evidence_url(view.board.id, domain=view.domain_of[item], item=item)}
        for item in items
    ]


def _line(view: BoardView, pair: Difference) -> dict[str, Any]:
    """Two neighbours. without: the fewest items without which the first is no higher; more: how many else, in words."""
    more = len(pair.fragile_items) - _ITEMS
    rest = "" if pair.fragile_items else pair.absent.get("fragile_items", "–")
    return {
        "first": view.title(pair.a),
        "second": view.title(pair.b),
        "apart": f"{words.signed(pair.value, 1)} {words.interval(pair.low, pair.high, signs=True)}".rstrip(),
        "significant": "no: the same on every item" if pair.value == pair.se == 0 else _yes(pair.significant),
        "panel": panel_ends(view.results.panel_kind, pair.panel_low, pair.panel_high, signs=True) or words.ABSENT,
        "robust": _robust(pair),
        "without": _links(view, pair.fragile_items[:_ITEMS]),
        "more": f"and {more} more" if more > 0 else rest,
    }


def _yes(holds: bool | None) -> str:
    return words.ABSENT if holds is None else "yes" if holds else "no"


_ROBUST = {"holds": "yes", "differs": "no", "one judge": "not assessed: one judge", "no judge": "no judge scores"}


def _robust(pair: Difference) -> str:
    """Whether a difference is robust to the panel, and the count of judges under whom, alone, it has its sign."""
    said = _ROBUST.get(pair.robustness) or f"not assessed: {pair.absent.get('panel_low', words.ABSENT)}"
    if not pair.value or pair.judges_alone is None or pair.judges is None or pair.judges < 2:
        return said
    return f"{said}; same sign under {words.of(pair.judges_alone, pair.judges)} judges alone"


# The best of several models of one family, beside what of its score choosing the best of them may be.


def best_of_variants(view: BoardView) -> dict[str, Any]:
    """The part of a board's page on families of which several models are ranked; without lines where there is none."""
    lines = [] if silence(view) else [_best(view, row) for row in _rows(view)]
    return {"lines": lines, "metrics": metrics("best_of_variants", "overall")}


def of_contestant(view: BoardView, row: AnyRow) -> Iterator[Line]:
    """The same on the page of the best of a family; nothing on those of others."""
    for family in _rows(view):
        if family.best == row.model and not silence(view):
            line = _best(view, family)
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
