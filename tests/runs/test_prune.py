"""Pruning: old runs lose the records that newer ones hold, and nothing else is lost, whenever it is killed."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.commands import nullbench
from support.evidence import files
from support.moments import at_moment
from support.repositories import CALLS, MODELS, build, copy_of, edit
from support.runs import JUDGMENT, OPEN, RESPONSE, open_run

from nullbench_site import api
from nullbench_site.api import Repository
from nullbench_site.errors import RunError
from nullbench_site.review.comparison import compare
from nullbench_site.review.revisions import revision, work_tree
from nullbench_site.runs import manifest as manifest_module
from nullbench_site.runs import prune as module
from nullbench_site.runs import storage
from nullbench_site.runs.catalog import CatalogEntry, list_runs, newest_of_profiles
from nullbench_site.runs.folder import lost_records
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.manifest import FileDigest, read_manifest, runs_in_words, write_pruned
from nullbench_site.runs.prune import prune, prunings
from nullbench_site.runs.records import Hidden, Response
from nullbench_site.runs.verify import integrity_problems

NOW = "2026-11-22T17:00:00+00:00"


def sealed(runs: Path, number: int, records: Sequence[int], hidden: Sequence[int] = ()) -> None:
    """A sealed run whose responses are numbered: the same number is the same line wherever it stands."""
    made = open_run(runs / f"1.0.{number}-00000000", replace(OPEN, created_at=f"2026-01-{number + 1:02}"))
    for each in records:
        mark = Hidden("sha256:0", 3) if each in hidden else None
        model = "even" if each % 2 == 0 else "odd"
        made.append(replace(RESPONSE, key=f"{each:064x}", item=f"item-{each}", model=model, hidden=mark))
    made.note(made.sort_shards())
    made.seal(NOW)


def pruned(runs: Path, keep: int = 1) -> int:
    entries = list_runs(runs)
    found = prunings(entries, {entry.path for entry in newest_of_profiles(entries, keep)})
    for each in found:
        prune(each, NOW)
    return sum(each.dropped for each in found)


def lines(runs: Path) -> dict[str, set[bytes]]:
    """Run -> its records."""
    return {
        run.name: {line for shard in run.glob("responses/*.jsonl") for line in shard.read_bytes().splitlines()}
        for run in sorted(runs.iterdir())
        if (run / "manifest.json").is_file()
    }


def sound(runs: Path, but_for: str = "nothing") -> None:
    for entry in list_runs(runs):
        assert [line for line in integrity_problems(entry.path)[1] if but_for not in line] == []


HISTORIES = st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=4)


@given(HISTORIES, st.integers(1, 3))
def test_what_goes_stands_in_a_newer_run_and_every_record_stands_somewhere(
    histories: list[set[int]], keep: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        runs = Path(place)
        for number, records in enumerate(histories):
            sealed(runs, number, sorted(records))
        before = lines(runs)
        dropped = pruned(runs, keep)
        after = lines(runs)
        names = sorted(before)
        for place_of, name in enumerate(names):
            newer = {line for other in names[place_of + 1 :] for line in after[other]}
            gone = before[name] - after[name]
            assert after[name] <= before[name]
            assert gone <= newer
            old = place_of < len(names) - keep
            assert gone == (
                {line for other in names[place_of + 1 :] for line in before[other]} & before[name] if old else set()
            )
        assert dropped == sum(len(before[name] - after[name]) for name in names)
        sound(runs)
        for entry in list_runs(runs):
            left = len(after[entry.path.name])
            lost = entry.manifest.pruned.records if entry.manifest.pruned else 0
            assert entry.manifest.counts.calls == left + lost
        assert pruned(runs, keep) == 0


@given(HISTORIES)
def test_whatever_was_known_is_known_afterwards(histories: list[set[int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        runs = Path(place)
        for number, records in enumerate(histories):
            sealed(runs, number, sorted(records))
        keys = [f"{number:064x}" for number in range(8)]
        known = KnownCalls(list_runs(runs))
        before = [known.find(Response, key) for key in keys]
        pruned(runs)
        known = KnownCalls(list_runs(runs))
        assert [known.find(Response, key) for key in keys] == before


class _Killed(BaseException):
    pass


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many steps on the disk may be made yet, before the process is killed."""
    left = [10**6]

    def step(path: Path, *_: object) -> None:
        if left[0] == 0:
            path.with_name(f".{path.name}.1.tmp").write_bytes(b"half")
            raise _Killed
        left[0] -= 1

    write, unlink = storage.write_atomically, Path.unlink
    for place in (module, manifest_module):
        monkeypatch.setattr(place, "write_atomically", lambda *given: (step(*given), write(*given)))
    dropped = lambda path, **more: (path.suffix == ".tmp" or step(path), unlink(path, **more))  # noqa: E731
    monkeypatch.setattr(Path, "unlink", dropped)
    return left


def _history(runs: Path) -> None:
    for number, records in enumerate([(0, 1, 2, 3, 4), (0, 1, 2, 3, 5), (0, 1, 2, 6)]):
        sealed(runs, number, records)


def test_killed_at_any_step_every_run_is_sound_and_the_next_pruning_goes_on(tmp_path: Path, steps: list[int]) -> None:
    _history(tmp_path / "whole")
    before = set().union(*lines(tmp_path / "whole").values())
    shutil.copytree(tmp_path / "whole", tmp_path / "done")
    start = steps[0]
    pruned(tmp_path / "done")
    n_steps = start - steps[0]
    # A manifest before and one after, and a file each of two shards that get shorter, for either run.
    assert n_steps == 8
    for number in range(n_steps):
        runs = tmp_path / f"killed-{number}"
        shutil.copytree(tmp_path / "whole", runs)
        steps[0] = number
        with pytest.raises(_Killed):
            pruned(runs)
        sound(runs, but_for=".1.tmp: the file was added")
        assert set().union(*lines(runs).values()) == before
        # A newer run comes before pruning goes on, so that other records can go than those of the first plan.
        steps[0] = 10**6
        sealed(runs, 3, (0, 4, 6))
        steps[0] = 1
        with pytest.raises(_Killed):
            pruned(runs)
        sound(runs, but_for=".1.tmp: the file was added")
        steps[0] = 10**6
        pruned(runs)
        sound(runs)
        assert set().union(*lines(runs).values()) == before
        assert not any(entry.manifest.pruned and entry.manifest.pruned.cutting for entry in list_runs(runs))
    assert lines(tmp_path / "done") == {
        name: {line for line in found if any(f'"item-{number}"'.encode() in line for number in stays)}
        for (name, found), stays in zip(lines(tmp_path / "whole").items(), [(4,), (3, 5), (0, 1, 2, 6)], strict=True)
    }


def test_a_process_that_is_killed_while_it_prunes_loses_nothing_and_the_next_one_ends_it(tmp_path: Path) -> None:
    """In the second run: of its two shards one is gone, and the other is written and has not its name yet."""
    runs = tmp_path / "board" / "runs"
    _history(runs)
    before = lines(runs)
    moment = at_moment(tmp_path / "at", signal.SIGKILL, "os.rename", ".odd.jsonl.")
    assert nullbench(runs.parent, "runs", "prune", **moment).code == -signal.SIGKILL
    half = lines(runs)
    assert [len(found) for found in half.values()] == [1, 3, 4]
    assert list(runs.glob("*/responses/.odd.jsonl.*.tmp"))
    assert set().union(*half.values()) == set().union(*before.values())
    sound(runs, but_for=".tmp: the file was added")
    assert nullbench(runs.parent, "runs", "prune").code == 0
    sound(runs)
    assert [len(found) for found in lines(runs).values()] == [1, 2, 4]
    assert pruned(runs) == 0


def test_records_of_private_items_stay(tmp_path: Path) -> None:
    for number in range(2):
        sealed(tmp_path, number, (0, 1, 2), hidden=(1,))
    assert pruned(tmp_path) == 2
    assert [len(found) for found in lines(tmp_path).values()] == [1, 3]


def test_an_open_run_holds_nothing_for_others_and_is_not_pruned(tmp_path: Path) -> None:
    sealed(tmp_path, 0, (0, 1))
    unsealed = open_run(tmp_path / "1.0.1-00000000", replace(OPEN, created_at="2026-01-02"))
    shutil.copytree(tmp_path / "1.0.0-00000000" / "responses", unsealed.path / "responses")
    assert pruned(tmp_path) == 0


def test_the_newest_of_each_profile_stay_whole() -> None:
    def run(number: int, profile: str | None) -> CatalogEntry:
        return CatalogEntry(Path(str(number)), replace(OPEN, state="sealed", profile=profile))

    entries = [run(0, "live"), run(1, "live"), run(2, None), run(3, None), run(4, None)]
    assert {entry.path.name for entry in newest_of_profiles(entries, 1)} == {"1", "4"}
    assert {entry.path.name for entry in newest_of_profiles(entries, 2)} == {"0", "1", "3", "4"}


def test_a_changed_shard_of_any_run_stops_pruning_before_anything_goes(tmp_path: Path) -> None:
    _history(tmp_path)
    newest = list_runs(tmp_path)[-1].path / "responses" / "even.jsonl"
    newest.write_bytes(newest.read_bytes().replace(b"answer", b"ANSWER"))
    before = files(tmp_path)
    with pytest.raises(RunError, match=r"1\.0\.2-00000000/responses/even\.jsonl: .*nothing was pruned"):
        pruned(tmp_path)
    assert files(tmp_path) == before


def test_the_manifest_as_it_was_sealed_stays_provable(tmp_path: Path) -> None:
    _history(tmp_path)
    before = [entry.manifest.digest for entry in list_runs(tmp_path)]
    pruned(tmp_path)
    oldest = list_runs(tmp_path)[0]
    assert oldest.manifest.pruned is not None
    assert oldest.manifest.pruned.digest == before[0]
    # Somebody who forges what was sealed gives the manifest a digest that fits, and cannot give it that of the old one.
    forged = replace(oldest.manifest, files={**oldest.manifest.files, "specs/x": FileDigest("0" * 64, 1)})
    (oldest.path / "manifest.json").write_bytes(forged.with_digest().text())
    assert "it is not the manifest that was sealed" in integrity_problems(oldest.path)[1][0]


def test_a_shard_that_was_cut_and_one_that_was_brought_back_are_sound_and_any_other_is_not(tmp_path: Path) -> None:
    _history(tmp_path)
    shard = tmp_path / "1.0.0-00000000" / "responses" / "even.jsonl"
    whole = shard.read_bytes()
    pruned(tmp_path)
    left = shard.read_bytes()
    assert 0 < len(left) < len(whole)
    shard.write_bytes(whole)
    sound(tmp_path)
    shard.write_bytes(whole[: len(whole) // 2])
    assert "was changed after the run was sealed" in integrity_problems(shard.parent.parent)[1][0]
    shard.unlink()
    assert "the file is missing" in integrity_problems(shard.parent.parent)[1][0]


def test_some_runs_are_named_and_many_counted() -> None:
    assert runs_in_words(["b", "a"]) == "a and b"
    assert runs_in_words(list("dcba")) == "4 newer runs, which its manifest names"


@pytest.mark.parametrize("name", ["responses/../../../outside.jsonl", "responses/..", "judgments/x\\\\..\\\\y.jsonl"])
def test_a_manifest_that_names_a_file_elsewhere_has_nothing_pruned_there(tmp_path: Path, name: str) -> None:
    runs = tmp_path / "runs"
    _history(runs)
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes((runs / "1.0.2-00000000" / "responses" / "even.jsonl").read_bytes())
    before = outside.read_bytes()
    oldest = list_runs(runs)[0]
    digest = FileDigest(hashlib.sha256(before).hexdigest(), len(before))
    strange = replace(oldest.manifest, files={**oldest.manifest.files, name: digest})
    (oldest.path / "manifest.json").write_bytes(strange.with_digest().text())
    pruned(runs)
    assert outside.read_bytes() == before


def test_a_link_in_a_run_stops_pruning(tmp_path: Path) -> None:
    _history(tmp_path)
    shard = tmp_path / "1.0.0-00000000" / "responses" / "even.jsonl"
    shard.rename(tmp_path / "elsewhere")
    shard.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="this is a link"):
        pruned(tmp_path)


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    for number in range(2):
        made = open_run(tmp_path / f"1.0.{number}-00000000", replace(OPEN, created_at=f"2026-01-0{number + 1}"))
        made.shard(Response, "lead").parent.mkdir()
        made.shard(Response, "lead").write_bytes(b"no record\n")
        made.seal(NOW)
    with pytest.raises(RunError, match=r"responses/lead\.jsonl:1: this line is no response record"):
        pruned(tmp_path)


def test_a_pruning_of_files_that_were_never_sealed_is_no_riddle(tmp_path: Path) -> None:
    _history(tmp_path)
    pruned(tmp_path)
    oldest = list_runs(tmp_path)[0]
    assert oldest.manifest.pruned is not None
    left = {**oldest.manifest.pruned.left, "responses/never.jsonl": None}
    strange = replace(oldest.manifest, pruned=replace(oldest.manifest.pruned, left=left))
    assert lost_records(oldest.path, strange) == lost_records(oldest.path, oldest.manifest)


# --- with a benchmark -----------------------------------------------------------------------------------------------


@pytest.fixture
def two(built: Repository) -> Repository:
    """A second run: of one item the task is another."""
    edit(
        built.specs / "domains" / "science.yaml",
        "        source: >-\n          ",
        "        source: >-\n          Lately. ",
    )
    edit(built.specs / "benchmark.yaml", 'version: "0.1.0"', 'version: "0.2.0"')
    build(built)
    return built


CHANGED = len(MODELS) * 4
"""Calls on the one item."""


def test_pruning_says_before_and_after_what_cannot_be_worked_out_again(two: Repository) -> None:
    old, new = (entry.path.name for entry in list_runs(two.runs))
    before = files(two.runs)
    dry = nullbench(two.root, "runs", "prune", "--dry-run")
    assert (dry.code, files(two.runs)) == (0, before)
    told = dry.out.splitlines()
    assert told[0].startswith(f"{old}: would drop {CALLS - CHANGED} of {CALLS} records (")
    assert f"held by {new}; from then on it cannot be scored or rendered again" in told[0]
    assert told[0].endswith("nor can the results be worked out again of main")
    assert told[1].startswith("nothing was changed; 1 run would get ")
    done = nullbench(two.root, "runs", "prune")
    assert done.code == 0
    assert f"{old}: dropped; its manifest, specs, results and {CHANGED} records are left" in done.out
    assert nullbench(two.root, "runs", "prune").out.startswith("nothing to prune")
    kept = {name: data for name, data in before.items() if not name.startswith((f"{old}/re", f"{old}/ju", f"{old}/ma"))}
    assert kept.items() <= files(two.runs).items()
    assert {name for name in before if name.startswith(f"{old}/results/")} <= files(two.runs).keys()
    verified = nullbench(two.root, "verify", old)
    assert verified.code == 0
    assert "6 as pruning left them" in verified.out
    assert f"{CALLS - CHANGED} of its {CALLS} records were pruned on" in verified.out
    assert "prun" not in nullbench(two.root, "verify", new).out
    listed = json.loads(nullbench(two.root, "runs", "list", "--json").out)["runs"]
    assert [(run["run"], run["state"], run["calls"], run["pruned"]) for run in listed] == [
        (new, "sealed", CALLS, 0),
        (old, "pruned", CALLS, CALLS - CHANGED),
    ]
    assert listed[1]["bytes"] == sum(
        len(data) for name, data in files(two.runs / old).items() if name != "manifest.json"
    )


def test_a_review_takes_a_pruned_run_where_what_went_stands_in_the_runs_that_it_names(
    two: Repository, tmp_path: Path
) -> None:
    old, new = (entry.path for entry in list_runs(two.runs))
    base = copy_of(two, tmp_path / "base")
    assert nullbench(two.root, "runs", "prune").code == 0
    sound = nullbench(two.root, "diff", str(base.root), "--verify")
    assert sound.code == 0
    gone = CALLS - CHANGED
    assert f"{gone} are pruned: they stand in newer runs; what is left is what was sealed" in sound.out
    manifest = read_manifest(old)
    assert manifest.pruned is not None
    write_pruned(old, replace(manifest.pruned, held_by=()))
    lost = nullbench(two.root, "diff", str(base.root), "--verify")
    assert lost.code == 2
    assert f"it does not verify: {gone} records that it lacks stand in no run that it names" in lost.out
    write_pruned(old, manifest.pruned)
    shutil.rmtree(new)
    assert (
        f"{gone} records that it lacks stand in no run" in nullbench(two.root, "diff", str(base.root), "--verify").out
    )


def test_a_pruned_run_that_is_asked_for_its_records_says_so_in_one_line(two: Repository) -> None:
    old, new = (entry.path.name for entry in list_runs(two.runs))
    api.prune_runs(two)
    for command in ("score", "render"):
        done = nullbench(two.root, command, old)
        assert done.code != 0
        assert f"this run was pruned on {read_manifest(two.runs / old).pruned.at[:10]}" in done.message  # type: ignore[union-attr]
        assert f"records stand only in {new}; restore its folder from git, or build its specs again" in done.message
    with revision(two.root, old, None) as base:
        told = compare(base, work_tree(two.root, None), None)
    assert told.problems == ()
    assert [board.not_measured for board in told.boards] == [
        "the base has no sealed run of its specs whose records are here"
    ]


def test_specs_of_a_pruned_run_are_built_again_without_a_call(two: Repository) -> None:
    old = list_runs(two.runs)[0].path
    before = (old / "results" / "main" / "leaderboard.csv").read_bytes()
    api.prune_runs(two)
    for name in ("domains/science.yaml", "benchmark.yaml"):
        (two.specs / name).write_bytes((old / "specs" / name).read_bytes())
    report = build(two)
    assert report.run == f"{old.name}.r2"
    assert (report.calls.made, report.calls.reused) == (0, CALLS)
    assert (two.runs / report.run / "results" / "main" / "leaderboard.csv").read_bytes() == before
    assert api.verify(two, report.run).problems == []
    # That run is newer, and holds everything of the one that was pruned.
    api.prune_runs(two)
    assert not list((two.runs / old.name).glob("judgments/*"))
    assert api.verify(two, old.name).problems == []


def test_the_run_of_the_specs_as_they_are_stays_whole(two: Repository) -> None:
    old = list_runs(two.runs)[0].path
    for name in ("domains/science.yaml", "benchmark.yaml"):
        (two.specs / name).write_bytes((old / "specs" / name).read_bytes())
    assert api.prune_runs(two) == []


def test_the_judgments_of_a_record_are_as_good_as_responses() -> None:
    """Lines of both kinds begin alike, and name their board."""
    for record in (RESPONSE, JUDGMENT):
        line = msgspec.json.encode(record)
        assert msgspec.json.decode(line, type=module._Board).board == "main"
