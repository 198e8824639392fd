"""Builds that stop a board once its contestants are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from support.benchmarks import edit, write_benchmark, write_board
from support.commands import nullbench
from support.fault_server import Canned, FaultServer, completion
from support.live import keyed_repository

from nullbench_site import api
from nullbench_site.build_report import BuildReport, Early
from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import Stop, read_manifest
from nullbench_site.runs.records import Response
from nullbench_site.scoring.board_tables import StoppedAt
from nullbench_site.scoring.looks import items_until
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.digest import scored_json

LOOKS = [0.25, 0.5, 1]
SEPARATED = BuildOptions(stop_when="separated")
N = 160


def _right(number: int, share: float) -> bool:
    """Whether an item is answered right by a contestant that is right on this share; the same for all at one number."""
    return (number * 61 % N) / N < share


def write(folder: Path, *, first: float = 0.95, copy: float = 0.05, **board: Any) -> Repository:
    """Write a board of keys that two programs answer, each right on a share of the items, and a null model."""
    specs = write_benchmark(folder, "oracle")
    for path in (*(specs / "boards").glob("*.yaml"), *(specs / "domains").glob("*.yaml")):
        path.unlink()
    items = []
    for number in range(N):
        right = {str(number): _right(number, first), f"Say {number}": _right(number, copy)}
        accepted = [text for text, is_right in right.items() if is_right]
        items.append({
            "id": f"say-{number:03}", "difficulty": "easy", "prompt": f"Say {number}",
            "key": {"type": "exact", "accepted": accepted or ["Silence"]},
        })  # fmt: skip
    more = {"contestants": ["copy", "first-option", "null-empty"], "looks": LOOKS, **board}
    write_board(specs, "oracle", items, **{name: value for name, value in more.items() if value is not None})
    return Repository(folder)


def build(repository: Repository, options: BuildOptions = SEPARATED) -> tuple[BuildReport, Results]:
    report = api.build(repository, options, render_site=False)
    return report, read_results(Path(report.run_dir), "main")


def asked(repository: Repository, report: BuildReport) -> dict[str, set[str]]:
    """The items that each contestant was asked, by the records of a run."""
    folder = RunFolder(Path(report.run_dir), read_manifest(Path(report.run_dir)))
    return {model: {record.item for record in folder.records(Response, model)} for model in folder.models()}


def test_contestants_far_apart_stop_at_the_first_look_and_the_run_is_sealed(tmp_path: Path) -> None:
    repository = write(tmp_path)
    report, results = build(repository)
    assert report.early == {"main": Early(1, 3, 40)}
    assert report.stopped == ()
    assert (report.calls.made, report.calls.left, report.partial) == (120, 0, False)
    benchmark = api.validate(repository)
    first = set(items_until(benchmark, benchmark.boards["main"], 1))
    assert len(first) == 40
    assert asked(repository, report) == {"copy": first, "first-option": first, "null-empty": first}
    assert results.stopped == StoppedAt(look=1, looks=3, n_items=160)
    assert results.n_items == 40
    assert [(row.model, row.rank) for row in results.leaderboard[:2]] == [("first-option", 1), ("copy", 2)]
    assert api.verify(repository, None).problems == []


def test_a_board_in_which_one_pair_is_open_goes_on_to_all_items(tmp_path: Path) -> None:
    report, results = build(write(tmp_path, first=0.5, copy=0.5))
    assert report.early == {}
    assert (report.calls.planned, report.calls.made, report.calls.reused) == (480, 480, 0)
    assert results.stopped is UNSET
    assert results.n_items == N


def test_a_smaller_difference_stops_at_the_second_look(tmp_path: Path) -> None:
    report, results = build(write(tmp_path, first=0.42, copy=0.14))
    assert report.early == {"main": Early(2, 3, 80)}
    assert report.calls.made == 240
    assert results.stopped == StoppedAt(look=2, looks=3, n_items=160)


def test_the_same_build_again_makes_no_call_and_a_full_build_asks_the_rest_in_a_new_run(tmp_path: Path) -> None:
    repository = write(tmp_path)
    early, again = build(repository)[0], build(repository)[0]
    assert (again.run, again.calls.made, again.early) == (early.run, 0, early.early)
    full, results = build(repository, BuildOptions())
    assert full.run != early.run
    assert (full.calls.reused, full.calls.made) == (120, 360)
    assert full.early == {}
    assert results.stopped is UNSET
    assert build(repository)[0].run == full.run
    assert api.verify(repository, None).problems == []


def test_a_full_build_does_not_depend_on_whether_an_earlier_build_stopped(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    stopped_first, at_once = write(tmp_path / "a"), write(tmp_path / "b")
    build(stopped_first)
    found = [msgspec.structs.replace(build(each, BuildOptions())[1], run="") for each in (stopped_first, at_once)]
    assert _without_times(found[0]) == _without_times(found[1])


def _without_times(results: Results) -> dict[str, Any]:
    return {
        "board": [(row.model, row.score, row.ci_low, row.ci_high, row.rank_high) for row in results.leaderboard],
        "pairs": [(each.a, each.b, each.low, each.high, each.significant) for each in results.differences],
        "critical": results.pair_critical,
    }


def test_after_a_stop_the_intervals_of_differences_are_wider_than_single_ones(tmp_path: Path) -> None:
    """They are the estimate and the critical value of all looks times the error."""
    _, results = build(write(tmp_path))
    (apart,) = [each for each in results.differences if {each.a, each.b} == {"copy", "first-option"}]
    assert apart.value is not None
    assert apart.se is not None
    assert apart.low is not None
    assert results.pair_alpha is not None
    assert results.pair_alpha < 0.001
    assert apart.value - apart.low > 3.5 * apart.se


def test_a_stop_is_refused_with_a_part_of_the_calls(tmp_path: Path) -> None:
    repository = write(tmp_path)
    for selection, option in (
        (Selection(limit=5), "--limit"),
        (Selection(models=["copy"]), "--model"),
        (Selection(items=["say-001"]), "--item"),
        (Selection(domains=["items"]), "--domain"),
        (Selection(shard=(1, 2)), "--shard"),
    ):
        with pytest.raises(UsageError, match=f"--stop-when .* does not work with {option}") as refused:
            api.build(repository, BuildOptions(selection, stop_when="separated"))
        assert refused.value.exit_code == 2
    assert not list(tmp_path.glob("runs/0*"))


def test_a_stop_is_refused_without_looks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"needs looks, and board 'main' has none; add looks: \[0.25, 0.5, 1\]"):
        api.build(write(tmp_path, looks=None), SEPARATED)


def test_looks_cannot_change_after_a_run_of_the_same_version(tmp_path: Path) -> None:
    repository = write(tmp_path)
    build(repository)
    edit(tmp_path / "specs", "boards/main.yaml", "0.25", "0.3")
    for options in (SEPARATED, BuildOptions()):
        with pytest.raises(UsageError, match=r"looks are \[.*0.3, .*but run .* has \[0.25, .*looks cannot change"):
            build(repository, options)
    edit(tmp_path / "specs", "benchmark.yaml", 'version: "0.1.0"', 'version: "0.2.0"')
    assert build(repository)[0].early


def test_an_open_run_of_a_partial_build_is_stopped_as_any_other(tmp_path: Path) -> None:
    """Answers beyond the look do not count."""
    repository = write(tmp_path)
    build(repository, BuildOptions(Selection(limit=100)))
    report, results = build(repository)
    assert report.early == {"main": Early(1, 3, 40)}
    assert results.n_items == 40
    assert api.verify(repository, None).problems == []


def _sealed_again(report: BuildReport, **stop: Any) -> None:
    """Change where a sealed run says that it stopped, and seal it again, as anyone can."""
    folder = RunFolder(Path(report.run_dir), read_manifest(Path(report.run_dir)))
    folder.stop({"main": msgspec.structs.replace(folder.manifest.stops["main"], **stop)})
    folder.seal("", None)


def test_verify_reports_a_stop_at_other_items_than_those_of_a_look(tmp_path: Path) -> None:
    repository = write(tmp_path)
    report, _ = build(repository)
    stop = read_manifest(Path(report.run_dir)).stops["main"]
    for change in ({"items": stop.items[1:]}, {"items": ()}, {"look": 2}, {"looks": 4}, {"look": 0}, {"look": 3}):
        _sealed_again(report, **{**msgspec.structs.asdict(stop), **change})
        problems = api.verify(repository, None).problems
        assert any("board 'main' stopped at look" in each and "other items" in each for each in problems), change


def test_verify_reports_a_stop_with_an_open_pair(tmp_path: Path) -> None:
    """A look of contestants that are not told apart, sealed as if they were."""
    repository = write(tmp_path, first=0.5, copy=0.5)
    report, _ = build(repository)
    folder = RunFolder(Path(report.run_dir), read_manifest(Path(report.run_dir)))
    benchmark = api.validate(repository)
    folder.stop({"main": Stop(1, 3, items_until(benchmark, benchmark.boards["main"], 1))})
    folder.seal("", None)
    api.score(repository, report.run_dir)
    assert any("stopped early, but some pair is not decided" in each for each in api.verify(repository, None).problems)


@pytest.mark.parametrize(
    ("looks", "message"),
    [
        ([0.5, 0.25, 1], "looks must rise to 1"),
        ([0.25, 0.25, 1], "looks must rise to 1"),
        ([0.25, 0.5], "looks must rise to 1"),
        ([1], "main.yaml:[0-9]+:[0-9]+: .*at least 2"),
        ([0, 1], "expected more than 0"),
        ([0.5, 1.5], "expected at most 1"),
        (["half", 1], "expected a number"),
        (0.5, "expected a list"),
    ],
)
def test_looks_that_do_not_rise_to_all_items_are_refused(tmp_path: Path, looks: object, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        api.validate(write(tmp_path, looks=looks))


def test_a_board_without_looks_has_the_digest_that_it_had(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    without, having = (api.validate(write(tmp_path / name, looks=of)) for name, of in (("a", None), ("b", LOOKS)))
    assert b"looks" not in scored_json(without.boards["main"])
    assert b"looks" in scored_json(having.boards["main"])


def test_the_command_ends_with_0_and_pages_say_where_the_board_stopped(tmp_path: Path) -> None:
    write(tmp_path)
    done = nullbench(tmp_path, "build", "--stop-when", "separated")
    assert done.code == 0, done.err
    assert "main stopped at look 1 of 3, after 40 items: every pair is decided" in done.out + done.err
    page = next((tmp_path / "site").glob("**/boards/main/index.html")).read_text("utf-8")
    assert "Stopped early, at look 1 of 3, after 40 of 160 items: every pair was decided." in page
    refused = nullbench(tmp_path, "build", "--stop-when", "separated", "--limit", "3")
    assert refused.code == 2
    assert "does not work with --limit" in refused.message


def test_a_budget_that_ends_within_a_look_stops_the_build_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """A model at an endpoint answers A to everything; copying is never right, and A always."""
    with FaultServer() as server:
        server.always["far"] = Canned(completion({"model": "far"}, "A"))
        keyed_repository(tmp_path, server.url)
        specs = tmp_path / "specs"
        for path in (*(specs / "boards").glob("*.yaml"), *(specs / "domains").glob("*.yaml")):
            path.unlink()
        items = [
            {
                "id": f"say-{n:03}",
                "difficulty": "easy",
                "prompt": f"Say {n}",
                "key": {"type": "exact", "accepted": ["A"]},
            }
            for n in range(N)
        ]
        write_board(specs, "oracle", items, contestants=["copy", "far"], looks=LOOKS)
        command = ("build", "--stop-when", "separated", "--no-render", "--json")
        cut = nullbench(tmp_path, *command, "--max-calls", "25")
        assert cut.code == 3, cut.err
        assert "early" not in json.loads(cut.out)
        done = nullbench(tmp_path, *command)
        assert done.code == 0, done.err
        report = json.loads(done.out)
        assert report["early"] == {"main": {"look": 1, "looks": 3, "items": 40}}
        assert (report["calls"]["made"], report["calls"]["reused"]) == (15, 65)
