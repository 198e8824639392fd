"""The scores of contestants by wording of the prompt, on boards with several templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from nullbench_site.scoring.board_tables import WordingRow
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import group_mean

OF_ALL_GAMES = "the games of all wordings make one score"


class Wordings:
    """A board with several wordings, as one board for each."""

    def __init__(self, scorer: Scorer[Any, Any, Any]) -> None:
        self.scorer = scorer
        self.board: BoardFile = scorer.board
        boards = {name: msgspec.structs.replace(self.board, templates=(name,)) for name in self.board.wordings}
        self.alone = {name: scorer_of(scorer.benchmark, board) for name, board in boards.items()}

    def answered(self, model: str) -> tuple[str, ...]:
        """Return the wordings that a contestant answers."""
        return self.board.wordings_for(self.scorer.benchmark.answerer(model))

    def scores(self, observations: Observations) -> Floats:
        """Return (wordings, items) the scores of a contestant in each wording that it answers, 0-100; NaN for none.

        All are NaN on a board whose scores depend on all contestants together.
        """
        n_items, answered = len(self.scorer.layout.placed), self.answered(observations.model)
        if self.scorer.together:
            return np.full((len(answered), n_items), np.nan)
        units = np.arange(n_items * self.board.draws).reshape(n_items, -1, self.board.samples)
        parts = (observations.at(units[:, place].ravel()) for place in range(len(answered)))
        each = zip(parts, (self.alone[name] for name in answered), strict=True)
        return np.array([alone.item_scores(alone.reduce(part)) for part, alone in each])

    def rows(self, scores: Mapping[str, Floats], rows: Mapping[str, Row]) -> Iterator[WordingRow]:
        """Yield a row for each contestant and wording. scores: by contestant; rows: of the whole board."""
        strata = self.scorer.strata
        for model, row in rows.items():
            for template, of_items in zip(self.answered(model), scores[model], strict=True):
                n_items = int((~np.isnan(of_items)).sum())
                sure = group_mean(of_items, strata.groups, strata.clusters, scale=SCALE, weights=strata.weights)
                why = row.absent.get("se") or sure.reason
                if n_items < of_items.size:
                    why = OF_ALL_GAMES if self.scorer.together else f"{of_items.size - n_items} items have no score"
                    sure = replace(sure, value=None)
                made = WordingRow(model=model, template=template, n_items=n_items, overall=sure.value, absent={})
                if why is None:
                    made.se, made.df, made.ci_low, made.ci_high = sure.se, sure.df, sure.low, sure.high
                else:
                    made.absent["ci_low"] = why
                yield made
