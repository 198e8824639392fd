"""The Python tools make their logs of `tests/data/logs` again, each in an environment of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nullbench_site.interop.answers import read_answers_file
from nullbench_site.interop.score_table import Chosen, read_table

LOGS = Path(__file__).parents[1] / "data/logs"
COMMANDS = dict(re.findall(r"(?m)^\| (\w+) \| [^|]+ \| `(.+)` \|$", (LOGS / "README.md").read_text("utf-8")))


def contents(folder: Path, scored: str, metric: str, answered: str) -> Any:
    """The scores of the files that match `scored`, and the answers of those that match `answered`."""
    tables = [read_table(str(path), Chosen(score=metric)) for path in folder.rglob(scored)]
    files = [read_answers_file(path.name, path.read_bytes()) for path in folder.rglob(answered)]
    assert tables
    assert files
    return (
        sorted((table.models, table.items, table.values.tolist()) for table in tables),
        sorted((each.item, each.sample, str(each.prompt), each.text) for file in files for each in file.answers),
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("tool", "scored", "metric", "answered"),
    [
        ("inspect", "*.eval", "includes", "*.json"),
        ("lm_eval", "results_*.json", "exact_match,first", "samples_*.jsonl"),
        ("helm", "run_spec.json", "exact_match", "scenario_state.json"),
    ],
)
def test_the_log_of_a_tool_is_made_again(tool: str, scored: str, metric: str, answered: str, tmp_path: Path) -> None:
    programs = Path(f"{os.environ.get('TOOLS', '')}{tool}/bin")
    if not programs.is_dir():
        pytest.skip("needs the environment of the tool, see `make test-all`")
    kept = contents(LOGS / tool, scored, metric, answered)
    work = shutil.copytree(
        LOGS / tool, tmp_path / tool, ignore=shutil.ignore_patterns("*.eval", "*.json", "samples_*", "run")
    )
    program, *arguments = shlex.split(COMMANDS[tool])
    subprocess.run(
        [programs / program, *arguments],
        cwd=work,
        env={**os.environ, "PYTHONPATH": "."},
        check=True,
        capture_output=True,
    )
    assert contents(work, scored, metric, answered) == kept
