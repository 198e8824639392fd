"""A contestant that is retired keeps its row, and nobody's rank knows of it."""

from __future__ import annotations

import msgspec
from support.oracle_boards import ITEMS, Outcome, benchmark, category, domain, marked, model, scored

from nullbench_site.protocols.oracle.metrics import OracleResults
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.sentences import incomplete, not_ranked
from nullbench_site.site.views import view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Mark

GONE = Mark(since="2026-11-01", reason="The vendor switched it off.")
RIGHTS = {"high": 180, "mid": 120, "low": 60}


def _board(*retired: str) -> tuple[Benchmark, OracleResults]:
    models = [msgspec.structs.replace(model(name), retired=GONE if name in retired else None) for name in RIGHTS]
    board = benchmark(domain("facts", category("dates", *ITEMS)), models=[*models, model("guess", "null")])
    records = []
    for name, right in {**RIGHTS, "guess": 0}.items():
        outcomes: dict[str, Outcome] = {item: "correct" if n < right else "wrong" for n, item in enumerate(ITEMS)}
        records += marked(outcomes, name)
    return board, scored(board, records)


def test_it_keeps_score_and_interval_and_stands_below_the_ranked() -> None:
    _, active = _board()
    board, results = _board("high")
    assert [(row.model, row.rank) for row in results.leaderboard] == [
        ("mid", 1),
        ("low", 2),
        ("guess", None),
        ("high", None),
    ]
    before, row = active.row("high"), results.row("high")
    assert (
        (row.overall, row.ci_low, row.ci_high)
        == (before.overall, before.ci_low, before.ci_high)
        == (90.0, row.ci_low, row.ci_high)
    )
    assert row.absent["rank"] == "retired since 2026-11-01"
    assert [(each.model, each.rank) for each in results.domains[0].rows] == [
        ("high", None),
        ("mid", 1),
        ("low", 2),
        ("guess", None),
    ]
    assert {(found.a, found.b) for found in results.differences} == {
        ("mid", "low"),
        ("mid", "guess"),
        ("low", "guess"),
    }
    view = view_of(board, board.boards["main"], results)
    assert not_ranked(view, row) == "high (retired) is not ranked: retired since 2026-11-01."


def test_a_run_in_which_all_others_have_everything_is_complete() -> None:
    board, results = _board("high")
    assert results.complete
    view = view_of(board, board.boards["main"], results)
    assert opening(view).short.startswith("Of the ranked contestants, mid leads with 60.0 [")
    assert incomplete(view) == []
