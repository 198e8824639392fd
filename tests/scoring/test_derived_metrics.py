"""A metric of another package: a column of every board, and an entry of the registry."""

from __future__ import annotations

from pathlib import Path

from support.packages import install, run_with

METRIC = """
class Answered:
    about = {
        "title": "Answered", "short": "Answered", "unit": "answers", "direction": "higher",
        "explanation": "How many answers there are.", "source": "a test",
    }

    @staticmethod
    def value(observations):
        return float(observations.answered.sum())
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
    "entry": [METRICS["answered"].title, METRICS["answered"].columns] if "answered" in METRICS else None,
}}))
"""


def test_a_metric_of_another_package_is_a_column_of_every_board(tmp_path: Path) -> None:
    install(tmp_path, "counter", METRIC, "[nullbench_site.metrics]\nanswered = counter:Answered\n")
    assert run_with(tmp_path, SCRIPT) == {
        "value": "1.0", "in parts": False, "entry": ["Answered", ["answered"]],
    }  # fmt: skip


def test_without_the_package_nothing_is_there(tmp_path: Path) -> None:
    without = run_with(tmp_path, SCRIPT)
    assert (without["value"], without["entry"]) == (None, None)
