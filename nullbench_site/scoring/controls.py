"""What controls show about the panel of a board, and null models about its contestants: damage ladders and the floor.

Controls are not contestants: they are in no rank, median or agreement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.judging.controls import BoardControls
from nullbench_site.scoring.board_tables import Ceiling, ControlRow, Floor
from nullbench_site.scoring.observations import SCORED_VERDICT, Observations
from nullbench_site.scoring.panel import PanelStudy
from nullbench_site.scoring.ranking import SCALE, Strata, Tested, best_first
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.scorer import Scorer
from nullbench_site.specs.types import CONTROLS, LADDERS, REFERENCE
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import Estimate
from nullbench_site.stats.judges import mean_of_known
from nullbench_site.stats.measure import LEAST_CLUSTERS, Robustness
from nullbench_site.stats.ranking import TIE_DECIMALS

PANEL = None
"""The judge in rows about all judges together."""


ControlScores = Mapping[str, Mapping[str | None, Floats]]
"""For each control and each judge or the panel: (items,) scores, 0-100; NaN for none."""


def control_scores(
    scorer: Scorer[Any, Any, Any], observed: Iterable[Observations], *, alone: bool = True
) -> ControlScores:
    """Return the scores of the controls that have an answer. alone: also by each judge alone."""
    judges = scorer.judges if alone else ()
    return {
        each.model: scores_alone(scorer, each, judges)
        for each in observed
        if CONTROLS[each.model].floor is None and each.present.any()
    }


def measured_panel(
    scorer: Scorer[Any, Any, Any], scores: ControlScores
) -> tuple[Ceiling | UnsetType, list[ControlRow] | UnsetType]:
    """Return the ceiling, and a row for each control and judge; unset if no reference answer was judged."""
    if REFERENCE not in scores:
        return UNSET, UNSET
    ceiling = scorer.strata.mean(scores[REFERENCE][PANEL], SCALE)
    rows = [row for judge in scores[REFERENCE] for row in _rows(scorer, scores, judge)]
    if ceiling.value is None:
        return UNSET, rows
    return Ceiling(n_items=ceiling.n, overall=ceiling.value, low=ceiling.low, high=ceiling.high), rows


def scores_alone(
    scorer: Scorer[Any, Any, Any], observations: Observations, judges: Sequence[str]
) -> dict[str | None, Floats]:
    """Return (items,) the scores of one contestant by the panel and by each of `judges`, 0-100; NaN for none."""
    contestant = scorer.reduce(observations)
    shape = (len(scorer.layout.placed), -1)
    present = observations.present.reshape(shape).any(axis=1)
    scores: dict[str | None, Floats] = {PANEL: np.where(present, scorer.item_scores(contestant), np.nan)}
    for judge in judges:
        verdicts = observations.verdicts[:, scorer.of_judges([judge])]
        marked = (verdicts == SCORED_VERDICT).any(axis=1) & observations.present
        alone = scorer.scores_by(observations, contestant, [judge])
        scores[judge] = mean_of_known(np.where(marked.reshape(shape)[:, : alone.shape[1]], alone, np.nan))
    return scores


def _rows(scorer: Scorer[Any, Any, Any], scores: ControlScores, judge: str | None) -> Iterator[ControlRow]:
    reference = scores[REFERENCE][judge]
    strata = scorer.strata
    if BoardControls(scorer.benchmark, scorer.board).is_spread:
        # With few items drawn for each kind, hardly two are in one group: they are a sample of the whole board.
        strata = Strata(np.zeros_like(strata.groups), strata.clusters)
    drops = {name: strata.difference(reference, of_judges[judge], SCALE) for name, of_judges in scores.items()}
    ordered = {}
    for damage in LADDERS:
        if names := [name for name in scores if CONTROLS[name].damage == damage]:
            ordered[damage] = in_order([reference, *(scores[name][judge] for name in names)], seen(drops[names[-1]]))
    for name, of_judges in scores.items():
        control, own, drop = CONTROLS[name], of_judges[judge], drops[name]
        if control.damage is None:
            continue
        both = ~np.isnan(own) & ~np.isnan(reference)
        whole, damaged = (strata.mean(np.where(both, each, np.nan)).value for each in (reference, own))
        yield ControlRow(
            control=name, damage=control.damage, dose=control.dose, judge=judge, n_items=drop.n, damaged=damaged,
            reference=whole, drop=drop.value, se=drop.se, low=drop.low, high=drop.high, seen=seen(drop),
            ordered=ordered[control.damage], absent=drop.reason,
        )  # fmt: skip


def seen(drop: Estimate) -> bool | None:
    """Return whether a damage is seen: its drop is above 0 by its interval, or is the same on every item and above 0.

    None if there are too few items to tell.
    """
    if drop.value is None:
        return None
    if drop.se == 0 and drop.clusters >= LEAST_CLUSTERS:
        return drop.value > 0
    return None if drop.reason is not None or drop.low is None else drop.low > 0


def in_order(rungs: Sequence[Floats], seen: bool | None) -> bool | None:
    """Return whether a ladder is in order: the mean of every rung, (items,) each, is lower than that of the one before.

    Only items that have all rungs count. seen: whether the last rung is significantly below the first. A ladder whose
    end is not seen is not in order, however its means fall. None if fewer than LEAST_CLUSTERS items have all rungs, or
    if too few items tell whether the last is seen.

    Source: a decision of ours: a panel is fit for a claim only if it orders each ladder of doses.
    """
    common = ~np.isnan(np.stack(rungs)).any(axis=0)
    if common.sum() < LEAST_CLUSTERS or seen is None:
        return None
    means = [float(rung[common].mean()) for rung in rungs]
    return seen and all(lower < higher for higher, lower in pairwise(means))


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
    """Return whether a contestant is above the floor, or why that is not known."""
    if row.rank is None or not all(tested.better(row.model, null) for null in nulls):
        return False
    robust = study.robustness([(row.model, null) for null in nulls])
    if "differs" in robust:
        return False
    return next((why for each, why in _NOT_TOLD.items() if each in robust), True)


def _put_judges(ranked: list[Row], nulls: list[str], study: PanelStudy) -> None:
    """Put into the rows how they compare with the null models under each judge alone."""
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
