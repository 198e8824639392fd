"""Which run a bare command is about: verify, render and build agree, whatever the clock said."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.commands import nullbench
from support.repositories import build, copy_of, edit, run_dir

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.manifest import read_manifest, write_manifest

FUTURE = "2999-01-01T00:00:00.000+00:00"


@pytest.fixture
def early(built: Repository) -> Repository:
    """Its one run says that it was made in a year that the clock has not come to yet, as after it was put back."""
    run = run_dir(built)
    write_manifest(run, replace(read_manifest(run), created_at=FUTURE, sealed_at=FUTURE))
    return built


def chosen(repository: Repository) -> str:
    """The run that bare render and verify are about."""
    return api.find_run(repository, None).manifest.run


@pytest.mark.parametrize("fresh", [True, False])
def test_a_fresh_run_and_one_of_changed_specs_are_the_newest_though_the_clock_was_put_back(
    early: Repository, *, fresh: bool
) -> None:
    if not fresh:
        edit(early.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    made = build(early, fresh=fresh).run
    assert made.endswith(".r2") is fresh
    assert chosen(early) == build(early).run == run_dir(early).name == made


def test_a_run_dated_in_the_future_dates_no_later_one_and_is_warned_of(early: Repository) -> None:
    future = run_dir(early).name
    edit(early.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    done = nullbench(early.root, "build", "--no-render")
    assert (done.code, f"runs/{future}: dated 2999-01-01, in the future" in done.err) == (0, True)
    changed = run_dir(early)
    assert changed.name != future
    assert read_manifest(changed).created_at < FUTURE


def test_a_clock_that_was_put_back_by_less_than_a_day_makes_no_run_older(built: Repository) -> None:
    run, ahead = run_dir(built), (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="milliseconds")
    write_manifest(run, replace(read_manifest(run), created_at=ahead))
    edit(built.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    assert read_manifest(built.runs / build(built).run).created_at > ahead


def test_after_specs_were_put_back_all_take_the_run_of_those(built: Repository) -> None:
    first, spec = run_dir(built).name, built.specs / "models" / "lead-2.yaml"
    before = spec.read_text("utf-8")
    edit(spec, "k: 2", "k: 1")
    assert chosen(built) == first
    second = build(built).run
    assert chosen(built) == second
    spec.write_text(before, "utf-8")
    assert chosen(built) == build(built).run == first
    spec.write_text("no spec", "utf-8")
    assert chosen(built) == second


def test_a_run_in_which_no_call_failed_is_taken_by_all_before_a_newer_one_in_which_one_did(built: Repository) -> None:
    first = run_dir(built).name
    second = built.runs / build(built, fresh=True).run
    manifest = read_manifest(second)
    write_manifest(second, replace(manifest, counts=replace(manifest.counts, errored=1)))
    assert chosen(built) == build(built).run == first


def test_a_run_copied_to_another_name_is_refused(built: Repository, tmp_path: Path) -> None:
    run = run_dir(built)
    copy = built.runs / f"{run.name}.r2"
    shutil.copytree(run, copy)
    done = nullbench(built.root, "verify", copy.name)
    assert done.code == 2
    assert f"the folder '{copy.name}' contains the run '{run.name}'" in done.err
    assert f"rename it to {run.name}, or delete it if it is a copy" in done.err
    shutil.copytree(run, tmp_path / "downloaded")
    assert api.verify(built, str(tmp_path / "downloaded"))[1] == []
    assert api.verify(built, run.name)[1] == []


def test_runs_are_listed_in_the_order_that_the_newest_is_the_last_of(early: Repository, tmp_path: Path) -> None:
    twin = copy_of(early, tmp_path / "twin")
    names = [build(twin, fresh=True).run for _ in range(2)]
    assert [entry.path.name for entry in list_runs(twin.runs)][-2:] == names
