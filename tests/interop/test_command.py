"""`nullbench-site import benchpress` as its users meet it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from interop.checkouts import Checkout, entry
from support.commands import nullbench
from support.evidence import files


def test_an_imported_board_is_built_and_verified_as_the_command_says(source: Checkout, tmp_path: Path) -> None:
    source.history(entry("older", {"Former": 3}), entry("newer"))
    source.history(entry(), prompt="Z99")
    done = nullbench(tmp_path, "import", "benchpress", "BenchPress", "--into", "my board")
    assert (done.code, done.out) == (0, "")
    *told, last = done.err.splitlines()
    (run,) = (path.name for path in (tmp_path / "my board" / "runs").iterdir())
    assert told == [
        "imported 2 models and 3 prompts of BenchPress (commit unknown)",
        "Answers:  6 answers; 1 earlier answer kept as further samples",
        "Judges:   16 verdicts; the panel is anna-1.0, ben and model-b, and G-Eval",
        "Note:     former judged only earlier answers",
        "Note:     1 history of prompts outside evals/general.json left out: another suite",
        f"Run:      my board/runs/{run}",
    ]
    steps = [shlex.split(step) for step in last.removeprefix("Next: ").split(" && ")]
    assert steps == [["cd", "my board"], ["nullbench-site", "build"], ["nullbench-site", "serve"]]
    folder = tmp_path / steps[0][1]
    built = nullbench(folder, "build", "--strict")
    assert built.code == 0, built.err
    assert " 0 made, " in built.err
    assert (folder / "site" / "index.html").is_file()
    assert nullbench(folder, "verify").code == 0
    assert nullbench(folder, "validate").out.startswith(
        "benchpress 1.0.0: 1 board, 2 domains, 3 items, 2 contestants, "
    )


def test_the_report_may_be_had_as_json(source: Checkout, tmp_path: Path) -> None:
    done = nullbench(tmp_path, "import", "benchpress", "BenchPress", "--into", "board", "--json")
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.out)
    assert (report["models"], report["prompts"], report["answers"], report["skipped"]) == (2, 3, 6, [])
    assert report["judges"] == ["anna-1.0", "ben", "model-b"]


def test_broken_files_are_refused_and_nothing_is_left(source: Checkout, tmp_path: Path) -> None:
    source.newest(content=5)
    source.put("results/model-c.json", b"")
    before = files(tmp_path)
    done = nullbench(tmp_path, "import", "benchpress", "BenchPress", "--into", "new/board")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "results/model-a.json: runs.X01[0].content: found int; expected str | null",
        "results/model-c.json:1: the file is empty; expected one JSON object",
        "2 problems; nothing was written. Fix them, or import the rest with --lenient",
    ]
    assert files(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["BenchPress"]

    done = nullbench(tmp_path, "import", "benchpress", "BenchPress", "--into", "board", "--lenient")
    assert done.code == 0
    assert done.err.splitlines()[:3] == [
        "skipped results/model-a.json: runs.X01[0].content: found int; expected str | null",
        "skipped results/model-c.json:1: the file is empty; expected one JSON object",
        "imported 2 models and 3 prompts of BenchPress (commit unknown)",
    ]
    assert nullbench(tmp_path / "board", "build", "--no-render").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["BenchPress"], "Missing option '--into'"),
        (["nowhere", "--into", "board"], "Directory 'nowhere' does not exist"),
        (
            ["BenchPress/evals", "--into", "board"],
            "Error: BenchPress/evals: this is not a checkout of BenchPress, which has",
        ),
        (
            ["BenchPress", "--into", "BenchPress"],
            "Error: BenchPress: the folder is not empty; give the path of a new folder",
        ),
        (["BenchPress/results", "--into", "board"], "Error: BenchPress/results: this is not a checkout of BenchPress"),
        (["BenchPress", "--into", "BenchPress/evals/general.json"], "is a file"),
    ],
)
def test_folders_that_will_not_do_are_one_message(
    source: Checkout, tmp_path: Path, arguments: list[str], said: str
) -> None:
    before = files(tmp_path)
    done = nullbench(tmp_path, "import", "benchpress", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert files(tmp_path) == before


def test_a_disk_that_refuses_is_one_message_and_nothing_is_left(source: Checkout, tmp_path: Path) -> None:
    done = nullbench(tmp_path, "import", "benchpress", "BenchPress", "--into", "BenchPress/evals/general.json/board")
    assert (done.code, done.out) == (3, "")
    assert "move the file away to make room for a folder and run the command again" in done.message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["BenchPress"]
