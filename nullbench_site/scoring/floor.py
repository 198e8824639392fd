"""The null floor of a board, and who is above it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from nullbench_site.scoring.board_tables import Floor
from nullbench_site.scoring.panel import PanelStudy
from nullbench_site.scoring.ranking import Tested, best_first
from nullbench_site.scoring.results import Row
from nullbench_site.stats.measure import Robustness
from nullbench_site.stats.ranking import TIE_DECIMALS


def null_floor(
    rows: Mapping[str, Row], null_models: Collection[str], tested: Tested, study: PanelStudy
) -> Floor | None:
    """Return the best null model that is compared, and put into every row whether it is above the floor.

    A contestant is above the floor if it scores significantly more than every null model, and this is robust to the
    panel against each; on a board without judges, significance is enough. An intersection of tests keeps its level.
    Source: Berger (1982), Multiparameter hypothesis testing and acceptance sampling; the rest is ours.
    """
    nulls = [row.model for row in best_first(rows.values()) if row.model in null_models and row.compared]
    why = tested.found.reason if nulls else "no null model of the board is compared"
    if not null_models:
        why = "no null model is on the board"
    for row in rows.values():
        row.absent["above_null_floor"] = why or "not ranked"
    compared = [row for row in rows.values() if row.compared]
    if why is None:
        for row in compared:
            above = _above(row, nulls, tested, study)
            if isinstance(above, str):
                row.absent["above_null_floor"] = above
            else:
                row.above_null_floor = above
                del row.absent["above_null_floor"]
    if not nulls:
        return None
    if study.judges:
        _put_judges([row for row in compared if row.rank is not None], nulls, study)
    best = rows[nulls[0]]
    return Floor(model=best.model, overall=best.score or 0.0, low=best.ci_low, high=best.ci_high)


_NOT_TOLD: dict[Robustness, str] = {
    "one judge": "one judge: robustness to the panel is not assessed",
    "unknown": "robustness to the panel is not known against every null model",
}


def _above(row: Row, nulls: list[str], tested: Tested, study: PanelStudy) -> bool | str:
    """Whether a contestant is above the floor, or why that is not known."""
    if row.rank is None or not all(tested.better(row.model, null) for null in nulls):
        return False
    robust = study.robustness([(row.model, null) for null in nulls])
    if "differs" in robust:
        return False
    return next((why for each, why in _NOT_TOLD.items() if each in robust), True)


def _put_judges(ranked: list[Row], nulls: list[str], study: PanelStudy) -> None:
    """Put into the rows what each judge alone says of them and the null models."""
    if not ranked:
        return
    alone = np.round(study.alone([*(row.model for row in ranked), *nulls]), TIE_DECIMALS)
    of_nulls = alone[len(ranked) :]
    for row, own in zip(ranked, alone, strict=False):
        with np.errstate(invalid="ignore"):
            below = (own <= of_nulls).any(axis=0)
            beaten = own > of_nulls[0]
        row.below_floor_alone = [judge for judge, reached in zip(study.judges, below.tolist(), strict=True) if reached]
        row.above_floor_alone, row.floor_judges = int(beaten.sum()), int((~np.isnan(own - of_nulls[0])).sum())
