"""What `plan` says is what `build` then does, for all calls and for some of them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.evidence import files
from support.fakes import FakeBackend, use
from support.repositories import (
    CALLS,
    ITEMS,
    JUDGES,
    MODELS,
    add_model,
    build,
    copy_of,
    edit,
    run_dir,
    small_repository,
)

from nullbench_site import api
from nullbench_site.errors import RunError, UsageError
from nullbench_site.evaluation.forecast import Estimate
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan_report import Plan
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository

SCENES: dict[str, Callable[[Repository], object]] = {
    "nothing was built": lambda repository: None,
    "one contestant was built": lambda repository: build(repository, "lead-2"),
    "everything was built": build,
    "a goal was changed": lambda repository: (
        build(repository),
        edit(repository.specs / "goals" / "science.yaml", "weight: 3", "weight: 1"),
    ),
    "an item was changed": lambda repository: (
        build(repository),
        edit(repository.specs / "domains" / "science.yaml", "task: >-\n", "task: >-\n          Please.\n"),
    ),
    "a contestant was added": lambda repository: (build(repository), add_model(repository, "lead-5", "lead", "{k: 5}")),
    "a fresh run was begun": lambda repository: (build(repository), build(repository, "lead-2", fresh=True)),
    "only a fresh run was begun": lambda repository: build(repository, "lead-2", fresh=True),
    "an older run knows and a fresh one was begun": lambda repository: (
        build(repository),
        edit(repository.specs / "goals" / "science.yaml", "weight: 3", "weight: 1"),
        build(repository, "lead-2", fresh=True),
    ),
}


@pytest.fixture(scope="module", params=SCENES)
def scene(
    request: pytest.FixtureRequest, unbuilt_original: Repository, tmp_path_factory: pytest.TempPathFactory
) -> Repository:
    """A repository after what happened in a scene, to copy."""
    repository = copy_of(unbuilt_original, tmp_path_factory.mktemp("scene") / "board")
    with pytest.MonkeyPatch.context() as patch:
        use(patch, FakeBackend())
        SCENES[request.param](repository)
    return repository


@pytest.mark.parametrize(
    ("fresh", "models"),
    [
        pytest.param(False, (), id="all"),
        pytest.param(False, ("lead-2",), id="lead-2", marks=pytest.mark.sweep),
        pytest.param(True, (), id="fresh"),
    ],
)
def test_the_plan_is_what_the_build_does(
    scene: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: bool, models: tuple[str, ...]
) -> None:
    repository = copy_of(scene, tmp_path / "board")
    backend = use(monkeypatch, FakeBackend())
    plan = api.plan(repository, Selection(models=models), fresh=fresh)
    assert backend.asked == []
    calls = build(repository, *models, fresh=fresh).calls
    assert (plan.planned, plan.to_make.total(), plan.known.total()) == (calls.planned, calls.made, calls.reused)
    assert len(backend.asked) == calls.made
    assert calls.failed == 0


def test_a_plan_tells_contestants_from_judges(repository: Repository) -> None:
    plan = api.plan(repository, Selection())
    contestants = {("contestant", model): ITEMS for model in MODELS}
    judges = {("judge", judge): ITEMS * len(MODELS) for judge in ("support", "restraint", "form")}
    assert plan.to_make == contestants | judges
    assert plan.planned == CALLS
    assert not plan.known


def test_a_plan_writes_nothing(built: Repository) -> None:
    before = files(built.root)
    api.plan(built, Selection())
    api.plan(built, Selection(), fresh=True)
    assert files(built.root) == before


def test_an_answer_that_failed_counts_as_a_call_to_make_with_its_judgments(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model == "lead"))
    build(repository)
    assert not api.plan(repository, Selection()).to_make, "a sealed run is done"
    plan = api.plan(repository, Selection(), retry_failed=True)
    assert plan.to_make["contestant", "lead-2"] == ITEMS
    assert plan.to_make.total() == ITEMS * (1 + JUDGES)


def test_names_that_do_not_exist_are_refused(built: Repository) -> None:
    with pytest.raises(UsageError, match="'leed-2' is not a contestant of 'main'; did you mean 'lead-2'"):
        api.plan(built, Selection(models=("lead-2", "leed-2")))
    with pytest.raises(UsageError, match="there is no board 'mian' in the specs; did you mean 'main'"):
        api.plan(built, Selection(boards=("mian",)))


def test_a_damaged_line_that_the_plan_wants_is_named(repository: Repository) -> None:
    build(repository, "lead-2")
    shard = run_dir(repository) / "responses" / "lead-2.jsonl"
    edit(shard, '"sample":0', '"sample":-')
    with pytest.raises(RunError, match=rf"^{shard}:1: invalid response record"):
        api.plan(repository, Selection())


def test_a_plan_is_read_back_as_it_was() -> None:
    who = ("judge", "anna")
    counted = Plan({who: "local"}, Counter({who: 2}), Counter({("contestant", "lead"): 3}), {who: Estimate()})
    plan = replace(counted, withheld="two items", controls=counted, retired={"anna": "2026-01-01"})
    again = Plan.decoded(plan.encoded)
    assert again == plan
    assert again.to_make["judge", "nobody"] == 0
    assert again.planned == 5


# Some calls now, partial results, and the rest later without repeating one


def test_a_smoke_test_is_partial_and_the_next_build_completes_it(tmp_path: Path) -> None:
    repository = small_repository(tmp_path)
    for chosen, items in ((Selection(limit=2), 2), (Selection(domains=["science"]), ITEMS)):
        assert api.plan(repository, chosen).to_make.total() == items * len(MODELS) * (1 + JUDGES)
    report = api.build(repository, BuildOptions(Selection(limit=2)), render_site=False)
    few = 2 * len(MODELS) * (1 + JUDGES)
    assert (report.calls.planned, report.calls.made, report.partial) == (few, few, True)
    run = Path(report.run_dir)
    assert json.loads((run / "manifest.json").read_text("utf-8"))["state"] == "open"
    with (run / "results" / "main" / "leaderboard.csv").open(encoding="utf-8") as file:
        assert {row["n_items"] for row in csv.DictReader(file)} == {"2"}, "an item without an answer counts for nothing"
    (third,) = [item.id for _, item in api.validate(repository).every_item][2:3]
    one = api.build(repository, BuildOptions(Selection(items=[third])), render_site=False)
    assert (one.calls.made, one.calls.reused, one.partial) == (few // 2, few, True)
    whole = api.build(repository, BuildOptions(), render_site=False)
    assert (whole.calls.planned, whole.calls.reused, whole.partial) == (CALLS, few * 3 // 2, False)
    assert api.plan(repository, Selection(limit=2)).known.total() == few


def test_an_unknown_item_or_domain_is_named(tmp_path: Path) -> None:
    repository = small_repository(tmp_path)
    for chosen, message in (
        (Selection(items=["nope"]), "no selected board has the item 'nope'"),
        (Selection(domains=["sciense"]), "no selected board has the domain 'sciense'; did you mean 'science'"),
    ):
        with pytest.raises(UsageError, match=message):
            api.plan(repository, chosen)
