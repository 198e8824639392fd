"""What contaminated items do to the scores of a board, where `nullbench-site overlap` compared them with corpora."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nullbench_site.scoring.contamination_tables import OverlapRow
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.scorer import Scorer
from nullbench_site.specs.types import OverlapFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.inflation import NONE_CLEAN, WIDE_GAP, inflation


def overlap_rows(
    scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats], found: OverlapFile
) -> Iterator[OverlapRow]:
    """Yield a row for each contestant. scores: (items,) of each, 0-100, NaN without an answer that counts."""
    states = {item.id: found.contaminated(item) for item in found.items}
    of_items = [states.get(placed.id) for placed in scorer.layout.placed]
    tested, contaminated = np.array([state is not None for state in of_items]), np.array([*map(bool, of_items)])
    strata = scorer.strata
    for model, own in scores.items():
        testable = np.where(tested, own, np.nan)
        made = inflation(testable, contaminated, strata.clusters, SCALE)
        clean = strata.mean(np.where(contaminated, np.nan, testable), SCALE)
        unsure = clean.reason is not None
        reasons = {
            "p_mem": made.memorised.reason,
            "p_clean": made.clean.reason,
            "gap": made.gap.reason,
            "delta_c": made.inflation.reason,
            "clean": NONE_CLEAN if made.rate == 1 else clean.reason,
        }
        yield OverlapRow(
            model=model,
            n_tested=int((~np.isnan(testable)).sum()),
            n_contaminated=int((contaminated & ~np.isnan(testable)).sum()),
            rate=made.rate,
            p_mem=made.memorised.value,
            p_mem_low=made.memorised.low,
            p_mem_high=made.memorised.high,
            p_clean=made.clean.value,
            p_clean_low=made.clean.low,
            p_clean_high=made.clean.high,
            gap=made.gap.value,
            gap_low=made.gap.low,
            gap_high=made.gap.high,
            wide=None if made.gap.value is None else made.gap.value > WIDE_GAP,
            delta_c=made.inflation.value,
            delta_c_low=made.inflation.low,
            delta_c_high=made.inflation.high,
            clean=clean.value,
            clean_low=None if unsure else clean.low,
            clean_high=None if unsure else clean.high,
            absent={name: why for name, why in reasons.items() if why is not None},
        )
