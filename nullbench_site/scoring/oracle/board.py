"""Summaries of all contestants -> the results of one board: a reduction, without a record in sight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from nullbench_site.scoring.oracle.groups import PERCENT, group_tables, scores
from nullbench_site.scoring.oracle.items import item_rows
from nullbench_site.scoring.oracle.layout import OracleLayout
from nullbench_site.scoring.oracle.results import KeyRow, OracleResults, OracleRow
from nullbench_site.scoring.oracle.shard import CORRECT, INVALID, NO_ANSWER, UNMARKED, WRONG, OracleSummary
from nullbench_site.scoring.ranking import best_first, rank, set_above_floor
from nullbench_site.scoring.rounding import rounded
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import OracleBoardFile
from nullbench_site.stats.arrays import Floats


def score_board(
    benchmark: Benchmark, board: OracleBoardFile, run: str, summaries: Sequence[OracleSummary]
) -> OracleResults:
    """Everything a board shows. The order of `summaries` does not matter."""
    layout = OracleLayout.of(benchmark, board)
    summaries = sorted(summaries, key=lambda summary: summary.model)
    contestants = benchmark.contestants(board)
    rows = {summary.model: row for summary in summaries if (row := _row(layout, summary)) is not None}
    whole = [summary for summary in summaries if summary.model in rows and _missing(summary) is None]
    _rank(board, layout, whole, rows)
    floor = set_above_floor(rows.values(), {model.id for model in contestants if model.kind == "null"})
    return OracleResults(
        run=run,
        board=board.id,
        protocol=board.protocol,
        complete=len(whole) == len(contestants),
        n_items=len(layout.placed),
        n_bundles=layout.n_bundles,
        floor=rounded(floor),
        leaderboard=rounded(best_first(rows.values())),
        domains=group_tables(layout, summaries, layout.domains),
        categories=group_tables(layout, summaries, layout.categories),
        difficulties=group_tables(layout, summaries, layout.difficulties),
        key_types=group_tables(layout, summaries, layout.key_types),
        items=[row for summary in summaries for row in item_rows(layout, summary)],
        keys=_key_rows(layout, summaries),
    )


def _row(layout: OracleLayout, summary: OracleSummary) -> OracleRow | None:
    base = scores(layout, summary, np.ones(len(layout.placed), dtype=np.bool_))
    if base is None:
        return None
    telemetry = {name: value for name, value in msgspec.structs.asdict(summary.telemetry).items() if name != "absent"}
    row = OracleRow(
        rank=None,
        rank_low=None,
        rank_high=None,
        tie_group=None,
        refusal_rate=None,
        above_null_floor=None,
        n_unmarked=int((summary.outcome == UNMARKED).sum()),
        served_by_another=sum(summary.telemetry.served_by.values()),
        **msgspec.structs.asdict(base),
        **telemetry,
    )
    row.absent |= summary.telemetry.absent | {"refusal_rate": "this protocol asks no judge about refusals"}
    missing = _missing(summary)
    if missing is not None:
        row.absent["rank"] = missing
    return row


def _missing(summary: OracleSummary) -> str | None:
    """What keeps a contestant from being compared with others; None where nothing does."""
    if (summary.outcome == NO_ANSWER).any():
        return "answers are missing"
    return "answers without a mark" if (summary.outcome == UNMARKED).any() else None


def _rank(
    board: OracleBoardFile, layout: OracleLayout, whole: Sequence[OracleSummary], rows: Mapping[str, OracleRow]
) -> None:
    """Rank those that have every answer, and a mark for each that did not fail."""
    rank(
        {summary.model: rows[summary.model] for summary in whole},
        {summary.model: _overall_of_item(layout, summary) for summary in whole},
        board.bootstrap,
        groups=np.zeros(len(layout.placed), dtype=np.int64),
        clusters=np.unique(layout.clusters, return_inverse=True)[1],
    )


def _overall_of_item(layout: OracleLayout, summary: OracleSummary) -> Floats:
    """(items,) the share of each item's samples that are correct, 0-100."""
    shares: Floats = (summary.outcome.reshape(len(layout.placed), -1) == CORRECT).mean(axis=1)
    return PERCENT * shares


def _key_rows(layout: OracleLayout, summaries: Iterable[OracleSummary]) -> list[KeyRow]:
    """A row a type of key, in the board's order."""
    groups = layout.key_types
    outcomes = [summary.outcome.reshape(len(layout.placed), -1) for summary in summaries]

    def total(kind: str, outcome: int) -> int:
        of_kind = groups.of_item == groups.names.index(kind)
        return sum(int((each[of_kind] == outcome).sum()) for each in outcomes)

    return [
        KeyRow(
            type=kind,
            n_items=int((groups.of_item == groups.names.index(kind)).sum()),
            correct=total(kind, CORRECT),
            wrong=total(kind, WRONG),
            invalid=total(kind, INVALID),
        )
        for kind in groups.in_order
    ]
