"""25 published models of BenchPress: our board shows what theirs does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from interop.imports import results_of
from support.commands import ROOT

from nullbench_site import api
from nullbench_site.protocols.rubric.metrics import RubricResults
from nullbench_site.repository import Repository

DATA = ROOT.parent / "shared" / "data" / "benchpress"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not part of the project")


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    into = tmp_path_factory.mktemp("published") / "board"
    api.import_results("benchpress", DATA, into)
    return Repository(into)


@pytest.fixture(scope="module")
def results(board: Repository) -> RubricResults:
    return results_of(board)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    models: dict[str, Any] = msgspec.json.decode((DATA / "expected.json").read_bytes())["models"]
    return models


def test_every_published_figure_is_reproduced(results: RubricResults, expected: dict[str, Any]) -> None:
    assert len(results.leaderboard) == len(expected) == 25
    for model, published in expected.items():
        row = results.row(model)
        assert row.composite == pytest.approx(published["composite_0_1"], rel=0, abs=0.0001), model
        assert row.judge_mean == pytest.approx(published["judge_mean_1_5"], rel=0, abs=0.005), model
        assert row.geval_mean == pytest.approx(published["geval_mean_0_1"], rel=0, abs=0.0001), model
        assert row.efficiency == pytest.approx(published["efficiency"], rel=0, abs=0.01), model
        assert row.mean_output_tokens == pytest.approx(published["mean_output_tokens"], rel=0, abs=0.05), model
        assert set(row.judges) == set(published["complete_judges"]), model


def test_the_ranking_is_the_published_one(results: RubricResults, expected: dict[str, Any]) -> None:
    published = sorted(expected, key=lambda model: expected[model]["published"]["rank"])
    assert [row.model for row in results.leaderboard] == published
    assert [row.rank for row in results.leaderboard] == list(range(1, 26))


def test_the_site_is_built_without_a_call_and_the_run_verifies(board: Repository) -> None:
    report = api.build(board)
    assert (report.calls.made, report.calls.failed, report.calls.left) == (0, 0, 0)
    assert (board.site / "index.html").is_file()
    assert api.verify(board, None)[1] == []


def test_no_key_of_an_endpoint_is_published(board: Repository) -> None:
    """An error that was recorded as a rationale holds one."""
    shape = re.compile(rb"AIza[0-9A-Za-z_-]{30,}")
    assert any(shape.search(path.read_bytes()) for path in (DATA / "results").iterdir())
    found = [path for path in Path(board.root).rglob("*") if path.is_file() and shape.search(path.read_bytes())]
    assert found == []
