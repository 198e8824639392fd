"""Whether the scores of domains and categories say more than the score of the board."""

from __future__ import annotations

import msgspec
import numpy as np

from nullbench_site.scoring.ranking import Ranking
from nullbench_site.scoring.results import AddedBySubScore, rounded
from nullbench_site.stats.arrays import Bools
from nullbench_site.stats.sub_scores import sub_score


def added_by_sub_score(ranking: Ranking, chosen: Bools) -> AddedBySubScore | msgspec.UnsetType:
    """Return what the score of the chosen items adds to that of the board, over the contestants that may have a rank.

    Unset if that cannot be measured: see `sub_score`.
    """
    ranked = [m for m in sorted(ranking.scores) if m not in ranking.null_models and m not in ranking.lacking]
    if not ranked:
        return msgspec.UNSET
    strata, table = ranking.strata, np.array([ranking.scores[model] for model in ranked])
    seed = ranking.bootstrap.seed
    found = sub_score(table, chosen, strata.groups, strata.clusters, weights=strata.weights, seed=seed)
    if found is None:
        return msgspec.UNSET
    added: AddedBySubScore = rounded(AddedBySubScore(**found._asdict()))
    return added
