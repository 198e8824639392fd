"""The shard of one contestant -> arrays: the marks of the panel, and the scores of G-Eval. No text is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from math import nan
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from nullbench_site.protocols.rubric.protocol import GEVAL, SCORE
from nullbench_site.runs.records import Judgment, Score, read_records
from nullbench_site.scoring.records import NO_VERDICT, UNFIT, VERDICTS, ShardReader
from nullbench_site.scoring.rubric.layout import RubricLayout
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import GEvalMetric, RubricBoardFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.scores import is_valid_axis_score

VERDICT_ENDS = (*VERDICTS, "missing")
"""How a verdict that an answer needs ended, by number; missing: nobody was asked for it yet."""
SCORED, UNPARSED, ERRORED, MISSING = range(len(VERDICT_ENDS))
_END = {end: number for number, end in enumerate(VERDICTS)}
_VERDICT = (
    ("judge", str),
    ("judge_template", str | None),
    ("state", Literal[VERDICTS]),
    ("scores", dict[str, Score]),
    ("repaired", str | None, None),
)
"""What scoring reads of a Judgment, beside its place."""


@dataclass(frozen=True)
class Voices:
    """What some judges, or the metrics of G-Eval, said of each answer.

    given: (units, voices) marks of 1-5 or scores of 0-1, NaN for none. ended: (units, voices) numbers of VERDICT_ENDS,
    or NO_VERDICT. A reply without a valid score is unparsed.
    """

    given: Floats
    ended: Ints

    def where(self, due: Bools) -> Voices:
        """What is said where it is `due`, (units, voices); what is not said there is MISSING."""
        silent = np.where(due, MISSING, NO_VERDICT)
        ended = np.where(due & (self.ended != NO_VERDICT), self.ended, silent)
        return Voices(np.where(due, self.given, nan), ended)


@dataclass(frozen=True)
class Judged:
    """panel: by judge, by id. geval: by metric. repaired: (units, judges) whether the second reply counts."""

    panel: Voices
    geval: Voices
    repaired: Bools


@dataclass(frozen=True)
class _Field:
    """A score that a judge may give in one kind of record: its column, its name, and what it may be."""

    column: int
    name: str
    valid: Callable[[object], bool]


class RubricReader(ShardReader):
    """Reads shards of one board. What a judge says as G-Eval's stands apart from what it says in the panel."""

    def __init__(self, benchmark: Benchmark, board: RubricBoardFile, layout: RubricLayout) -> None:
        super().__init__(benchmark, board, layout)
        self.judges, self.metrics = layout.judges, layout.metrics
        self.geval_judge = None if board.geval is None else board.geval.judge
        self.verdict = msgspec.defstruct("Verdict", [*self.place, *_VERDICT], gc=False)

    def judged(self, shard: Path) -> Judged:
        """What the judgments in the file `shard` say. Raises RunError naming the line that is no record."""
        try:
            return self._judged(chain.from_iterable(self.blocks(shard, self.verdict)))
        except UNFIT:
            return self.judged_of(read_records(shard, Judgment))

    def judged_of(self, records: Iterable[Judgment]) -> Judged:
        """The same of records that are at hand."""
        return self._judged(self.ours(records))

    def _judged(self, verdicts: Iterable[Any]) -> Judged:
        # A record of one metric and one of all of them, which some programs write, have columns apart: neither replaces
        # the other.
        n_judges, n_metrics = len(self.judges), len(self.metrics)
        size = self.units, n_judges + 2 * n_metrics
        given, ended, repaired = np.full(size, nan), np.full(size, NO_VERDICT), np.zeros(size, dtype=np.bool_)
        of_voice: dict[tuple[str, str | None], list[Any]] = {}
        for verdict in verdicts:
            of_voice.setdefault((verdict.judge, verdict.judge_template), []).append(verdict)
        for voice, said in of_voice.items():
            units = np.array([self.first[verdict.item] + verdict.sample for verdict in said])
            ends = np.array([_END[verdict.state] for verdict in said])
            again = [verdict.repaired is not None for verdict in said]
            for field in self._fields(*voice):
                scores = [verdict.scores.get(field.name) for verdict in said]
                values = np.array([score if field.valid(score) else nan for score in scores], dtype=np.float64)
                given[units, field.column] = np.where(ends == SCORED, values, nan)
                ended[units, field.column] = np.where((ends == SCORED) & np.isnan(values), UNPARSED, ends)
                repaired[units, field.column] = again
        parts = n_judges, n_judges + n_metrics
        marks, one, every = map(Voices, *(np.split(array, parts, axis=1) for array in (given, ended)))
        apart = one.ended != NO_VERDICT
        geval = Voices(np.where(apart, one.given, every.given), np.where(apart, one.ended, every.ended))
        return Judged(marks, geval, repaired[:, :n_judges])

    def _fields(self, judge: str, template: str | None) -> list[_Field]:
        """What may stand in the records of a judge with this wording; nothing where the board does not ask for them."""
        if template is None:
            panel = self.judges.index(judge) if judge in self.judges else None
            return [] if panel is None else [_Field(panel, SCORE, is_valid_axis_score)]
        protocol, _, metric = template.partition(".")
        if judge != self.geval_judge or protocol != GEVAL:
            return []
        one = metric in get_args(GEvalMetric)
        columns = len(self.judges) + (0 if one else len(self.metrics))
        return [
            _Field(columns + place, name, _is_valid_geval_score)
            for place, name in enumerate(self.metrics)
            if not one or name == metric
        ]


def _is_valid_geval_score(value: object) -> bool:
    return (type(value) is float or type(value) is int) and 0 <= value <= 1
