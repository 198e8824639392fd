"""Backends that give no answer, give nonsense, or are wrong: what is recorded, counted and asked again."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.commands import nullbench
from support.evidence import files, records
from support.fakes import FakeBackend, is_judging, use
from support.repositories import CALLS, ITEMS, JUDGES, MODELS, add_model, build, run_dir

from nullbench_site import api
from nullbench_site.cli.app import app
from nullbench_site.judging.calls import Request
from nullbench_site.repository import Repository
from nullbench_site.runs.manifest import Counts, read_manifest


def leaderboard(run: Path) -> dict[str, dict[str, str]]:
    with (run / "results" / "main" / "leaderboard.csv").open(encoding="utf-8") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


def test_a_contestant_that_fails_is_recorded_and_scored_as_0(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model == "lead"))
    calls = build(repository).calls
    assert (calls.planned, calls.made, calls.reused) == (CALLS, CALLS - ITEMS * (1 + JUDGES), 0)
    assert calls.failed == ITEMS, "what was not answered is not judged"

    run = run_dir(repository)
    failed = [record for record in records(run, "responses") if record["model"] == "lead-2"]
    assert {record["state"] for record in failed} == {"errored"}
    assert {record["error"] for record in failed} == {"no answer from lead: the line is dead"}
    assert {record["text"] for record in failed} == {""}
    assert not (run / "judgments" / "lead-2.jsonl").exists()
    answered = ITEMS * (len(MODELS) - 1)
    manifest = read_manifest(run)
    assert manifest.counts == Counts(answered=answered, errored=ITEMS, scored=answered * JUDGES)
    assert manifest.sealed
    row = leaderboard(run)["lead-2"]
    assert (row["overall"], row["error_rate"], row["n_items"]) == ("0.0", "1.0", str(ITEMS))
    assert float(leaderboard(run)["paraphrase"]["overall"]) > 0
    assert leaderboard(run)["paraphrase"]["error_rate"] == "0.0"


def test_a_retry_asks_exactly_what_failed_and_reuses_the_rest(
    repository: Repository, built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = use(monkeypatch, FakeBackend(fails=lambda request: request.model in ("lead", "form")))
    build(repository)
    first = run_dir(repository)
    before = files(first)
    failed = {request.key() for request in broken.asked if request.model in ("lead", "form")}

    mended = use(monkeypatch, FakeBackend())
    assert build(repository).run == first.name, "a sealed run is done"
    assert not mended.asked
    report = build(repository, retry_failed=True)
    assert report.run == f"{first.name}.r2"
    asked = {request.key() for request in mended.asked if not (is_judging(request) and request.model != "form")}
    judged_first_now = {request.key() for request in mended.asked} - asked
    assert failed <= asked
    assert len(mended.asked) == ITEMS * (1 + JUDGES) + ITEMS * (len(MODELS) - 1) == report.calls.made
    assert len(judged_first_now) == ITEMS * (JUDGES - 1), "the other judges see lead-2 for the first time"
    assert report.calls.reused == CALLS - report.calls.made
    assert files(first) == before
    assert leaderboard(run_dir(repository)).keys() == leaderboard(run_dir(built)).keys()
    for model, row in leaderboard(run_dir(built)).items():
        assert leaderboard(run_dir(repository))[model]["overall"] == row["overall"]
    assert build(repository).run == build(repository, retry_failed=True).run == report.run


def test_a_retry_in_which_everything_fails_again_leaves_the_run_as_it_is(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model in ("lead", "form")))
    first = build(repository)
    before = files(repository.runs)
    again = build(repository, retry_failed=True)
    assert (again.run, again.calls.failed) == (first.run, first.calls.failed)
    assert files(repository.runs) == before


def test_a_failure_in_an_open_run_is_replaced_where_it_stands(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeBackend(fails=is_judging))
    build(repository, "lead-2")
    run = run_dir(repository)
    assert read_manifest(run).state == "open"
    assert Counter(record["state"] for record in records(run, "judgments")) == {"errored": ITEMS * JUDGES}
    mended = use(monkeypatch, FakeBackend())
    build(repository, "lead-2")
    assert all(is_judging(request) for request in mended.asked)
    assert len(mended.asked) == ITEMS * JUDGES
    assert Counter(record["state"] for record in records(run, "judgments")) == {"scored": ITEMS * JUDGES}


def test_a_reply_that_cannot_be_read_is_kept_and_not_asked_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge did answer. What it said stands in the record, so that anyone sees why it has no score."""
    nonsense = "I'd say 4 out of 5.\n\u2028"
    use(monkeypatch, FakeBackend(reply=lambda request, text: nonsense if request.model == "form" else text))
    report = build(repository)
    assert report.calls.failed == 0
    unread = [record for record in records(run_dir(repository), "judgments") if record["judge"] == "form"]
    assert {record["state"] for record in unread} == {"unparsed"}
    assert {record["raw"] for record in unread} == {nonsense}
    assert {record["error"] for record in unread} == {None}
    assert read_manifest(run_dir(repository)).counts.unparsed == len(unread) == ITEMS * len(MODELS)
    again = use(monkeypatch, FakeBackend())
    before = files(repository.runs)
    assert build(repository).calls.made == build(repository, retry_failed=True).calls.made == 0
    assert again.asked == [], "a program would say the same again"
    assert files(repository.runs) == before


@pytest.mark.parametrize(
    ("strict", "code"),
    [([], 0), (["--strict"], 1)],
)
def test_strict_exits_with_1_where_a_call_failed(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, strict: list[str], code: int
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model == "lead"))
    done = CliRunner().invoke(app, ["-C", str(repository.root), "build", "--no-render", *strict])
    assert done.exit_code == code
    warning = (
        f"Warning: {ITEMS} calls failed; their items count as 0. Repeat them with --retry-failed. "
        "The records have the errors"
    )
    assert done.stderr.splitlines()[-1] == warning


def test_a_dry_run_shows_what_a_retry_of_the_failed_would_ask(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeBackend(fails=lambda request: request.model == "lead"))
    build(repository)

    def to_make(*options: str) -> str:
        done = CliRunner().invoke(app, ["-C", str(repository.root), "build", "--dry-run", *options])
        (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("contestant lead-2")]
        return row[2]

    assert (to_make(), to_make("--retry-failed")) == ("0", str(ITEMS))


def test_params_that_a_program_cannot_run_with_are_found_before_a_call_is_made(repository: Repository) -> None:
    add_model(repository, "lead-x", "lead", '{k: "two"}')
    done = nullbench(repository.root, "build", "--no-render")
    assert done.code == 2
    assert "wrong params for 'lead': param 'k': found str; expected int" in done.err
    assert not repository.runs.exists()


def test_a_bug_in_a_backend_keeps_its_traceback_and_what_was_recorded(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(request: Request, text: str) -> str:
        if request.model == "paraphrase":
            raise ZeroDivisionError
        return text

    use(monkeypatch, FakeBackend(reply=stumble))
    with pytest.raises(ExceptionGroup) as raised:
        build(repository)
    assert raised.group_contains(ZeroDivisionError)
    run = run_dir(repository)
    kept = {record["key"] for kind in ("responses", "judgments") for record in records(run, kind)}
    mended = use(monkeypatch, FakeBackend())
    report = build(repository)
    assert (report.run, report.calls.reused) == (run.name, len(kept))
    assert kept.isdisjoint(mended.keys)
    assert api.verify(repository, None)[1] == []
