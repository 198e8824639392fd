from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.runs import JUDGMENT, JUDGMENTS, OPEN, RESPONSE, RESPONSES, TEXTS, entry, open_run

from nullbench_site.errors import RunError
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, Response


@given(st.lists(RESPONSES | JUDGMENTS, max_size=12, unique_by=lambda record: record.key))
def test_it_finds_exactly_what_was_appended_whatever_the_texts_are(appended: list[Record]) -> None:
    """Line ends, quotes, separators of other alphabets, and texts that look like an errored record."""
    with tempfile.TemporaryDirectory() as place:
        folder = open_run(Path(place) / "1.0.0-00000000")
        for record in appended:
            folder.append(record)
        folder.close()
        known = KnownCalls([entry(folder)])
        for record in appended:
            other = Judgment if isinstance(record, Response) else Response
            assert known.find(other, record.key) is None
            assert known.find(type(record), record.key) == (None if record.state == "errored" else record)
        assert known.find(Response, "the key of no record") is None


HISTORIES = st.lists(
    st.lists(
        st.builds(
            replace, st.just(RESPONSE), key=st.sampled_from("abcdef").map(lambda letter: letter * 64),
            item=st.sampled_from("xyz"), text=TEXTS, state=st.sampled_from(["answered", "answered", "errored"]),
        ),
        max_size=7,
    ),
    min_size=1, max_size=4,
)  # fmt: skip


@given(HISTORIES, st.integers(0, 4))
def test_whether_sealed_runs_are_read_or_searched_the_same_is_known(histories: list[list[Response]], read: int) -> None:
    """Of runs that have the same call twice, failed calls, shards that are empty or not there, and any order."""
    with tempfile.TemporaryDirectory() as place:
        folders = [open_run(Path(place) / str(number)) for number in range(len(histories))]
        for folder, records in zip(folders, histories, strict=True):
            for record in records:
                folder.append(record)
            folder.sort_shards()
            folder.seal("2026-01-02")
        runs = list(map(entry, folders))
        whole, searching = KnownCalls(runs), KnownCalls(runs[read:], searched=runs[:read])
        for key in (letter * 64 for letter in "0abcdefg"):
            assert searching.find(Response, key, "lead") == whole.find(Response, key)
            assert searching.find(Judgment, key, "lead") is None


def test_of_two_answers_to_one_call_that_of_the_later_run_counts(tmp_path: Path) -> None:
    first, second = (open_run(tmp_path / name) for name in ("first", "second"))
    first.append(replace(RESPONSE, text="first"))
    second.append(replace(RESPONSE, text="second"))
    for folder in (first, second):
        folder.close()
    for order, text in (([first, second], "second"), ([second, first], "first")):
        found = KnownCalls(map(entry, order)).find(Response, RESPONSE.key)
        assert found is not None
        assert found.text == text


def test_an_answer_after_an_error_is_known_and_an_error_after_an_answer_forgets_nothing(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    errored = replace(RESPONSE, state="errored", text="", error="the line is dead")
    for record in (errored, RESPONSE, errored):
        folder.append(record)
    folder.close()
    assert KnownCalls([entry(folder)]).find(Response, RESPONSE.key) == RESPONSE


def test_a_half_written_last_line_is_not_known(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(replace(RESPONSE, key="c" * 64))
    folder.append(RESPONSE)
    folder.close()
    shard = folder.shard(Response, "lead")
    shard.write_bytes(shard.read_bytes()[:-1])
    known = KnownCalls([entry(folder)])
    assert known.find(Response, "c" * 64) is not None
    assert known.find(Response, RESPONSE.key) is None


def test_a_damaged_line_of_an_open_run_is_named_when_it_is_wanted(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    for number in range(3):
        folder.append(replace(JUDGMENT, key=str(number) * 64, item=str(number)))
    folder.close()
    shard = folder.shard(Judgment, "lead")
    lines = shard.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"seconds":0.25', b'"seconds":0,25')
    shard.write_bytes(b"".join(lines))
    known = KnownCalls([entry(folder)])
    assert known.find(Judgment, "2" * 64) is not None
    with pytest.raises(RunError, match=rf"{shard}:2: this line is no judgment record"):
        known.find(Judgment, "1" * 64)


def test_a_sealed_run_that_was_changed_is_no_source_of_answers(tmp_path: Path) -> None:
    """Copied into the next run, a changed answer would be sealed as if it had been given."""
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    folder.note(folder.sort_shards())
    folder.seal("2026-01-02")
    assert KnownCalls([entry(folder)]).find(Response, RESPONSE.key) == RESPONSE
    shard = folder.shard(Response, "lead")
    shard.write_bytes(shard.read_bytes().replace(b"An answer.", b"No answer."))
    with pytest.raises(RunError, match=rf"{shard}: the file was changed after the run was sealed"):
        KnownCalls([entry(folder)])


def test_a_sealed_run_that_was_changed_is_no_source_of_answers_where_it_is_searched_either(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    folder.append(replace(RESPONSE, key="c" * 64, item="another"))
    folder.sort_shards()
    folder.seal("2026-01-02")
    shard = folder.shard(Response, "lead")
    shard.write_bytes(shard.read_bytes().replace(b"An answer.", b"No answer.", 1))
    with pytest.raises(RunError, match=rf"{shard}: the file was changed after the run was sealed"):
        KnownCalls([], searched=[entry(folder)]).find(Response, "c" * 64, "lead")


def test_a_shard_put_beside_those_of_a_sealed_run_is_no_source_of_answers(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "run")
    folder.append(RESPONSE)
    folder.note(folder.sort_shards())
    folder.seal("2026-01-02")
    beside = RunFolder(folder.path, OPEN)
    beside.append(replace(RESPONSE, model="stranger"))
    beside.close()
    with pytest.raises(RunError, match=r"stranger\.jsonl: the file was changed"):
        KnownCalls([entry(folder)])
