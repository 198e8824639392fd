"""Contamination by date on a board: who is tested against which date and compared with whom, and why others are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.boards import model
from support.dated_boards import DATE, write_dated

from nullbench_site.errors import SpecError
from nullbench_site.scoring.contamination_tables import ContaminationDateRow
from nullbench_site.scoring.dates import first_day, last_day, related_contestants
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark

Rows = dict[str, ContaminationDateRow]
NO_CUTOFF = "no training cutoff is stated; fill in `training_cutoff`"


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return load_benchmark(write_dated(tmp_path_factory.mktemp("dated")) / "specs")


def rows(benchmark: Benchmark, by: str = "date", category: str | None = None) -> Rows:
    """Return the rows of one test by contestant."""
    (board,) = benchmark.boards.values()
    scorer = scorer_of(benchmark, board)
    contestants = [scorer.reduce(each) for each in scorer.from_specs() or ()]
    table: list[ContaminationDateRow] = dict(scorer.tables(contestants))["contamination_dates"]
    return {row.model: row for row in table if (row.by, row.category) == (by, category)}


def changed(benchmark: Benchmark, name: str, **fields: Any) -> Benchmark:
    models = {**benchmark.models, name: msgspec.structs.replace(benchmark.models[name], **fields)}
    return replace(benchmark, models=models)


def test_who_saw_old_items_is_flagged_on_their_platform_and_nobody_on_the_other(dated: Benchmark) -> None:
    for category, flagged in ((None, {"seen", "tuned"}), ("dated.leet", {"seen", "tuned"}), ("dated.at", set())):
        found = rows(dated, category=category)
        assert {name for name, row in found.items() if row.flagged} == flagged
        assert {row.date for row in found.values()} == {DATE}
    seen = rows(dated, category="dated.leet")["seen"]
    assert (seen.n_before, seen.n_after) == (12, 12)
    assert seen.drop is not None
    assert seen.others_drop is not None
    assert seen.difference == pytest.approx(seen.drop - seen.others_drop)
    assert seen.difference == pytest.approx(40, abs=5)


def test_the_family_and_what_is_derived_from_it_are_not_compared_with(dated: Benchmark) -> None:
    """Seen is compared with Early, Late and Other: not with Tuned, whose base continues its own, nor with Gappy."""
    found = rows(dated)
    assert [found[name].n_others for name in ("seen", "tuned", "early")] == [3, 3, 4]
    alone = rows(changed(dated, "tuned", base=None))
    assert [alone[name].n_others for name in ("seen", "tuned", "early")] == [4, 4, 4]
    assert alone["seen"].others_drop != found["seen"].others_drop


def test_each_contestant_is_tested_against_its_own_cutoff(dated: Benchmark) -> None:
    found = rows(dated, "cutoff")
    assert {name: row.absent for name, row in found.items()} == {
        "seen": None,
        "tuned": NO_CUTOFF,
        "early": "every item is newer than its training cutoff, 2022",
        "late": "no item is newer than its training cutoff, 2024-01",
        "other": NO_CUTOFF,
        "gappy": "every item is newer than its training cutoff, 2022-06-30",
    }
    assert (found["seen"].flagged, found["seen"].n_before, found["seen"].n_after) == (True, 24, 24)
    assert all((row.flagged, row.low) == (None, None) for name, row in found.items() if name != "seen")


@pytest.mark.parametrize(
    ("cutoff", "absent"),
    [
        (None, NO_CUTOFF),
        ("2023-10-01", "no item is newer than its training cutoff, 2023-10-01"),
        ("2023-07-31", "every item is newer than its training cutoff, 2023-07-31"),
    ],
)
def test_a_bad_cutoff_changes_the_row_of_its_contestant_alone(
    dated: Benchmark, cutoff: str | None, absent: str
) -> None:
    before, after = (rows(each, "cutoff") for each in (dated, changed(dated, "seen", training_cutoff=cutoff)))
    assert after.pop("seen").absent == absent
    before.pop("seen")
    assert after == before


@pytest.mark.parametrize(
    ("date", "absent"),
    [("2023-01-01", "every item is from 2023-01-01 or later"), ("2024-01-01", "no item is from 2024-01-01 or later")],
)
def test_a_date_with_all_items_on_one_side_tests_nobody(dated: Benchmark, date: str, absent: str) -> None:
    board = msgspec.structs.replace(dated.boards["dated"], contamination_date=date)  # type: ignore[call-arg]
    found = rows(replace(dated, boards={"dated": board}))
    assert {row.absent for row in found.values()} == {absent}


def test_a_contestant_that_lacks_a_score_is_not_tested(dated: Benchmark) -> None:
    row = rows(dated)["gappy"]
    assert (row.absent, row.difference) == ("scores on 47 of 48 items only", None)


def test_a_date_for_items_without_dates_is_a_mistake_at_its_place(tmp_path: Path) -> None:
    root = write_dated(tmp_path, dates=False)
    with pytest.raises(SpecError) as caught:
        load_benchmark(root / "specs")
    (problem,) = caught.value.problems
    assert str(problem).startswith("specs/boards/dated.yaml:")
    assert str(problem).endswith("no item has a date; fill in the column 'date' of items.csv, or remove this key")


def test_relations_are_by_family_and_base_and_reach_through_others() -> None:
    """a and b are of one family, c continues the base of b, d has c as its base; e only begins like b's base."""
    of = msgspec.structs.replace
    a, b = model("a", family="f"), of(model("b", family="f"), base="m-7b")
    c, d = of(model("c", family="g"), base="m-7b-python"), of(model("d", family="h"), base="c")
    e, z = of(model("e", family="i"), base="m-7bx"), model("z", family="j")
    found = related_contestants([a, b, c, d, e, z])
    assert found[:4, :4].all()
    assert found[4:, :].sum() == 2
    assert (found == found.T).all()


@pytest.mark.parametrize(
    ("date", "first", "last"),
    [("2023", "2023-01-01", "2023-12-31"), ("2023-05", "2023-05-01", "2023-05-31"), ("2023-05-07",) * 3],
)
def test_a_month_or_a_year_has_a_first_and_a_last_day(date: str, first: str, last: str) -> None:
    assert (first_day(date), last_day(date)) == (first, last)
    assert first_day(None) < date < last_day(None)
