"""What deepeval does beside measuring, in a process of its own and a surrounding that invites it to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nullbench_site.judging.geval import METRICS

_OF_DEEPEVAL = (
    "-W", "ignore:'asyncio.iscoroutinefunction' is deprecated:DeprecationWarning",
    "-W", "ignore:'return' in a 'finally' block:SyntaxWarning",
)  # fmt: skip
"""What Python 3.14 and later warn of in it."""
PROBE = Path(__file__).with_name("probe.py")
ROOT = Path(__file__).parents[3]
INVITING = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "0",
    "DEEPEVAL_TELEMETRY_ENABLED": "1",
    "DEEPEVAL_VERBOSE_MODE": "1",
    "DEEPEVAL_EVAL_MODE": "system_one",
    "DEEPEVAL_MODE": "nonsense",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "1",
    "DEEPEVAL_LOCAL_STORE": "sqlite",
    "CONFIDENT_API_KEY": "confident_us_nothing",
    "CONFIDENT_TRACE_INTERNAL": "1",
    "CONFIDENT_TRACE_FLUSH": "1",
    "CONFIDENT_TRACE_SAMPLE_RATE": "many",
    "LOG_LEVEL": "chatty",
    "OPENAI_API_KEY": "sk-nothing",
    "USE_OPENAI_MODEL": "perhaps",
}


def probed(
    tmp_path: Path, task: str, variables: dict[str, str]
) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    folder, home = tmp_path / "folder", tmp_path / "home"
    (folder / ".deepeval").mkdir(parents=True)
    home.mkdir()
    (folder / ".env").write_text("PLANTED_BY_DOTENV=1\nOPENAI_API_KEY=sk-dotenv\n")
    (folder / ".deepeval" / ".deepeval").write_text(json.dumps({"api_key": "planted by a key file"}))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": f"{ROOT}:{ROOT}/tests",
        "PLAIN": "stays",
        **variables,
    }
    process = subprocess.run(
        [sys.executable, "-W", "error", *_OF_DEEPEVAL, PROBE, task, tmp_path / "found.json"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return json.loads((tmp_path / "found.json").read_text()), process


@pytest.mark.parametrize(
    "variables", [pytest.param({}, id="plain", marks=pytest.mark.sweep), pytest.param(INVITING, id="inviting")]
)
def test_measuring_sends_writes_and_prints_nothing_and_leaves_the_process_as_it_was(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    found, process = probed(tmp_path, "measure", variables)
    assert found["scores"] == [0.8] * 40 * len(METRICS)
    assert found["seen"] == []
    assert found["after"] == found["before"]
    assert (process.stdout, process.stderr) == ("", "")


@pytest.mark.sweep
def test_the_probe_notices_what_deepeval_does_as_it_comes(tmp_path: Path) -> None:
    found, _ = probed(tmp_path, "import", {})
    assert found["after"]["environment"]["PLANTED_BY_DOTENV"] == "1"
    assert any(line.startswith("os.mkdir") for line in found["seen"])
    assert any(line.startswith("open") and ".env" in line for line in found["seen"])


def test_importing_the_package_does_not_import_deepeval() -> None:
    code = "import sys, nullbench_site.judging.geval as g; g.missing(); print('deepeval' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/tests"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "False\n"
