"""Builds that end in the middle: killed, interrupted, on torn or damaged files. The next goes on with nothing lost."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import nullbench, start
from support.evidence import bytes_of_run, files, lines, place, records, shards, without_clock
from support.fakes import FakeBackend, use
from support.moments import at_moment
from support.repositories import CALLS, build, copy_of, edit, run_dir, small_repository

from nullbench_site import api
from nullbench_site.errors import RunError
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs

POLL_S = 0.001
PATIENCE_S = 120.0
LARGER = (
    "copy", "lead-2", "lead-3", "null-constant", "null-persuasive", "paraphrase", "random-2", "refuse", "task-aware",
    "textrank-2", "textrank-3",
)  # fmt: skip
"""Contestants enough that a build is still at work when it is killed."""


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return small_repository(tmp_path_factory.mktemp("larger") / "board", LARGER)


@pytest.fixture(scope="module")
def undisturbed(larger: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The larger repository after a build that nobody disturbed."""
    repository = copy_of(larger, tmp_path_factory.mktemp("undisturbed") / "board")
    assert nullbench(repository.root, "build", "--no-render").code == 0
    return repository


def kill(repository: Repository, moment: Callable[[], bool]) -> int:
    """Start a build and kill it once `moment` has come, unless it ends before; its exit code."""
    process = start(repository.root, "build", "--no-render")
    with process:
        until = time.monotonic() + PATIENCE_S
        while not moment() and process.poll() is None:
            assert time.monotonic() < until, "the moment never came"
            time.sleep(POLL_S)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    return process.returncode


def killed(original: Repository, folder: Path, size: float) -> Repository:
    """A copy whose build was killed once so many bytes were on disk. A busy machine may come too late."""
    for attempt in range(5):
        repository = copy_of(original, folder / f"attempt-{attempt}" / "board")
        code = kill(repository, lambda runs=repository.runs: bytes_of_run(runs) > size)  # type: ignore[misc]
        if code != 0:
            assert code == -signal.SIGKILL
            return repository
    pytest.fail("the build was always done before")


def recorded(repository: Repository) -> Counter[bytes]:
    """The lines of all records there are; a record that ends in no line end is none."""
    return Counter(line for run in repository.runs.glob("[!.]*/") for line in lines(run))


def places(repository: Repository) -> Counter[tuple[object, ...]]:
    return Counter(place(json.loads(line)) for line in recorded(repository))


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.sweep)])
def test_a_build_that_is_killed_again_and_again_loses_and_repeats_nothing(
    larger: Repository, undisturbed: Repository, tmp_path: Path, kills: int
) -> None:
    """At moments drawn by how much is on disk, so that they fall into every phase, also that of scoring and sealing."""
    draw = random.Random(20)  # noqa: S311
    repository = larger
    whole = bytes_of_run(undisturbed.runs)
    kept: Counter[bytes] = Counter()
    for number, target in enumerate(sorted(draw.uniform(0.0, 0.98) * whole for _ in range(kills))):
        repository = killed(repository, tmp_path / f"kill-{number}", target)
        now = recorded(repository)
        assert now >= kept, "a record that was there is gone"
        assert set(places(repository).values()) <= {1}, "a call was made twice"
        kept = now

    done = nullbench(repository.root, "build", "--no-render", "--json")
    assert done.code == 0, done.err
    calls = json.loads(done.out)["calls"]
    planned = json.loads(nullbench(undisturbed.root, "build", "--no-render", "--json").out)["calls"]["planned"]
    assert calls["planned"] == planned == calls["made"] + calls["reused"]
    assert calls["made"] + kept.total() <= planned, "something recorded was asked again"
    assert recorded(repository) >= kept
    assert [entry.path.name for entry in list_runs(repository.runs)] == [run_dir(undisturbed).name]
    assert without_clock(run_dir(repository)) == without_clock(run_dir(undisturbed))
    assert {path.name for path in repository.runs.iterdir()} == {run_dir(undisturbed).name, ".lock"}
    assert api.verify(repository, None)[1] == []


def test_a_build_killed_while_it_makes_its_folder_goes_on(repository: Repository, built: Repository) -> None:
    """The moment is short, so a folder is left as such a kill leaves it: some specs, no manifest, no name yet."""
    half = repository.runs / f".{run_dir(built).name}.new"
    half.mkdir(parents=True)
    shutil.copytree(repository.specs / "domains", half / "specs" / "domains")
    (half / "specs" / "domains" / "strange.yaml").write_text("half", "utf-8")
    assert nullbench(repository.root, "build", "--no-render").code == 0
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))
    assert not half.exists()


def test_a_build_killed_while_it_scores_leaves_nothing_in_the_run_that_it_would_seal(
    repository: Repository, built: Repository, tmp_path: Path
) -> None:
    name = run_dir(built).name
    at = at_moment(tmp_path / "at", signal.SIGKILL, "open", f"{name}/results/")
    assert nullbench(repository.root, "build", "--no-render", **at).code == -signal.SIGKILL
    (repository.runs / name / "results" / ".half.json.1.tmp").write_text("{", "utf-8")
    done = nullbench(repository.root, "build", "--no-render", "--json")
    assert json.loads(done.out)["calls"]["made"] == 0
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))


@pytest.mark.parametrize(
    ("part", "times"), [(".new/specs/", 3), ("/judgments/", 2), ("/results/", 1)], ids=["specs", "calls", "results"]
)
def test_ctrl_c_is_one_message_and_the_next_build_goes_on(
    repository: Repository, built: Repository, tmp_path: Path, part: str, times: int
) -> None:
    """Also where no event loop runs: while the specs are copied, and while results are worked out."""
    at = at_moment(tmp_path / "at", signal.SIGINT, "open", f"{run_dir(built).name}{part}", times)
    done = nullbench(repository.root, "build", "--no-render", **at)
    assert (done.code, done.out) == (130, "")
    assert "Traceback" not in done.err
    assert done.err.count("Interrupted") == 1
    assert done.err.endswith("\nInterrupted. Recorded answers are kept; run the same command to resume.\n")
    before = recorded(repository)
    assert (not before) == (part == ".new/specs/")
    assert nullbench(repository.root, "build", "--no-render").code == 0
    assert recorded(repository) >= before
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))


def test_a_torn_last_line_is_dropped_with_a_note_and_asked_again(repository: Repository, built: Repository) -> None:
    build(repository, "lead-2", "paraphrase")
    run = run_dir(repository)
    torn = [run / "responses" / "paraphrase.jsonl", run / "judgments" / "lead-2.jsonl"]
    lost = []
    for path in torn:
        data = path.read_bytes()
        lost.append(json.loads(data.splitlines()[-1])["key"])
        path.write_bytes(data[:-20])
    done = nullbench(repository.root, "build", "--no-render", "--json")
    assert done.code == 0
    for path in torn:
        note = f"runs/{run.name}/{path.parent.name}/{path.name}: dropped a last line that an interrupted build had left"
        assert done.err.count(note) == 1
    assert json.loads(done.out)["calls"]["made"] == CALLS - 2 * CALLS // 3 + len(torn)
    assert {record["key"] for kind in ("responses", "judgments") for record in records(run, kind)} >= set(lost)
    assert without_clock(run) == without_clock(run_dir(built))


def test_a_damaged_line_in_the_middle_of_an_open_run_is_one_error_with_its_place(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(repository, "lead-2")
    shard = run_dir(repository) / "judgments" / "lead-2.jsonl"
    data = shard.read_bytes().splitlines(keepends=True)
    good = data[2]
    data[2] = good.replace(b'"rationale":"', b'"rationale":\xff"')
    shard.write_bytes(b"".join(data))
    backend = use(monkeypatch, FakeBackend())
    with pytest.raises(RunError, match=rf"^{shard}:3: invalid judgment record \(.*\); restore the file from git"):
        build(repository)
    assert backend.asked == []
    done = nullbench(repository.root, "build", "--no-render")
    assert done.code == 2
    assert "judgments/lead-2.jsonl:3: invalid judgment record" in done.message

    data[2] = good
    shard.write_bytes(b"".join(data))
    assert build(repository).calls.made == CALLS - CALLS // 3


def test_a_damaged_line_of_another_open_run_is_one_error_with_its_place(repository: Repository) -> None:
    """It is met in the middle of the calls, by several workers at once."""
    build(repository, "lead-2")
    old = run_dir(repository)
    shard = old / "responses" / "lead-2.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"sample":0', b'"sample":-'))
    edit(repository.specs / "goals" / "science.yaml", "weight: 3", "weight: 1")
    done = nullbench(repository.root, "build", "--no-render")
    assert done.code == 2
    assert f"runs/{old.name}/responses/lead-2.jsonl:" in done.message


def test_an_open_run_that_was_sorted_before_it_went_on_is_sealed_the_same(
    repository: Repository, built: Repository
) -> None:
    build(repository, "paraphrase")
    before = shards(run_dir(repository))
    assert build(repository).calls.reused == CALLS // 3
    assert files(run_dir(repository)).items() >= before.items()
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))


def test_nothing_is_asked_once_every_call_is_recorded_though_the_run_was_never_sealed(
    repository: Repository, built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("nullbench_site.api._score_and_seal", stop)
        with pytest.raises(KeyboardInterrupt):
            build(repository)
    backend = use(monkeypatch, FakeBackend())
    assert build(repository).calls.reused == CALLS
    assert backend.asked == []
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))
