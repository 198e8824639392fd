"""`build` as programs and people meet it: what goes to stdout, what to stderr, and in which form."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark
from support.commands import argv, nullbench, probe
from support.fakes import FakeBackend, use
from support.repositories import CALLS, ITEMS, JUDGES, edit, run_dir
from support.terminal import on_a_terminal

from nullbench_site import cli
from nullbench_site.repository import Repository

ESCAPE = "\x1b"


def test_json_is_one_object_with_the_documented_keys_and_nothing_else(repository: Repository) -> None:
    done = nullbench(repository.root, "build", "--no-render", "--json")
    assert done.code == 0
    assert all(json.loads(line)["event"] for line in done.err.splitlines())
    report = json.loads(done.out)
    assert set(report) == {"run", "run_dir", "site_dir", "calls", "cost_usd", "seconds"}
    assert report["calls"] == {"planned": CALLS, "made": CALLS, "reused": 0, "failed": 0}
    assert report["run"] == run_dir(repository).name
    assert (repository.root / report["run_dir"]).samefile(run_dir(repository))
    assert (report["site_dir"], report["cost_usd"]) == (None, None)
    assert set(report["seconds"]) == {"specs", "evaluate", "score"}
    assert all(seconds >= 0 for seconds in report["seconds"].values())
    assert done.out.count("\n") == 1


def test_json_keeps_its_warnings_for_stderr(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model == "lead"))
    assert build_here(repository, monkeypatch, "--json", "--strict") == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["calls"] == {
        "planned": CALLS, "made": CALLS - ITEMS * (1 + JUDGES), "reused": 0, "failed": ITEMS,
    }  # fmt: skip
    warning = (
        f"Warning: {ITEMS} calls failed; their items count as 0. Repeat them with --retry-failed. "
        "The records have the errors"
    )
    assert err.splitlines()[-1] == warning


def test_json_of_a_build_that_could_not_start_is_empty(repository: Repository) -> None:
    edit(repository.specs / "benchmark.yaml", "license:", "licence:")
    done = nullbench(repository.root, "build", "--no-render", "--json")
    assert (done.code, done.out) == (2, "")
    assert re.search(r"^specs/benchmark\.yaml:\d+:1: unknown key 'licence'; did you mean 'license'\?", done.err, re.M)
    assert not repository.runs.exists()


def build_here(repository: Repository, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """`build` in this process, where a fake backend stands; its exit code."""
    monkeypatch.setattr(sys, "argv", ["x", "-C", str(repository.root), "build", "--no-render", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_a_fresh_build_says_that_the_scores_were_reproduced(built: Repository) -> None:
    run = run_dir(built).name
    done = nullbench(built.root, "build", "--no-render", "--fresh", "--strict")
    assert done.code == 0
    assert done.err.splitlines()[-1] == f"Reproduced: every score except times equals run {run}"


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 1)])
def test_a_fresh_build_names_the_scores_that_were_not_reproduced(
    built: Repository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    strict: tuple[str, ...],
    code: int,
) -> None:
    run = run_dir(built).name
    judge_otherwise = FakeBackend(
        reply=lambda request, text: re.sub(r'"goal_alignment": ?\d+', '"goal_alignment":100', text)
    )
    use(monkeypatch, judge_otherwise)
    assert build_here(built, monkeypatch, "--fresh", *strict) == code
    said = capsys.readouterr().err.splitlines()
    (first,) = (number for number, line in enumerate(said) if line.startswith("Not reproduced: "))
    assert re.fullmatch(rf"Not reproduced: \d+ scores differ from run {run}:", said[first])
    shown = said[first + 1 :]
    assert 1 <= len(shown) <= 10
    assert all(re.fullmatch(r"  main\.\S+: .+ and .+", line) for line in shown), shown


def test_a_part_of_a_fresh_build_is_not_compared_with_a_whole_one(built: Repository) -> None:
    done = nullbench(built.root, "build", "--no-render", "--fresh", "--strict", "--model", "lead-2")
    assert done.code == 0
    assert "eproduced" not in done.err


def test_a_run_with_failures_is_nothing_to_compare_with(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model == "lead"))
    assert build_here(repository, monkeypatch) == 0
    use(monkeypatch, FakeBackend())
    assert build_here(repository, monkeypatch, "--fresh", "--strict") == 0
    assert "eproduced" not in capsys.readouterr().err


def test_without_a_terminal_progress_is_a_few_plain_lines_on_stderr(repository: Repository) -> None:
    done = nullbench(repository.root, "build", "--no-render")
    assert (done.code, done.out) == (0, "")
    assert ESCAPE not in done.err
    assert "\r" not in done.err
    quarters = [f"  {part} of {CALLS}: {part} made, 0 reused, 0 failed" for part in (36, 72, 108, 144)]
    assert done.err.splitlines() == [
        "Reading specs ...", "Evaluating ...", f"  {CALLS} calls planned", *quarters, "Scoring ...",
        f"Calls: {CALLS} planned, {CALLS} made, 0 reused, 0 failed", f"Run:   runs/{run_dir(repository).name}",
    ]  # fmt: skip


BUILD = argv("build", "--no-render")


def test_on_a_terminal_there_is_a_bar_in_colour(repository: Repository) -> None:
    _, said = on_a_terminal(BUILD, repository.root, TERM="xterm-256color", COLUMNS="100")
    assert re.search(rf"Evaluating .*{CALLS}", said)
    assert re.search(r"\x1b\[[0-9;]*3[0-9]", said), "some colour"
    assert said.count(f"Calls: {CALLS} planned") == 1


def test_validate_prints_totals(repository: Repository) -> None:
    done = nullbench(repository.root, "validate")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("1 board, 1 domain, 12 items, 3 contestants, 3 judges; no problem found\n")


def test_validate_writes_the_schemas_even_if_a_spec_is_wrong(repository: Repository) -> None:
    """An editor needs them most when something is wrong."""
    schema = repository.specs / "schema" / "model.json"
    before = schema.read_bytes()
    schema.unlink()
    edit(repository.specs / "models" / "lead-2.yaml", "kind:", "knid:")
    done = nullbench(repository.root, "validate", "--write-schemas")
    assert done.code == 2
    assert "specs/models/lead-2.yaml:" in done.err
    assert schema.read_bytes() == before


HEAVY = (
    "pandas", "altair", "numpy", "jsonschema", "openai", "aiohttp", "httpx2", "rich", "jinja2", "yaml", "mkdocs",
    "asyncio", "msgspec",
)  # fmt: skip
IMPORTED = """
import runpy, sys
try:
    runpy.run_module("nullbench_site", run_name="__main__", alter_sys=True)
except SystemExit as ended:
    assert not ended.code, ended.code
finally:
    print(",".join(name for name in sys.modules if name in {heavy!r}), file=sys.__stdout__)
"""


def imported_by(folder: Path, *arguments: str) -> set[str]:
    """The heavy packages that a command imports."""
    done = probe(folder, IMPORTED.format(heavy=HEAVY), *arguments)
    assert done.code == 0, done.err
    return {name for name in done.out.splitlines()[-1].split(",") if name}


def test_the_version_imports_nothing_heavy(tmp_path: Path) -> None:
    assert imported_by(tmp_path, "--version") == set()


def test_a_warm_build_imports_nothing_heavy(built: Repository) -> None:
    assert imported_by(built.root, "build", "--no-render").isdisjoint({"pandas", "altair", "numpy", "openai", "mkdocs"})
    assert imported_by(built.root, "plan").isdisjoint({"pandas", "altair", "numpy", "openai", "mkdocs"})


def test_planning_calls_to_endpoints_imports_no_client(tmp_path: Path) -> None:
    write_benchmark(tmp_path, live=True)
    clients = {"openai", "aiohttp", "httpx2", "pandas", "numpy", "altair"}
    assert imported_by(tmp_path, "plan", "--profile", "live").isdisjoint(clients)


def test_a_build_that_scores_imports_numpy(repository: Repository) -> None:
    """So that the tests above can tell."""
    assert "numpy" in imported_by(repository.root, "build", "--no-render")
