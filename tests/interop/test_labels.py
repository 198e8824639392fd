"""Labels make the round trip: plan, sheet, import, build."""

from __future__ import annotations

import csv
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from support import graded_boards
from support.benchmarks import write_benchmark
from support.boards import MANIFEST, model
from support.commands import nullbench

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop import labels
from nullbench_site.interop.labels import answers_needed
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.specs.load import load_benchmark


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    write_benchmark(tmp_path)
    repository = Repository(tmp_path)
    api.build(repository, render_site=False)
    return repository


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fill(repository: Repository, values: list[str], name: str = "sheet.csv") -> None:
    """Write values into the first rows of the sheet, and none into the others."""
    sheet = rows(repository.root / "sheet.csv")
    with (repository.root / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(sheet[0]))
        writer.writeheader()
        writer.writerows(row | {"value": value} for row, value in zip_longest(sheet, values, fillvalue=""))


def imported(repository: Repository, name: str = "sheet.csv") -> tuple[int, str]:
    done = nullbench(
        repository.root, "import", "labels", name, "--plan", "plan.csv", "--board", "small", "--rater", "ann"
    )
    return done.code, done.err


def test_the_round_trip_takes_four_commands(repository: Repository) -> None:
    planned = nullbench(repository.root, "label", "plan", "small", "--model", "lead-2")
    assert planned.code == 0, planned.err
    assert "; a score is corrected from 100 labels" in planned.err
    assert nullbench(repository.root, "label", "sheet", "plan.csv").code == 0
    plan, sheet = rows(repository.root / "plan.csv"), rows(repository.root / "sheet.csv")
    assert {row["contestant"] for row in plan} == {"lead-2"}
    assert {row["probability"] for row in plan} == {"1.0"}
    assert list(sheet[0]) == ["code", "question", "answer", "value"]
    assert "lead-2" not in (repository.root / "sheet.csv").read_text("utf-8")
    assert [row["code"] for row in sheet] == sorted(row["code"] for row in plan)
    fill(repository, ["1", "0", "0|1", ""])
    code, said = imported(repository)
    assert code == 0, said
    assert said.startswith("3 labels, 3 of them new; 3 rows without a value left out\n")
    benchmark = load_benchmark(repository.specs)
    assert sorted(label.value for label in benchmark.labels["small"]) == [0.0, 0.5, 1.0]
    built = nullbench(repository.root, "build")
    assert built.code == 0, built.err
    found = api.find_run(repository, None)
    table = rows(found.path / "results/small/judge_labels.csv")
    assert {row["n_labels"] for row in table} == {"3"}
    assert api.verify(repository, found.manifest.run).problems == []
    page = (repository.site / "judges/small/index.html").read_text("utf-8")
    assert "Judges against labels" in page
    assert "fewer than 100 labels" in page


def test_labels_of_a_rater_are_replaced_and_as_written(repository: Repository) -> None:
    nullbench(repository.root, "label", "plan", "small", "--model", "lead-2")
    nullbench(repository.root, "label", "sheet", "plan.csv")
    fill(repository, ["0|1", "1"])
    assert imported(repository)[0] == 0
    fill(repository, ["", "0", "1"], "again.csv")
    code, said = imported(repository, "again.csv")
    assert said.startswith("2 labels, 1 of them new; 4 rows without a value left out\n"), said
    assert code == 0
    kept = rows(repository.specs / "labels/small.csv")
    assert sorted(row["value"] for row in kept) == ["0", "0|1", "1"]
    assert (repository.specs / "boards/small.yaml").read_text("utf-8").count("labels:") == 1


def test_every_problem_of_a_sheet_is_said_and_nothing_written(repository: Repository) -> None:
    nullbench(repository.root, "label", "plan", "small", "--model", "lead-2")
    nullbench(repository.root, "label", "sheet", "plan.csv")
    fill(repository, ["2", "good", "1"])
    sheet = repository.root / "sheet.csv"
    sheet.write_text(f"{sheet.read_text('utf-8')}abc,,,1\n", "utf-8")
    code, said = imported(repository)
    assert code == 2
    lines = [line.split(": ", 1)[1] for line in said.splitlines()[:3]]
    assert lines == [
        "value: '2' is off the scale; the scale is 0 to 1, the `low` and `high` of the board's labels",
        "value: found 'good'; write a number, or several with | between them",
        "code: the plan of board 'small' has no code 'abc'",
    ]
    assert not (repository.specs / "labels").exists()


def test_one_label_is_refused_by_the_specs_and_nothing_stays(repository: Repository) -> None:
    nullbench(repository.root, "label", "plan", "small", "--model", "lead-2")
    nullbench(repository.root, "label", "sheet", "plan.csv")
    fill(repository, ["1"])
    before = (repository.specs / "boards/small.yaml").read_bytes()
    code, said = imported(repository)
    assert (code, "rater 'ann' has one label" in said) == (2, True)
    assert (repository.specs / "boards/small.yaml").read_bytes() == before
    assert not (repository.specs / "labels/small.csv").exists()


def test_a_plan_has_as_many_answers_as_the_interval_needs() -> None:
    assert answers_needed(10) == 100
    assert answers_needed(5) == 385  # (1.96 * 50 / 5)^2


def test_unknown_boards_and_contestants_are_named(repository: Repository) -> None:
    done = nullbench(repository.root, "label", "plan", "none")
    assert (done.code, "has no board 'none'" in done.err) == (2, True)
    done = nullbench(repository.root, "label", "plan", "small", "--model", "lead-99")
    assert (done.code, "has no contestant 'lead-99'; did you mean" in done.err) == (2, True)


def test_the_page_shows_corrected_scores_and_raters(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """With limits that six answers meet."""
    for module in ("stats.labels", "scoring.labels", "site.trust.labels"):
        monkeypatch.setattr(f"nullbench_site.{module}.LEAST_LABELS", 3)
    monkeypatch.setattr("nullbench_site.stats.labels.LEAST_ALT_ITEMS", 3)
    nullbench(repository.root, "label", "plan", "small", "--model", "lead-2", "--model", "textrank-2")
    nullbench(repository.root, "label", "sheet", "plan.csv")
    for rater in ("ann", "bob", "cy"):
        fill(repository, ["1", "0", "1", "1", "1", "0", "1", "0"], f"{rater}.csv")
        command = ("import", "labels", f"{rater}.csv", "--plan", "plan.csv", "--board", "small", "--rater", rater)
        assert nullbench(repository.root, *command).code == 0
    built = api.build(repository)
    table = rows(Path(built.run_dir) / "results/small/corrected_scores.csv")
    assert any(row["corrected_score"] for row in table if row["model"] == "lead-2")
    assert (Path(built.run_dir) / "results/small/alt_tests.csv").is_file()
    page = (repository.site / "judges/small/index.html").read_text("utf-8")
    for heading in ("Judges against labels", "Scores corrected by labels", "Judges against raters"):
        assert f">{heading}<" in page
    assert "Null: " in page
    assert (repository.site / "data/v1/boards/small/corrected_scores.csv").is_file()


def test_a_board_of_null_models_has_no_plan_unless_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark: Any = graded_boards.benchmark(model("void", "null"))
    monkeypatch.setattr(labels, "_judged", lambda entry, board: (benchmark, benchmark.boards["main"]))
    with pytest.raises(UsageError, match="board 'main' has null models only; choose contestants with --model"):
        labels.plan(CatalogEntry(Path("run"), MANIFEST), "main", [], 10, 0)
