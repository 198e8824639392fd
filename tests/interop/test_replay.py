"""A live run of imported prompts, end to end: a server replays what contestants and judges once said."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from support.benchmarks import write_spec
from support.commands import ROOT
from support.evidence import records
from support.ports import held_port
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.repository import Repository

SHARED = ROOT.parent / "shared"
DATA, SERVER = SHARED / "data" / "benchpress", SHARED / "tools" / "replay_server.py"
pytestmark = pytest.mark.skipif(not SERVER.is_file(), reason="the replay server is not part of the project")

CONTESTANTS = ("claude-haiku-3", "gpt-5.2", "qwen3-235b")
DOMAINS = ("meta", "research")
ITEMS = 11
CALLS = len(CONTESTANTS) * ITEMS * (1 + 4 + 3) - ITEMS
"""Four judges and three metrics; qwen3-235b, a judge too, does not mark itself."""


@pytest.fixture
def server() -> Iterator[str]:
    with held_port() as port:
        command = [sys.executable, SERVER, "--data", DATA, "--port", str(port), "--faults", "0.1"]
        process = subprocess.Popen(list(map(str, command)))
        url = f"http://127.0.0.1:{port}"
        try:
            while True:
                try:
                    httpx2.get(f"{url}/stats")
                    break
                except httpx2.TransportError:
                    assert process.poll() is None
                    time.sleep(0.02)
            yield url
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def live(server: str, tmp_path: Path) -> Repository:
    """The imported specs, with everybody at the server, which has verdicts on what was recorded: on no control."""
    api.import_results("benchpress", DATA, tmp_path / "imported")
    specs = tmp_path / "live" / "specs"
    specs.parent.mkdir()
    (tmp_path / "imported" / "specs").rename(specs)
    for path in (specs / "models").glob("*.yaml"):
        model = yaml.safe_load(path.read_text("utf-8"))
        if model["id"] in CONTESTANTS:
            write_spec(path, {**model, "backend": "openai", "endpoint": "local", "model": model["id"]})
        else:
            path.unlink()
    for path in (specs / "domains").glob("*.yaml"):
        if path.stem not in DOMAINS:
            path.unlink()
    board = yaml.safe_load((specs / "boards/benchpress.yaml").read_text("utf-8"))
    write_spec(specs / "boards/benchpress.yaml", {**board, "domains": list(DOMAINS), "controls": "none"})
    judges = yaml.safe_load((specs / "judges.yaml").read_text("utf-8"))
    for judge in judges["judges"]:
        name = "gpt-4.1" if judge["id"] == "deepeval" else judge["id"]
        judge |= {"backend": "openai", "endpoint": "local", "model": f"judge/{name}"}
    write_spec(specs / "judges.yaml", judges)
    at = {"id": "local", "base_url": f"{server}/v1", "limits": {"concurrency": 32, "first_wait": 0.01}}
    write_spec(specs / "endpoints.yaml", {"endpoints": [at]})
    return Repository(specs.parent)


def test_recorded_answers_get_the_marks_they_got(server: str, live: Repository) -> None:
    report = api.build(live, render_site=False)
    assert (report.calls.made, report.calls.failed, report.calls.left) == (CALLS, 0, 0)
    stats = httpx2.get(f"{server}/stats").json()
    assert (stats["answered"], stats["repeated"]) == (CALLS, 0)
    assert stats["faults"] > 0
    marks = [record for record in records(run_dir(live), "judgments") if record["judge_template"] is None]
    assert {judgment["scores"]["score"] for judgment in marks} <= {1, 2, 3, 4, 5}
    told = _recorded()
    assert [
        (mark["model"], mark["item"], mark["judge"])
        for mark in marks
        if mark["scores"]["score"] != told[mark["model"], mark["item"].upper(), mark["judge"]]
    ] == []
    assert api.build(live, render_site=False).calls.made == 0
    assert api.verify(live, None)[1] == []


def _recorded() -> dict[tuple[str, str, str], Any]:
    found = {}
    for model in CONTESTANTS:
        runs = json.loads((DATA / "results" / f"{model}.json").read_text("utf-8"))["runs"]
        for prompt, history in runs.items():
            for judge, verdict in (history[-1].get("judge_scores") or {}).items():
                found[model, prompt, judge] = verdict["score"]
    return found
