"""The best of several contestants of one family, without what choosing the best of them adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.scoring.findings import VariantRow
from nullbench_site.scoring.ranking import SCALE, Strata
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.selection import best_of


def best_variants(
    ranked: Sequence[ModelFile], scores: Mapping[str, Floats], strata: Strata, seed: int
) -> list[VariantRow] | UnsetType:
    """A row a family of which two or more models are ranked, by id; unset where there is none.

    ranked: highest first. Programs, and models that do nothing, are no variants of a product: nobody chose among them.
    """
    families: dict[str, list[str]] = {}
    for model in ranked:
        if model.kind == "model":
            families.setdefault(model.family, []).append(model.id)
    rows = [
        _row(family, models, scores, strata, seed) for family, models in sorted(families.items()) if len(models) > 1
    ]
    return rows or UNSET


def _row(family: str, models: Sequence[str], scores: Mapping[str, Floats], strata: Strata, seed: int) -> VariantRow:
    table = np.array([scores[model] for model in models])
    found = best_of(table, strata.groups, strata.clusters, seed, weights=strata.weights, scale=SCALE)
    return VariantRow(
        family=family,
        variants=list(models),
        n_variants=len(models),
        best=models[found.place],
        overall=found.value,
        corrected=found.corrected,
        low=found.low,
        high=found.high,
        absent=found.reason,
    )
