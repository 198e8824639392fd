"""`validate --format github` and `--format sarif`: problems as the programs around a review read them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import edit, write_benchmark
from support.commands import nullbench

from nullbench_site.cli.annotations import of_error, sarif, workflow_commands
from nullbench_site.errors import RULES, Problem, Rule, SpecError, UsageError

LEAD = "models/lead-2.yaml"


def _sarif(folder: Path, *options: str) -> dict[str, Any]:
    done = nullbench(folder, *options, "validate", "--format", "sarif")
    log: dict[str, Any] = json.loads(done.out)
    assert done.code == (2 if log["runs"][0]["results"] else 0)
    _assert_is_sarif(log)
    return log


def _assert_is_sarif(log: dict[str, Any]) -> None:
    """What SARIF 2.1.0 requires of the parts that we write, by its sections 3.13 to 3.30."""
    assert log["version"] == "2.1.0"
    assert len(log["runs"]) == 1
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["tool"]["driver"]["name"]
    assert len(rules) == len(set(rules))
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    assert all(isinstance(invocation["executionSuccessful"], bool) for invocation in run["invocations"])
    prints = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert re.fullmatch(r"[A-Za-z0-9%._~/-]+", place["artifactLocation"]["uri"])
        assert not place["artifactLocation"]["uri"].startswith(("/", ".."))
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
        prints.add(result["partialFingerprints"]["problem/v1"])
    assert len(prints) == len(run["results"])


def pin(specs: Path, *judges: str) -> None:
    """Have judges name the version of their model, so that nobody is warned of them."""
    for judge in judges:
        edit(specs, "judges.yaml", f"model: {judge}-1", "model: pinned-2026-03-17")


def test_a_problem_is_a_result_of_its_rule_at_its_place(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    edit(specs, "boards/small.yaml", "panel: live", "panel: life")
    (result,) = _sarif(tmp_path)["runs"][0]["results"]
    assert result["ruleId"] == "boards"
    assert result["message"]["text"] == "unknown panel 'life'; did you mean 'live'? known: live, rules"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "specs/boards/small.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 20, "startColumn": 12},
    }


def test_valid_specs_have_no_result(tmp_path: Path) -> None:
    pin(write_benchmark(tmp_path, live=True), "anna", "ben", "cleo")
    assert _sarif(tmp_path)["runs"][0]["results"] == []
    assert nullbench(tmp_path, "validate", "--format", "github").code == 0


def test_files_are_named_from_the_folder_that_the_command_runs_in(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path / "bench", live=True)
    edit(specs, LEAD, "vendor: built in", "vendr: built in")
    results = _sarif(tmp_path, "-C", "bench")["runs"][0]["results"]
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
    assert uris == {"bench/specs/models/lead-2.yaml"}
    done = nullbench(tmp_path, "-C", "bench", "validate", "--format", "github")
    assert done.code == 2
    assert all(line.startswith("::error file=bench/specs/models/lead-2.yaml,line=") for line in done.out.splitlines())
    assert done.err == ""


def _write(file: str, text: str) -> Callable[[Path], None]:
    def write(specs: Path) -> None:
        (specs / file).write_text(text, "utf-8")

    return write


def _edit(file: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda specs: edit(specs, file, old, new)


MISTAKES: list[tuple[Rule, Callable[[Path], None]]] = [
    ("files", _write("models/notes.yml", "a: 1")),
    ("text", _edit("domains/rivers.yaml", "title: Levels", "title: Levels #1")),
    ("credentials", _edit(LEAD, "vendor: built in", f"vendor: sk-{'a1' * 12}")),
    ("yaml", _edit(LEAD, "vendor: built in", "vendor: !new built in")),
    ("schema", _edit(LEAD, "vendor: built in", "vendr: built in")),
    ("names", _edit(LEAD, "id: lead-2", "id: lead-3")),
    ("goals", _edit("goals/rivers.yaml", "reasoning: 5, clarity: 4}", "reasoning: 5, clarity: 4, reason: 4}")),
    (
        "private",
        _edit(
            "domains/rivers.yaml",
            "      - id: fish-01",
            '      - id: fish-01\n        salt: "0123456789abcdef0123456789abcdef"',
        ),
    ),
    ("judges", _edit("judges.yaml", "refusal_gates: {sample: 2, votes: 2}", "refusal_gates: {sample: 2, votes: 3}")),
    ("contestants", _edit(LEAD, "model: lead", "model: laed")),
    ("boards", _edit("templates/zero-context.txt", "{{ task }}", "{{ tsak }}")),
    ("protocol", _edit("domains/rivers.yaml", "clarity, numerical-fidelity]", "clarity, fidelity]")),
]


@pytest.mark.parametrize(("rule", "mistake"), MISTAKES, ids=[rule for rule, _ in MISTAKES])
def test_each_mistake_breaks_its_rule(tmp_path: Path, rule: Rule, mistake: Callable[[Path], None]) -> None:
    mistake(write_benchmark(tmp_path, live=True))
    assert rule in {result["ruleId"] for result in _sarif(tmp_path)["runs"][0]["results"]}


def test_the_names_of_rules_are_stable() -> None:
    assert " ".join(RULES) == (
        "files text credentials yaml schema names goals items private protocol judges contestants endpoints "
        "boards ledger publication"
    )


def _prints(*problems: Problem) -> list[str]:
    log = json.loads(sarif(of_error(SpecError(problems)), Path()))
    return [result["partialFingerprints"]["problem/v1"] for result in log["runs"][0]["results"]]


def test_a_fingerprint_stays_when_lines_move() -> None:
    before = Problem("specs/a.yaml", 3, 1, "'x' is taken: it stands at specs/b.yaml:4 already", "names")
    after = Problem("specs/a.yaml", 9, 5, "'x' is taken: it stands at specs/b.yaml:12 already", "names")
    assert _prints(before) == _prints(after)
    assert len(set(_prints(before, after))) == 2


def test_foreign_text_is_bounded_and_is_no_command_or_link() -> None:
    hostile = "50% [click](https://x.example)\r\n::error::me\x1b[2J" + "y" * 5000
    error = SpecError([Problem("specs/a,b:c%.yaml", 1, 2, hostile)])
    (command,) = workflow_commands(of_error(error), Path())
    assert command.startswith(
        "::error file=specs/a%2Cb%3Ac%25.yaml,line=1,col=2,title=specs%3A schema::50%25 [click](https://x.example)%0A"
    )
    assert "\n" not in command
    assert "\x1b" not in command
    assert len(command) < 1200
    log = json.loads(sarif(of_error(error), Path()))
    _assert_is_sarif(log)
    text = log["runs"][0]["results"][0]["message"]["text"]
    assert "](" not in text
    assert "\x1b" not in text
    assert len(text) <= 1001


def test_a_private_file_elsewhere_appears_by_its_name() -> None:
    log = json.loads(sarif(of_error(SpecError([Problem("/home/me/secret/rivers.jsonl", 1, 1, "wrong")])), Path()))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "rivers.jsonl", "uriBaseId": "PRIVATE"}


def test_other_errors_are_reported_too(tmp_path: Path) -> None:
    done = nullbench(tmp_path, "validate", "--format", "github")
    assert done.code == 2
    assert done.out.startswith("::error::specs: no benchmark.yaml here")
    invocation = json.loads(sarif(of_error(UsageError("no such folder")), Path()))["runs"][0]["invocations"][0]
    assert invocation == {
        "executionSuccessful": False,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": "no such folder"}}],
    }


def test_a_warning_appears_in_each_format_and_exits_with_0(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    pin(specs, "ben", "cleo")
    edit(specs, "boards/small.yaml", "panel: rules", "panel: live")
    said = "unversioned model name 'anna-1': it may later point to another model; use a name with a date"
    done = nullbench(tmp_path, "validate")
    assert done.code == 0
    assert f"Warning: specs/judges.yaml:27:12: {said}" in done.err
    done = nullbench(tmp_path, "validate", "--format", "github")
    assert done.code == 0
    assert f"::warning file=specs/judges.yaml,line=27,col=12,title=specs%3A judges::{said}" in done.out
    done = nullbench(tmp_path, "validate", "--format", "sarif")
    assert done.code == 0
    log = json.loads(done.out)
    _assert_is_sarif(log)
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("judges", "warning")
