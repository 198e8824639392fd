"""The published boards that ship: their figures, what they must not contain, and what else depends on them.

tests/published/figures.csv has the expected figures. Those of alpacaeval were published by its source (leaderboard of
tatsu-lab/alpaca_eval, commit cd543a14). Those of the other boards were computed independently from the same tables.
"""

from __future__ import annotations

import csv
import shutil
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.repositories import shipped_benchmark

from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.review.calls import KnownAnswers
from nullbench_site.runs.records import Response
from nullbench_site.scoring.board import reduce_board
from nullbench_site.scoring.observations import ShardReader
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.specs.load import load_benchmark

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs"
PUBLISHED = [
    name
    for name in ("alpacaeval", "livebench", "livecodebench", "swe-bench")
    if (SPECS / f"boards/{name}.yaml").is_file()
]
FOLDERS = {
    "alpacaeval": "pairwise/alpacaeval",
    **{name: f"scores/{name}" for name in PUBLISHED if name != "alpacaeval"},
}
CLOSE = {"lc_win_rate": 0.15}
"""The folds of the length-controlled win rate are not published; of gpt4_gamed they choose another penalty."""

pytestmark = pytest.mark.skipif(not PUBLISHED, reason="the published boards were removed")


@cache
def figures() -> dict[str, dict[tuple[str, str], float]]:
    """The expected figures by board, contestant and column."""
    found: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    with (Path(__file__).parent / "published" / "figures.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["board"]][row["model"], row["column"]] = float(row["value"])
    return found


@cache
def rows(board: str) -> dict[str, Any]:
    """The rows of a board, scored from the shipped tables."""
    builder = RequestBuilder(shipped_benchmark(), backends())
    scorer = scorer_of(builder.benchmark, builder.benchmark.boards[board])
    observed = scorer.from_specs()
    if observed is None:
        known, reader = KnownAnswers(), ShardReader(scorer)
        for record in builder.recorded():
            known.keep(record)
        observed = (
            reader.observe_records(model, *both) for (name, model), both in known.records.items() if name == board
        )
    return {row.model: row for row in reduce_board(scorer, "", observed, whole=False, with_items=False).leaderboard}


@pytest.mark.parametrize("board", PUBLISHED)
def test_the_figures_are_those_of_the_source(board: str) -> None:
    expected = figures()[board]
    assert len({model for model, _ in expected}) >= len(rows(board)) - 1
    for (model, column), value in expected.items():
        found = getattr(rows(board)[model], column)
        near = CLOSE.get(column, 2e-6 if board != "alpacaeval" else 1e-4)
        assert found == pytest.approx(value, abs=near), (model, column)


def test_nullmodel_is_a_null_model_at_its_published_win_rates() -> None:
    row = rows("alpacaeval")["nullmodel"]
    assert (round(row.win_rate, 1), round(row.lc_win_rate, 1), row.rank) == (76.9, 86.5, None)


@pytest.mark.parametrize("board", PUBLISHED)
def test_a_board_names_its_source_and_its_licence(board: str) -> None:
    source = (SPECS / FOLDERS[board] / "SOURCE.md").read_text("utf-8")
    spec = shipped_benchmark().boards[board]
    assert spec.imported is not None
    assert spec.imported.link in source
    assert "Licence" in source
    assert ("CC BY-NC 4.0" in source) == (board == "alpacaeval") == (spec.imported.license == "CC BY-NC 4.0")
    assert f"`specs/boards/{board}.yaml`, and build" in " ".join(source.split())


@pytest.mark.parametrize("board", PUBLISHED)
def test_tables_have_names_numbers_and_dates_but_no_texts(board: str) -> None:
    for path in (SPECS / FOLDERS[board]).glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            assert max(len(cell) for row in csv.reader(file) for cell in row) <= 80, path


def test_records_have_no_text() -> None:
    builder = RequestBuilder(shipped_benchmark(), backends())
    for record in builder.recorded():
        assert record.text == "" if isinstance(record, Response) else (record.rationale, record.raw) == ("", None)


@pytest.mark.parametrize("board", PUBLISHED)
def test_removing_a_board_breaks_nothing_else(tmp_path: Path, board: str) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    shutil.rmtree(tmp_path / "specs" / FOLDERS[board])
    (tmp_path / "specs" / "boards" / f"{board}.yaml").unlink()
    whole, benchmark = shipped_benchmark(), load_benchmark(tmp_path / "specs", backends=backend_names())
    assert [*benchmark.boards] == [name for name in whole.boards if name != board]
    assert [str(each) for each in benchmark.warnings] == [str(each) for each in whole.warnings]
    for name in benchmark.boards:
        assert benchmark.contestants(benchmark.boards[name]) == whole.contestants(whole.boards[name])
