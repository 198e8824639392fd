"""One contestant's shard of records -> its summary: scores item by item, and counts that merge over shards.

No summary knows of another contestant, so a board is a reduction over summaries and one more contestant costs one more
shard. What is worked on are arrays: a million judgments pass here in seconds.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from nullbench_site.protocols.axes.protocol import AxesProtocol
from nullbench_site.protocols.axes.scores import SCORED, UnitScores
from nullbench_site.scoring.axes.columns import ItemColumns, item_columns
from nullbench_site.scoring.axes.layout import Layout
from nullbench_site.scoring.axes.records import AxesReader, Judged
from nullbench_site.scoring.records import NO_VERDICT, VERDICTS
from nullbench_site.scoring.telemetry import Telemetry, telemetry
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import AxesBoardFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.normalisation import JudgeSums

REVISION = 4
"""Raised when the same records would be summarised differently."""


class JudgeTally(msgspec.Struct, kw_only=True):
    """How a judge's replies to one contestant ended, and the sums of its valid axis scores, by axis.

    missing: answers it has to judge and has no record of. repaired: replies that were valid at the second asking.
    """

    scored: int
    unparsed: int
    errored: int
    missing: int
    repaired: int
    invalid_fields: int
    sums: dict[str, JudgeSums]


class ShardSummary(msgspec.Struct, kw_only=True):
    """What a board needs to know of one contestant.

    unjudged: answers that no judge replied about, be it that none was asked yet or that all calls failed. They have no
    score, which is not 0, and are in telemetry and the judges' tallies alone.
    refused_by: gate -> how many responses it refused. agreement: rows of category and axis (places in the Layout),
    whether the response was scored (1; 0 for refused, failed, unparsed), how many judges gave 1, 2, 3, 4, 5, and how
    often their ratings fell that way.
    """

    model: str
    unjudged: int
    items: ItemColumns
    refused_by: dict[str, int]
    telemetry: Telemetry
    judges: dict[str, JudgeTally]
    agreement: Ints


class Summariser:
    """Summarises shards for one board."""

    revision = f"axes {REVISION}"
    kind = ShardSummary

    def __init__(self, benchmark: Benchmark, board: AxesBoardFile) -> None:
        self.benchmark, self.board = benchmark, board
        self.panel, self.protocol = benchmark.panels[board.panel], AxesProtocol()
        self.layout = layout = Layout.of(benchmark, board)
        self.reader = AxesReader(benchmark, board, layout)
        self.slots = layout.slots.repeat(board.samples, axis=0)

    def summary(self, model: str, responses: Path, judgments: Path) -> ShardSummary:
        """The summary of `model` from the files of its records. Raises RunError for a line that is no record."""
        answers = self.reader.responses(responses)
        judged = self.reader.judged(judgments, answers.present)
        scores = self.protocol.score_units(answers.answered, judged.votes, self.panel)
        missing = self._missing(model, answers.answered, judged)
        silent = (judged.state == NO_VERDICT) | (judged.state == VERDICTS.index("errored"))
        unjudged = answers.answered & silent.all(axis=1)
        counted = answers.present & ~unjudged
        return ShardSummary(
            model=model,
            unjudged=int(unjudged.sum()),
            items=item_columns(scores, answers.seconds, counted, self.board.samples),
            refused_by={gate: int((fired & counted).sum()) for gate, fired in scores.refused_by.items()},
            telemetry=telemetry(answers),
            judges=self._tallies(judged, missing),
            agreement=self._agreement(scores, counted),
        )

    def _missing(self, model: str, answered: Bools, judged: Judged) -> Bools:
        """(units, judges) where a judge that may score `model` has no record of an answer."""
        may = {judge.id for judge in self.benchmark.judges_for(self.board, self.benchmark.models[model])}
        due = np.array([judge in may for judge in self.reader.judges], dtype=np.bool_)
        absent: Bools = answered[:, np.newaxis] & due & (judged.state == NO_VERDICT)
        return absent

    def _tallies(self, judged: Judged, missing: Bools) -> dict[str, JudgeTally]:
        ended = {verdict: np.count_nonzero(judged.state == number, axis=0) for number, verdict in enumerate(VERDICTS)}
        ended |= {"missing": missing.sum(axis=0), "repaired": judged.repaired.sum(axis=0)}
        invalid = judged.invalid.sum(axis=0)
        return {
            judge: JudgeTally(
                **{end: int(counts[place]) for end, counts in ended.items()},
                invalid_fields=int(invalid[place]),
                sums=self._sums(judged.votes.ratings[:, place]),
            )
            for judge, place in self.reader.judges.items()
        }

    def _sums(self, ratings: Floats) -> dict[str, JudgeSums]:
        """The sums of one judge's `ratings`, (units, slots), by axis; of whole numbers, so exact."""
        known = ~np.isnan(ratings)
        axis, rating = self.slots[known], ratings[known]
        n, total, total_sq = (
            np.bincount(axis, weights, minlength=len(self.layout.axes)).astype(np.int64).tolist()
            for weights in (None, rating, np.square(rating))
        )
        sums = {name: JudgeSums(*of_axis) for name, *of_axis in zip(self.layout.axes, n, total, total_sq, strict=True)}
        return {name: of_axis for name, of_axis in sums.items() if of_axis.n}

    def _agreement(self, scores: UnitScores, present: Bools) -> Ints:
        patterns, width = scores.ratings.counts, self.slots.shape[1]
        units, slots = np.nonzero((self.slots >= 0) & present[:, np.newaxis])
        category = self.layout.categories.of_item[units // self.board.samples]
        cells = (category * width + slots) * 2 + (scores.state[units] == SCORED)
        cells, times = np.unique(cells * len(patterns) + scores.ratings.which[units, slots], return_counts=True)
        place, pattern = np.divmod(cells, len(patterns))
        place, scored = np.divmod(place, 2)
        category, slot = np.divmod(place, width)
        axis = self.layout.axes_of_category[category, slot]
        return np.column_stack([category, axis, scored, patterns[pattern], times])
