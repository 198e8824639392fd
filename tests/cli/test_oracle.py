"""A board of answer keys through the command line: no judge, no axes, marks that `verify` works out again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.oracle_sites import write_axes_and_oracle

CALLS = 13 * 4


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    write_benchmark(folder, "oracle")
    done = nullbench(folder, "build", "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["calls"] == {"planned": CALLS, "made": CALLS, "reused": 0, "failed": 0}
    assert (Path(folder / report["site_dir"]) / "index.html").is_file()
    return folder


def only_run(folder: Path) -> Path:
    (run,) = (path for path in (folder / "runs").iterdir() if (path / "manifest.json").is_file())
    return run


def test_every_command_takes_a_board_of_keys(built: Path) -> None:
    done = {command: nullbench(built, *command.split()) for command in (
        "validate", "plan", "verify", "render", "build --no-render --json"
    )}  # fmt: skip
    assert {command: each.code for command, each in done.items()} == dict.fromkeys(done, 0)
    assert "judge" not in done["plan"].out.lower()
    assert f"{CALLS} records" in done["verify"].out
    calls = json.loads(done["build --no-render --json"].out)["calls"]
    assert calls == {"planned": CALLS, "made": 0, "reused": CALLS, "failed": 0}


def test_every_answer_has_its_mark_and_no_judgment_is_made(built: Path) -> None:
    run = only_run(built)
    lines = [json.loads(line) for path in (run / "responses").iterdir() for line in path.read_text().splitlines()]
    assert len(lines) == CALLS
    assert {mark["outcome"] for line in lines for mark in line["checks"]} == {"correct", "wrong", "invalid"}
    assert all(len(line["checks"]) == 1 for line in lines)
    assert not (run / "judgments").exists() or not list((run / "judgments").iterdir())
    rows = list(csv.DictReader((run / "results/keys/leaderboard.csv").read_text().splitlines()))
    assert [(row["model"], row["rank"], row["n_correct"], row["n_invalid"]) for row in rows] == [
        ("first-option", "1", "4", "2"), ("copy", "2", "2", "10"), ("null-constant", "", "0", "11"),
        ("null-empty", "", "0", "13"),
    ]  # fmt: skip


def test_a_changed_key_marks_the_same_answers_again_without_a_call(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "oracle")
    assert nullbench(tmp_path, "build", "--no-render").code == 0
    domain = specs / "domains/counting.yaml"
    domain.write_text(domain.read_text("utf-8").replace("value: 36}", "value: 3}"), "utf-8")
    done = nullbench(tmp_path, "build", "--no-render", "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["calls"] == {"planned": CALLS, "made": 0, "reused": CALLS, "failed": 0}
    rows = csv.DictReader((tmp_path / report["run_dir"] / "results/keys/items.csv").read_text().splitlines())
    marks = {(row["model"], row["item"]): row["outcome"] for row in rows}
    assert marks["first-option", "counting-05"] == "correct"
    assert nullbench(tmp_path, "verify").code == 0


def test_a_mistake_in_a_key_is_named_and_nothing_is_built(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "oracle")
    domain = specs / "domains/naming.yaml"
    domain.write_text(domain.read_text("utf-8").replace('"[A-Z]{2}"', '"[A-Z{2}"'), "utf-8")
    done = nullbench(tmp_path, "build", "--no-render")
    assert done.code == 2
    assert "specs/domains/naming.yaml:33:14: '[A-Z{2}' is not a regular expression of RE2" in done.err
    assert not (tmp_path / "runs").exists()


def test_a_board_of_keys_and_a_board_of_axes_share_a_repository(tmp_path: Path) -> None:
    write_axes_and_oracle(tmp_path)
    done = nullbench(tmp_path, "build", "--no-render", "--json")
    assert done.code == 0, done.err
    run = only_run(tmp_path)
    assert {path.name for path in (run / "results").iterdir()} == {"keys", "small"}
    assert nullbench(tmp_path, "verify").code == 0
    again = json.loads(nullbench(tmp_path, "build", "--no-render", "--json").out)
    assert again["calls"]["made"] == 0
    keys = csv.DictReader((run / "results/keys/leaderboard.csv").read_text().splitlines())
    assert [row["n_correct"] for row in keys] == ["4", "2", "0", "0"]


def test_a_hidden_prompt_and_its_key_stay_hidden_and_its_marks_count(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "oracle")
    assert nullbench(tmp_path, "hide", "counting", "counting-07").code == 0
    assert nullbench(tmp_path, "build").code == 0
    run = only_run(tmp_path)
    public = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and "private" not in path.relative_to(tmp_path).parts and ".nullbench" not in path.parts
    ]
    assert any(b"How many are 3 dozen?" in path.read_bytes() for path in public)
    for secret in (b"in a row of 12 m", b"is not 1.1 within"):
        assert [path for path in public if secret in path.read_bytes()] == []
    rows = csv.DictReader((run / "results/keys/items.csv").read_text().splitlines())
    (hidden,) = (row for row in rows if (row["model"], row["item"]) == ("first-option", "counting-07"))
    assert (hidden["key"], hidden["outcome"], hidden["why"]) == ("hidden", "wrong", "")
    (tmp_path / "private").rename(tmp_path.with_name(f"{tmp_path.name}-away"))
    assert nullbench(tmp_path, "verify").code == 0
    again = nullbench(tmp_path, "build", "--no-render", "--json")
    assert (again.code, json.loads(again.out)["calls"]["made"]) == (0, 0)
