from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.runs import JUDGMENT, JUDGMENTS, OPEN, RESPONSE, RESPONSES, entry, open_run

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


def test_of_two_answers_to_one_call_that_of_the_later_run_counts(tmp_path: Path) -> None:
    first, second = (open_run(tmp_path / name) for name in ("first", "second"))
    first.append(replace(RESPONSE, text="first"))
    second.append(replace(RESPONSE, text="second"))
    for folder in (first, second):
        folder.close()
    for order, text in (([first, second], "second"), ([second, first], "first")):
        found = KnownCalls(map(entry, order)).find(Response, RESPONSE.key)
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


@pytest.mark.parametrize("damaged", [b'"seconds":0,25', b'"seconds":"0.25"'])
def test_a_damaged_line_of_an_open_run_is_named(tmp_path: Path, damaged: bytes) -> None:
    """At once if it is no JSON, else when it is used."""
    folder = open_run(tmp_path / "run")
    for number in range(3):
        folder.append(replace(JUDGMENT, key=str(number) * 64, item=str(number)))
    folder.close()
    shard = folder.shard(Judgment, "lead")
    lines = shard.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"seconds":0.25', damaged)
    shard.write_bytes(b"".join(lines))
    with pytest.raises(RunError, match=rf"{shard}:2: invalid judgment record"):
        KnownCalls([entry(folder)]).find(Judgment, "1" * 64)


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
