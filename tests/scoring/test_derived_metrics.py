"""A metric of another package: a column of every board, and an entry of the registry."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark
from support.commands import ROOT, Finished, nullbench
from support.packages import install, run_with
from support.pages import pages

SWEEP = pytest.mark.sweep
METRIC = """
from nullbench_site.scoring.columns import Metric

def value(observations):
    return float(observations.answered.sum())

ANSWERED = Metric(
    id="answered", title="Answered", short="Answered", unit="answers", direction="higher",
    sentence="How many answers there are.", source="a test", value=value,
)
"""
SCRIPT = f"""
import csv, io, json, sys
sys.path.append({str(Path(__file__).parents[1])!r})
from support.boards import benchmark, judged, scored
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.tables import result_files

files = result_files(scored(benchmark(), judged({{"q": 80}})))
(row,) = csv.DictReader(io.StringIO(files["leaderboard.csv"].decode()))
print(json.dumps({{
    "value": row.get("answered"),
    "in parts": "answered" in files["domains.csv"].decode(),
    "entry": [METRICS["answered"].title, list(METRICS["answered"].columns)] if "answered" in METRICS else None,
}}))
"""


def test_a_metric_of_another_package_is_a_column_of_every_board(tmp_path: Path) -> None:
    install(tmp_path, "counter", METRIC, "[nullbench_site.metrics]\nanswered = counter:ANSWERED\n")
    assert run_with(tmp_path, SCRIPT) == {
        "value": "1.0", "in parts": False, "entry": ["Answered", ["answered"]],
    }  # fmt: skip


def test_its_number_stands_on_the_pages_of_the_board_and_of_the_contestant(tmp_path: Path) -> None:
    install(tmp_path, "counter", METRIC, "[nullbench_site.metrics]\nanswered = counter:ANSWERED\n")
    folder = tmp_path / "keys"
    write_benchmark(folder, "oracle")
    done = nullbench(folder, "build", PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert done.code == 0, done.err
    site = pages(folder / "site")
    board = site["boards/keys/"].all("table")[0]
    place = [head.text for head in board.all("thead")[0].all("tr")[-1].all("th")].index("Answered")
    assert {row[place] for row in board.rows()} == {"13.0"}
    figures = {row[0]: row[1] for row in site["models/copy/"].all("table", class_="nb-figures")[0].rows()}
    assert figures["Answered"] == "13.0 answers"
    assert "How many answers there are." in site["glossary/"].text
    assert "answered" in site["data/"].text.split()


def test_without_the_package_nothing_is_there(tmp_path: Path) -> None:
    without = run_with(tmp_path, SCRIPT)
    assert (without["value"], without["entry"]) == (None, None)


def _built(tmp_path: Path, name: str, old: str = "", new: str = "") -> Finished:
    install(tmp_path, "counter", METRIC.replace(old, new), f"[nullbench_site.metrics]\n{name} = counter:ANSWERED\n")
    write_benchmark(tmp_path / "keys", "oracle")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    return nullbench(tmp_path / "keys", "build", "--no-render", PYTHONPATH=path)


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("return float", "return str", "cannot be computed (TypeError: str is not a number)"),
        pytest.param(
            "return float", "return bool", "cannot be computed (TypeError: bool is not a number)", marks=SWEEP
        ),
        ("return float(", "raise KeyError('boom', ", "cannot be computed (KeyError: ('boom', "),
        pytest.param('"higher"', '"sideways"', "Invalid enum value 'sideways' - at `$.direction`", marks=SWEEP),
        ('"a test"', '"a test", digits=-1', "Expected `int` >= 0 - at `$.digits`"),
    ],
)
def test_a_package_whose_number_is_none_is_named_and_nothing_sealed(
    tmp_path: Path, old: str, new: str, wrong: str
) -> None:
    done = _built(tmp_path, "answered", old, new)
    assert done.code == 2
    assert wrong in done.err
    assert "of counter that fits" in done.err or "counter adds a number 'answered', but" in done.err
    assert list((tmp_path / "keys").glob("runs/*/results/*/results.json")) == []


@pytest.mark.parametrize("formula", [r"\left(x", *(pytest.param(each, marks=SWEEP) for each in ("x_", "{" * 2000))])
def test_a_formula_that_is_no_latex_is_named_with_its_package(tmp_path: Path, formula: str) -> None:
    assert _built(tmp_path, "answered", '"a test"', f'"a test", formula={formula!r}').code == 0
    done = nullbench(tmp_path / "keys", "render", PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert done.code == 2
    assert "the formula of the number 'answered' is not LaTeX" in done.err
    assert "install a version of counter that fits, or uninstall it" in done.err


@pytest.mark.parametrize(
    "name", ["model", "overall", *(pytest.param(each, marks=SWEEP) for each in ("n_items", "rank"))]
)
def test_a_number_with_the_name_of_a_column_is_refused(tmp_path: Path, name: str) -> None:
    done = _built(tmp_path, name)
    assert done.code == 2
    assert name in done.err.splitlines()[-1]
    assert list((tmp_path / "keys").glob("runs/*/results/*/results.json")) == []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("float('nan')", ""),
        ("np.float32(0.5)", "0.5"),
        pytest.param("float('-inf')", "", marks=SWEEP),
        pytest.param("np.int64(3)", "3", marks=SWEEP),
    ],
)
def test_what_is_no_finite_number_is_absent_and_those_of_numpy_are_numbers(
    tmp_path: Path, value: str, written: str
) -> None:
    done = _built(
        tmp_path, "answered", "return float(observations.answered.sum())", f"import numpy as np; return {value}"
    )
    assert done.code == 0, done.err
    (path,) = (tmp_path / "keys").glob("runs/*/results/*/leaderboard.csv")
    with path.open(encoding="utf-8") as file:
        assert {row["answered"] for row in csv.DictReader(file)} == {written}
