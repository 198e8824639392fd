from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.runs import JUDGMENT, OPEN, RESPONSE, entry, open_run

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import (
    best_run,
    count_records,
    list_runs,
    newest_run,
    next_run_name,
    read_catalog,
    runs_of,
    summaries,
)
from nullbench_site.runs.manifest import Counts, Manifest, write_manifest

SPECS, OTHER = "a1b2c3d4" * 8, "ffffffff" * 8


def add(runs: Path, name: str, created_at: str, **fields: Any) -> Manifest:
    manifest = replace(OPEN, **{"run": name, "spec_digest": SPECS, "created_at": created_at, **fields})
    return write_manifest(runs / name, manifest)


def names(runs: Path) -> list[str]:
    return [entry.path.name for entry in list_runs(runs)]


def best(runs: Path) -> str:
    run = best_run(list_runs(runs))
    return run.path.name


def newest(runs: Path) -> str:
    run = newest_run(list_runs(runs))
    return run.path.name


@pytest.mark.parametrize(
    "made",
    [
        {},
        # Not by name: .r10 comes after .r9, and a later version may have a smaller digest.
        {
            "1.1.0-00000000": "2026-01-01", "1.0.0-a1b2c3d4": "2026-01-02", "1.0.0-a1b2c3d4.r9": "2026-01-03",
            "1.0.0-a1b2c3d4.r10": "2026-01-03",
        },
        # A clock that was put back makes no run older than those it repeats.
        {"1.1.0-00000000": "2026-01-02", "1.0.0-a1b2c3d4": "2026-01-03", "1.0.0-a1b2c3d4.r2": "2020-01-01"},
    ],
)  # fmt: skip
def test_runs_are_in_the_order_in_which_they_were_made(tmp_path: Path, made: dict[str, str]) -> None:
    for name in sorted(made):
        add(tmp_path, name, made[name])
    assert names(tmp_path) == list(made)


def test_a_sealed_run_is_better_than_an_open_one_and_one_without_failures_than_a_newer_one_with_some(
    tmp_path: Path,
) -> None:
    add(tmp_path, "1.0.0-a1b2c3d4", "2026-01-01")
    add(tmp_path, "1.0.0-a1b2c3d4.r2", "2026-01-02")
    assert best(tmp_path) == newest(tmp_path) == "1.0.0-a1b2c3d4.r2"
    add(tmp_path, "1.0.0-a1b2c3d4", "2026-01-01", state="sealed", counts=Counts(errored=1))
    assert best(tmp_path) == newest(tmp_path) == "1.0.0-a1b2c3d4"
    add(tmp_path, "1.0.0-a1b2c3d4.r3", "2026-01-03", state="sealed")
    add(tmp_path, "1.0.0-a1b2c3d4.r4", "2026-01-04", state="sealed", counts=Counts(errored=1))
    assert best(tmp_path) == newest(tmp_path) == "1.0.0-a1b2c3d4.r3"


def test_the_newest_run_is_of_the_specs_of_the_newest_sealed_one(tmp_path: Path) -> None:
    add(tmp_path, "1.0.0-a1b2c3d4", "2026-01-01", state="sealed")
    add(tmp_path, "1.0.0-ffffffff", "2026-01-02", state="sealed", spec_digest=OTHER, counts=Counts(errored=1))
    add(tmp_path, "1.1.0-ffffffff", "2026-01-03", spec_digest=OTHER)
    assert newest(tmp_path) == "1.0.0-ffffffff"
    assert newest_run([]) is best_run([]) is None


def test_an_open_run_has_the_records_that_are_on_disk_but_for_a_torn_line_and_private_copies(tmp_path: Path) -> None:
    run = open_run(tmp_path / "1.0.0-00000000")
    for item in ("one", "two", "three"):
        run.append(replace(RESPONSE, item=item))
        run.append(replace(RESPONSE, item=item), private=True)
        run.append(replace(JUDGMENT, item=item))
    run.append(replace(RESPONSE, model="other"))
    run.append(replace(JUDGMENT, model="other"))
    run.close()
    with run.shard(type(JUDGMENT), "other").open("ab") as shard:
        shard.write(b'{"key":"half a li')
    assert list(count_records(entry(run)).values()) == [4, 4, 0]
    (told,) = summaries(list_runs(tmp_path))
    assert (told.state, told.calls, told.bytes) == ("open", 8, None)
    run.drop_torn_lines()
    run.note(run.sort_shards())
    sealed = run.seal("2026-01-02T00:00:00+00:00")
    assert sealed.counts.calls == 8


def test_files_and_folders_that_are_no_runs_are_passed_over(tmp_path: Path) -> None:
    add(tmp_path, "1.0.0-a1b2c3d4", "2026-01-02")
    add(tmp_path, ".1.0.0-a1b2c3d4.r2.new", "2026-01-03")
    (tmp_path / "notes").mkdir()
    (tmp_path / ".lock").touch()
    assert names(tmp_path) == ["1.0.0-a1b2c3d4"]


def test_runs_are_read_beside_those_that_cannot_be_read_and_all_of_these_are_named(tmp_path: Path) -> None:
    for name in ("1.0.0-a1b2c3d4", "1.0.0-a1b2c3d4.r2", "1.1.0-00000000"):
        add(tmp_path, name, "2026-01-02")
    for name in ("1.0.0-a1b2c3d4", "1.1.0-00000000"):
        (tmp_path / name / "manifest.json").write_text("{}", "utf-8")
    entries, damaged = read_catalog(tmp_path)
    assert [entry.path.name for entry in entries] == ["1.0.0-a1b2c3d4.r2"]
    assert list(damaged) == ["1.0.0-a1b2c3d4", "1.1.0-00000000"]
    with pytest.raises(RunError) as refused:
        list_runs(tmp_path)
    assert str(refused.value).splitlines() == list(damaged.values())
    assert all(": the manifest is damaged" in line for line in damaged.values())


@pytest.mark.parametrize("put", [Path.mkdir, lambda path: path.symlink_to("/dev/zero"), os.mkfifo])
def test_a_manifest_that_is_no_file_is_one_message_and_nothing_is_waited_for(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    path = tmp_path / "1.0.0-a1b2c3d4" / "manifest.json"
    path.parent.mkdir()
    put(path)
    with pytest.raises(RunError, match=r"manifest\.json: the manifest is a folder, a symlink or a device, not a file"):
        list_runs(tmp_path)


def test_the_runs_of_specs_are_those_of_the_same_version_and_digest(tmp_path: Path) -> None:
    add(tmp_path, "1.0.0-a1b2c3d4.r2", "2026-01-01")
    add(tmp_path, "1.0.0-a1b2c3d4", "2026-01-02")
    add(tmp_path, "2.0.0-a1b2c3d4", "2026-01-03", version="2.0.0")
    entries = list_runs(tmp_path)
    assert [entry.path.name for entry in runs_of(entries, "1.0.0", SPECS)] == ["1.0.0-a1b2c3d4", "1.0.0-a1b2c3d4.r2"]
    assert runs_of(entries, "1.0.0", OTHER) == []


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ([], "1.0.0-a1b2c3d4"),
        (["1.0.0-a1b2c3d4"], "1.0.0-a1b2c3d4.r2"),
        (["1.0.0-a1b2c3d4", "1.0.0-a1b2c3d4.r2", "1.0.0-a1b2c3d4.r9"], "1.0.0-a1b2c3d4.r10"),
        (["1.0.0-a1b2c3d4.r2"], "1.0.0-a1b2c3d4.r3"),
        (["2.0.0-a1b2c3d4", "1.0.0-ffffffff"], "1.0.0-a1b2c3d4"),
        (["1.0.0-a1b2c3d4.rx", "1.0.0-a1b2c3d4-copy"], "1.0.0-a1b2c3d4"),
    ],
)
def test_the_next_run_has_a_name_of_its_own(tmp_path: Path, taken: list[str], expected: str) -> None:
    for name in taken:
        add(tmp_path, name, "2026-01-01")
    assert next_run_name(list_runs(tmp_path), "1.0.0", SPECS) == expected
