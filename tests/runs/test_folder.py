from __future__ import annotations

import os
import resource
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.evidence import files, shards
from support.runs import JUDGMENT, JUDGMENTS, OPEN, RESPONSE, RESPONSES, open_run

from nullbench_site.errors import RunError, StorageError
from nullbench_site.runs import storage
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import Counts, read_manifest
from nullbench_site.runs.records import Judgment, Record, Response, encode


@given(st.lists(RESPONSES | JUDGMENTS, max_size=12), st.randoms(use_true_random=False))
def test_sorting_shards_is_idempotent_and_does_not_ask_in_which_order_they_were_written(
    appended: list[Record], random: Random
) -> None:
    appended = [*(replace(RESPONSE, model=model) for model in "ab"), *appended]
    newest = {(type(record), record.place): record for record in appended}
    once = list(newest.values())
    random.shuffle(once)
    with tempfile.TemporaryDirectory() as place:
        straight, shuffled = (open_run(Path(place) / name) for name in ("straight", "shuffled"))
        for record in appended:
            straight.append(record)
        for record in once:
            shuffled.append(record)
        counts = straight.sort_shards().counts
        before = shards(straight.path)
        assert straight.sort_shards().counts == counts == shuffled.sort_shards().counts
        assert shards(straight.path) == before == shards(shuffled.path)
        for model in straight.models():
            for kind in (Response, Judgment):
                kept = list(straight.records(kind, model))
                assert sorted(kept, key=str) == sorted(
                    (r for (k, _), r in newest.items() if k is kind and r.model == model), key=str
                )
                assert [record.key for record in kept] == sorted(record.key for record in kept)


def test_counts_say_how_records_ended(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    folder.append(replace(RESPONSE, item="two", state="errored"))
    for number, state in enumerate(["scored", "scored", "unparsed", "errored"]):
        folder.append(replace(JUDGMENT, judge=str(number), state=state))
    counts = folder.sort_shards().counts
    assert counts == Counts(answered=1, errored=1, scored=2, unparsed=1, judge_errored=1)
    assert (counts.calls, counts.failed) == (6, 2)


def test_of_two_records_of_a_place_the_newer_one_is_kept(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(replace(RESPONSE, key="f" * 64, state="errored"))
    folder.append(RESPONSE)
    folder.sort_shards()
    assert list(folder.records(Response, "lead")) == [RESPONSE]


def test_a_record_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    assert list(RunFolder(folder.path, OPEN).records(Response, "lead")) == [RESPONSE]
    folder.close()


def test_more_shards_than_files_may_be_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "_OPEN_FILES", 3)
    folder = open_run(tmp_path / "run")
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    models = [f"model-{number}" for number in range(10)]
    for item in ("one", "two"):
        for model in models:
            folder.append(replace(RESPONSE, model=model, item=item))
            assert len(os.listdir("/proc/self/fd")) <= before + 3  # noqa: PTH208
    folder.close()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert folder.models() == models
    assert all([r.item for r in folder.records(Response, model)] == ["one", "two"] for model in models)


@pytest.mark.parametrize("torn", [b"{", b'{"key":"' + b"a" * 64, b"\x00\x00", "é".encode()[:1]])
def test_a_half_written_last_line_is_cut_and_the_file_named(tmp_path: Path, torn: bytes) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    folder.append(replace(RESPONSE, model="other"))
    folder.close()
    shard = folder.shard(Response, "lead")
    whole = shard.read_bytes()
    shard.write_bytes(whole + torn)
    assert folder.drop_torn_lines() == [shard]
    assert shard.read_bytes() == whole
    assert folder.drop_torn_lines() == []


def test_a_shard_that_is_nothing_but_half_a_line_becomes_empty(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    shard = folder.shard(Response, "lead")
    shard.parent.mkdir()
    shard.write_bytes(b'{"key":"aa')
    assert folder.drop_torn_lines() == [shard]
    assert shard.read_bytes() == b""
    assert folder.sort_shards().counts == Counts()


def test_a_damaged_line_is_named_with_its_place(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    for item in ("one", "two", "three"):
        folder.append(replace(RESPONSE, item=item, text="a\n\u2028b"))
    folder.close()
    shard = folder.shard(Response, "lead")
    lines = shard.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"state":"answered"', b'"state":"anzwered"')
    shard.write_bytes(b"\n".join(lines))
    with pytest.raises(RunError, match=rf"^{shard}:2: invalid response record \(.*anzwered"):
        list(folder.records(Response, "lead"))


def test_a_full_disk_is_one_storage_error_and_closing_says_nothing_more(tmp_path: Path) -> None:
    """/dev/full takes an open and refuses every write."""
    folder = open_run(tmp_path / "run")
    folder.append(replace(RESPONSE, model="fits"))
    shard = folder.shard(Response, "lead")
    shard.symlink_to("/dev/full")
    with pytest.raises(StorageError, match=rf"^{shard}: No space left on device; free some space and run"):
        folder.append(RESPONSE)
    folder.close()
    shard.unlink()
    assert list(folder.records(Response, "fits")) == [replace(RESPONSE, model="fits")]


@pytest.mark.parametrize("before", [0, 1])
def test_what_a_full_disk_cut_in_two_is_cut_before_anything_else_goes_into_the_shard(
    tmp_path: Path, before: int
) -> None:
    """Whoever was refused has the record still, and appends it again."""
    folder = open_run(tmp_path / "run")
    for _ in range(before):
        folder.append(replace(RESPONSE, item="zero"))
    whole = folder.shard(Response, "lead").stat().st_size if before else 0
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (whole + 100, hard))
    try:
        with pytest.raises(StorageError, match="File too large; raise the limit on file sizes"):
            folder.append(RESPONSE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert folder.shard(Response, "lead").stat().st_size == whole + 100
    path, offset, length = folder.append(RESPONSE)
    folder.append(replace(RESPONSE, item="two"))
    folder.close()
    assert [record.item for record in folder.records(Response, "lead")] == [*["zero"] * before, "one", "two"]
    assert path.read_bytes()[offset:][:length] == encode(RESPONSE)


def test_a_new_run_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process ended before the folder had its name, the next one makes it anew."""

    def refuse(path: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", refuse)
        with pytest.raises(KeyboardInterrupt):
            open_run(tmp_path / "runs" / "1.0.0-00000000")
    assert (tmp_path / "runs" / ".1.0.0-00000000.new" / "manifest.json").is_file()
    assert list_runs(tmp_path / "runs") == []

    (tmp_path / "runs" / ".1.0.0-00000000.new" / "specs" / "half.yaml").touch()
    specs = tmp_path / "runs" / "1.0.0-00000000-specs"
    (specs / "benchmark.yaml").write_text("id: later\n", "utf-8")
    made = RunFolder.create(tmp_path / "runs" / "1.0.0-00000000", OPEN, specs)
    assert [entry.path for entry in list_runs(tmp_path / "runs")] == [made.path]
    assert files(made.path / "specs") == {"benchmark.yaml": b"id: later\n"}
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {made.path.name, specs.name}


def test_a_folder_that_lost_its_manifest_is_not_written_over(tmp_path: Path) -> None:
    run = open_run(tmp_path / "1.0.0-00000000")
    run.append(RESPONSE)
    run.close()
    (run.path / "manifest.json").unlink()
    before = files(run.path)
    with pytest.raises(RunError, match=rf"^{run.path}: this folder has the name of the new run"):
        RunFolder.create(run.path, OPEN, tmp_path / "1.0.0-00000000-specs")
    assert files(run.path) == before


def test_the_specs_of_a_run_are_those_that_are_read(tmp_path: Path) -> None:
    """Neither generated schemas, notes and what an editor leaves behind, nor what a link points to."""
    specs = tmp_path / "specs"
    specs_alone = {"benchmark.yaml", "domains/a.yaml", "domains/a.jsonl", "templates/a.txt"}
    beside = (
        "schema/item.json",
        ".DS_Store",
        "domains/.a.yaml.swp",
        "README.md",
        "notes.txt",
        "domains/a.csv",
        "b.yaml",
    )
    for name in (*specs_alone, *beside, "../.env", "../more/secret.yaml"):
        (specs / name).parent.mkdir(parents=True, exist_ok=True)
        (specs / name).write_text(name, "utf-8")
    (specs / "models").symlink_to("../more")
    for name in ("notes.md", "axes.yaml", "domains/b.yaml"):
        (specs / name).symlink_to(tmp_path / ".env")
    os.mkfifo(specs / "judges.yaml")
    (specs / "benchmark.yaml").chmod(0o444)
    made = RunFolder.create(tmp_path / "run", OPEN, specs)
    assert set(files(made.path / "specs")) == specs_alone
    assert (made.path / "specs" / "benchmark.yaml").stat().st_mode & 0o200


def test_what_a_killed_writer_left_beside_its_file_is_not_sealed(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    for name in (".manifest.json.77.tmp", "responses/.lead.jsonl.78.tmp"):
        (folder.path / name).write_bytes(b"half of it")
    folder.note(folder.sort_shards())
    sealed = folder.seal("2026-01-02")
    assert set(sealed.files) == {"responses/lead.jsonl", "specs/benchmark.yaml"}
    assert set(files(folder.path)) == {"manifest.json", *sealed.files}


def test_sealing_a_sealed_run_again_changes_nothing(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    folder.note(folder.sort_shards())
    sealed = folder.seal("2026-01-02")
    before = files(folder.path)
    assert folder.seal("2027-09-09") == sealed == read_manifest(folder.path)
    assert files(folder.path) == before
