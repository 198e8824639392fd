"""One contestant's shard of records -> its summary: what was said of each answer, without any text.

No summary knows of another contestant, so a board is a reduction over summaries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np

from nullbench_site.runs.records import CheckResult, Judgment, Response
from nullbench_site.scoring.records import Responses
from nullbench_site.scoring.rubric.layout import RubricLayout
from nullbench_site.scoring.rubric.records import UNPARSED, Judged, RubricReader, Voices
from nullbench_site.scoring.telemetry import Telemetry, telemetry
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import RubricBoardFile
from nullbench_site.stats.arrays import Bools, Floats, Ints

REVISION = 1
"""Raised when the same records would be summarised differently."""
STATES = ("scored", "errored", "unparsed", "unjudged")
"""How an answer ended, by number."""
SCORED, ERRORED, UNPARSED_ANSWER, UNJUDGED = range(len(STATES))
NO_ANSWER = -1
"""The number where there is no record."""


class RubricSummary(msgspec.Struct, kw_only=True):
    """What a board needs to know of one contestant, by unit: a sample of an item, as in `records.Responses`.

    state: (units,) numbers of STATES, or NO_ANSWER. marks, geval: (units, judges) of 1-5 and (units, metrics) of 0-1,
    NaN for none, in the order of the layout. marks_ended, geval_ended: how each verdict ended, as in `records.Voices`.
    repaired: (judges,) how many replies were valid at the second asking. outcomes: type of check -> outcome -> how
    often; failed: unit -> the types that failed; both of public items alone. mean_output_tokens: None where those of
    an answer were not counted.
    """

    model: str
    state: Ints
    marks: Floats
    marks_ended: Ints
    geval: Floats
    geval_ended: Ints
    repaired: Ints
    telemetry: Telemetry
    mean_output_tokens: float | None
    outcomes: dict[str, dict[str, int]]
    failed: dict[int, list[str]]


class RubricSummariser:
    """Summarises shards for one board."""

    revision = f"rubric {REVISION}"
    kind = RubricSummary

    def __init__(self, benchmark: Benchmark, board: RubricBoardFile) -> None:
        self.benchmark, self.board = benchmark, board
        self.layout = RubricLayout.of(benchmark, board)
        self.reader = RubricReader(benchmark, board, self.layout)

    def summary(self, model: str, responses: Path, judgments: Path) -> RubricSummary:
        """The summary of `model` from the files of its records. Raises RunError for a line that is no record."""
        return self._summary(model, self.reader.responses(responses), self.reader.judged(judgments))

    def summary_of(self, model: str, responses: Iterable[Response], judgments: Iterable[Judgment]) -> RubricSummary:
        """The same of records that are at hand."""
        return self._summary(model, self.reader.responses_of(responses), self.reader.judged_of(judgments))

    def _summary(self, model: str, answers: Responses, judged: Judged) -> RubricSummary:
        due, geval_due = due_voices(self.benchmark, self.board, self.layout, model)
        panel = judged.panel.where(answers.answered[:, np.newaxis] & due)
        geval = judged.geval.where(answers.answered[:, np.newaxis] & geval_due)
        public = {unit: found for unit, found in answers.checks.items() if self._is_public(unit)}
        timing = telemetry(answers)
        return RubricSummary(
            model=model,
            state=_states(answers, panel if due.any() else geval),
            marks=panel.given,
            marks_ended=panel.ended,
            geval=geval.given,
            geval_ended=geval.ended,
            repaired=(judged.repaired & (panel.ended >= 0)).sum(axis=0),
            telemetry=timing,
            mean_output_tokens=float(answers.tokens[answers.answered].mean()) if timing.tokens_exact else None,
            outcomes=_outcomes(public),
            failed=_failed(public),
        )

    def _is_public(self, unit: int) -> bool:
        return self.layout.public[unit // self.board.samples]


def due_voices(benchmark: Benchmark, board: RubricBoardFile, layout: RubricLayout, model: str) -> tuple[Bools, Bools]:
    """(judges,) who of the panel may mark a contestant, and (metrics,) which metrics G-Eval may score it on."""
    contestant = benchmark.models[model]
    may = {judge.id for judge in benchmark.judges_for(board, contestant)}
    geval = benchmark.geval_judge_for(board, contestant) is not None
    return np.array([judge in may for judge in layout.judges]), np.full(len(layout.metrics), geval)


def _states(answers: Responses, voices: Voices) -> Ints:
    """How each answer ended. voices: the panel's; G-Eval's where all of the panel are of the contestant's family."""
    replied = ((voices.ended >= 0) & (voices.ended <= UNPARSED)).any(axis=1)
    state = np.where(~np.isnan(voices.given).all(axis=1), SCORED, np.where(replied, UNPARSED_ANSWER, UNJUDGED))
    state = np.where(answers.answered, state, ERRORED)
    return np.where(answers.present, state, NO_ANSWER)


def _outcomes(checks: Mapping[int, tuple[CheckResult, ...]]) -> dict[str, dict[str, int]]:
    times = Counter((result.type, result.outcome) for found in checks.values() for result in found)
    outcomes: dict[str, dict[str, int]] = {}
    for (kind, outcome), n in sorted(times.items()):
        outcomes.setdefault(kind, {})[outcome] = n
    return outcomes


def _failed(checks: Mapping[int, tuple[CheckResult, ...]]) -> dict[int, list[str]]:
    failed = {unit: sorted({r.type for r in found if r.outcome == "failed"}) for unit, found in checks.items()}
    return {unit: types for unit, types in sorted(failed.items()) if types}
