"""The committed run: it is what was sealed, it is of the shipped specs, and it can be reproduced."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.evidence import without_clock
from support.repositories import adds_up, shipped_benchmark

from nullbench_site import api
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan_report import report
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.programs.damage import FALSIFICATIONS
from nullbench_site.protocols.axes.metrics import AxesResults
from nullbench_site.repository import Repository
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.tables import read_results

SHIPPED = Repository(Path(__file__).parents[1])
EXTRACTS = ("lead-2", "lead-3", "textrank-2", "textrank-3", "task-aware")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The shipped specs and run, where a test may change them."""
    root = tmp_path_factory.mktemp("shipped")
    shutil.copytree(SHIPPED.specs, root / "specs")
    entry = api.find_run(SHIPPED, None)
    shutil.copytree(entry.path, root / "runs" / entry.path.name)
    return Repository(root)


@pytest.fixture(scope="module")
def results() -> AxesResults:
    return read_results(api.find_run(SHIPPED, None).path, "nullbench")


def n_recorded() -> int:
    """Return how many records of the run come from tables of the specs, for which nobody was called."""
    return sum(1 for _ in RequestBuilder(shipped_benchmark(), backends()).recorded())


def test_the_committed_run_is_what_was_sealed_and_its_results_follow_from_its_records() -> None:
    assert api.verify(SHIPPED, None)[1] == []


def test_throughput_has_the_two_significant_digits_that_the_dictionary_says(results: AxesResults) -> None:
    assert "two significant digits" in METRICS["throughput_rps"].sentence
    rates = [row.throughput_rps for row in results.leaderboard if row.throughput_rps]
    assert rates
    assert rates == [float(f"{rate:.2g}") for rate in rates]


def test_the_shipped_specs_need_no_call_that_the_committed_run_does_not_hold(copy: Repository) -> None:
    plan = api.plan(copy, Selection())
    assert plan.to_make.total() == 0
    assert adds_up(report(plan))
    controls = plan.controls.known.total()
    marks = 156 * 17 * (1 + 3) + 80 * 17 * (1 + 3)
    # Compliance checks something on 25 of 42 items, and on 13 and 16 of 23 at the two turns.
    games = 15 * 42 + (13 * 2 + 2) * 2 * (42 * 2 + 25)
    turns = 17 * (23 * 2 * (1 + 2) + 13 + 16)
    facts = 338 * (2 * 5 + 3 + 8)  # two models in five wordings, one of them in one with three seeds; programs, in one
    facts_judged = 338 * 8 + (150 + 150 + 100) * 3  # known answers, and grades of a sample by three judges
    best_of = 38 * 16 * (1 + 3)
    judged_by_the_model = 20 * (4 + 4) + 20 * 3 * 2 + 20 * 4  # answers, games in both orders, marks
    # A call for each file of the board: of six contestants of Facts, one of nullbench, and two elsewhere.
    canaries = 13 * 6 + 15 + 2 * (9 + 5 + 2)
    of_facts = facts + facts_judged + best_of
    assert plan.known.total() - controls == marks + games + turns + of_facts + judged_by_the_model + canaries
    assert controls == 25_444
    assert api.find_run(copy, None).manifest.counts.calls == plan.known.total() + n_recorded()


def test_a_contestant_evaluated_anew_gives_the_same_answers_and_gets_the_same_marks(copy: Repository) -> None:
    """What the next test does for all of them; the folder of the part is gone before that."""
    committed = api.find_run(SHIPPED, None).path
    report = api.build(copy, BuildOptions(Selection(models=("lead-2",)), fresh=True), render_site=False)
    part = copy.runs / report.run
    expected, found = (without_clock(run) for run in (committed, part))
    shutil.rmtree(part)
    for kind in ("responses", "judgments"):
        assert found[f"{kind}/lead-2.jsonl"] == expected[f"{kind}/lead-2.jsonl"]


@pytest.mark.sweep
@pytest.mark.timeout(900)
def test_evaluating_the_shipped_specs_anew_arrives_at_the_same_scores(copy: Repository) -> None:
    """The reproducibility that the board claims. Raise the offline REVISION and build again if this should move."""
    committed = api.find_run(SHIPPED, None)
    records = [
        json.loads(line)
        for kind in ("responses", "judgments", "probes")
        for shard in (committed.path / kind).iterdir()
        for line in shard.read_text("utf-8").splitlines()
    ]
    of_programs = {
        record["key"] for record in records if not record.get("judge", record["model"]).startswith("smollm2")
    }
    report = api.build(copy, BuildOptions(fresh=True), render_site=False)
    assert report.calls.made == len(of_programs) - n_recorded(), (
        "reused are verdicts on answers that two give alike, and nothing else"
    )
    assert api.reproduction(copy, report.run) == (committed.manifest.run, [])


def test_every_extract_is_far_above_what_knows_nothing_of_the_request_and_one_is_above_the_copy(
    results: AxesResults,
) -> None:
    """Two of three judges rank the copy of the source above the others."""
    blind = max(results.row(model).overall or 0 for model in ("null-empty", "null-persuasive", "null-structured"))
    for model in EXTRACTS:
        row = results.row(model)
        assert (row.overall or 0) > blind + 30
        assert row.above_null_floor is (model == "task-aware")
        assert row.below_floor_alone == ([] if row.above_null_floor else ["support", "restraint"])


def test_every_falsehood_put_into_each_sentence_costs_measurably_on_both_boards() -> None:
    """And by 10 points or more where it is a denial, an opposite or another number on the board of sources."""
    run = api.find_run(SHIPPED, None).path
    for board in ("nullbench", "practical"):
        panel = [row for row in read_results(run, board).controls if row.judge is None and row.dose == 1]
        drops = {row.damage: row for row in panel}
        assert all((drops[kind].low or 0) > 0 for kind in FALSIFICATIONS)
        assert all((drops[kind].drop or 0) >= 10 for kind in ("negation", "antonym", "number"))


def test_gibberish_and_bare_lists_stand_near_what_null_models_get(results: AxesResults) -> None:
    blind = max(results.row(model).overall or 0 for model in ("null-empty", "null-persuasive", "null-structured"))
    whole = {row.damage: row.damaged or 0 for row in results.controls if row.judge is None and row.dose == 1}
    assert max(whole["shuffled-words"], whole["keywords"], results.row("null-words").overall or 0) <= blind + 15


def test_every_extract_is_above_every_null_model_on_each_judge(results: AxesResults) -> None:
    mean = {(row.judge, row.model): row.mean or 0.0 for row in results.judge_models}
    for judge in ("support", "restraint", "form"):
        best_null = max(value for (of, model), value in mean.items() if of == judge and model.startswith("null-"))
        assert all(mean[judge, model] > best_null + 1 for model in EXTRACTS)


def test_every_null_model_and_the_refuser_are_not_above_the_floor(results: AxesResults) -> None:
    for model in ("null-empty", "null-constant", "null-persuasive", "null-structured", "refuse"):
        assert results.row(model).above_null_floor is False
