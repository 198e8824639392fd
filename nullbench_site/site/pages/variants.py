"""The best of several models of one family, beside what of its score choosing the best of them may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.findings import VariantRow
from nullbench_site.site import claims, paths, words
from nullbench_site.site.pages.figures import Line
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import score_words
from nullbench_site.site.views import AnyRow, BoardView


@dataclass(frozen=True)
class Best:
    """The best of a family. of: how many variants; others: which. corrected: with its interval, or `why` not."""

    family: str
    title: str
    link: str
    of: str
    others: str
    score: str
    corrected: str
    why: str


def best_of_variants(view: BoardView) -> dict[str, Any]:
    """The part of a board's page on families of which several models are ranked; without lines where there is none."""
    return {"lines": [_best(view, row) for row in _rows(view)], "metrics": metrics("best_of_variants", "overall")}


def of_contestant(view: BoardView, row: AnyRow) -> Iterator[Line]:
    """The same on the page of the best of a family; nothing on those of others."""
    for found in _rows(view):
        if found.best == row.model:
            line = _best(view, found)
            yield "best_of_variants", line.corrected, line.why or f"highest of {line.of} of the family {line.family}"


def _rows(view: BoardView) -> list[VariantRow]:
    return [] if view.results.variants is UNSET else [row for row in view.results.variants if row.best in view.rows]


def _best(view: BoardView, row: VariantRow) -> Best:
    models = view.benchmark.models
    vendors = {models[model].vendor for model in row.variants if model in models}
    (vendor,) = vendors if len(vendors) == 1 else (None,)
    ends = words.interval(row.low, row.high)
    return Best(
        family=vendor or row.family,
        title=view.title(row.best),
        link=paths.model_url(row.best),
        of=words.plural(row.n_variants, "variant"),
        others=claims.some([view.title(model) for model in row.variants if model != row.best and model in models]),
        score=score_words(view.rows[row.best]),
        corrected=f"{words.number(row.corrected)} {ends}".rstrip(),
        why=row.absent or "",
    )
