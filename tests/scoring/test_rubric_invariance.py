"""A `rubric` board: what is absent has a reason, groups come to the whole, arrays give what the formulas do."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import boards
from support.drawn import ITEMS, MODELS, RUBRIC_BOARD, rubric_records
from support.rubric_boards import (
    JUDGES,
    METRICS,
    benchmark,
    geval,
    item_row,
    marked,
    scored,
)

from nullbench_site.protocols.rubric.metrics import RubricItemRow
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.scoring.tables import result_files


@given(rubric_records(), st.permutations(JUDGES))
def test_the_order_of_judges_in_their_panel_does_not_matter(records: list[Record], order: list[str]) -> None:
    panel = msgspec.structs.replace(RUBRIC_BOARD.panels["panel"], judges=tuple(order))
    other = replace(
        RUBRIC_BOARD, panels={"panel": panel}, judges={judge: RUBRIC_BOARD.judges[judge] for judge in order}
    )
    assert result_files(scored(other, records)) == result_files(scored(RUBRIC_BOARD, records))


@given(rubric_records())
def test_what_is_absent_has_a_reason_and_what_has_a_reason_is_absent(records: list[Record]) -> None:
    found = scored(RUBRIC_BOARD, records)
    tables = (*found.domains, *found.categories, *found.difficulties)
    for row in (*found.leaderboard, *(row for table in tables for row in table.rows)):
        for name in row.absent:
            assert getattr(row, name) is None, name
        for name in ("judge_mean", "geval_mean", "composite", "overall", "se"):
            assert (getattr(row, name) is None) == (name in row.absent), name
        assert (row.composite is None) == (row.composite_of is None)
        assert (row.judge_mean is None) == (not row.judges)
    for whole in found.leaderboard:
        for name in ("efficiency", "mean_output_tokens", "divergence", "refusal_rate", "above_null_floor"):
            assert (getattr(whole, name) is None) == (name in whole.absent), name


@given(rubric_records())
def test_groups_come_to_the_whole(records: list[Record]) -> None:
    """Items and answers of the domains, categories and difficulties of a contestant are those of its row."""
    found = scored(RUBRIC_BOARD, records)
    for row in found.leaderboard:
        for tables in (found.domains, found.categories, found.difficulties):
            own = [each for table in tables for each in table.rows if each.model == row.model]
            for name in ("n_items", "n_scored", "n_errored", "n_unparsed"):
                assert sum(getattr(each, name) for each in own) == getattr(row, name), name
            if row.overall is not None:
                mean = sum((each.overall or 0.0) * each.n_items for each in own) / row.n_items
                assert mean == pytest.approx(row.overall, abs=1e-5)


def state_one_by_one(given: list[Judgment], response: Response) -> str:
    """How one answer ended, from the words of `RubricRow`."""
    if response.state == "errored":
        return "errored"
    panel = [record for record in given if record.judge_template is None]
    if any(type(record.scores.get("score")) is int and 1 <= record.scores["score"] <= 5 for record in panel):
        return "scored"
    return "unparsed" if any(record.state != "errored" for record in panel) else "unjudged"


@given(rubric_records(models=("m",)))
def test_the_arrays_give_what_the_formulas_give_one_by_one(records: list[Record]) -> None:
    board = replace(RUBRIC_BOARD, boards={"main": msgspec.structs.replace(RUBRIC_BOARD.boards["main"], samples=1)})
    records = [record for record in records if record.sample == 0]
    results = scored(board, records)
    rows: list[RubricItemRow] = []
    for response in (record for record in records if isinstance(record, Response)):
        of_item = [record for record in records if isinstance(record, Judgment) and record.item == response.item]
        rows.append(row := item_row(results, response.item))
        assert row.state == state_one_by_one(of_item, response)
    scorable = [row for row in rows if row.state in {"scored", "unparsed"}]
    complete = [judge for judge in JUDGES if scorable and all(judge in row.marks for row in scorable)]
    for row in results.leaderboard:
        means = [sum(item.marks[judge] for item in scorable) / len(scorable) for judge in complete]
        assert row.judge_mean == (pytest.approx(sum(means) / len(means), abs=1e-6) if means else None)
        if row.judge_mean is not None and row.geval_mean is not None and row.composite is not None:
            assert row.composite == pytest.approx(((row.judge_mean - 1) / 4 + row.geval_mean) / 2, abs=1e-6)


def some_evidence() -> list[Record]:
    chance = random.Random(7)  # noqa: S311 - made-up marks
    return [
        record
        for name in MODELS
        for record in marked({item: [chance.randint(1, 5) for _ in JUDGES] for item in ITEMS}, name)
    ]


def test_records_that_our_programs_would_not_write_are_read_with_care(tmp_path: Path) -> None:
    """A verdict on an item that the board does not have, and one of a board that the benchmark does not have."""
    strange = [
        msgspec.structs.replace(record, **change)
        for record in marked({"a": 1})
        for change in ({"item": "zz"}, {"board": "other"}, {"sample": 7})
    ]
    results = scored(RUBRIC_BOARD, [*some_evidence(), *strange])
    assert result_files(results) == result_files(scored(RUBRIC_BOARD, some_evidence()))


def test_the_ids_of_judges_and_metrics_may_be_alike() -> None:
    """A judge that is called as a metric is, or as the field of a mark."""
    board = benchmark(judges=("score", "coherence"), geval="coherence")
    records: list[Record] = marked({"a": (4, 2), "b": (4, 2)}, judges=("score", "coherence"))
    records += [geval({m: 0.5}, item, judge="coherence", template=f"geval.{m}") for m in METRICS for item in "ab"]
    row = scored(board, records).row("m")
    assert (row.judges, row.geval["coherence"], row.judge_mean) == ({"coherence": 2.0, "score": 4.0}, 0.5, 3.0)


def test_a_board_of_another_protocol_in_the_same_run_disturbs_nothing() -> None:
    """The shard of a contestant holds the records of both; items of one may be called as those of the other."""
    axes = boards.benchmark(boards.domain("science", boards.category("trials", "a", "zz")), judges=JUDGES, samples=3)
    other = msgspec.structs.replace(axes.boards["main"], id="other", panel="axes-panel")
    both = replace(
        axes,
        domains={**axes.domains, **RUBRIC_BOARD.domains},
        judges=RUBRIC_BOARD.judges,
        panels={"axes-panel": axes.panels["panel"], **RUBRIC_BOARD.panels},
        models=RUBRIC_BOARD.models,
        boards={"other": other, **RUBRIC_BOARD.boards},
    )
    ours, theirs = some_evidence(), []
    for sample in range(3):
        theirs += [boards.response(item, sample=sample, board="other") for item in ("a", "zz")]
        theirs += [boards.judgment(j, item, sample=sample, board="other") for j in JUDGES for item in ("a", "zz")]
    assert result_files(scored(both, [*theirs, *ours])) == result_files(scored(RUBRIC_BOARD, ours))
    assert boards.scored(both, [*theirs, *ours], "other").row("m").n_responses == 6
