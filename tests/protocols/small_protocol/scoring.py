"""The share of answers that have the word, by all judges; its column is `echoes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.results import ItemRow, JudgeRow, ResultsOf, Row
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.stats.arrays import Floats


class EchoRow(Row, kw_only=True):
    """echoes: how many answers have the word, by the mean over judges."""

    n_scored: int
    n_errored: int
    echoes: float

    @property
    def n_responses(self) -> int:
        return self.n_scored + self.n_errored


class EchoItemRow(ItemRow, kw_only=True):
    """A contestant on one item."""

    state: str
    overall: float

    @property
    def ended(self) -> str:
        return self.state

    @property
    def score(self) -> float:
        return self.overall


class EchoResults(ResultsOf[EchoRow, EchoItemRow], kw_only=True):
    """The results of a board."""

    FIRST: ClassVar[tuple[str, ...]] = ("echoes",)
    TABLES: ClassVar[tuple[str, ...]] = ("judges",)

    judges: list[JudgeRow]


@dataclass(kw_only=True)
class EchoContestant(Contestant):
    """share: (items,) of samples and judges that heard the word, 0 of answers that failed. counted: (items,)."""

    share: Floats
    answered: Any
    counted: Any


class EchoScorer(Scorer[Any, EchoContestant, EchoRow]):
    """See the module."""

    results = EchoResults

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        return [(judge, None) for judge in self.benchmark.panels[self.board.panel].judges]

    def score_types(self, placed: Any) -> Mapping[str, Any]:
        return {"echoed": Literal[0, 1]}

    def heard(self, observations: Observations) -> Floats:
        """(units,) the share of judges that heard the word in each answer."""
        return np.nan_to_num(observations.values[:, :, 0]).mean(axis=1)

    def reduce(self, observations: Observations) -> EchoContestant:
        def by_item(units: Any) -> Any:
            return units.reshape(len(self.layout.placed), -1)

        return EchoContestant(
            **Contestant.common(observations),
            share=by_item(self.heard(observations)).mean(axis=1),
            answered=by_item(observations.answered).all(axis=1),
            counted=by_item(observations.present & ~observations.silent).all(axis=1),
        )

    def row(self, contestant: EchoContestant, chosen: Any) -> EchoRow | None:
        chosen = chosen & contestant.counted
        if not chosen.any():
            return None
        share, n, answered = contestant.share[chosen], int(chosen.sum()), int(contestant.answered[chosen].sum())
        return EchoRow(
            model=contestant.model, n_items=n, n_scored=answered, n_errored=n - answered, echoes=float(share.sum()),
            overall=float(100 * share.mean()), absent={},
        )  # fmt: skip

    def lacking(self, contestant: EchoContestant, row: EchoRow) -> str | None:
        return "verdicts are missing" if (self.tasks and row.judge_missing) or not contestant.counted.all() else None

    def item_scores(self, contestant: EchoContestant) -> Floats:
        return np.where(contestant.counted, 100 * contestant.share, np.nan)

    def item_rows(self, contestants: Sequence[EchoContestant]) -> Iterator[EchoItemRow]:
        for each in contestants:
            for place, placed in enumerate(self.layout.placed):
                if each.counted[place]:
                    yield EchoItemRow(
                        model=each.model, item=placed.id, category=placed.category.id, domain=placed.domain.id,
                        state="scored" if each.answered[place] else "errored", overall=float(100 * each.share[place]),
                    )  # fmt: skip


SCORING = EchoScorer
