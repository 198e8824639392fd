"""Compute the scores and ranks of a board under other choices of judges, wordings and items, one change at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from nullbench_site.scoring.board_tables import Analysis, AnalysisRow, Choice, ResampledRanks
from nullbench_site.scoring.executors import Map
from nullbench_site.scoring.panel import ByJudge
from nullbench_site.scoring.ranking import Ranking, best_first
from nullbench_site.scoring.scorer import Scorer
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.ranking import DRAWS_OF_RANKS, rank_shares

_FIRST = 12
"""How many contestants, and ranks, the table of resampled ranks has."""


def analyses(
    scorer: Scorer[Any, Any, Any],
    ranking: Ranking,
    compared: Collection[str],
    by_judge: Mapping[str, ByJudge],
    by_wording: Mapping[str, Floats],
    *,
    do: Map,
) -> Iterator[Analysis]:
    """Yield the analyses that the data of a board allow. Workers begin at once.

    ranking: of the board. compared: the contestants that have a rank and the complete null models. by_wording:
    (wordings, items) of each contestant; empty on a board with one wording. do: as in `executors.mapped`.
    """
    choices = list(_choices(scorer, ranking, compared, by_judge, by_wording))
    found = do(partial(_rows, ranking), choices)
    return (
        Analysis(choice=choice, of=of, n_items=int(chosen.sum()), rows=rows)
        for (choice, of, _, chosen), rows in zip(choices, found, strict=True)
        if rows
    )


def _choices(
    scorer: Scorer[Any, Any, Any],
    ranking: Ranking,
    compared: Collection[str],
    by_judge: Mapping[str, ByJudge],
    by_wording: Mapping[str, Floats],
) -> Iterator[tuple[Choice, str, Mapping[str, Floats], Bools]]:
    """Yield what each analysis changes, the scores of contestants on all items, and the items it uses."""
    everywhere = np.ones(ranking.strata.groups.size, np.bool_)
    for place, judge in enumerate(scorer.judges if len(scorer.judges) > 1 else ()):
        of_judge = {model: by_judge[model] for model in compared if by_judge[model].judges[place]}
        yield "judge alone", judge, {model: each.alone_by_item[place] for model, each in of_judge.items()}, everywhere
        if len(scorer.judges) > 2:
            yield "without judge", judge, {model: by_judge[model].without[place] for model in compared}, everywhere
    wordings = scorer.board.wordings if by_wording else ()
    models, k = scorer.benchmark.models, len(wordings)
    in_all = [each for each in compared if k and (len(by_wording[each]) == k or models[each].backend == PROGRAMS)]
    for place, wording in enumerate(wordings):
        scores = {model: by_wording[model][place % len(by_wording[model])] for model in in_all}
        yield "wording alone", wording, scores, everywhere
    controlled = {model: of for model in compared if (of := scorer.length_controlled(model)) is not None}
    yield "length controlled", "", controlled, everywhere
    if (dated := scorer.dated) is not None:
        date, before, after = dated
        scores = {model: ranking.scores[model] for model in compared}
        yield "items before", date, scores, before
        yield "items from", date, scores, after


def _rows(ranking: Ranking, choice: tuple[Choice, str, Mapping[str, Floats], Bools]) -> list[AnalysisRow]:
    """Return the contestants with a score on each chosen item; none if fewer than two would have a rank."""
    name, _, scores, chosen = choice
    if name == "length controlled":  # then the number of an item may be beyond the scale
        ranking = replace(ranking, scale=None)
    here = {model: of[chosen] for model, of in scores.items() if chosen.any() and not np.isnan(of[chosen]).any()}
    if sum(model not in ranking.null_models for model in here) < 2:
        return []
    rows = replace(ranking, strata=ranking.strata.of(chosen)).ranked(here)
    return [
        AnalysisRow(
            model=row.model, overall=row.overall or 0.0, ci_low=row.ci_low, ci_high=row.ci_high,
            rank=row.rank, rank_low=row.rank_low, rank_high=row.rank_high,
        )
        for row in best_first(rows.values())
    ]  # fmt: skip


def resampled_ranks(ranking: Ranking, ranked: Sequence[str]) -> ResampledRanks | msgspec.UnsetType:
    """Return how often the first contestants have each rank in resampling; unset with fewer than two ranked."""
    if len(ranked) < 2:
        return msgspec.UNSET
    strata, table = ranking.strata, np.array([ranking.scores[model] for model in ranked])
    shares = rank_shares(table, strata.groups, strata.clusters, ranking.bootstrap.seed, weights=strata.weights)
    return ResampledRanks(draws=DRAWS_OF_RANKS, models=list(ranked[:_FIRST]), shares=shares[:_FIRST, :_FIRST].tolist())
