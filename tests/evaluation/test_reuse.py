"""What a build asks, what it copies, and which run it writes to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from support.evidence import files, records, scores_in, shards, without_clock
from support.fakes import FakeBackend, is_judging, use
from support.repositories import CALLS, CATEGORIES, ITEMS, JUDGES, MODELS, add_model, build, edit, run_dir, state

from nullbench_site import api
from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation import evaluate, walk
from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target
from nullbench_site.judging.calls import Request
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> FakeBackend:
    return use(monkeypatch, FakeBackend())


def test_the_first_build_asks_for_everything_once(repository: Repository, backend: FakeBackend) -> None:
    report = build(repository)
    assert (report.calls.planned, report.calls.made, report.calls.reused, report.calls.failed) == (CALLS, CALLS, 0, 0)
    assert len(set(backend.keys)) == len(backend.keys) == CALLS
    assert run_dir(repository).name == report.run


def test_the_second_build_asks_for_nothing_and_leaves_every_byte(built: Repository, backend: FakeBackend) -> None:
    before = files(built.runs)
    report = build(built)
    assert backend.asked == []
    assert (report.calls.planned, report.calls.made, report.calls.reused) == (CALLS, 0, CALLS)
    assert files(built.runs) == before


def test_the_second_build_writes_no_file_again(built: Repository) -> None:
    """Not even with the same bytes: git and rsync would look at it again."""
    before = {path: path.stat().st_mtime_ns for path in built.runs.rglob("*") if path.name != ".lock"}
    build(built)
    assert before == {path: path.stat().st_mtime_ns for path in built.runs.rglob("*") if path.name != ".lock"}


def test_a_changed_goal_judges_only_its_items_again(built: Repository, backend: FakeBackend) -> None:
    """Six items have the goal: each contestant's answers stay, and three judges look at them anew."""
    old = run_dir(built)
    edit(built.specs / "goals" / "science.yaml", "weight: 3", "weight: 1")
    report = build(built)
    touched = len(MODELS) * ITEMS // len(CATEGORIES) * JUDGES
    assert all(is_judging(request) for request in backend.asked)
    assert (report.calls.made, report.calls.reused) == (touched, CALLS - touched) == (len(backend.asked), 90)

    new = run_dir(built)
    assert new != old
    before, after = ({json.dumps(record): record for record in records(run, "judgments")} for run in (old, new))
    assert Counter(before[line]["item"].rsplit("-", 1)[0] for line in before.keys() - after.keys()) == {
        "clinical-evidence": touched
    }
    for name, data in shards(old).items():
        if name.startswith("responses/"):
            assert shards(new)[name] == data


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("boards/main.yaml", "title: ", "title: The "),
        ("benchmark.yaml", 'title: "Small board"', "title: Another name"),
        ("domains/science.yaml", "title: Science", "title: Sciences"),
        ("goals/science.yaml", "title: Report", "title: Tell"),
        ("models/lead-2.yaml", 'title: "Lead-2"', "title: The first two"),
        ("judges.yaml", "title: Support", "title: Evidence"),
    ],
)
def test_a_changed_title_asks_for_nothing_and_keeps_the_run(
    built: Repository, backend: FakeBackend, file: str, old: str, new: str
) -> None:
    before = files(built.runs)
    edit(built.specs / file, old, new)
    assert build(built).calls.made == 0
    assert backend.asked == []
    assert files(built.runs) == before


def test_a_new_contestant_asks_only_its_own_calls_and_adds_files_only(built: Repository, backend: FakeBackend) -> None:
    old = run_dir(built)
    before = files(built.runs)
    add_model(built, "lead-5", "lead", "{k: 5}")
    report = build(built)
    assert (report.calls.made, report.calls.reused) == (ITEMS * (1 + JUDGES), CALLS)
    assert {request.model for request in backend.asked if not is_judging(request)} == {"lead"}
    assert {request.params["k"] for request in backend.asked if not is_judging(request)} == {5}

    new = run_dir(built)
    assert new != old
    assert files(built.runs).items() >= before.items()
    assert set(shards(new)) - set(shards(old)) == {"judgments/lead-5.jsonl", "responses/lead-5.jsonl"}
    assert shards(new).items() >= shards(old).items()


def test_a_contestant_taken_out_asks_for_nothing(built: Repository, backend: FakeBackend) -> None:
    old = run_dir(built)
    (built.specs / "models" / "paraphrase.yaml").unlink()
    assert build(built).calls.made == 0
    assert backend.asked == []
    new = run_dir(built)
    assert shards(new) == {name: data for name, data in shards(old).items() if "paraphrase" not in name}


def test_a_new_version_of_the_same_specs_is_a_new_run_of_known_calls(built: Repository, backend: FakeBackend) -> None:
    old = run_dir(built)
    edit(built.specs / "benchmark.yaml", 'version: "0.1.0"', 'version: "0.2.0"')
    assert build(built).calls.made == 0
    assert backend.asked == []
    new = run_dir(built)
    assert new.name == old.name.replace("0.1.0", "0.2.0")
    assert shards(new) == shards(old)


def test_a_new_revision_of_the_backend_reuses_nothing(built: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs may answer otherwise, so the specs' run is repeated under the next name."""
    backend = use(monkeypatch, FakeBackend(identity="offline@999"))
    old = run_dir(built)
    report = build(built)
    assert (report.calls.made, report.calls.reused) == (CALLS, 0)
    assert len(backend.asked) == CALLS
    assert report.run == f"{old.name}.r2"
    assert build(built).run == report.run


def test_fresh_asks_for_everything_again_and_arrives_at_the_same_scores(
    built: Repository, backend: FakeBackend
) -> None:
    old = run_dir(built)
    before = files(old)
    report = build(built, fresh=True)
    assert (report.calls.made, report.calls.reused) == (CALLS, 0)
    assert len(backend.asked) == CALLS
    assert report.run == f"{old.name}.r2"
    assert files(old) == before

    new = run_dir(built)
    for name, data in before.items():
        if name.startswith("results/"):
            renamed = files(new)[name].replace(report.run.encode(), old.name.encode())
            assert scores_in(name, renamed) == scores_in(name, data), name
    assert shards(new) != shards(old), "a fresh run has times of its own"


def test_fresh_twice_makes_two_more_runs(built: Repository) -> None:
    first = run_dir(built).name
    assert [build(built, fresh=True).run for _ in range(2)] == [f"{first}.r2", f"{first}.r3"]
    assert build(built).run == f"{first}.r3"


def test_an_interrupted_fresh_run_goes_on_where_it_stopped(built: Repository, backend: FakeBackend) -> None:
    """Half of it is there; the other half is asked, although an older run knows every answer."""
    part = build(built, "lead-2", fresh=True)
    assert part.calls.made == ITEMS * (1 + JUDGES)
    plan = api.plan(built, Selection(), fresh=True)
    whole = build(built, fresh=True)
    assert whole.run == part.run
    assert (whole.calls.made, whole.calls.reused) == (CALLS - part.calls.made, part.calls.made)
    assert (plan.to_make.total(), plan.known.total()) == (whole.calls.made, whole.calls.reused)
    assert len(backend.asked) == CALLS


def test_a_part_leaves_the_run_open_and_the_whole_completes_it(repository: Repository, backend: FakeBackend) -> None:
    part = build(repository, "lead-2")
    assert part.calls.made == ITEMS * (1 + JUDGES)
    folder = run_dir(repository)
    assert state(repository) == "open"
    assert (folder / "results" / "main" / "leaderboard.csv").is_file()
    assert set(shards(folder)) == {"responses/lead-2.jsonl", "judgments/lead-2.jsonl"}
    before = shards(folder)

    whole = build(repository)
    assert whole.run == part.run
    assert (whole.calls.made, whole.calls.reused) == (CALLS - part.calls.made, part.calls.made)
    assert len(set(backend.keys)) == len(backend.keys) == CALLS
    assert state(repository) == "sealed"
    assert shards(folder).items() >= before.items()


def test_a_part_takes_what_is_known_of_the_others_and_asks_nothing_of_them(
    built: Repository, backend: FakeBackend
) -> None:
    """One category's goal was changed: its items are judged again, of the one contestant that is asked for alone."""
    old = run_dir(built)
    edit(built.specs / "goals" / "science.yaml", "weight: 3", "weight: 1")
    plan = api.plan(built, Selection(models=["lead-2"]))
    report = build(built, "lead-2")
    assert run_dir(built) != old
    assert (report.calls.made, report.calls.reused) == (plan.to_make.total(), plan.known.total())
    assert len(backend.asked) == report.calls.made == ITEMS // 2 * JUDGES
    assert report.calls.reused == CALLS - len(MODELS) * report.calls.made
    whole, part = shards(old), shards(run_dir(built))
    assert all(part[name] == data for name, data in whole.items() if name.startswith("responses/"))
    assert {name for name in part if name.startswith("judgments/")} == {f"judgments/{model}.jsonl" for model in MODELS}
    assert state(built) == "open"
    assert build(built).calls.made == (len(MODELS) - 1) * report.calls.made
    assert state(built) == "sealed"


def test_a_new_contestant_asked_for_alone_completes_the_board(built: Repository, backend: FakeBackend) -> None:
    add_model(built, "lead-5", "lead", "{k: 5}")
    report = build(built, "lead-5")
    assert (report.calls.made, report.calls.reused) == (ITEMS * (1 + JUDGES), CALLS)
    assert len(backend.asked) == report.calls.made
    assert state(built) == "sealed"
    assert RunFolder(run_dir(built), read_manifest(run_dir(built))).models() == sorted([*MODELS, "lead-5"])


def test_a_fresh_part_takes_nothing_of_earlier_runs(built: Repository) -> None:
    report = build(built, "lead-2", fresh=True)
    assert (report.calls.made, report.calls.reused) == (ITEMS * (1 + JUDGES), 0)
    assert RunFolder(run_dir(built), read_manifest(run_dir(built))).models() == ["lead-2"]


def test_a_part_that_records_nothing_of_its_own_leaves_no_run_of_the_others(
    built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(request: Request) -> bool:
        raise UnavailableError("nobody answers there")

    use(monkeypatch, FakeBackend(fails=unreachable))
    add_model(built, "lead-5", "lead", "{k: 5}")
    before = files(built.runs)
    with pytest.raises(StoppedEarly):
        build(built, "lead-5")
    assert files(built.runs) == before


def test_parts_that_make_a_whole_seal_the_run(repository: Repository, built: Repository) -> None:
    """The last part knows that it was the last, and the run is the one that a single build makes."""
    for model in MODELS:
        assert state(repository) in (None, "open")
        build(repository, model)
    assert state(repository) == "sealed"
    assert without_clock(run_dir(repository)) == without_clock(run_dir(built))


def test_a_part_is_not_the_whole_because_two_contestants_ask_the_same(
    repository: Repository, backend: FakeBackend
) -> None:
    """The answers to lead-2-again are known by their keys, but its shards are not there: the run stays open."""
    for other in MODELS[1:]:
        (repository.specs / "models" / f"{other}.yaml").unlink()
    add_model(repository, "lead-2-again", "lead", "{k: 2}")
    build(repository, "lead-2")
    assert state(repository) == "open"
    report = build(repository)
    assert (report.calls.made, report.calls.reused) == (0, 2 * ITEMS * (1 + JUDGES))
    assert (run_dir(repository) / "responses" / "lead-2-again.jsonl").is_file()
    assert state(repository) == "sealed"


def test_the_run_keeps_the_specs_it_was_made_from(built: Repository) -> None:
    kept = files(run_dir(built) / "specs")
    here = files(built.specs)
    assert kept == {name: data for name, data in here.items() if not name.startswith("schema/")}
    assert len(kept) < len(here)


def test_an_answer_that_differs_next_time_never_meets_a_judgment_of_the_first(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two unfinished runs of the same specs, whose contestants answered differently: each keeps to its own answers."""
    first = use(monkeypatch, FakeBackend(fails=is_judging))
    build(repository, "lead-2")
    run = run_dir(repository)
    second = use(
        monkeypatch,
        FakeBackend(
            reply=lambda request, text: text if is_judging(request) else f"Later. {text}",
            fails=lambda request: request.model == "paraphrase",
        ),
    )
    assert build(repository, fresh=True).run == f"{run.name}.r2"
    assert build(repository, retry_failed=True).run == run.name

    asked = {request.key(): request for request in first.asked + second.asked}
    answers = {(record["model"], record["item"]): record["text"] for record in records(run, "responses")}
    judgments = [record for record in records(run, "judgments") if record["model"] == "lead-2"]
    assert len(judgments) == ITEMS * JUDGES
    for record in judgments:
        assert asked[record["key"]].fields["response"] == answers[record["model"], record["item"]]


def test_what_stands_in_the_run_already_is_not_looked_up_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model in MODELS[:2]:
        build(repository, model)
    looked_up = set()

    def known_records(builder: RequestBuilder, target: Target, known: KnownCalls) -> Iterator[Response | Judgment]:
        looked_up.add(target.model.id)
        return walk.known_records(builder, target, known)

    monkeypatch.setattr(evaluate, "known_records", known_records)
    calls = build(repository, MODELS[0]).calls
    assert looked_up == {MODELS[2]}
    assert (calls.planned, calls.made, calls.reused) == (2 * CALLS // 3, 0, 2 * CALLS // 3)


def test_nothing_makes_a_text_of_the_whole_benchmark(
    repository: Repository, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """asyncio has one made of what its task returned, which takes more memory than all calls of a large benchmark."""

    made = []

    def text_of(benchmark: Benchmark) -> str:
        made.append(benchmark)
        return "the benchmark"

    monkeypatch.setattr(Benchmark, "__repr__", text_of)
    assert build(repository).calls.made == CALLS
    assert made == []
