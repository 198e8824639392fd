"""Summaries of all contestants -> the results of one board: a reduction, without a record in sight."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from nullbench_site.scoring.ranking import best_first, rank, set_above_floor
from nullbench_site.scoring.rounding import rounded
from nullbench_site.scoring.rubric.contestant import NOTHING_TO_SCORE, Contestant
from nullbench_site.scoring.rubric.groups import board_rows, group_tables
from nullbench_site.scoring.rubric.items import item_rows
from nullbench_site.scoring.rubric.judges import Verdicts
from nullbench_site.scoring.rubric.layout import RubricLayout
from nullbench_site.scoring.rubric.records import VERDICT_ENDS
from nullbench_site.scoring.rubric.results import CheckRow, RubricResults, RubricRow, RubricScores
from nullbench_site.scoring.rubric.shard import SCORED, UNJUDGED, UNPARSED_ANSWER, RubricSummary, due_voices
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import RubricBoardFile
from nullbench_site.stats.composite import efficiency
from nullbench_site.stats.marks import mean_distance_to_geval
from nullbench_site.stats.measure import Measure

NOT_COUNTED = "tokens not counted by the backend"


def score_board(
    benchmark: Benchmark, board: RubricBoardFile, run: str, summaries: Sequence[RubricSummary]
) -> RubricResults:
    """Everything a board shows. The order of `summaries` and of the judges does not matter."""
    layout = RubricLayout.of(benchmark, board)
    summaries = sorted(summaries, key=lambda summary: summary.model)
    contestants = [_contestant(benchmark, board, layout, summary) for summary in summaries]
    null_models = {model.id for model in benchmark.contestants(board) if model.kind == "null"}
    on_board = [contestant for contestant in contestants if contestant.counted.any()]
    rows = {
        contestant.summary.model: _row(contestant, base)
        for contestant, base in zip(on_board, board_rows(on_board), strict=True)
    }
    _rank(board, layout, on_board, rows)
    floor = set_above_floor(rows.values(), null_models)
    leaderboard = best_first(rows.values())
    verdicts = Verdicts(layout, contestants)
    return RubricResults(
        run=run,
        board=board.id,
        protocol=board.protocol,
        panel=board.panel,
        geval_judge=None if board.geval is None else board.geval.judge,
        geval_metrics=list(layout.metrics),
        weights={"judge": board.composite.judge, "geval": board.composite.geval},
        complete=len(rows) == len(benchmark.contestants(board)) and all(row.rank is not None for row in leaderboard),
        n_items=len(layout.placed),
        floor=rounded(floor),
        leaderboard=rounded(leaderboard),
        domains=group_tables(on_board, layout.domains),
        categories=group_tables(on_board, layout.categories),
        difficulties=group_tables(on_board, layout.difficulties),
        items=list(item_rows(contestants)),
        judges=rounded(verdicts.rows()),
        judge_models=rounded(verdicts.on_models()),
        judge_pairs=rounded(verdicts.pairs()),
        agreement=rounded(verdicts.agreement(null_models)),
        divergence=rounded(verdicts.divergences()),
        checks=_check_rows(layout, summaries),
    )


def _contestant(
    benchmark: Benchmark, board: RubricBoardFile, layout: RubricLayout, summary: RubricSummary
) -> Contestant:
    due, geval_due = due_voices(benchmark, board, layout, summary.model)
    return Contestant(layout, summary, board, due, bool(geval_due.any()))


def _row(contestant: Contestant, base: RubricScores) -> RubricRow:
    """base: its scores on the whole board."""
    summary = contestant.summary
    answers = base.n_scored + base.n_errored + base.n_unparsed
    ended = np.concatenate([summary.marks_ended.ravel(), summary.geval_ended.ravel()])
    verdicts = {end: int((ended == number).sum()) for number, end in enumerate(VERDICT_ENDS)}
    measures = {
        "efficiency": _efficiency(base, summary.mean_output_tokens),
        "divergence": mean_distance_to_geval(contestant.mark_of_unit, contestant.geval_of_unit),
    }
    figures: dict[str, Any] = {name: measure.value for name, measure in measures.items()}
    figures |= {name: getattr(base, name) for name in RubricScores.__struct_fields__}
    figures |= {f"judge_{end}": n for end, n in verdicts.items() if end != "scored"}
    figures |= {name: value for name, value in msgspec.structs.asdict(summary.telemetry).items() if name != "absent"}
    row = RubricRow(
        rank=None,
        rank_low=None,
        rank_high=None,
        tie_group=None,
        refusal_rate=None,
        error_rate=base.n_errored / answers,
        above_null_floor=None,
        mean_output_tokens=summary.mean_output_tokens,
        n_checked=_checked(contestant.layout, summary),
        n_flagged=len(summary.failed),
        incomplete_judges=contestant.incomplete,
        n_unjudged=int((summary.state == UNJUDGED).sum()),
        judge_calls=sum(verdicts.values()),
        served_by_another=sum(summary.telemetry.served_by.values()),
        **figures,
    )
    row.absent |= summary.telemetry.absent | {"refusal_rate": "this protocol asks no judge about refusals"}
    row.absent |= {name: measure.reason for name, measure in measures.items() if measure.reason is not None}
    if summary.mean_output_tokens is None:
        row.absent["mean_output_tokens"] = NOT_COUNTED if answers > base.n_errored else NOTHING_TO_SCORE
    return row


def _efficiency(base: RubricScores, mean_tokens: float | None) -> Measure:
    if base.judge_mean is None:
        return Measure.undefined(base.absent["judge_mean"])
    return Measure.undefined(NOT_COUNTED) if mean_tokens is None else efficiency(base.judge_mean, mean_tokens)


def _rank(
    board: RubricBoardFile, layout: RubricLayout, contestants: Sequence[Contestant], rows: Mapping[str, RubricRow]
) -> None:
    """Rank those that have every answer, every verdict of the panel, and a complete judge where it has a judge."""
    wanted = len(layout.placed) * board.samples
    every_item = np.arange(len(layout.placed))
    whole = [
        contestant
        for contestant in contestants
        if contestant.counted.sum() == wanted
        and not contestant.missing
        and rows[contestant.summary.model].overall is not None
        and (contestant.complete.any() or not contestant.incomplete)
    ]
    rank(
        {contestant.summary.model: rows[contestant.summary.model] for contestant in whole},
        {contestant.summary.model: contestant.linearised_of_item for contestant in whole},
        board.bootstrap,
        groups=np.zeros_like(every_item),
        clusters=every_item,
    )


def _checked(layout: RubricLayout, summary: RubricSummary) -> int:
    """How many answers to public items came, so that programs looked at them."""
    public = np.repeat(layout.public, len(summary.state) // len(layout.placed))
    return int(np.isin(summary.state[public], (SCORED, UNPARSED_ANSWER, UNJUDGED)).sum())


def _check_rows(layout: RubricLayout, summaries: Collection[RubricSummary]) -> list[CheckRow]:
    """A row a type of check, by type; of public items alone."""
    found = {kind for summary in summaries for kind in summary.outcomes}

    def total(kind: str, outcome: str) -> int:
        return sum(summary.outcomes.get(kind, {}).get(outcome, 0) for summary in summaries)

    return [
        CheckRow(
            type=kind,
            n_items=layout.items_of_check[kind],
            passed=total(kind, "passed"),
            failed=total(kind, "failed"),
            not_applicable=total(kind, "not-applicable"),
        )
        for kind in sorted({*found, *layout.items_of_check})
    ]
