"""Records of private items: what of them is published, what a run without them still knows, and what a kill leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.runs import JUDGMENT, JUDGMENTS, RESPONSE, RESPONSES, entry, open_run

from nullbench_site.protocols.rubric.specs import RubricText
from nullbench_site.runs.folder import RunFolder, file_digests
from nullbench_site.runs.known import Journal, KnownCalls
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.records import UNPUBLISHED, CheckResult, Judgment, Record, Response, encode, published
from nullbench_site.runs.verify import integrity_problems, private_problems

SALT = "5a" * 16
SECRET = "zqsecret"  # noqa: S105 - it is to be found nowhere
ANSWER = msgspec.structs.replace(
    RESPONSE, text=f"{SECRET} ä\U0001f600", reasoning=SECRET, finish_reason=SECRET, output_tokens=7, ended="length",
    checks=(CheckResult("banned-words", "0123456789abcdef", "failed", (f"banned_words: {SECRET}",)),),
    served_model=f"gpt-{SECRET}",
)  # fmt: skip
FAILED = msgspec.structs.replace(RESPONSE, state="errored", text="", error=f"it answered 400: {SECRET}")
VERDICT = msgspec.structs.replace(
    JUDGMENT, rationale=f"{SECRET} is named", raw=SECRET, invalid={"score": f"'{SECRET}' is not an integer"},
    repaired=f"score: '{SECRET}'", reasoning=SECRET, finish_reason=SECRET, served_model=SECRET,
)  # fmt: skip
TEXT = RubricText(id="one", salt=SALT, prompt="P", ideal="I", criteria=("C",), checks=())


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = open_run(tmp_path / "runs" / "1.0.0-00000000")
    made.keep_texts({"vault": [TEXT]})
    return made


def journal(folder: RunFolder, salts: dict[str, str] | None = None) -> Journal:
    return Journal(folder, KnownCalls([entry(folder)]), {"one": SALT} if salts is None else salts)


def keep(folder: RunFolder, *records: Record) -> None:
    writer = journal(folder)
    for record in records:
        writer.keep(record)
    writer.close()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def test_no_word_of_a_record_is_published_and_every_figure_is() -> None:
    for record in (ANSWER, FAILED, VERDICT):
        assert SECRET.encode() in encode(record)
        assert SECRET.encode() not in encode(published(record, SALT))
    told = published(ANSWER, SALT)
    assert told.checks == (CheckResult("hidden", "", "failed"),)
    assert (told.state, told.ended, told.output_tokens, told.seconds) == ("answered", "length", 7, ANSWER.seconds)
    assert told.hidden.runes == len(ANSWER.text)
    assert told.served_model == UNPUBLISHED, "that another model answered is published, its name is not"
    assert published(RESPONSE, SALT).served_model is None
    assert published(FAILED, SALT).error == UNPUBLISHED
    verdict = published(VERDICT, SALT)
    assert verdict.scores == VERDICT.scores
    assert verdict.invalid == {"score": UNPUBLISHED}
    assert (verdict.raw, verdict.repaired, verdict.rationale) == (None, UNPUBLISHED, "")


@given(RESPONSES | JUDGMENTS, st.data())
def test_what_is_published_depends_on_every_field_and_on_the_salt(record: Record, data: st.DataObject) -> None:
    told = published(record, SALT)
    assert told.hidden == published(record, SALT).hidden
    assert told.hidden != published(record, "6b" * 16).hidden
    name = data.draw(st.sampled_from(record.__struct_fields__))
    other = data.draw(RESPONSES if isinstance(record, Response) else JUDGMENTS)
    changed = msgspec.structs.replace(record, **{name: getattr(other, name)})
    assert (published(changed, SALT).hidden == told.hidden) == (changed == record)


def test_the_whole_record_stands_in_the_private_folder_and_is_known(folder: RunFolder) -> None:
    keep(folder, ANSWER, VERDICT)
    assert [line["text"] for line in lines(folder.shard(Response, "lead"))] == [""]
    assert [line["text"] for line in lines(folder.shard(Response, "lead", private=True))] == [ANSWER.text]
    known = KnownCalls([entry(folder)])
    assert known.find(Response, ANSWER.key) == ANSWER
    assert known.find(Judgment, VERDICT.key) == VERDICT
    folder.sort_shards()
    folder.seal("2026-01-02")
    assert KnownCalls([entry(folder)]).find(Response, ANSWER.key) == ANSWER


def test_a_record_without_its_words_is_no_known_answer(folder: RunFolder) -> None:
    keep(folder, ANSWER)
    folder.shard(Response, "lead", private=True).unlink()
    assert KnownCalls([entry(folder)]).find(Response, ANSWER.key) is None
    reader = journal(folder)
    assert reader.has(ANSWER.place)
    assert reader.has_lost([ANSWER.place])
    assert reader.answered == 1


def test_an_answer_that_says_it_is_hidden_is_known_all_the_same(folder: RunFolder) -> None:
    sly = msgspec.structs.replace(RESPONSE, item="two", text='","hidden":{"hash":"","runes":1}}')
    keep(folder, sly)
    assert KnownCalls([entry(folder)]).find(Response, sly.key) == sly


def test_a_build_killed_between_the_two_records_asks_nobody_again_and_publishes_what_it_has(folder: RunFolder) -> None:
    folder.append(ANSWER, private=True)
    folder.close()
    known = KnownCalls([entry(folder)])
    assert known.find(Response, ANSWER.key) == ANSWER
    assert lines(folder.shard(Response, "lead")) == []
    keep(folder, ANSWER)
    assert lines(folder.shard(Response, "lead"))[0]["hidden"] == msgspec.to_builtins(published(ANSWER, SALT).hidden)
    folder.sort_shards()
    assert len(lines(folder.shard(Response, "lead", private=True))) == 1


def test_a_second_turn_that_was_due_is_replaced_on_both_sides(folder: RunFolder) -> None:
    due = msgspec.structs.replace(VERDICT, repair_due=True, repaired=None)
    keep(folder, ANSWER, due)
    keep(folder, VERDICT)
    folder.sort_shards()
    assert KnownCalls([entry(folder)]).find(Judgment, VERDICT.key) == VERDICT
    assert [line.get("repair_due") for line in lines(folder.shard(Judgment, "lead"))] == [None]
    assert len(lines(folder.shard(Judgment, "lead", private=True))) == 1


def test_an_answer_that_was_lost_and_asked_for_again_replaces_what_was_published(folder: RunFolder) -> None:
    keep(folder, ANSWER)
    folder.shard(Response, "lead", private=True).unlink()
    other = msgspec.structs.replace(ANSWER, text="Another answer.")
    keep(folder, other)
    assert not journal(folder).has_lost([other.place])
    folder.sort_shards()
    assert lines(folder.shard(Response, "lead"))[0]["hidden"]["runes"] == len("Another answer.")


def test_torn_last_lines_are_dropped_on_both_sides(folder: RunFolder) -> None:
    keep(folder, ANSWER)
    paths = [folder.shard(Response, "lead", private=private) for private in (False, True)]
    for path in paths:
        path.write_bytes(path.read_bytes() + b'{"key":"')
    assert folder.drop_torn_lines() == paths
    assert journal(folder).answered == 1


def test_a_seal_covers_everything_but_the_private_folder(folder: RunFolder) -> None:
    keep(folder, ANSWER, VERDICT)
    folder.sort_shards()
    folder.seal("2026-01-01T00:00:00+00:00")
    assert not [name for name in read_manifest(folder.path).files if name.startswith("private")]
    assert integrity_problems(folder.path)[1] == []
    (folder.path / "private/responses/lead.jsonl").unlink()
    assert integrity_problems(folder.path)[1] == []
    assert file_digests(folder.path) == read_manifest(folder.path).files


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("responses", SECRET, "something else"), ("responses", '"seconds":0.5', '"seconds":0.4'),
        ("judgments", "is named", "is not named"), ("judgments", '"clarity":4', '"clarity":5'),
    ],
)  # fmt: skip
def test_a_whole_record_that_is_not_the_published_one_is_named(
    folder: RunFolder, kind: str, old: str, new: str
) -> None:
    keep(folder, ANSWER, VERDICT)
    assert private_problems(folder.path) == []
    path = folder.path / "private" / kind / "lead.jsonl"
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    (said,) = private_problems(folder.path)
    assert said.startswith(f"{path}:1: this record does not match its hash in")
    assert SECRET not in said


def test_a_run_whose_records_named_the_model_that_answered_is_still_what_was_sealed(folder: RunFolder) -> None:
    folder.append(ANSWER, private=True)
    folder.append(msgspec.structs.replace(published(ANSWER, SALT), served_model="gpt-2"))
    folder.close()
    assert private_problems(folder.path) == []


def test_a_whole_record_whose_salt_is_gone_is_named(folder: RunFolder) -> None:
    keep(folder, ANSWER)
    (folder.path / "private/items/vault.jsonl").unlink()
    (said,) = private_problems(folder.path)
    assert "the salt of 'one' is missing" in said


def test_records_of_public_items_are_published_whole(folder: RunFolder) -> None:
    public = msgspec.structs.replace(ANSWER, item="two")
    keep(folder, public)
    assert list(folder.records(Response, "lead")) == [public]
    assert not folder.shard(Response, "lead", private=True).exists()
