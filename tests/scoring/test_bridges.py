"""A judge that is to succeed another marks what it has marked: the shift by hand, ranks, and no score moved."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest
from support import boards
from support.boards import AXES, category, domain, judgment, model, response, write_shards

from nullbench_site.judging.bridges import bridges_of
from nullbench_site.runs.records import Record
from nullbench_site.scoring.bridges import SCORE, bridge_tables
from nullbench_site.site.pages.judges import bridges
from nullbench_site.site.views import view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Bridge, Judge

SIX = list("abcdef")
ON_PANEL = ("old", "other")


def _benchmark(items: int | str = "all", family: str = "news") -> Benchmark:
    """Two contestants and a null model on six items; `new` is to take the place of `old`."""
    made = boards.benchmark(
        domain("science", category("trials", *SIX)),
        models=["m", "n", model("guess", "null")],
        judges=ON_PANEL,
    )
    new = Judge(
        id="new", title="New", description="", backend="offline", model="new", family=family,
        bridges=Bridge(judge="old", items=items),  # type: ignore[arg-type]
    )  # fmt: skip
    return dataclasses.replace(made, judges={**made.judges, "new": new})


def _records(shift: list[int]) -> list[Record]:
    """`old` and `other` give 2 on every axis and 50 to m and 40 to n; `new` gives m more by `shift`, item by item."""
    records: list[Record] = []
    for contestant, alignment in (("m", 50), ("n", 40), ("guess", 0)):
        for item, more in zip(SIX, shift, strict=True):
            records.append(response(item, contestant))
            records += [judgment(judge, item, contestant, axes=2, alignment=alignment) for judge in ON_PANEL]
            added = more if contestant == "m" else 0
            records.append(judgment("new", item, contestant, axes=2 + added, alignment=alignment - 30 * added))
    return records


def test_the_shift_is_the_mean_difference_on_the_same_answers_paired_by_item(tmp_path: Path) -> None:
    """m gets 1 more on three of six items, n nothing: differences by item 0.5 and 0, shift 0.25. Residuals are 0.25, so
    v = 6/5 * 6 * 0.0625 / 36 = 0.0125, se = 0.111803; t of 5 degrees of freedom is 2.570582: -0.037399 to 0.537399."""
    benchmark = _benchmark()
    folder = write_shards(tmp_path, _records([1, 0, 1, 0, 1, 0]))
    rows, ranks = bridge_tables(benchmark, benchmark.boards["main"], folder, None)
    row = {row.mark: row for row in rows}[AXES[0]]
    assert (row.judge, row.other, row.n_items, row.n_answers, row.before, row.after) == ("new", "old", 6, 12, 2.0, 2.25)
    assert (row.shift, row.se) == (0.25, pytest.approx(0.111803, abs=1e-6))
    assert (row.low, row.high) == (pytest.approx(-0.037399, abs=1e-5), pytest.approx(0.537399, abs=1e-5))
    score = {row.mark: row for row in rows}[SCORE]
    assert (score.before, score.after, score.shift) == (45.0, 37.5, -7.5)
    assert {row.model: (row.overall, row.overall_after) for row in ranks} == {
        "m": (50.0, 42.5), "n": (40.0, 40.0),
    }  # fmt: skip


def test_ranks_are_those_of_the_whole_panel_with_the_new_judge_in_the_place_of_the_other(tmp_path: Path) -> None:
    """m: (50 + 50 - 30) / 2 = 35 with `new`, below the 40 of n."""
    benchmark = _benchmark()
    folder = write_shards(tmp_path, _records([1] * 6))
    _, ranks = bridge_tables(benchmark, benchmark.boards["main"], folder, None)
    assert {row.model: (row.rank, row.rank_after) for row in ranks} == {"m": (1, 2), "n": (2, 1)}
    assert {row.model: row.overall_after for row in ranks}["m"] == 35.0


def test_no_score_of_the_board_counts_what_it_says() -> None:
    with_bridge, without = (
        _records([1] * 6),
        [each for each in _records([0] * 6) if getattr(each, "judge", "") != "new"],
    )
    assert boards.scored(_benchmark(), with_bridge) == boards.scored(_benchmark(), without)


def test_items_are_drawn_by_their_ids_and_a_family_is_left_out() -> None:
    (bridge,) = bridges_of(some := _benchmark(items=4), some.boards["main"])
    assert len(bridge.items) == 4
    assert bridge.items < set(SIX)
    (again,) = bridges_of(_benchmark(items=4), some.boards["main"])
    assert again.items == bridge.items
    assert [task.judge.id for task in bridge.tasks(some.models["m"])] == ["new"]
    (of_family,) = bridges_of(kin := _benchmark(family="others"), kin.boards["main"])
    assert of_family.tasks(kin.models["m"]) == ()


def test_the_page_of_judges_says_what_would_move(tmp_path: Path) -> None:
    benchmark = _benchmark()
    records = _records([1] * 6)
    rows, ranks = bridge_tables(benchmark, benchmark.boards["main"], write_shards(tmp_path, records), None)
    results = msgspec.structs.replace(boards.scored(benchmark, records), bridges=rows, bridge_ranks=ranks)
    (said,) = bridges(view_of(benchmark, benchmark.boards["main"], results))
    assert said["sentences"] == [
        "New will replace old; it marked the answers to 6 of 6 items. Its marks count in no score yet.",
        "Alone it scores the same 12 answers 15.0 points lower than old, on average; its interval is not measured: "
        "the same difference on every item.",
        "On these items the ranks of 2 of 2 contestants would change.",
    ]
    assert [(row.model, row.overall, row.overall_after) for row in said["moves"]] == [("m", 50, 35), ("n", 40, 40)]


@pytest.mark.parametrize(
    ("shifts", "said"),
    [
        (
            [1, 0, 1, 0, 1, 0],
            " 7.5 points lower than old, on average [−16.1 to +1.1]; that is not distinguishable from no shift.",
        ),
        ([1, 1, 1, 1, 1, 0], " 12.5 points lower than old, on average [−18.9 to −6.1]."),
        ([0, 0, 0, 0, 0, 0], "Alone New scores the same 12 answers as old does, on average."),
    ],
)
def test_how_sure_a_shift_is_stands_behind_it(shifts: list[int], said: str, tmp_path: Path) -> None:
    benchmark = _benchmark()
    rows, ranks = bridge_tables(benchmark, benchmark.boards["main"], write_shards(tmp_path, _records(shifts)), None)
    results = msgspec.structs.replace(boards.scored(benchmark, _records(shifts)), bridges=rows, bridge_ranks=ranks)
    (found,) = bridges(view_of(benchmark, benchmark.boards["main"], results))
    assert found["sentences"][1].endswith(said)
